//! The automata of `ocamlyacc`: a pushdown automaton. It returns to OCaml code for tokens, semantic
//! actions, larger stacks and errors, and in between its state is in a record.

use crate::heap;
use crate::memory;
use crate::os;
use crate::value::Value;
use std::cell::Cell;

crate::primitives! {
    Leaf "caml_parse_engine" parse_engine, 4;
    Leaf "caml_set_parser_trace" set_parser_trace, 1;
}

/// The descriptor that the trace goes to.
const STANDARD_ERROR: os::Descriptor = 2;

thread_local! {
    static TRACE: Cell<bool> = const { Cell::new(false) };
}

/// Traces from the start: `p` in `OCAMLRUNPARAM`.
pub fn start_tracing() {
    TRACE.set(true);
}

pub fn is_tracing() -> bool {
    TRACE.get()
}

/// Returns the former setting.
fn set_parser_trace(on: Value) -> Value {
    Value::bool(TRACE.replace(on.as_bool()))
}

/// Fields of `Parsing.parse_tables`.
mod table {
    pub const TRANSL_CONST: usize = 1;
    pub const TRANSL_BLOCK: usize = 2;
    pub const LHS: usize = 3;
    pub const LEN: usize = 4;
    pub const DEFRED: usize = 5;
    pub const DGOTO: usize = 6;
    pub const SINDEX: usize = 7;
    pub const RINDEX: usize = 8;
    pub const GINDEX: usize = 9;
    pub const TABLESIZE: usize = 10;
    pub const TABLE: usize = 11;
    pub const CHECK: usize = 12;
    pub const NAMES_CONST: usize = 14;
    pub const NAMES_BLOCK: usize = 15;
}

/// Fields of `Parsing.parser_env`.
mod env {
    pub const S_STACK: usize = 0;
    pub const V_STACK: usize = 1;
    pub const SYMB_START_STACK: usize = 2;
    pub const SYMB_END_STACK: usize = 3;
    pub const STACKSIZE: usize = 4;
    pub const STACKBASE: usize = 5;
    pub const CURR_CHAR: usize = 6;
    pub const LVAL: usize = 7;
    pub const SYMB_START: usize = 8;
    pub const SYMB_END: usize = 9;
    pub const ASP: usize = 10;
    pub const RULE_LEN: usize = 11;
    pub const RULE_NUMBER: usize = 12;
    pub const SP: usize = 13;
    pub const STATE: usize = 14;
    pub const ERRFLAG: usize = 15;
}

/// What OCaml code is to do: `Parsing.parser_output`.
#[derive(Clone, Copy, Debug)]
#[repr(i64)]
enum Output {
    ReadToken = 0,
    RaiseParseError = 1,
    GrowStacks1 = 2,
    GrowStacks2 = 3,
    ComputeSemanticAction = 4,
    CallErrorFunction = 5,
}

/// What the automaton does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Look for a default reduction, else for a token.
    Decide,
    /// Shift or reduce by the current token.
    Test,
    Reduce(i64),
    Recover,
    /// Shift by the entry at this index.
    Shift(i64),
    Push,
    Return(Output),
}

/// The error pseudo-token.
const ERROR_CODE: i64 = 256;

/// Tokens shifted after an error until the next one is reported.
const ERROR_DISTANCE: i64 = 3;

const NO_TOKEN: i64 = -1;

/// The automaton's registers, and its two records.
struct Parser {
    tables: Value,
    env: Value,
    state: i64,
    sp: i64,
    errflag: i64,
}

fn parse_engine(tables: Value, env: Value, command: Value, argument: Value) -> Value {
    let mut parser = Parser::restore(tables, env);
    // The order of `Parsing.parser_input`.
    let mut step = match command.as_int() {
        0 => parser.start(),
        1 => parser.token_read(argument),
        2 => Step::Push,
        3 => parser.semantic_action(),
        4 => parser.action_computed(argument),
        _ => Step::Recover,
    };
    loop {
        step = match step {
            Step::Decide => parser.decide(),
            Step::Test => parser.test(),
            Step::Reduce(rule) => parser.reduce(rule),
            Step::Recover => parser.recover(),
            Step::Shift(index) => parser.shift(index),
            Step::Push => parser.push(),
            Step::Return(output) => return Value::int(output as i64),
        }
    }
}

