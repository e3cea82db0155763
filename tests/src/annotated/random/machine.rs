//! Random programs for the machine in `machine.wat`.

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;

use super::Watch;

/// Opcodes of the machine: all cells are reported, the accumulator and scratch memory are.
const LOOK: u8 = 6;
const SEE: u8 = 24;

/// What a function begins with that may return before it has effects.
const RETURN_IF_ODD: u8 = 41;

/// What a request says of its code, which calls itself, repeats itself, and may soon return.
const RECURSIVE: &str = "recursive";
const LOOPS: &str = "loops";
const RETURNS_EARLY: &str = "returns-early";

/// What the machine has where the accumulator is given and returned as the box of an integer. What
/// ends in 5 is not returned.
const BOXED: [(&str, &str); 7] = [
    ("(; open ;)", "(call $returned"),
    ("(; opened ;)", ")"),
    ("(; give ;)", "(call $box_integer"),
    ("(; given ;)", ")"),
    (
        "(; take ;)",
        "(local.set 2 (i64.load offset=8 (i32.wrap_i64 (local.get 2))))",
    ),
    (
        "(; returned ;)",
        "(local.set 2 (if (result i64) (i64.eqz (local.get 2))
          (then (i64.const 77))
          (else (i64.load offset=8 (i32.wrap_i64 (local.get 2))))))",
    ),
    (
        "(; return ;)",
        "(if (i64.eq (i64.and (local.get 2) (i64.const 7)) (i64.const 5))
          (then (return (i64.const 0))))",
    ),
];

const MACHINE: &str = include_str!("../machine.wat");

/// Bytes of a closure, before its function's code.
const CLOSURE: usize = 4;

/// Bytes before a function's first instruction.
const HEADER: usize = 16;
const INSTRUCTION: usize = 4;

/// The machine with two random programs that call each other.
pub fn machine(random: &mut Rng, watch: Watch) -> String {
    let sizes = [&LARGE, [&LARGE, &SMALL][random.usize(..2)]];
    let functions = sizes.map(|size| Code::generate(random, watch, size));
    let is_boxed = random.usize(..3) == 0;
    let (boxed, returns) = match is_boxed {
        true => ("(box 1)", "(returns 1)"),
        false => ("", ""),
    };
    let (mut requests, mut data) = (String::new(), String::new());
    for ((address, other), function) in [(0x12dc, 0x800), (0x1adc, -0x800)].iter().zip(&functions) {
        let len = HEADER + function.bytes.len();
        let flags = spaced(&function.flags);
        let slot = format!("(slot {address})");
        let params = format!("(code {address} {len}) (pass 1) (pass 2 {boxed}) {returns}");
        write!(requests, "(request 1 {slot} {params} {flags})").expect("writing to a string");
        let targets = spaced(function.targets);
        let bytes = spaced(&function.bytes);
        let contents = format!("(i32 {address} 1 {other}) (i16 {targets}) (i8 {bytes})");
        let closure = address - CLOSURE;
        write!(data, "(data (i32.const {closure}) {contents})").expect("writing to a string");
    }
    let mut text = MACHINE.replace("(; requests ;)", &requests);
    if is_boxed {
        let parts = BOXED.iter();
        text = parts.fold(text, |text, (place, part)| text.replace(place, part));
    }
    text.replace("(; program ;)", &data)
}

/// How long a function is at most: values that it pushes first, and statements.
struct Size {
    pushes: usize,
    statements: usize,
}

const LARGE: Size = Size {
    pushes: 30,
    statements: 8,
};

/// So that calls of it are evaluated in place.
const SMALL: Size = Size {
    pushes: 3,
    statements: 2,
};

struct Function {
    bytes: Vec<u8>,
    /// Offsets at which computed jumps may go on.
    targets: [usize; 4],
    /// Those of its request.
    flags: BTreeSet<&'static str>,
}

/// Instructions in statements; the stack is as deep at the start of each as at that of the second.
struct Code<'r> {
    random: &'r mut Rng,
    watch: Watch,
    bytes: Vec<u8>,
    depth: usize,
    /// Where statements start, as instruction numbers.
    starts: Vec<usize>,
    /// Jumps, by instruction number, with the statement to go to.
    jumps: Vec<(usize, usize)>,
    /// Those of the request.
    flags: BTreeSet<&'static str>,
}

impl<'r> Code<'r> {
    fn generate(random: &'r mut Rng, watch: Watch, size: &Size) -> Function {
        let mut code = Self {
            random,
            watch,
            bytes: Vec::new(),
            depth: 0,
            starts: Vec::new(),
            jumps: Vec::new(),
            flags: BTreeSet::new(),
        };
        if code.random.bool() {
            code.flags.insert(RETURNS_EARLY);
            if code.random.bool() {
                code.op(RETURN_IF_ODD, 0, 0);
            }
        }
        let pushes = 1 + code.random.usize(..size.pushes);
        let statements = 2 + code.random.usize(..size.statements);
        for _ in 0..pushes {
            code.straight();
            code.push();
        }
        for statement in 0..statements {
            code.starts.push(code.bytes.len() / INSTRUCTION);
            code.statement(statement, statements);
        }
        code.starts.push(code.bytes.len() / INSTRUCTION);
        if code.random.bool() {
            // Another number is returned if the accumulator is odd.
            code.op(8, 0, 3 * INSTRUCTION as i16);
            code.leave();
        }
        code.leave();
        code.patch();
        let targets = [0; 4].map(|_| {
            let start = code.starts[code.random.usize(..statements + 1)];
            HEADER + start * INSTRUCTION
        });
        Function {
            bytes: code.bytes,
            targets,
            flags: code.flags,
        }
    }

