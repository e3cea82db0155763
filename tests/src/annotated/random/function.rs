//! Random functions with intrinsics, in the frame of `function.wat`.

use fastrand::Rng;

use super::Watch;

/// The golden ratio's bits: what is multiplied by it has all of its upper bits in disorder.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

const FUNCTION: &str = include_str!("../function.wat");

/// A random function with intrinsics.
pub fn function(random: &mut Rng, watch: Watch) -> String {
    let mut body = Body {
        random,
        watch,
        text: String::new(),
        loops: 0,
        in_frame: false,
    };
    body.in_frame = body.random.bool();
    body.statements(3);
    let stack = ["(pass 1)", "(frame 1)"][usize::from(body.in_frame)];
    let text = FUNCTION.replace("(; body ;)", &body.text);
    text.replace("(; frame ;)", stack)
}

/// Statements over the locals `$a $b` (`i64`), `$i $j` (`i32`), `$q` (a cell's address), `$p` (the
/// address of a narrow cell, which may be moved) and boxes:
/// `$f $g` of floats, `$m $n` of integers, `$x` of either.
struct Body<'r> {
    random: &'r mut Rng,
    watch: Watch,
    text: String,
    loops: usize,
    /// Whether plain loads and stores get at narrow cells.
    in_frame: bool,
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
                self.line("(call $report (i64.load (i32.wrap_i64 (local.get $f))))");
                self.line("(call $report (i64.load (i32.wrap_i64 (local.get $g))))");
                self.line("(call $report (i64.load offset=8 (i32.wrap_i64 (local.get $m))))");
                self.line("(call $report (i64.load offset=8 (i32.wrap_i64 (local.get $n))))");
                self.line(&format!("(call $report {})", opened("$x")));
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
        match self.random.usize(..if depth > 0 { 33 } else { 28 }) {
            23..=27 => self.narrow(),
            0..=2 => self.assign(),
            3 => {
                let value = self.long(2);
                self.line(&format!("(call $report {value})"));
            }
            4 | 5 => {
                let (cell, mut value) = (self.cell(), self.long(2));
                if self.watch.chooses_object(self.random) {
                    value = format!(
                        "(i64.xor (i64.shr_u (i64.mul {value} (i64.const {MIX})) (i64.const 16)) \
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
            15..=17 => self.float(),
            18..=20 => self.integer(),
            21 | 22 => self.either(),
            28..=30 => self.conditional(depth - 1),
            31 => self.switch(depth - 1),
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

    /// A box is made, or goes from one place to another.
    fn float(&mut self) {
        let (to, from) = (
            pick(self.random, &["f", "g"]),
            pick(self.random, &["f", "g"]),
        );
        match self.random.usize(..7) {
            0..=2 => {
                let value = self.real(2);
                self.line(&format!("(local.set ${to} (call $box {value}))"));
            }
            3 => self.line(&format!(
                "(local.set ${to} (call $exists (local.get ${from}) (i32.const 0)))"
            )),
            4 => {
                let cell = self.box_cell();
                self.line(&format!("(call $write {cell} (local.get ${from}))"));
            }
            5 => {
                let cell = self.box_cell();
                self.line(&format!("(local.set ${to} (call $read {cell}))"));
            }
            _ => {
                let place = format!("offset=0x960 (i32.and {} (i32.const 8))", self.int(1));
                self.line(&format!("(i64.store {place} (local.get ${from}))"));
                self.line(&format!("(local.set ${to} (i64.load {place}))"));
            }
        }
    }

    /// The same for a box of an integer.
    fn integer(&mut self) {
        let (to, from) = (
            pick(self.random, &["m", "n"]),
            pick(self.random, &["m", "n"]),
        );
        match self.random.usize(..7) {
            0..=2 => {
                let value = self.long(2);
                self.line(&format!("(local.set ${to} (call $box_integer {value}))"));
            }
            3 => self.line(&format!(
                "(local.set ${to} (call $exists (local.get ${from}) (i32.const 1)))"
            )),
            4 => self.line(&format!(
                "(call $write (i32.const 0x11050) (local.get ${from}))"
            )),
            5 => self.line(&format!(
                "(local.set ${to} (call $read (i32.const 0x11050)))"
            )),
            _ => {
                self.line(&format!(
                    "(i64.store (i32.const 0x970) (local.get ${from}))"
                ));
                self.line(&format!("(local.set ${to} (i64.load (i32.const 0x970)))"));
            }
        }
    }

    /// The same for a box of either kind.
    fn either(&mut self) {
        let from = pick(self.random, &["f", "g", "m", "n", "x"]);
        match self.random.usize(..5) {
            0..=2 => self.line(&format!("(local.set $x (local.get ${from}))")),
            3 => self.line(&format!(
                "(call $write (i32.const 0x11058) (local.get ${from}))"
            )),
            _ => self.line("(local.set $x (call $read (i32.const 0x11058)))"),
        }
    }

    /// A narrow cell is read or written, or other code changes some.
    fn narrow(&mut self) {
        let at = self.random.usize(..25);
        let known = format!("(i32.add (local.get 1) (i32.const {}))", 8 + at);
        match self.random.usize(..if self.in_frame { 17 } else { 8 }) {
            0 => {
                let len = 1 + self.random.usize(..8);
                self.line("(call $sync)");
                self.line(&format!(
                    "(call $poke (local.get 1) {known} (i32.const {len}))"
                ));
                self.line(&format!("(call $forget {known} (i32.const {len}))"));
            }
            1..=4 => {
                let address = match self.random.usize(..8) {
                    0 => {
                        let offset = self.int(1);
                        format!(
                            "(i32.add (i32.add (local.get 1) (i32.const 8)) \
                             (i32.and {offset} (i32.const 15)))"
                        )
                    }
                    _ => known,
                };
                let write = pick(self.random, &["write8", "write8", "write32", "write"]);
                let value = match write {
                    "write" => self.long(2),
                    _ => self.int(2),
                };
                self.line(&format!("(call ${write} {address} {value})"));
            }
            5..=7 => {
                let read = pick(self.random, &["read8", "read8", "read32"]);
                let local = pick(self.random, &["i", "j"]);
                self.line(&format!("(local.set ${local} (call ${read} {known}))"));
            }
            8..=10 => self.store_plainly(&format!("offset={} (local.get 1)", 8 + at)),
            11 => {
                let from = 8 + self.random.usize(..25);
                let len = self.random.usize(..9);
                self.line(&format!(
                    "(memory.copy {known} (i32.add (local.get 1) (i32.const {from})) \
                     (i32.const {len}))"
                ));
            }
            12 | 13 => self.load_plainly(&format!("offset={} (local.get 1)", 8 + at)),
            14 => {
                let distance = match self.random.bool() {
                    true => format!("(i32.const {})", self.random.usize(..16)),
                    false => format!("(i32.and {} (i32.const 15))", self.int(1)),
                };
                let base = pick(self.random, &["1", "1", "$p"]);
                let base = match base {
                    "1" => "(i32.add (local.get 1) (i32.const 8))".to_owned(),
                    // Where it was, but for its lowest bits: so it stays where it may be.
                    _ => "(i32.sub (local.get $p) (i32.and (local.get $p) (i32.const 7)))".into(),
                };
                let distance = match base.contains("$p") {
                    true => format!("(i32.and {distance} (i32.const 7))"),
                    false => distance,
                };
                self.line(&format!("(local.set $p (i32.add {base} {distance}))"));
            }
            15 => self.store_plainly(&format!("offset={} (local.get $p)", at % 10)),
            _ => self.load_plainly(&format!("offset={} (local.get $p)", at % 10)),
        }
    }

    /// A plain store to a narrow cell.
    fn store_plainly(&mut self, place: &str) {
        let (ty, kinds) = self.typed(&["", "8", "16"], &["", "8", "16", "32"]);
        let width = pick(self.random, kinds);
        let mut value = match ty {
            "f32" | "i32" => self.int(2),
            _ => self.long(2),
        };
        if let Some(bits) = ty.strip_prefix('f') {
            value = format!("({ty}.reinterpret_i{bits} {value})");
        }
        self.line(&format!("({ty}.store{width} {place} {value})"));
    }

    /// A plain load of one.
    fn load_plainly(&mut self, place: &str) {
        let (ty, kinds) = self.typed(
            &["", "8_s", "8_u", "16_s", "16_u"],
            &["", "8_s", "8_u", "16_s", "16_u", "32_s", "32_u"],
        );
        let kind = pick(self.random, kinds);
        let mut value = format!("({ty}.load{kind} {place})");
        if let Some(bits) = ty.strip_prefix('f') {
            value = format!("(i{bits}.reinterpret_f{bits} {value})");
        }
        let local = match ty {
            "f32" | "i32" => pick(self.random, &["i", "j"]),
            _ => pick(self.random, &["a", "b"]),
        };
        self.line(&format!("(local.set ${local} {value})"));
    }

    /// A type, with the kinds of accesses of it: these of `i32`, those of `i64`.
    fn typed<'a>(&mut self, short: &'a [&'a str], long: &'a [&'a str]) -> (&'a str, &'a [&'a str]) {
        match self.random.usize(..6) {
            0 | 1 => ("i32", short),
            2 | 3 => ("i64", long),
            4 => ("f32", &[""]),
            _ => ("f64", &[""]),
        }
    }

    fn box_cell(&mut self) -> String {
        format!("(i32.const {})", 0x11040 + 8 * self.random.usize(..2))
    }

    /// A float: a sum of numbers that are small enough for it to be exact.
    fn real(&mut self, depth: usize) -> String {
        match self.random.usize(..if depth > 0 { 8 } else { 3 }) {
            0 => format!(
                "(f64.const {})",
                pick(self.random, &["1", "0.75", "-2.5", "1e10"])
            ),
            1 => self.payload(),
            2 => format!("(f64.load (i32.wrap_i64 (call $read {})))", self.box_cell()),
            3 | 4 => {
                // Never 0, which is what a missing payload would be.
                let integer = self.int(depth - 1);
                format!("(f64.add (f64.convert_i32_s {integer}) (f64.const 0.5))")
            }
            _ => {
                let op = pick(self.random, &["add", "sub", "min", "max"]);
                let (a, b) = (self.real(depth - 1), self.real(depth - 1));
                format!("(f64.{op} {a} {b})")
            }
        }
    }

    fn payload(&mut self) -> String {
        let local = pick(self.random, &["f", "g"]);
        format!("(f64.load (i32.wrap_i64 (local.get ${local})))")
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
                format!("(call $guess (i32.and {value} (i32.const 7)) {guess})")
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
                    "(i32.sub (local.get 1) (i32.shl (i32.and {number} (i32.const 7)) \
                     (i32.const 3)))"
                )
            }
        }
    }

    fn long(&mut self, depth: usize) -> String {
        match self.random.usize(..if depth > 0 { 14 } else { 4 }) {
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
            8 => format!("(i64.reinterpret_f64 {})", self.payload()),
            9 => {
                let local = pick(self.random, &["m", "n"]);
                let place = pick(self.random, &["", "offset=4", "offset=8"]);
                format!("(i64.load {place} (i32.wrap_i64 (local.get ${local})))")
            }
            10 => {
                let local = pick(self.random, &["m", "n"]);
                format!(
                    "(i64.load32_s (i32.add (i32.wrap_i64 (local.get ${local})) (i32.const 8)))"
                )
            }
            11 => opened("$x"),
            _ => {
                let op = pick(
                    self.random,
                    &["add", "sub", "mul", "and", "or", "xor", "shl", "div_u"],
                );
                let (a, mut b) = (self.long(depth - 1), self.long(depth - 1));
                if op == "div_u" && self.watch == Watch::All {
                    // Not divided by 0: a trap would hide what the function did before it.
                    b = format!("(i64.or {b} (i64.const 1))");
                }
                format!("(i64.{op} {a} {b})")
            }
        }
    }

    fn int(&mut self, depth: usize) -> String {
        match self.random.usize(..if depth > 0 { 13 } else { 4 }) {
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
            9 => {
                let (a, b) = (self.payload(), self.real(depth - 1));
                format!("(f64.lt {a} {b})")
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

/// The bits of what a box of either kind holds.
fn opened(local: &str) -> String {
    let known = |kind: i32, offset: i32, otherwise: &str| {
        format!(
            "(if (result i64) (i32.eq (call $kind (local.get {local})) (i32.const {kind})) \
             (then (i64.load offset={offset} (i32.wrap_i64 (local.get {local})))) \
             (else {otherwise}))"
        )
    };
    let any = format!("(call $open (local.get {local}))");
    known(1, 0, &known(2, 8, &any))
}

fn pick<'a>(random: &mut Rng, items: &[&'a str]) -> &'a str {
    items[random.usize(..items.len())]
}