impl Parser {
    fn restore(tables: Value, env: Value) -> Self {
        let field = |index: usize| env.field(index).as_int();
        Self {
            tables,
            env,
            state: field(env::STATE),
            sp: field(env::SP),
            errflag: field(env::ERRFLAG),
        }
    }

    /// Saves the registers and returns to OCaml code.
    fn leave(&self, output: Output) -> Step {
        self.set(env::SP, self.sp);
        self.set(env::STATE, self.state);
        self.set(env::ERRFLAG, self.errflag);
        Step::Return(output)
    }

    fn get(&self, field: usize) -> i64 {
        self.env.field(field).as_int()
    }

    /// Integers need no write barrier.
    fn set(&self, field: usize, n: i64) {
        self.env.init_field(field, Value::int(n));
    }

    /// Number `index` of a table.
    fn number(&self, table: usize, index: i64) -> i64 {
        let address = self.tables.field(table).address();
        memory::load_u16(address.wrapping_add_signed(index as i32 * 2)) as i16 as i64
    }

    /// The index of the entry for `symbol` in the row that `table` gives for `row`, if there is
    /// one.
    fn lookup(&self, table: usize, row: i64, symbol: i64) -> Option<i64> {
        let base = self.number(table, row);
        let index = base + symbol;
        let inside =
            base != 0 && index >= 0 && index <= self.tables.field(table::TABLESIZE).as_int();
        (inside && self.number(table::CHECK, index) == symbol).then_some(index)
    }

    fn stacked_state(&self, position: i64) -> i64 {
        self.env
            .field(env::S_STACK)
            .field(position as usize)
            .as_int()
    }

    /// Copies a position or value into a stack.
    fn store(&self, stack: usize, position: i64, value: Value) {
        heap::modify(self.env.field(stack), position as usize, value);
    }

    fn start(&mut self) -> Step {
        self.state = 0;
        self.errflag = 0;
        Step::Decide
    }

    fn decide(&mut self) -> Step {
        match self.number(table::DEFRED, self.state) {
            0 if self.get(env::CURR_CHAR) >= 0 => Step::Test,
            0 => self.leave(Output::ReadToken),
            rule => Step::Reduce(rule),
        }
    }

    fn token_read(&mut self, token: Value) -> Step {
        let (code, value) = if token.is_block() {
            let codes = self.tables.field(table::TRANSL_BLOCK);
            (codes.field(token.tag() as usize), token.field(0))
        } else {
            let codes = self.tables.field(table::TRANSL_CONST);
            (codes.field(token.as_int() as usize), Value::int(0))
        };
        self.env.init_field(env::CURR_CHAR, code);
        heap::modify(self.env, env::LVAL, value);
        self.trace(|| self.describe(token));
        Step::Test
    }

    fn test(&mut self) -> Step {
        let token = self.get(env::CURR_CHAR);
        if let Some(index) = self.lookup(table::SINDEX, self.state, token) {
            self.set(env::CURR_CHAR, NO_TOKEN);
            self.errflag = (self.errflag - 1).max(0);
            return Step::Shift(index);
        }
        if let Some(index) = self.lookup(table::RINDEX, self.state, token) {
            return Step::Reduce(self.number(table::TABLE, index));
        }
        if self.errflag > 0 {
            return Step::Recover;
        }
        self.leave(Output::CallErrorFunction)
    }

    /// After an error: discards states until one shifts the error token; an error during recovery
    /// discards the token.
    fn recover(&mut self) -> Step {
        if self.errflag >= ERROR_DISTANCE {
            if self.get(env::CURR_CHAR) == 0 {
                return Step::Return(Output::RaiseParseError);
            }
            self.trace(|| "Discarding last token read".to_owned());
            self.set(env::CURR_CHAR, NO_TOKEN);
            return Step::Decide;
        }
        self.errflag = ERROR_DISTANCE;
        loop {
            let state = self.stacked_state(self.sp);
            if let Some(index) = self.lookup(table::SINDEX, state, ERROR_CODE) {
                self.trace(|| format!("Recovering in state {state}"));
                return Step::Shift(index);
            }
            self.trace(|| format!("Discarding state {state}"));
            if self.sp <= self.get(env::STACKBASE) {
                self.trace(|| "No more states to discard".to_owned());
                return Step::Return(Output::RaiseParseError);
            }
            self.sp -= 1;
        }
    }

