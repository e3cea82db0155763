//! Values as text.

use super::failure::fail;
use super::numbers::{number, shown};
use super::{cycles, strings};
use crate::datum::{CHARACTERS, Datum, read};
use crate::output;
use crate::value::{
    END_OF_FILE, FALSE, NIL, TRUE, UNDEFINED, UNSPECIFIED, field, fields_of, is, is_character, tag,
    tag_of, to_char,
};
use std::collections::{BTreeMap, BTreeSet};

/// How strings and characters are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Display,
    Write,
}

/// Bytes that a text may have.
const LIMIT: usize = 1 << 28;

/// The text of a value; `None` if it would be too long.
fn text(value: i64, style: Style) -> Option<String> {
    if !cycles::is_container(value) {
        let mut text = String::new();
        append_atom(&mut text, value, style);
        return Some(text);
    }
    let mut writer = Writer::new(style, None);
    if writer.append(value) == End::Unknown {
        writer = Writer::new(style, Some(cycles::find(value)));
        writer.append(value);
    }
    (writer.out.len() <= LIMIT).then_some(writer.out)
}

/// What came of writing a value.
#[derive(PartialEq, Eq)]
enum End {
    /// It was written, or so much of it that it is too long.
    Reached,
    /// It may be without end.
    Unknown,
}

/// What is still to be written. So data are not nested too deeply for anything.
enum Step {
    Value(i64),
    /// What follows a pair's first field.
    Tail(i64),
    /// The fields of a block from one on, and what closes it.
    Fields(i64, u32, char),
    Close(char),
}

struct Writer {
    out: String,
    style: Style,
    waiting: Vec<Step>,
    /// Blocks that are within themselves, if that was asked. They have labels as in R7RS.
    circular: Option<BTreeSet<u32>>,
    /// Those that were met, by their numbers.
    labels: BTreeMap<u32, usize>,
}

impl Writer {
    fn new(style: Style, circular: Option<BTreeSet<u32>>) -> Self {
        Self {
            out: String::new(),
            style,
            waiting: Vec::new(),
            circular,
            labels: BTreeMap::new(),
        }
    }

    fn append(&mut self, value: i64) -> End {
        let mut steps = 0;
        self.waiting.push(Step::Value(value));
        while let Some(step) = self.waiting.pop() {
            steps += 1;
            if self.circular.is_none() && steps > cycles::MANY {
                return End::Unknown;
            }
            if self.out.len() > LIMIT {
                break;
            }
            self.step(step);
        }
        End::Reached
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Value(value) => self.value(value),
            Step::Tail(NIL) => self.out.push(')'),
            Step::Tail(rest) if is(rest, tag::PAIR) && !self.is_circular(rest) => {
                self.out.push(' ');
                self.pair(rest);
            }
            Step::Tail(rest) => {
                self.out.push_str(" . ");
                self.waiting.push(Step::Close(')'));
                self.waiting.push(Step::Value(rest));
            }
            Step::Fields(block, index, close) if index == fields_of(block) => self.out.push(close),
            Step::Fields(block, index, close) => {
                self.out.push_str(if index > 0 { " " } else { "" });
                self.waiting.push(Step::Fields(block, index + 1, close));
                self.waiting.push(Step::Value(field(block, index)));
            }
            Step::Close(close) => self.out.push(close),
        }
    }

    fn is_circular(&self, value: i64) -> bool {
        let circular = self.circular.as_ref();
        circular.is_some_and(|circular| circular.contains(&(value as u32)))
    }

    fn value(&mut self, value: i64) {
        if !cycles::is_container(value) {
            return append_atom(&mut self.out, value, self.style);
        }
        if self.is_circular(value) {
            if let Some(label) = self.labels.get(&(value as u32)) {
                return self.out.push_str(&format!("#{label}#"));
            }
            let label = self.labels.len();
            self.labels.insert(value as u32, label);
            self.out.push_str(&format!("#{label}="));
        }
        match tag_of(value) {
            tag::PAIR => {
                self.out.push('(');
                self.pair(value);
            }
            tag::VECTOR => {
                self.out.push_str("#(");
                self.waiting.push(Step::Fields(value, 0, ')'));
            }
            // A record's type is a vector whose first element is its name.
            _ => {
                self.out.push_str("#<");
                append_atom(&mut self.out, field(field(value, 0), 0), self.style);
                self.waiting.push(Step::Fields(value, 1, '>'));
            }
        }
    }

    fn pair(&mut self, pair: i64) {
        self.waiting.push(Step::Tail(field(pair, 1)));
        self.waiting.push(Step::Value(field(pair, 0)));
    }
}

/// What has no parts.
fn append_atom(out: &mut String, value: i64, style: Style) {
    if let Some(number) = number(value) {
        out.push_str(&shown(number, 10));
        return;
    }
    if is_character(value) {
        append_character(out, to_char(value), style);
        return;
    }
    let constant = match value {
        FALSE => "#f",
        TRUE => "#t",
        NIL => "()",
        UNSPECIFIED => "#<unspecified>",
        UNDEFINED => "#<undefined>",
        END_OF_FILE => "#<eof>",
        _ => return append_block(out, value, style),
    };
    out.push_str(constant);
}

fn append_character(out: &mut String, c: char, style: Style) {
    if style == Style::Display {
        out.push(c);
        return;
    }
    out.push_str("#\\");
    match CHARACTERS.iter().find(|(known, _)| *known == c) {
        Some((_, name)) => out.push_str(name),
        None => out.push(c),
    }
}

fn append_block(out: &mut String, value: i64, style: Style) {
    match tag_of(value) {
        tag::STRING if style == Style::Display => out.push_str(&strings::to_string(value)),
        tag::STRING => append_written(out, &strings::to_string(value)),
        tag::SYMBOL if style == Style::Display => {
            out.push_str(&strings::to_string(field(value, 0)));
        }
        tag::SYMBOL => append_symbol(out, &strings::to_string(field(value, 0))),
        tag::BOX => out.push_str("#<box>"),
        _ => out.push_str("#<procedure>"),
    }
}

fn append_written(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Between bars, if it would be read as something else without.
fn append_symbol(out: &mut String, name: &str) {
    let is_read = matches!(read(name).as_deref(), Ok([Datum::Symbol(read)]) if &**read == name);
    if is_read {
        out.push_str(name);
        return;
    }
    out.push('|');
    out.push_str(&name.replace('\\', "\\\\").replace('|', "\\|"));
    out.push('|');
}

macro_rules! writers {
    ($($name:ident $scheme:literal $style:expr;)*) => {$(
        pub extern "C" fn $name(value: i64, _: i64, _: i64) -> i64 {
            match text(value, $style) {
                Some(text) => output::write(&text),
                None => return fail(concat!($scheme, ": the text is too long"), &[]),
            }
            UNSPECIFIED
        }
    )*};
}

writers! {
    display "display" Style::Display;
    write "write" Style::Write;
}

/// Ends the program with the message in a list of what is displayed.
pub extern "C" fn fatal(list: i64, _: i64, _: i64) -> i64 {
    let (mut message, mut rest, mut style) = (String::new(), list, Style::Display);
    while is(rest, tag::PAIR) {
        if !message.is_empty() {
            message.push(' ');
        }
        message.push_str(text(field(rest, 0), style).as_deref().unwrap_or("..."));
        (rest, style) = (field(rest, 1), Style::Write);
    }
    output::fatal(&message)
}
