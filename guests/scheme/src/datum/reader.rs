//! The reader: text becomes data.

use super::{Datum, Result, TOO_DEEP, error};

/// How deep data may be nested in a source. Who reads, compiles or loads them recurs as deep, on a
/// stack that carries four times as much.
pub const MAX_NESTING: u32 = 4000;

/// Characters that have names.
pub const CHARACTERS: [(char, &str); 9] = [
    (' ', "space"),
    ('\n', "newline"),
    ('\t', "tab"),
    ('\r', "return"),
    ('\0', "null"),
    ('\x07', "alarm"),
    ('\x08', "backspace"),
    ('\x7f', "delete"),
    ('\x1b', "escape"),
];

/// Reads all of a source.
pub fn read(source: &str) -> Result<Vec<Datum>> {
    let mut reader = Reader {
        rest: source,
        line: 1,
        depth: 0,
    };
    let mut data = Vec::new();
    while reader.skip()? {
        data.push(reader.datum()?);
    }
    Ok(data)
}

/// Whether a string is read as a number, and which.
pub fn number(text: &str) -> Option<Datum> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || digits == "." {
        return match text {
            "+inf.0" => Some(Datum::Float(f64::INFINITY)),
            "-inf.0" => Some(Datum::Float(f64::NEG_INFINITY)),
            "+nan.0" => Some(Datum::Float(f64::NAN)),
            _ => None,
        };
    }
    if let Ok(n) = text.parse() {
        return Some(Datum::Integer(n));
    }
    let is_float = digits
        .chars()
        .all(|c| c.is_ascii_digit() || ".eE+-".contains(c));
    // Digits alone are an integer, which is too large here.
    let is_integer = digits.chars().all(|c| c.is_ascii_digit());
    let parsed = text.parse().ok().filter(|_| is_float && !is_integer);
    parsed.map(Datum::Float)
}

/// The same where it may begin with its base: `#x`, `#o`, `#b` or `#d`.
pub fn prefixed_number(text: &str) -> Option<Datum> {
    let Some(rest) = text.strip_prefix('#') else {
        return number(text);
    };
    let base = match rest.chars().next()?.to_ascii_lowercase() {
        'x' => 16,
        'o' => 8,
        'b' => 2,
        'd' => return number(&rest[1..]),
        _ => return None,
    };
    i64::from_str_radix(&rest[1..], base)
        .ok()
        .map(Datum::Integer)
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    /// Of the datum that is read.
    depth: u32,
}

