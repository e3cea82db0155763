//! Which GETGLOBAL instructions give a float that is a constant of the program: `ocamlc` keeps the
//! literals of a program in globals that nothing writes.

use crate::code::decode;
use crate::code::opcode::Opcode;
use std::collections::HashSet;

/// The positions of those in verified `code`; `is_float` says what a global is when the program
/// begins. Code that nothing leads to may ask about any number.
pub fn constants(code: &[i32], is_float: impl Fn(usize) -> bool) -> Vec<usize> {
    let (mut reads, mut written) = (Vec::new(), HashSet::new());
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
    let constant = |&(_, global): &(usize, usize)| is_float(global) && !written.contains(&global);
    let constants = reads.into_iter().filter(constant);
    constants.map(|(position, _)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;

    #[test]
    fn what_is_written_is_no_constant() {
        let code = assemble("GetGlobal 12; PushGetGlobal 13; GetGlobal 14; SetGlobal 13; Stop");
        assert_eq!(constants(&code, |global| global != 14), [0]);
    }
}