    /// Returns a number or the accumulator, or what a tail call returns.
    fn leave(&mut self) {
        let number = self.random.usize(..4) as i16;
        let op = [0, 5][self.random.usize(..2)];
        self.op(op, 0, number);
        let tail = [0, 1, 3][self.random.usize(..3)];
        self.op(18, tail, 0);
    }

    fn op(&mut self, op: u8, small: usize, large: i16) {
        self.bytes.extend([op, small as u8]);
        self.bytes.extend(large.to_le_bytes());
    }

    /// Pushes the accumulator: mostly an object, so that a collection changes the cell.
    fn push(&mut self) {
        let is_object = self.watch.chooses_object(self.random);
        self.op(1, usize::from(is_object), 0);
        self.depth += 1;
    }

    fn statement(&mut self, number: usize, count: usize) {
        let depth = self.depth;
        if self.watch == Watch::All {
            self.op(SEE, 0, 0);
            self.op(LOOK, 0, 0);
        }
        for _ in 0..1 + self.random.usize(..5) {
            self.straight();
            match self.random.usize(..4) {
                0 => self.push(),
                1 if self.depth > depth => {
                    let how = self.random.usize(..4);
                    self.op(2, how, 0);
                    self.depth -= 1;
                }
                _ => {}
            }
        }
        self.op(16, self.depth - depth, 0);
        self.depth = depth;
        let forward = number + 1 + self.random.usize(..count - number);
        let any = self.random.usize(..count + 1);
        let (op, target) =
            [(7, forward), (8, forward), (10, forward), (9, any)][self.random.usize(..4)];
        match self.random.usize(..5) {
            0 => {}
            1 => {
                self.flags.insert(LOOPS);
                self.op(11, 0, 0);
            }
            _ => {
                if target <= number {
                    self.flags.insert(LOOPS);
                }
                self.jumps.push((self.bytes.len() / INSTRUCTION, target));
                self.op(op, 0, 0);
            }
        }
        if self.watch == Watch::All {
            // A report, so that a jump shows even if it leads to the next statement.
            self.op(SEE, 0, 0);
        }
    }

    /// An instruction that pops nothing.
    fn straight(&mut self) {
        let large = self.random.usize(..9) as i16 - 2;
        let register = self.random.usize(..8);
        if self.watch == Watch::All {
            self.op(SEE, 0, 0);
        }
        let (float, other) = (self.random.usize(..2), self.random.usize(..2));
        match self.random.usize(..30) {
            0 | 1 => self.op(0, 0, large),
            2 => self.op(3, register, 0),
            3 => self.op(4, register, 0),
            4 => self.op(5, 0, 0),
            5 => self.op(6, 0, 0),
            6 => self.op(12, 0, 0),
            7 => self.op(13, register, large),
            8 => self.op(14, 0, 0),
            9 | 10 if self.depth > 0 => {
                let place = self.random.usize(..self.depth);
                self.op(15, place, 0);
            }
            11 => self.call(),
            12 => self.op(19, other, 0),
            13 if self.depth > 3 => self.op(20, 3, 0),
            14 => self.op(21, 0, 0),
            15 => self.op(22, 0, 0),
            16 => self.op(23, 0, 0),
            17 => self.op(25, float, other as i16),
            18 | 25 => self.op(26, float, 0),
            19 if float == 0 => self.op(27, 0, 0),
            19 => self.op(28, other, 1 - other as i16),
            20 => self.op(29 + float as u8, 0, 0),
            21 => {
                let from = self.random.usize(..3);
                self.op(31, from, 0);
            }
            22 => self.op(32, 0, 0),
            23 | 28 => {
                let kept = self.random.usize(..3);
                self.op(34, kept, 0);
            }
            24 => self.immediate(),
            26 => self.op(36, 0, 0),
            27 => self.op(37, 0, 0),
            29 => self.op(38, 0, 0),
            _ => self.op(5, 0, 0),
        }
    }

    /// A number, mostly one that is pushed.
    fn immediate(&mut self) {
        self.op(35, 0, 0);
        if self.random.usize(..3) > 0 {
            self.op(1, 0, 0);
            self.depth += 1;
        }
    }

    /// A call of one of the functions, which is known or not, and may be given one of them.
    fn call(&mut self) {
        let other = self.random.usize(..2);
        let op = [17, 33, 40][self.random.usize(..3)];
        if op == 17 && other == 0 {
            self.flags.insert(RECURSIVE);
        }
        let is_conditional = self.random.usize(..4) == 0;
        let given = [0, 1, 1, 2, 2][self.random.usize(..5)];
        self.op(op, other | usize::from(is_conditional) << 1, given);
    }

    fn patch(&mut self) {
        for &(from, statement) in &self.jumps {
            let distance = (self.starts[statement] as i16 - from as i16) * INSTRUCTION as i16;
            let at = from * INSTRUCTION + 2;
            self.bytes[at..at + 2].copy_from_slice(&distance.to_le_bytes());
        }
    }
}

fn spaced(items: impl IntoIterator<Item: ToString>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(" ")
}
