//! Lines of source, from a module's DWARF sections.
//!
//! A place in code that a compiler inlined has the line of the call: the one in the function that
//! the place is in.

use std::collections::{BTreeMap, HashMap};

use gimli::{
    AttributeValue, DW_AT_call_file, DW_AT_call_line, DW_TAG_inlined_subroutine, DW_TAG_subprogram,
    DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, SectionId, Unit,
};
use wasmparser::{Parser, Payload};

type Slice<'m> = EndianSlice<'m, LittleEndian>;

/// Lines by offset in the code section.
#[derive(Default)]
pub struct Lines {
    /// From each offset on; absent where there is none.
    rows: BTreeMap<u64, Option<String>>,
    /// By where it begins, where inlined code ends, and the line of its call.
    inlined: BTreeMap<u64, (u64, String)>,
}

impl Lines {
    /// None where the module has no debug information, or none that can be read.
    pub fn of(module: &[u8]) -> Self {
        let mut lines = Self::default();
        let sections = sections(module);
        let load = |id: SectionId| {
            let data = sections.get(id.name()).copied().unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(data, LittleEndian))
        };
        let Ok(dwarf) = Dwarf::load(load) else {
            return lines;
        };
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = dwarf.unit(header) {
                // Of what cannot be read, nothing is said.
                let _ = lines.add_rows(&dwarf, &unit);
                let _ = lines.add_inlined(&dwarf, &unit);
            }
        }
        lines
    }

    /// The line of what is at this offset.
    pub fn at(&self, offset: usize) -> Option<&str> {
        let offset = offset as u64;
        if let Some((_, (end, line))) = self.inlined.range(..=offset).next_back()
            && offset < *end
        {
            return Some(line);
        }
        let (_, line) = self.rows.range(..=offset).next_back()?;
        line.as_deref()
    }

    fn add_rows<'m>(
        &mut self,
        dwarf: &Dwarf<Slice<'m>>,
        unit: &Unit<Slice<'m>>,
    ) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else {
            return Ok(());
        };
        let mut rows = program.rows();
        let mut begins = true;
        let mut drops = true;
        while let Some((_, row)) = rows.next_row()? {
            if begins {
                drops = is_dropped(row.address());
            }
            begins = row.end_sequence();
            if drops {
                continue;
            }
            let line = match (row.end_sequence(), row.line()) {
                (false, Some(line)) => named(dwarf, unit, row.file_index(), line.get())?,
                _ => None,
            };
            self.rows.insert(row.address(), line);
        }
        Ok(())
    }

    /// Inlined code of the outermost level.
    fn add_inlined<'m>(
        &mut self,
        dwarf: &Dwarf<Slice<'m>>,
        unit: &Unit<Slice<'m>>,
    ) -> gimli::Result<()> {
        let mut entries = unit.entries();
        // How deep the inlined code is that entries are in.
        let mut inside: Option<isize> = None;
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            if inside.is_some_and(|outer| depth <= outer) {
                inside = None;
            }
            if entry.tag() == DW_TAG_subprogram {
                inside = None;
            }
            if entry.tag() != DW_TAG_inlined_subroutine || inside.is_some() {
                continue;
            }
            inside = Some(depth);
            let number = |name| match entry.attr_value(name) {
                Some(AttributeValue::FileIndex(number)) => Some(number),
                Some(value) => value.udata_value(),
                None => None,
            };
            let (Some(file), Some(line)) = (number(DW_AT_call_file), number(DW_AT_call_line))
            else {
                continue;
            };
            if let Some(line) = named(dwarf, unit, file, line)? {
                self.add_ranges(dwarf, unit, entry, &line)?;
            }
        }
        Ok(())
    }

    fn add_ranges<'m>(
        &mut self,
        dwarf: &Dwarf<Slice<'m>>,
        unit: &Unit<Slice<'m>>,
        entry: &DebuggingInformationEntry<Slice<'m>>,
        line: &str,
    ) -> gimli::Result<()> {
        let mut ranges = dwarf.die_ranges(unit, entry)?;
        while let Some(range) = ranges.next()? {
            if !is_dropped(range.begin) {
                self.inlined.insert(range.begin, (range.end, line.into()));
            }
        }
        Ok(())
    }
}

/// Whether the linker dropped the function that begins here: its address is 0, or beyond all.
fn is_dropped(address: u64) -> bool {
    address == 0 || address >= u64::from(u32::MAX) - 1
}

/// A line of a file, without the file's directory.
fn named<'m>(
    dwarf: &Dwarf<Slice<'m>>,
    unit: &Unit<Slice<'m>>,
    file: u64,
    line: u64,
) -> gimli::Result<Option<String>> {
    let program = unit.line_program.as_ref();
    let Some(file) = program.and_then(|program| program.header().file(file)) else {
        return Ok(None);
    };
    let name = dwarf.attr_string(unit, file.path_name())?;
    let name = name.to_string_lossy();
    let name = name.rsplit('/').next().unwrap_or(&name);
    Ok(Some(format!("{name}:{line}")))
}

/// Custom sections by name.
fn sections(module: &[u8]) -> HashMap<&str, &[u8]> {
    let payloads = Parser::new(0).parse_all(module).map_while(Result::ok);
    let sections = payloads.filter_map(|payload| match payload {
        Payload::CustomSection(section) => Some((section.name(), section.data())),
        _ => None,
    });
    sections.collect()
}
