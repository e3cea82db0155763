//! Mutated executables for [`super::fuzz`]: sound programs with a few changes that know the file's
//! structure, so that many get past the first checks.

use super::assemble::{assemble, executable};
use super::parse::{self, MAGIC};
use crate::code::opcode::COUNT;
use crate::primitives;
use fastrand::Rng;

/// An executable in parts.
#[derive(Clone)]
pub struct Program {
    code: Vec<i32>,
    primitives: Vec<Vec<u8>>,
    data: Vec<u8>,
}

/// Functions of several arities, traps, tables, floats, primitives, tail calls.
const TEXTS: [&str; 4] = [
    "Closure 0 @f; Push; Const0; Push; PushTrap @h; Const1; PopTrap; Switch 65538 @a @b @b;
        a: Const2; PushAcc2; Apply1; b: Stop; h: Stop; Restart; g: Grab 1; Acc1; Return 2;
        f: Push; Closure 1 @g; PushConst2; PushAcc1; AppTerm1 4",
    "ClosureRec 2 0 @even @odd; Const3; PushAcc2; Apply1; Push;
        PushTrap @h; Const0; PushConst1; DivInt; PopTrap; Stop;
        h: PushGetGlobal 3; GetField0; Stop;
        even: Acc0; BranchIf @more; Const1; Return 1;
            more: Acc0; OffsetInt -1; PushOffsetClosure3; AppTerm1 2;
        odd: Acc0; BranchIf @less; Const0; Return 1;
            less: Acc0; OffsetInt -1; PushOffsetClosureM3; AppTerm1 2",
    "ConstInt 42; MakeBlock1 253; Push; ConstInt 7; MakeBlock1 253; PushAcc1;
        MakeFloatBlock 2; Push; GetFloatField 1; PushAcc1;
        SetFloatField 0; Const3; PushConst2; PushConst1; CCallN 3 0; PushAcc1; PushAcc1;
        MakeBlock3 1; SetGlobal 12; GetGlobal 12;
        GetField1; PushAcc0; CCall2 3; CheckSignals; Stop",
    "Restart; f: Grab 2; Acc2; PushAcc1; PushAcc4; AddInt; MulInt; Return 3",
];

/// Programs to begin with: small ones, and those of the demonstration.
pub fn seeds() -> Vec<Program> {
    let mut files: Vec<Vec<u8>> = TEXTS[..3]
        .iter()
        .map(|text| executable(&assemble(text)))
        .collect();
    files.push(executable(&assemble(&format!(
        "Closure 0 @f; Push; Const1; PushConst2; PushAcc2; Apply2; \
         PushConst3; PushAcc1; Apply1; Stop; {}",
        TEXTS[3]
    ))));
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo");
    for name in ["derive", "queens", "waves"] {
        files.push(
            std::fs::read(format!("{demo}/{name}.byte")).expect("the demonstration is there"),
        );
    }
    files.iter().map(|file| Program::new(file)).collect()
}

/// Whether a mutated program may call it natively: it must not touch this machine.
fn is_harmless(name: &str) -> bool {
    !(name.starts_with("caml_sys_") && !name.starts_with("caml_sys_const_")
        || name.starts_with("unix_"))
}

impl Program {
    fn new(file: &[u8]) -> Self {
        let parts = parse::executable(file).expect("a sound executable");
        let harmless = |name: &&[u8]| match std::str::from_utf8(name) {
            Ok(text) if is_harmless(text) => name.to_vec(),
            Ok(_) | Err(_) => b"not_here".to_vec(),
        };
        Self {
            primitives: parts.primitives.iter().map(harmless).collect(),
            data: parts.data.to_vec(),
            code: parts.code,
        }
    }

    pub fn code(&self) -> &[i32] {
        &self.code
    }

