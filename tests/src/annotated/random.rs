//! Random annotated modules, valid by construction: programs for the machine in `machine.wat`, and
//! functions with intrinsics in random places.
//!
//! Both end: what goes back burns fuel. Both keep the intrinsics' contracts: cells are accessed by
//! other code only between sync and invalidate, and what others change never holds a constant.

use fastrand::Rng;
use std::fmt::Write;

/// Opcodes of the machine: all cells are reported, the accumulator and scratch memory are.
const LOOK: u8 = 6;
const SEE: u8 = 24;

const MACHINE: &str = include_str!("machine.wat");

/// Bytes before a function's first instruction.
const HEADER: usize = 16;
const INSTRUCTION: usize = 4;

/// How much of what happens is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// What the program says.
    Some,
    /// Everything, after each statement: so that next to nothing can go wrong unseen.
    All,
}

impl Watch {
    /// Whether the next value that goes to a cell is marked as an object.
    fn chooses_object(self, random: &mut Rng) -> bool {
        match self {
            Watch::Some => random.usize(..4) == 0,
            Watch::All => random.usize(..16) != 0,
        }
    }
}

/// The machine with two random programs that call each other.
pub fn machine(random: &mut Rng, watch: Watch) -> String {
    let mut data = String::new();
    for (address, other) in [(0x1000, 0x800), (0x1800, -0x800)] {
        let (code, targets) = Code::generate(random, watch);
        writeln!(
            data,
            "(data (i32.const {address}) (i32 1 {other}) (i16 {}) (i8 {}))",
            spaced(&targets),
            spaced(&code),
        )
        .expect("writing to a string");
    }
    MACHINE.replace("(; program ;)", &data)
}

fn pick<'a>(random: &mut Rng, items: &[&'a str]) -> &'a str {
    items[random.usize(..items.len())]
}

fn spaced<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(" ")
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
}

impl<'r> Code<'r> {
    /// The code's bytes, and four offsets at which computed jumps may go on.
    fn generate(random: &'r mut Rng, watch: Watch) -> (Vec<u8>, [usize; 4]) {
        let mut code = Self {
            random,
            watch,
            bytes: Vec::new(),
            depth: 0,
            starts: Vec::new(),
            jumps: Vec::new(),
        };
        let (pushes, statements) = (1 + code.random.usize(..30), 2 + code.random.usize(..8));
        for _ in 0..pushes {
            code.straight();
            code.push();
        }
        for statement in 0..statements {
            code.starts.push(code.bytes.len() / INSTRUCTION);
            code.statement(statement, statements);
        }
        code.starts.push(code.bytes.len() / INSTRUCTION);
        let tail = code.random.usize(..2);
        code.op(18, tail, 0);
        code.patch();
        let targets = [0; 4].map(|_| {
            let start = code.starts[code.random.usize(..statements + 1)];
            HEADER + start * INSTRUCTION
        });
        (code.bytes, targets)
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
            1 => self.op(11, 0, 0),
            _ => {
                self.jumps.push((self.bytes.len() / INSTRUCTION, target));
                self.op(op, 0, 0);
            }
        }
        if self.watch == Watch::All {
            // So that it differs whether the jump was taken, even to the next statement.
            self.op(SEE, 0, 0);
        }
    }

    /// An instruction that leaves the stack as deep as it is.
    fn straight(&mut self) {
        let large = self.random.usize(..9) as i16 - 2;
        let register = self.random.usize(..8);
        if self.watch == Watch::All {
            self.op(SEE, 0, 0);
        }
        match self.random.usize(..17) {
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
            11 => {
                let other = self.random.usize(..2);
                self.op(17, other, 0);
            }
            12 => self.op(19, 0, 0),
            13 if self.depth > 3 => self.op(20, 3, 0),
            14 => self.op(21, 0, 0),
            15 => self.op(22, 0, 0),
            16 => self.op(23, 0, 0),
            _ => self.op(5, 0, 0),
        }
    }

    fn patch(&mut self) {
        for &(from, statement) in &self.jumps {
            let distance = (self.starts[statement] as i16 - from as i16) * INSTRUCTION as i16;
            let at = from * INSTRUCTION + 2;
            self.bytes[at..at + 2].copy_from_slice(&distance.to_le_bytes());
        }
    }
}

