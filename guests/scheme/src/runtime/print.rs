//! Values as text.

use super::numbers::{number, shown};
use super::strings;
use crate::datum::{Datum, read};
use crate::output;
use crate::value::{
    END_OF_FILE, FALSE, NIL, TRUE, UNDEFINED, UNSPECIFIED, field, fields_of, is, is_character, tag,
    tag_of, to_char,
};

/// How strings and characters are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Display,
    Write,
}

pub fn text(value: i64, style: Style) -> String {
    let mut text = String::new();
    append(&mut text, value, style);
    text
}

fn append(out: &mut String, value: i64, style: Style) {
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
    match c {
        ' ' => out.push_str("space"),
        '\n' => out.push_str("newline"),
        '\t' => out.push_str("tab"),
        '\r' => out.push_str("return"),
        '\0' => out.push_str("null"),
        c => out.push(c),
    }
}

fn append_block(out: &mut String, value: i64, style: Style) {
    match tag_of(value) {
        tag::PAIR => append_list(out, value, style),
        tag::VECTOR => {
            out.push_str("#(");
            for index in 0..fields_of(value) {
                if index > 0 {
                    out.push(' ');
                }
                append(out, field(value, index), style);
            }
            out.push(')');
        }
        tag::STRING if style == Style::Display => out.push_str(&strings::to_string(value)),
        tag::STRING => append_written(out, &strings::to_string(value)),
        tag::SYMBOL if style == Style::Display => {
            out.push_str(&strings::to_string(field(value, 0)));
        }
        tag::SYMBOL => append_symbol(out, &strings::to_string(field(value, 0))),
        tag::RECORD => append_record(out, value, style),
        tag::BOX => out.push_str("#<box>"),
        _ => out.push_str("#<procedure>"),
    }
}

fn append_list(out: &mut String, value: i64, style: Style) {
    out.push('(');
    append(out, field(value, 0), style);
    let mut rest = field(value, 1);
    while is(rest, tag::PAIR) {
        out.push(' ');
        append(out, field(rest, 0), style);
        rest = field(rest, 1);
    }
    if rest != NIL {
        out.push_str(" . ");
        append(out, rest, style);
    }
    out.push(')');
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

/// A record's type is a vector whose first element is its name.
fn append_record(out: &mut String, value: i64, style: Style) {
    out.push_str("#<");
    append(out, field(field(value, 0), 0), style);
    for index in 1..fields_of(value) {
        out.push(' ');
        append(out, field(value, index), style);
    }
    out.push('>');
}

pub extern "C" fn display(value: i64, _: i64, _: i64) -> i64 {
    output::write(&text(value, Style::Display));
    UNSPECIFIED
}

pub extern "C" fn write(value: i64, _: i64, _: i64) -> i64 {
    output::write(&text(value, Style::Write));
    UNSPECIFIED
}

/// Ends the program with the message in a list of what is displayed.
pub extern "C" fn fatal(list: i64, _: i64, _: i64) -> i64 {
    let (mut message, mut rest, mut style) = (String::new(), list, Style::Display);
    while is(rest, tag::PAIR) {
        if !message.is_empty() {
            message.push(' ');
        }
        append(&mut message, field(rest, 0), style);
        (rest, style) = (field(rest, 1), Style::Write);
    }
    output::fatal(&message)
}
