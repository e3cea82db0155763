//! Which GETGLOBAL instructions give a constant of the program: `ocamlc` keeps its literals in
//! globals that nothing writes.

use crate::code::decode;
use crate::code::opcode::Opcode;
use rustc_hash::FxHashSet;

/// The positions of those in verified `code`, with what `of_global` says of a global as it is when
/// the program begins, if it says something. Code that nothing leads to may ask about any number.
pub fn find(code: &[i32], of_global: impl Fn(usize) -> Option<u32>) -> Vec<(usize, u32)> {
    let (mut reads, mut written) = (Vec::new(), FxHashSet::default());
    for instruction in decode::instructions(code) {
        match instruction.opcode {
            Opcode::GetGlobal | Opcode::PushGetGlobal => {
                reads.push((instruction.position, instruction.operands[0] as usize));
            }
            Opcode::SetGlobal => {
                written.insert(instruction.operands[0] as usize);
            }
            _ => {}
        }
    }
    reads.retain(|(_, global)| !written.contains(global));
    let constants = reads.into_iter();
    constants
        .filter_map(|(position, global)| Some((position, of_global(global)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;

    #[test]
    fn what_is_written_is_no_constant() {
        let code = assemble("GetGlobal 12; PushGetGlobal 13; GetGlobal 14; SetGlobal 13; Stop");
        let kind = |global| (global != 14).then_some(global as u32);
        assert_eq!(find(&code, kind), [(0, 12)]);
    }
}
