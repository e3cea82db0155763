//! Programs for `guests/weval/machine.c`: functions of random straight code within a loop, and the
//! requests for them as weval wants them, as C.
//!
//! Invariant: the stack never holds more than it has room for, and has one entry where a function
//! returns and none where it skips or repeats.

use std::fmt::Write;

use fastrand::Rng;

const DEEPEST: usize = 8;
const LOCALS: usize = 8;

/// Opcodes, in the order of the machine's list.
const PUSH: u32 = 0;
const GET: u32 = 1;
const SET: u32 = 2;
const ADD: u32 = 3;
const MUL: u32 = 6;
const SHIFT: u32 = 7;
const SKIP: u32 = 8;
const LOOP: u32 = 9;
const RETURN: u32 = 10;

/// How large a program is, and how often its functions go round.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub functions: usize,
    /// Instructions of each function, about.
    pub instructions: usize,
    pub rounds: u32,
}

/// The program as C, and how many instructions it has.
pub fn program(random: &mut Rng, size: Size) -> (String, usize) {
    let functions: Vec<_> = (0..size.functions)
        .map(|_| function(random, size.instructions))
        .collect();
    let count = functions.len();
    let mut text = format!("#define COUNT {count}\n#define ROUNDS {}\n", size.rounds);
    for (number, code) in functions.iter().enumerate() {
        let words = listed(code);
        let len = 4 * code.len();
        let padded = len.next_multiple_of(8);
        let padding = "0,".repeat((padded - len) / 4);
        // The code is known, the count is not.
        let arguments = format!("1,4,{len},{padded},{words}{padding}0,255,0,0");
        writeln!(text, "static const uint32_t code_{number}[] = {{{words}}};").expect("a string");
        writeln!(text, "#ifdef __wasm__").expect("a string");
        writeln!(
            text,
            "static uint32_t arguments_{number}[] = {{{arguments}}};"
        )
        .expect("a string");
        writeln!(text, "#endif").expect("a string");
    }
    let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let codes = each(&|number| format!("code_{number},"));
    let requests = each(&|number| {
        let neighbour = |is_there: bool, number: usize| match is_there {
            true => format!("&requests[{number}]"),
            false => "NULL".into(),
        };
        let next = neighbour(number + 1 < count, number + 1);
        let before = neighbour(number > 0, number.saturating_sub(1));
        format!(
            "    {{{next}, {before}, {number}, 0, (weval_func_t)annotated,\n     \
             (uint8_t *)arguments_{number}, sizeof arguments_{number},\n     \
             (weval_func_t *)&compiled[{number}]}},\n"
        )
    });
    write!(
        text,
        "static const uint32_t *const codes[] = {{{codes}}};\n\
         #ifdef __wasm__\n\
         static uint64_t (*compiled[COUNT])(const uint32_t *, uint64_t);\n\
         static weval_req_t requests[COUNT] = {{\n{requests}}};\n\
         weval_req_t *weval_req_pending_head = requests;\n\
         bool weval_is_wevaled;\n\
         __attribute__((export_name(\"weval.pending.head\"))) weval_req_t **pending(void) {{\n\
         \x20   return &weval_req_pending_head;\n}}\n\
         __attribute__((export_name(\"weval.is.wevaled\"))) bool *is_wevaled(void) {{\n\
         \x20   return &weval_is_wevaled;\n}}\n\
         #endif\n"
    )
    .expect("a string");
    (text, functions.iter().map(Vec::len).sum())
}

fn listed(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word},")).collect()
}

fn function(random: &mut Rng, instructions: usize) -> Vec<u32> {
    let mut code = Vec::new();
    while code.len() < instructions {
        statement(random, &mut code);
        if random.usize(..4) == 0 {
            // Around one statement, if a local is even.
            let mut body = Vec::new();
            statement(random, &mut body);
            code.push(GET | (random.u32(..LOCALS as u32) << 8));
            code.push(SKIP | ((body.len() as u32) << 8));
            code.extend(body);
        }
    }
    code.push(LOOP);
    code.push(GET | 1 << 8);
    for local in 2..LOCALS as u32 {
        code.extend([GET | local << 8, ADD]);
    }
    code.push(RETURN);
    code
}

/// An expression that goes to a local other than the one that counts.
fn statement(random: &mut Rng, code: &mut Vec<u32>) {
    let mut depth = 0;
    let len = random.usize(2..10);
    for _ in 0..len {
        let instruction = match random.u32(..10) {
            0..=1 if depth < DEEPEST => PUSH | random.u32(..1 << 16) << 8,
            2..=4 if depth < DEEPEST => GET | random.u32(..LOCALS as u32) << 8,
            5..=8 if depth > 1 => random.u32(ADD..=MUL),
            _ if depth > 0 => SHIFT | random.u32(1..8) << 8,
            _ => GET | random.u32(..LOCALS as u32) << 8,
        };
        depth = match instruction & 255 {
            PUSH | GET => depth + 1,
            ADD..=MUL => depth - 1,
            _ => depth,
        };
        code.push(instruction);
    }
    for _ in 1..depth {
        code.push(random.u32(ADD..=MUL));
    }
    code.push(SET | random.u32(1..LOCALS as u32) << 8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the stack's depth along the code, whether or not it skips.
    #[test]
    fn the_stack_is_as_deep_as_it_may_be() {
        for seed in 0..50 {
            let code = function(&mut Rng::with_seed(seed), 200);
            let mut depths = vec![None; code.len() + 1];
            depths[0] = Some(0_usize);
            for (at, &word) in code.iter().enumerate() {
                let depth = depths[at].expect("code is reached");
                let (operand, mut after) = ((word >> 8) as usize, depth);
                match word & 255 {
                    PUSH | GET => after += 1,
                    SET | ADD..=MUL => after -= 1,
                    SKIP => {
                        after -= 1;
                        depths[at + 1 + operand] = Some(after);
                    }
                    LOOP => assert_eq!((operand, after), (0, 0)),
                    RETURN => {
                        assert_eq!(after, 1);
                        continue;
                    }
                    _ => assert_eq!(word & 255, SHIFT),
                }
                assert!(after <= DEEPEST + 1, "seed {seed}, {at}");
                let known = depths[at + 1].get_or_insert(after);
                assert_eq!(*known, after, "seed {seed}, {at}");
            }
        }
    }
}
