//! What the user asks of the runtime in `OCAMLRUNPARAM`, read when the program starts: a snapshot
//! holds none of it.
//!
//! Leaves out `H` (huge pages) and `c` (nothing has to be freed at exit): they are ignored. `R` is
//! read by `Hashtbl`.

use crate::heap::settings::{INITIAL_WORDS, Settings};
use crate::os;
use std::cell::Cell;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    pub settings: Settings,
    /// Words of major heap at the start. Only shown: no memory is taken for it.
    pub initial_heap: u64,
    /// `b`: backtraces are recorded from the start, unless it is 0.
    pub backtraces: u32,
    /// `p`: parsers made by `ocamlyacc` trace their steps.
    pub trace_parsers: bool,
    /// `t`: how much OCaml's debugging runtime traces. Only shown, as by the usual one.
    pub trace: u32,
    /// `W`: the runtime warns of channels that are never closed.
    pub warnings: u64,
}

impl Parameters {
    const DEFAULT: Parameters = Parameters {
        settings: Settings::DEFAULT,
        initial_heap: INITIAL_WORDS,
        backtraces: 0,
        trace_parsers: false,
        trace: 0,
        warnings: 0,
    };
}

thread_local! {
    static CURRENT: Cell<Parameters> = const { Cell::new(Parameters::DEFAULT) };
}

/// The parameters that the program was started with.
pub fn current() -> Parameters {
    CURRENT.get()
}

/// Reads the environment; whether there was anything to read.
pub fn read() -> Option<Parameters> {
    let text = os::variable(b"OCAMLRUNPARAM").or_else(|| os::variable(b"CAMLRUNPARAM"))?;
    let parameters = parse(&text);
    CURRENT.set(parameters);
    Some(parameters)
}

/// The parameters in `text`: letters with numbers, separated by commas. What is not understood is
/// passed over.
fn parse(text: &[u8]) -> Parameters {
    let mut parameters = Parameters::DEFAULT;
    for item in text.split(|&byte| byte == b',') {
        if let Some((&letter, rest)) = item.split_first() {
            parameters.set(letter, number(rest));
        }
    }
    parameters
}

impl Parameters {
    fn set(&mut self, letter: u8, number: Option<u64>) {
        let value = number.unwrap_or(1);
        match letter {
            b'b' => self.backtraces = value as u32,
            b'p' => self.trace_parsers = value != 0,
            b't' => self.trace = value as u32,
            b'W' => self.warnings = value,
            b'h' => self.initial_heap = value,
            _ => {
                if let Some(field) = Settings::field_of(letter) {
                    self.settings.fields[field] = value as i64;
                }
            }
        }
    }
}

/// The number in `=number` with an optional multiplier, as C's `sscanf` reads it: `None` if there
/// is none.
fn number(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"=")?;
    let (digits, radix) = match text.strip_prefix(b"0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let digits = digits.trim_ascii_start();
    let is_negative = digits.starts_with(b"-");
    let sign = digits.strip_prefix(b"-").or(digits.strip_prefix(b"+"));
    let digits = sign.unwrap_or(digits);
    let (mut value, mut end) = (0u64, 0);
    while let Some(digit) = digits
        .get(end)
        .and_then(|&byte| (byte as char).to_digit(radix))
    {
        value = value
            .saturating_mul(radix.into())
            .saturating_add(digit.into());
        end += 1;
    }
    if end == 0 {
        // "0x" alone is the number 0.
        return (radix == 16).then_some(0);
    }
    if is_negative {
        value = value.wrapping_neg();
    }
    let multiplier = match digits.get(end) {
        Some(b'k') => 1 << 10,
        Some(b'M') => 1 << 20,
        Some(b'G') => 1 << 30,
        Some(_) | None => 1,
    };
    Some(u64::from(value as u32).wrapping_mul(multiplier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_the_runtime_reads_them() {
        let cases: [(&[u8], Option<u64>); 18] = [
            (b"=32k", Some(32 << 10)),
            (b"=2M", Some(2 << 20)),
            (b"=1G", Some(1 << 30)),
            (b"=0x10", Some(16)),
            (b"=0x1fk", Some(31 << 10)),
            (b"=0", Some(0)),
            (b"=0xk", Some(0)),
            (b"=12q", Some(12)),
            (b"=4294967297", Some(1)),
            (b"=-1", Some(u32::MAX.into())),
            (b"=+3k", Some(3 << 10)),
            (b"= \t3", Some(3)),
            (b"=0x-f", Some(u64::from(u32::MAX) - 14)),
            (b"=-0x1", Some(0)),
            (b"=--1", None),
            (b"", None),
            (b"=", None),
            (b"64", None),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn letters_and_what_they_set() {
        let parameters = parse(b",s=32k,,b,R,o=80,v=0x28,zzz,l=5k,h=1M,M=3,s");
        let fields = parameters.settings.fields;
        assert_eq!(
            fields,
            [1, 15, 80, 0x28, 500, 5120, 2, 1, 3, 100, 8192],
            "the last of two counts, and a letter alone is 1"
        );
        assert!(parameters.backtraces == 1 && !parameters.trace_parsers);
        assert_eq!(parameters.initial_heap, 1 << 20);
        assert_eq!(parse(b"t=-1,p").trace, u32::MAX);
    }
}
