//! How many instructions a bytecode executable holds: the unit in which the specializer's speed is
//! given.
//!
//! Only lengths of instructions are known here; what they mean is the guest's business.

/// Operands of the opcodes from 0 on, one digit each; `S` is SWITCH and `R` is CLOSUREREC, whose
/// lengths are in their operands.
const OPERANDS: &[u8] =
    b"00000000100000000011100001000011100021111012R000100011122101012111100001100\
    001100000111S0100011111200001000010000000000000000001100222222002220000000";

/// Words of the executable's code, and instructions; nothing where it is not an executable.
pub fn count(executable: &[u8]) -> Option<(usize, usize)> {
    let code = code(executable)?;
    let word = |at: usize| {
        let bytes = code.get(4 * at..4 * at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
    };
    let words = code.len() / 4;
    let (mut at, mut instructions) = (0, 0);
    while at < words {
        at += 1 + match *OPERANDS.get(word(at)?)? {
            b'S' => 1 + (word(at + 1)? & 0xffff) + (word(at + 1)? >> 16),
            b'R' => 2 + word(at + 1)?,
            digit => usize::from(digit - b'0'),
        };
        instructions += 1;
    }
    Some((words, instructions))
}

/// The section CODE, found from the trailer: section descriptions, their number, the magic number.
fn code(executable: &[u8]) -> Option<&[u8]> {
    let number = |bytes: &[u8]| Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize);
    let trailer = executable.len().checked_sub(16)?;
    let sections = number(&executable[trailer..trailer + 4])?;
    let table = trailer.checked_sub(8 * sections)?;
    let mut end = table;
    for description in executable[table..trailer].rchunks(8) {
        let start = end.checked_sub(number(&description[4..])?)?;
        if &description[..4] == b"CODE" {
            return Some(&executable[start..end]);
        }
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_skipped() {
        // CONST1; SWITCH of two constants and a block; CLOSUREREC of two functions; STOP.
        let code: [u32; 12] = [100, 87, 1 << 16 | 2, 3, 3, 3, 44, 2, 0, 4, 4, 143];
        let mut executable: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        executable.extend(b"dataCODE\0\0\0\x30DATA\0\0\0\x04\0\0\0\x02Caml1999X030");
        assert_eq!(count(&executable), Some((12, 4)));
        assert_eq!(count(b"too short"), None);
    }
}