    fn shift(&mut self, index: i64) -> Step {
        let target = self.number(table::TABLE, index);
        self.trace(|| format!("State {}: shift to state {target}", self.state));
        self.state = target;
        self.sp += 1;
        if self.sp < self.get(env::STACKSIZE) {
            return Step::Push;
        }
        self.leave(Output::GrowStacks1)
    }

    fn push(&mut self) -> Step {
        let top = self.sp;
        self.env
            .field(env::S_STACK)
            .init_field(top as usize, Value::int(self.state));
        self.store(env::V_STACK, top, self.env.field(env::LVAL));
        self.store(env::SYMB_START_STACK, top, self.env.field(env::SYMB_START));
        self.store(env::SYMB_END_STACK, top, self.env.field(env::SYMB_END));
        Step::Decide
    }

    fn reduce(&mut self, rule: i64) -> Step {
        self.trace(|| format!("State {}: reduce by rule {rule}", self.state));
        let len = self.number(table::LEN, rule);
        self.set(env::ASP, self.sp);
        self.set(env::RULE_NUMBER, rule);
        self.set(env::RULE_LEN, len);
        self.sp = self.sp - len + 1;
        let symbol = self.number(table::LHS, rule);
        let below = self.stacked_state(self.sp - 1);
        self.state = match self.lookup(table::GINDEX, symbol, below) {
            Some(index) => self.number(table::TABLE, index),
            None => self.number(table::DGOTO, symbol),
        };
        if self.sp < self.get(env::STACKSIZE) {
            return self.semantic_action();
        }
        self.leave(Output::GrowStacks2)
    }

    fn semantic_action(&mut self) -> Step {
        self.leave(Output::ComputeSemanticAction)
    }

    fn action_computed(&mut self, result: Value) -> Step {
        let top = self.sp;
        self.env
            .field(env::S_STACK)
            .init_field(top as usize, Value::int(self.state));
        self.store(env::V_STACK, top, result);
        let asp = self.get(env::ASP);
        let end = self.env.field(env::SYMB_END_STACK).field(asp as usize);
        self.store(env::SYMB_END_STACK, top, end);
        if top > asp {
            // An empty production begins where it ends.
            self.store(env::SYMB_START_STACK, top, end);
        }
        Step::Decide
    }

    /// Prints a line about what the automaton does, if asked for.
    fn trace(&self, line: impl FnOnce() -> String) {
        if TRACE.get() {
            os::write_all(STANDARD_ERROR, format!("{}\n", line()).as_bytes());
        }
    }

    fn describe(&self, token: Value) -> String {
        if token.is_int() {
            let name = self.token_name(table::NAMES_CONST, token.as_int() as usize);
            return format!("State {}: read token {name}", self.state);
        }
        let name = self.token_name(table::NAMES_BLOCK, token.tag() as usize);
        format!(
            "State {}: read token {name}({})",
            self.state,
            describe_argument(token.field(0))
        )
    }

    /// Name `index` in a string of names that each end with a NUL.
    fn token_name(&self, names: usize, index: usize) -> String {
        let names = self.tables.field(names).to_bytes();
        match names.split(|&byte| byte == 0).nth(index) {
            Some(name) if !name.is_empty() => String::from_utf8_lossy(name).into_owned(),
            Some(_) | None => "<unknown token>".to_owned(),
        }
    }
}

fn describe_argument(value: Value) -> String {
    use super::format;
    use crate::value::tag;
    if value.is_int() {
        return value.as_int().to_string();
    }
    match value.tag() {
        tag::STRING => String::from_utf8_lossy(&value.to_bytes()).into_owned(),
        tag::DOUBLE => {
            let x = value.as_float();
            let text = format::print(b"%g", format::FLOATS, |spec| format::float(spec, x));
            let text = text.unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        }
        _ => "_".to_owned(),
    }
}