/// Whether a character ends a symbol or a number.
fn ends(c: char) -> bool {
    c.is_whitespace() || "()\"';`,|".contains(c)
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += u32::from(c == '\n');
        Some(c)
    }

    /// Skips space and comments; whether something follows.
    fn skip(&mut self) -> Result<bool> {
        loop {
            if self.rest.starts_with("#;") {
                self.rest = &self.rest[2..];
                if !self.skip()? {
                    return self.ended("a datum was to be left out");
                }
                self.datum()?;
            } else if self.rest.starts_with("#|") {
                self.block_comment()?;
            } else {
                match self.peek() {
                    Some(';') => while self.next().is_some_and(|c| c != '\n') {},
                    Some(c) if c.is_whitespace() => {
                        self.next();
                    }
                    other => return Ok(other.is_some()),
                }
            }
        }
    }

    fn block_comment(&mut self) -> Result<()> {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("#|") {
                depth += 1;
                self.rest = &self.rest[2..];
            } else if self.rest.starts_with("|#") {
                depth -= 1;
                self.rest = &self.rest[2..];
                if depth == 0 {
                    return Ok(());
                }
            } else if self.next().is_none() {
                return self.ended("a comment is open");
            }
        }
    }

    fn ended<T>(&self, what: &str) -> Result<T> {
        error(self.line, format!("the source ends where {what}"))
    }

    /// What comes next, which is no space.
    fn datum(&mut self) -> Result<Datum> {
        if self.depth == MAX_NESTING {
            return error(self.line, TOO_DEEP);
        }
        self.depth += 1;
        let datum = self.datum_within()?;
        self.depth -= 1;
        Ok(datum)
    }

    fn datum_within(&mut self) -> Result<Datum> {
        let line = self.line;
        let Some(c) = self.peek() else {
            return self.ended("a datum is missing");
        };
        match c {
            '(' => {
                self.next();
                self.list(line)
            }
            ')' => error(line, "a parenthesis is closed that is not open"),
            '\'' => self.prefixed("quote", 1),
            '`' => self.prefixed("quasiquote", 1),
            ',' if self.rest.starts_with(",@") => self.prefixed("unquote-splicing", 2),
            ',' => self.prefixed("unquote", 1),
            '"' => {
                self.next();
                self.string()
            }
            '|' => {
                self.next();
                self.barred()
            }
            '#' if self.rest.starts_with("#(") => {
                self.rest = &self.rest[2..];
                let list = self.list(line)?;
                let Some(elements) = list.elements() else {
                    return error(line, "a vector has no tail");
                };
                Ok(Datum::Vector(elements.into()))
            }
            '#' if self.rest.starts_with("#\\") => self.character(),
            _ => self.atom(),
        }
    }

    fn prefixed(&mut self, name: &str, length: usize) -> Result<Datum> {
        let line = self.line;
        self.rest = &self.rest[length..];
        if !self.skip()? {
            return self.ended("a datum is quoted");
        }
        let datum = self.datum()?;
        Ok(Datum::list(&[Datum::symbol(name), datum], line))
    }

    /// What follows an open parenthesis.
    fn list(&mut self, line: u32) -> Result<Datum> {
        let mut items = Vec::new();
        let mut tail = Datum::Nil;
        loop {
            if !self.skip()? {
                let message = "the source ends where a parenthesis is open";
                return error(line, message);
            }
            if self.peek() == Some(')') {
                self.next();
                break;
            }
            let is_dot = self
                .rest
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(ends));
            if is_dot && !items.is_empty() {
                self.next();
                if !self.skip()? {
                    return self.ended("the tail of a list is missing");
                }
                tail = self.datum()?;
                if !self.skip()? || self.next() != Some(')') {
                    return error(line, "more than one datum follows a dot");
                }
                break;
            }
            let here = self.line;
            items.push((self.datum()?, here));
        }
        let pair = |rest, (item, here)| Datum::pair(item, rest, here);
        let list = items.into_iter().rev().fold(tail, pair);
        // The whole list is where its parenthesis is.
        Ok(match list {
            Datum::Pair(pair) => Datum::pair(pair.car.clone(), pair.cdr.clone(), line),
            other => other,
        })
    }

    fn string(&mut self) -> Result<Datum> {
        let mut text = String::new();
        loop {
            let Some(c) = self.next() else {
                return self.ended("a string is open");
            };
            match c {
                '"' => return Ok(Datum::String(text.into())),
                '\\' => match self.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('a') => text.push('\x07'),
                    Some('b') => text.push('\x08'),
                    Some('0') => text.push('\0'),
                    Some(c @ ('"' | '\\')) => text.push(c),
                    Some('\n') => self.rest = self.rest.trim_start_matches([' ', '\t']),
                    Some('x') => text.push(self.code()?),
                    _ => return error(self.line, "a string has an unknown escape"),
                },
                c => text.push(c),
            }
        }
    }

    /// The character whose code in hexadecimal comes next, and a semicolon.
    fn code(&mut self) -> Result<char> {
        let code = self.rest.split_once(';').and_then(|(code, rest)| {
            let code = u32::from_str_radix(code, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        });
        let Some((c, rest)) = code else {
            return error(self.line, "an escape is no code of a character");
        };
        self.rest = rest;
        Ok(c)
    }

    /// A symbol between bars, of which the first was read.
    fn barred(&mut self) -> Result<Datum> {
        let mut name = String::new();
        loop {
            match self.next() {
                None => return self.ended("a symbol is open"),
                Some('|') => return Ok(Datum::symbol(&name)),
                Some('\\') => match self.next() {
                    Some('x') => name.push(self.code()?),
                    Some(c @ ('|' | '\\')) => name.push(c),
                    _ => return error(self.line, "a symbol has an unknown escape"),
                },
                Some(c) => name.push(c),
            }
        }
    }

    fn character(&mut self) -> Result<Datum> {
        let line = self.line;
        self.rest = &self.rest[2..];
        let Some(first) = self.next() else {
            return self.ended("a character is missing");
        };
        let more = self.rest.find(ends).unwrap_or(self.rest.len());
        let (more, rest) = self.rest.split_at(more);
        self.rest = rest;
        let name = format!("{first}{more}");
        let known = CHARACTERS.iter().find(|(_, known)| *known == name);
        let c = match &*name {
            _ if let Some((c, _)) = known => *c,
            "nul" => '\0',
            _ if more.is_empty() => first,
            _ => {
                let code = name.strip_prefix('x');
                let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(c) => c,
                    None => return error(line, format!("there is no character `#\\{name}`")),
                }
            }
        };
        Ok(Datum::Character(c))
    }

    fn atom(&mut self) -> Result<Datum> {
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(match text {
            "#t" | "#true" => Datum::Boolean(true),
            "#f" | "#false" => Datum::Boolean(false),
            _ => match prefixed_number(text) {
                Some(Datum::Integer(n)) if n << 1 >> 1 != n => {
                    return error(self.line, format!("the integer {text} is too large"));
                }
                Some(number) => number,
                None if text.starts_with('#') => {
                    return error(self.line, format!("`{text}` cannot be read"));
                }
                None if text
                    .trim_start_matches(['+', '-'])
                    .starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    return error(self.line, format!("the number {text} cannot be read"));
                }
                None => Datum::symbol(text),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        match read(source) {
            Ok(data) => data.iter().map(show).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    fn show(datum: &Datum) -> String {
        match datum {
            Datum::Pair(_) => {
                let (items, tail) = datum.prefix();
                let items: Vec<_> = items.iter().map(show).collect();
                match tail {
                    Datum::Nil => format!("({})", items.join(" ")),
                    tail => format!("({} . {})", items.join(" "), show(&tail)),
                }
            }
            Datum::Symbol(name) => name.to_string(),
            Datum::Integer(n) => n.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn data_are_read() {
        assert_eq!(
            shown("(a (b . 2) 'c) ; d\n #| e #| f |# |# #;(g) -3"),
            "(a (b . 2) (quote c)) -3"
        );
        assert_eq!(shown("#\\a #\\space"), "Character('a') Character(' ')");
        assert_eq!(shown("#xff #b-101 #o17 #d10 #XAB"), "255 -5 15 10 171");
        assert_eq!(shown("#x1g"), "line 1: `#x1g` cannot be read");
        assert_eq!(shown("#e1.5"), "line 1: `#e1.5` cannot be read");
        assert_eq!(
            shown("#\\alarm #\\backspace \"\\a\\b\""),
            r#"Character('\u{7}') Character('\u{8}') String("\u{7}\u{8}")"#
        );
        assert_eq!(
            shown("1.5 -2e3 ... + -x"),
            "Float(1.5) Float(-2000.0) ... + -x"
        );
    }

    #[test]
    fn characters_are_written_by_their_codes() {
        assert_eq!(shown(r#""\x41;b\x3bb;""#), r#"String("Abλ")"#);
        assert_eq!(
            shown(r#""\x110000;""#),
            "line 1: an escape is no code of a character"
        );
        assert_eq!(shown(r"(|a b| |\x3bb;\||c)"), "(a b λ| c)");
        assert_eq!(
            shown("|a"),
            "line 1: the source ends where a symbol is open"
        );
    }

    #[test]
    fn what_is_no_data_is_an_error_with_a_line() {
        assert_eq!(
            shown("\n(a"),
            "line 2: the source ends where a parenthesis is open"
        );
        assert_eq!(
            shown("a)"),
            "line 1: a parenthesis is closed that is not open"
        );
        assert_eq!(
            shown("9223372036854775807"),
            "line 1: the integer 9223372036854775807 is too large"
        );
        assert_eq!(
            shown("99999999999999999999"),
            "line 1: the number 99999999999999999999 cannot be read"
        );
        assert_eq!(
            shown("\"a"),
            "line 1: the source ends where a string is open"
        );
    }
}
