//! Table 0 and what fills it.

use super::{Module, ModuleError, constant};
use crate::entity::Func;
use crate::op::Const;

/// Entries of a table, as engines limit them.
const MAX_TABLE: u64 = 10_000_000;

/// What a table holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// Functions of any type, or null.
    are_functions: bool,
    /// All of them when it is made.
    are_null: bool,
}

impl<'a> Module<'a> {
    /// Takes note of a table, whose entries begin as null or not, if it is the first one.
    pub(super) fn table_type(
        &mut self,
        table: &wasmparser::TableType,
        is_null: bool,
        offset: usize,
    ) -> Result<(), ModuleError> {
        self.wide_tables.push(table.table64);
        if self.entries.is_some() {
            return Ok(());
        }
        self.entries = Some(Entries {
            are_functions: table.element_type == wasmparser::RefType::FUNCREF,
            are_null: is_null,
        });
        if table.initial > MAX_TABLE {
            let what = "table with more entries than engines allow";
            return Err(ModuleError::Unsupported { offset, what });
        }
        self.table_size = table.initial as u32;
        Ok(())
    }

    pub(super) fn element(&mut self, element: wasmparser::Element<'a>) -> Result<(), ModuleError> {
        if !self.fills_table(&element) {
            return Ok(());
        }
        let wasmparser::ElementKind::Active { offset_expr, .. } = element.kind else {
            unreachable!("only active segments fill a table");
        };
        let offset = match constant(&offset_expr) {
            Some(Const::I32(offset)) => u64::from(offset as u32),
            Some(Const::I64(offset)) => offset as u64,
            _ => {
                return Err(ModuleError::Unsupported {
                    offset: element.range.start,
                    what: "element segment whose offset is not a constant",
                });
            }
        };
        let functions: Vec<Option<Func>> = match element.items {
            wasmparser::ElementItems::Functions(functions) => functions
                .into_iter()
                .map(|function| Ok(Some(Func(function?))))
                .collect::<Result<_, ModuleError>>()?,
            wasmparser::ElementItems::Expressions(_, expressions) => expressions
                .into_iter()
                .map(|expression| self.entry(&expression?, element.range.start))
                .collect::<Result<_, ModuleError>>()?,
        };
        let size = self.table_size as usize;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(size);
        for (index, function) in (start..).zip(functions) {
            if index >= size {
                return Err(ModuleError::Unsupported {
                    offset: element.range.start,
                    what: "element segment that does not fit the table",
                });
            }
            if self.table.len() <= index {
                self.table.resize(index + 1, None);
            }
            self.table[index] = function;
        }
        Ok(())
    }

    /// What an expression puts into table 0.
    fn entry(
        &self,
        expression: &wasmparser::ConstExpr<'a>,
        offset: usize,
    ) -> Result<Option<Func>, ModuleError> {
        let begins_null = self.entries.is_some_and(|entries| entries.are_null);
        match expression.get_operators_reader().read()? {
            wasmparser::Operator::RefFunc { function_index } => Ok(Some(Func(function_index))),
            // What was there before is gone: the linker leaves such an entry out.
            wasmparser::Operator::RefNull { .. } if begins_null => Ok(None),
            _ => Err(ModuleError::Unsupported {
                offset,
                what: "entry of the table that is neither a function nor null",
            }),
        }
    }

    /// Whether a segment is one of those that [`Module::table`] stands for.
    pub fn fills_table(&self, segment: &wasmparser::Element<'a>) -> bool {
        let is_active = matches!(
            segment.kind,
            wasmparser::ElementKind::Active {
                table_index: None | Some(0),
                ..
            }
        );
        is_active && self.entries.is_some_and(|entries| entries.are_functions)
    }
}