    fn file(&self, random: &mut Rng) -> Vec<u8> {
        let code: Vec<u8> = self
            .code
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut names = self.primitives.join(&0);
        names.push(0);
        let mut sections: Vec<(&[u8; 4], Vec<u8>)> = vec![
            (b"CODE", code),
            (b"PRIM", names),
            (b"DATA", self.data.clone()),
        ];
        match random.usize(..40) {
            0 => drop(sections.remove(random.usize(..3))),
            1 => sections.push((b"SYMB", vec![0xFF; random.usize(..50)])),
            2 => sections.push((b"CODE", vec![0; random.usize(..50)])),
            3 => sections.swap(0, 2),
            _ => {}
        }
        let mut file = Vec::new();
        sections
            .iter()
            .for_each(|(_, bytes)| file.extend_from_slice(bytes));
        for (name, bytes) in &sections {
            file.extend_from_slice(*name);
            file.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        }
        file.extend_from_slice(&(sections.len() as u32).to_be_bytes());
        file.extend_from_slice(MAGIC);
        file
    }

    /// The file with some changes.
    pub fn mutated(&self, random: &mut Rng) -> Vec<u8> {
        let mut changed = self.clone();
        for _ in 0..1 + random.usize(..4) {
            match random.usize(..16) {
                0..11 => changed.change_code(random),
                11 => changed.change_primitives(random),
                _ => changed.change_data(random),
            }
        }
        let mut file = changed.file(random);
        if random.usize(..20) == 0 {
            change_bytes(&mut file, random);
        }
        file
    }

    fn change_code(&mut self, random: &mut Rng) {
        let code = &mut self.code;
        if code.is_empty() {
            return code.push(random.i32(..));
        }
        let at = random.usize(..code.len());
        let other = random.usize(..code.len());
        match random.usize(..10) {
            0 | 1 => code[at] = random.usize(..COUNT + 4) as i32 - 2,
            2 => code[at] = code[at].wrapping_add(random.usize(..9) as i32 - 4),
            3 => code[at] = code[other],
            // A jump to somewhere else.
            4 => code[at] = other as i32 - at as i32,
            5 => {
                code[at] = *pick(
                    random,
                    &[
                        0,
                        -1,
                        255,
                        256,
                        65_535,
                        65_536,
                        i32::MAX,
                        i32::MIN,
                        0x00FF_00FF,
                    ],
                )
            }
            6 => drop(code.remove(at)),
            7 => code.insert(at, random.usize(..160) as i32),
            8 => code.swap(at, other),
            _ => {
                let end = (other + 1 + random.usize(..12)).min(code.len());
                let piece = code[other..end].to_vec();
                code.splice(at..at, piece);
            }
        }
    }

    fn change_primitives(&mut self, random: &mut Rng) {
        let all: Vec<_> = primitives::all()
            .map(|primitive| primitive.name)
            .filter(|name| is_harmless(name))
            .collect();
        let at = random
            .usize(..self.primitives.len().max(1))
            .min(self.primitives.len());
        match random.usize(..4) {
            0 => self
                .primitives
                .insert(at, pick(random, &all).as_bytes().to_vec()),
            1 if !self.primitives.is_empty() => drop(self.primitives.remove(at)),
            2 => self.primitives.truncate(at),
            _ => {
                if let Some(name) = self.primitives.get_mut(at) {
                    *name = pick(random, &all).as_bytes().to_vec();
                }
            }
        }
    }

    fn change_data(&mut self, random: &mut Rng) {
        change_bytes(&mut self.data, random);
        if random.usize(..3) == 0 && self.data.len() >= 20 {
            // The lengths in the header of marshalled data agree with it again.
            let length = (self.data.len() - 20) as u32;
            self.data[4..8].copy_from_slice(&length.to_be_bytes());
        }
    }
}

fn pick<'a, T>(random: &mut Rng, items: &'a [T]) -> &'a T {
    &items[random.usize(..items.len())]
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut Rng) {
    if bytes.is_empty() {
        return bytes.push(0);
    }
    let at = random.usize(..bytes.len());
    match random.usize(..8) {
        0 => bytes[at] ^= 1 << random.usize(..8),
        1 | 2 => bytes[at] = random.usize(..0x20) as u8,
        3 => bytes[at] = random.u8(..),
        4 => bytes.truncate(at),
        5 => drop(bytes.drain(at..(at + 1 + random.usize(..8)).min(bytes.len()))),
        6 => drop(bytes.splice(at..at, [0xFF; 9])),
        _ => bytes.extend(std::iter::repeat_n(0x20, random.usize(..64))),
    }
}
