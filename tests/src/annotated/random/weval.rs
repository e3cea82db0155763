//! Random programs for the machine in `weval.wat`, with a request as weval wants it.
//!
//! The stack has the same depth wherever a jump arrives, as in weval's interpreters.

use fastrand::Rng;

const MODULE: &str = include_str!("../weval.wat");
const RUN: &str = include_str!("../weval_run.wat");

/// Where the code is that runs, and the copy of it that the request knows.
const CODE: usize = 0x4000;
const REQUEST: u32 = 0x110;
const ARGUMENTS: u32 = 0x200;

/// Entries of the stack at most.
const DEEPEST: usize = 6;

/// Opcodes, in the order of the machine's table.
const CONSTANT: u8 = 0;
const MIX: u8 = 1;
const PUSH: u8 = 2;
const POP: u8 = 3;
const READ: u8 = 4;
const WRITE: u8 = 5;
const GET: u8 = 6;
const SET: u8 = 7;
const REGISTER: u8 = 8;
const MOVE: u8 = 9;
const JUMP: u8 = 10;
const BRANCH: u8 = 11;
const SWITCH: u8 = 12;
const MEMORY: u8 = 13;
const CALL: u8 = 14;
const SPECIAL: u8 = 15;
const END: u8 = 16;

/// The machine, generic and annotated, with a random program.
pub fn weval(random: &mut Rng) -> String {
    let code = program(random);
    let constants = [random.i64(-9..9), random.i64(..)];
    let mut arguments = Vec::new();
    for constant in constants {
        argument(&mut arguments, 1, 1, constant as u64);
    }
    let length = code.len() as u64;
    let padded = length.next_multiple_of(8);
    argument(&mut arguments, 1, 4, length | padded << 32);
    arguments.extend(&code);
    arguments.resize(arguments.len() + (padded - length) as usize, 0);
    // The stack's place is known to half of the requests; the last argument is left out at times.
    let known = u32::from(random.bool());
    argument(&mut arguments, known, 0, 0x7000);
    argument(&mut arguments, 0, 255, 0);
    if random.bool() {
        argument(&mut arguments, 0, 255, 0);
    }
    let fields = [0, 0, 7, 2, 1, ARGUMENTS, arguments.len() as u32, 0x80];
    let request: Vec<u8> = fields
        .iter()
        .flat_map(|field: &u32| field.to_le_bytes())
        .collect();
    let data = [
        segment(0x100, &REQUEST.to_le_bytes()),
        segment(REQUEST as usize, &request),
        segment(ARGUMENTS as usize, &arguments),
        segment(CODE, &code),
        // What must not be written with the flag.
        segment(0x105, &[0xaa; 3]),
    ];
    let twice = ["weval", "plain"].map(|kind| RUN.replace("$of.", &format!("${kind}.")));
    MODULE
        .replace("(; first constant ;)", &constants[0].to_string())
        .replace("(; second constant ;)", &constants[1].to_string())
        .replace("(; twice ;)", &twice.concat())
        .replace("(; data ;)", &data.concat())
}

fn argument(bytes: &mut Vec<u8>, is_known: u32, kind: u32, value: u64) {
    bytes.extend(is_known.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(value.to_le_bytes());
}

fn segment(address: usize, bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
    format!("(data (i32.const {address}) \"{digits}\")\n")
}

/// Instructions, and how deep the stack is before each.
fn program(random: &mut Rng) -> Vec<u8> {
    let mut code: Vec<[u8; 4]> = Vec::new();
    let mut depths: Vec<usize> = Vec::new();
    let mut jumps: Vec<usize> = Vec::new();
    let mut depth = 0;
    for _ in 0..random.usize(5..40) {
        let opcode = match random.u8(CONSTANT..=SPECIAL) {
            POP | READ | WRITE if depth == 0 => PUSH,
            PUSH if depth == DEEPEST => POP,
            other => other,
        };
        depths.push(depth);
        let [low, high] = random.i16(-300..300).to_le_bytes();
        let operand = match opcode {
            CONSTANT => random.u8(..4),
            MIX => *random
                .choice([0, 1, 31, 32, 33, 255].iter())
                .expect("not empty"),
            READ | WRITE => random.u8(..depth as u8),
            GET | SET => random.u8(..6),
            REGISTER | MOVE => random.u8(..5),
            MEMORY => u8::from(random.usize(..8) == 0),
            CALL => random.u8(..2),
            SPECIAL => random.u8(..4),
            _ => 0,
        };
        match opcode {
            PUSH => depth += 1,
            POP => depth -= 1,
            JUMP | BRANCH => jumps.push(code.len()),
            _ => {}
        }
        if opcode == SWITCH {
            let (low, cases) = (random.u8(..3), random.u8(3..7));
            code.push([SWITCH, low, cases, 0]);
            for _ in 0..cases {
                depths.push(depth);
                jumps.push(code.len());
                code.push([JUMP, 0, 0, 0]);
            }
            continue;
        }
        code.push([opcode, operand, low, high]);
    }
    depths.push(depth);
    code.push([END, 0, 0, 0]);
    for at in jumps {
        let targets = (0..code.len()).filter(|&to| depths[to] == depths[at] && to != at);
        let targets: Vec<usize> = targets.collect();
        let to = random.choice(targets).unwrap_or(at + 1);
        let distance = 4 * (to as i16 - at as i16);
        code[at][2..].copy_from_slice(&distance.to_le_bytes());
    }
    code.concat()
}
