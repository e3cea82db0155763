//! What is too much for engines in one function.

use wasmparser::{BinaryReader, FunctionBody};

use super::Lowered;

/// How long a body may be, in bytes. Engines take functions of up to 7,654,321; the rest is room
/// for what linking adds where numbers are passed or addresses loaded.
const LONGEST: usize = 7_000_000;

/// How many locals it may have. Engines take 50,000 with the parameters, of which there are at most
/// 1,000; linking adds a few.
const MOST_LOCALS: usize = 48_000;

/// Of what there is more than engines take, and how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    Length(usize),
    Locals(usize),
}

impl Lowered {
    /// What keeps engines from taking it.
    pub fn excess(&self) -> Option<Excess> {
        excess(self.body.len(), self.locals())
    }

    /// How many locals it declares.
    fn locals(&self) -> usize {
        let groups = FunctionBody::new(BinaryReader::new(&self.body, 0)).get_locals_reader();
        let groups = groups.expect("lowering writes the locals of a body");
        let counts = groups.into_iter().map(|group| {
            let (count, _) = group.expect("lowering writes the locals of a body");
            count as usize
        });
        counts.sum()
    }
}

fn excess(len: usize, locals: usize) -> Option<Excess> {
    match (len, locals) {
        (len, _) if len > LONGEST => Some(Excess::Length(len)),
        (_, locals) if locals > MOST_LOCALS => Some(Excess::Locals(locals)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_limits_on_length_and_locals() {
        assert_eq!(excess(LONGEST, MOST_LOCALS), None);
        let longer = LONGEST + 1;
        assert_eq!(excess(longer, 0), Some(Excess::Length(longer)));
        let more = MOST_LOCALS + 1;
        assert_eq!(excess(0, more), Some(Excess::Locals(more)));
    }

    #[test]
    fn locals_of_all_types_count() {
        let mut function = wasm_encoder::Function::new([
            (3, wasm_encoder::ValType::I32),
            (4, wasm_encoder::ValType::F64),
        ]);
        function.instruction(&wasm_encoder::Instruction::End);
        let lowered = Lowered {
            body: function.into_raw_body(),
            ..Lowered::default()
        };
        assert_eq!(lowered.locals(), 7);
    }
}