const FUNCTION: &str = include_str!("function.wat");

/// A random function with intrinsics.
pub fn function(random: &mut Rng, watch: Watch) -> String {
    let mut body = Body {
        random,
        watch,
        text: String::new(),
        loops: 0,
    };
    body.statements(3);
    FUNCTION.replace("(; body ;)", &body.text)
}

/// Statements over the locals `$a $b` (`i64`), `$i $j` (`i32`) and `$q` (a cell's address).
struct Body<'r> {
    random: &'r mut Rng,
    watch: Watch,
    text: String,
    loops: usize,
}

impl Body<'_> {
    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.random.usize(..4) {
            self.statement(depth);
            if self.watch == Watch::All {
                self.line(
                    "(call $locals (local.get $a) (local.get $b) (local.get $i) (local.get $j))",
                );
                self.line("(call $report (call $read (i32.sub (local.get 1) (i32.const 64))))");
                self.line("(call $sync) (call $look (local.get 1)) (call $invalidate)");
                self.line("(call $touch)");
                self.line("(global.set $seen (i64.add (i64.mul (global.get $seen) (i64.const 3))");
                self.line("(local.get $a)))");
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn statement(&mut self, depth: usize) {
        match self.random.usize(..if depth > 0 { 20 } else { 15 }) {
            0..=2 => self.assign(),
            3 => {
                let value = self.long(2);
                self.line(&format!("(call $report {value})"));
            }
            4 | 5 => {
                let (cell, mut value) = (self.cell(), self.long(2));
                if self.watch.chooses_object(self.random) {
                    value = format!(
                        "(i64.xor (i64.and (i64.mul {value} (i64.const 5)) (i64.const 0xffffffffffff)) \
                         (i64.load (i32.const 0x9f0)))"
                    );
                }
                self.line(&format!("(call $write {cell} {value})"));
            }
            6 => self.line("(call $sync) (call $look (local.get 1)) (call $invalidate)"),
            7 => self.line("(call $touch)"),
            8 => {
                let (address, value) = (self.int(1), self.long(2));
                self.line(&format!(
                    "(i64.store offset=0x900 (i32.and {address} (i32.const 56)) {value})"
                ));
            }
            9..=11 => {
                let position = self.int(1);
                let hint = pick(self.random, &["position", "position", "push"]);
                self.line(&format!("(call ${hint} {position})"));
            }
            12 => self.line("(call $pop)"),
            13 | 14 => self.specialize(),
            15..=17 => self.conditional(depth - 1),
            18 => self.switch(depth - 1),
            _ => self.repeat(depth - 1),
        }
    }

    fn assign(&mut self) {
        let local = pick(self.random, &["a", "b", "i", "j", "q"]);
        let value = match local {
            "a" | "b" => self.long(3),
            "q" => format!(
                "(i32.sub (local.get 1) (i32.const {}))",
                8 * self.random.usize(..6)
            ),
            _ => self.int(3),
        };
        self.line(&format!("(local.set ${local} {value})"));
    }

    fn specialize(&mut self) {
        let local = pick(self.random, &["i", "j"]);
        let (value, low) = (self.int(2), self.random.usize(..4));
        let call = match self.random.usize(..3) {
            0 => {
                let high = low + self.random.usize(..4);
                format!("(call $value {value} (i32.const {low}) (i32.const {high}))")
            }
            1 => {
                format!("(call $range (i32.and {value} (i32.const 3)) (i32.const 0) (i32.const 4))")
            }
            _ => {
                let guess = self.int(1);
                format!("(call $guess {value} {guess})")
            }
        };
        self.line(&format!("(local.set ${local} {call})"));
    }

    fn conditional(&mut self, depth: usize) {
        let condition = self.int(2);
        self.line(&format!("(if {condition} (then"));
        self.statements(depth);
        self.line(") (else");
        self.statements(depth);
        self.line("))");
    }

    fn switch(&mut self, depth: usize) {
        let index = self.int(2);
        self.line("(block (block (block");
        self.line(&format!("(br_table 0 1 2 {index}))"));
        self.statements(depth);
        self.line("(br 1))");
        self.statements(depth);
        self.line(")");
    }

    /// A loop: while a condition holds and there is fuel.
    fn repeat(&mut self, depth: usize) {
        self.loops += 1;
        let name = format!("$loop{}", self.loops);
        self.line(&format!("(loop {name}"));
        self.statements(depth);
        let condition = self.int(2);
        self.line(&format!(
            "(if (call $burn) (then (br_if {name} {condition}))))"
        ));
    }

    /// The address of a cell: of the stack or of a register, known or not.
    fn cell(&mut self) -> String {
        let number = self.random.usize(..6);
        match self.random.usize(..8) {
            0..=3 => format!("(i32.sub (local.get 1) (i32.const {}))", 8 * number),
            4 | 5 => format!("(i32.const {})", 0x11000 + 8 * number),
            6 => "(local.get $q)".to_owned(),
            _ => {
                let number = self.int(1);
                format!(
                    "(i32.sub (local.get 1) (i32.shl (i32.and {number} (i32.const 7)) (i32.const 3)))"
                )
            }
        }
    }

    fn long(&mut self, depth: usize) -> String {
        match self.random.usize(..if depth > 0 { 10 } else { 4 }) {
            0 => format!("(i64.const {})", self.random.usize(..12) as i64 - 3),
            1 => "(local.get $a)".to_owned(),
            2 => "(local.get $b)".to_owned(),
            3 => format!("(call $read {})", self.cell()),
            4 => format!("(i64.extend_i32_u {})", self.int(depth - 1)),
            5 => {
                let kind = pick(self.random, &["i64.load", "i64.load16_s", "i64.load8_u"]);
                let place = self.region(depth - 1);
                format!("({kind} {place})")
            }
            6 => {
                let place = self.int(depth - 1);
                format!("(i64.load offset=0x900 (i32.and {place} (i32.const 56)))")
            }
            7 => {
                let (a, b) = (self.long(depth - 1), self.long(depth - 1));
                format!("(select {a} {b} {})", self.int(depth - 1))
            }
            _ => {
                let op = pick(
                    self.random,
                    &["add", "sub", "mul", "and", "or", "xor", "shl", "div_u"],
                );
                let (a, mut b) = (self.long(depth - 1), self.long(depth - 1));
                if op == "div_u" && self.watch == Watch::All {
                    // A trap hides what comes before it.
                    b = format!("(i64.or {b} (i64.const 1))");
                }
                format!("(i64.{op} {a} {b})")
            }
        }
    }

    fn int(&mut self, depth: usize) -> String {
        match self.random.usize(..if depth > 0 { 12 } else { 4 }) {
            0 => format!("(i32.const {})", self.random.usize(..9) as i32 - 2),
            1 => "(local.get $i)".to_owned(),
            2 => "(local.get $j)".to_owned(),
            3 => "(local.get 0)".to_owned(),
            4 => format!("(i32.wrap_i64 {})", self.long(depth - 1)),
            5 | 6 => format!("(i32.load8_u {})", self.region(depth - 1)),
            7 => format!("(i32.eqz {})", self.int(depth - 1)),
            8 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                format!("(select {a} {b} {})", self.int(depth - 1))
            }
            _ => {
                let op = pick(
                    self.random,
                    &["add", "sub", "and", "xor", "eq", "ne", "lt_u", "mul"],
                );
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                format!("(i32.{op} {a} {b})")
            }
        }
    }

    /// An address in constant memory, or (rarely) somewhere around it.
    fn region(&mut self, depth: usize) -> String {
        let offset = self.int(depth);
        format!("(i32.add (local.get 0) (i32.and {offset} (i32.const 31)))")
    }
}
