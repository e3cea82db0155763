//! Tokens of the text form: words and single punctuation characters, each with its line.

/// Where and why the text form could not be parsed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    pub message: String,
}

/// A word or a punctuation character.
#[derive(Clone, Copy)]
pub(super) struct Token<'t> {
    pub text: &'t str,
    pub line: usize,
}

pub(super) struct Tokens<'t> {
    tokens: Vec<Token<'t>>,
    position: usize,
}

const PUNCTUATION: &[char] = &['(', ')', '[', ']', '{', '}', ',', ':', '=', '?'];

impl<'t> Tokens<'t> {
    pub fn new(input: &'t str) -> Self {
        let mut tokens = Vec::new();
        for (index, line) in input.lines().enumerate() {
            let code = line.split(';').next().unwrap_or(line);
            let pieces = code.split_inclusive(PUNCTUATION).flat_map(|piece| {
                let word = piece.trim_end_matches(PUNCTUATION);
                word.split_whitespace().chain(Some(&piece[word.len()..]))
            });
            let pieces = pieces.filter(|text| !text.is_empty());
            tokens.extend(pieces.map(|text| Token {
                text,
                line: index + 1,
            }));
        }
        Self {
            tokens,
            position: 0,
        }
    }

    pub fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.position).copied()
    }

    pub fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.position += usize::from(token.is_some());
        token
    }

    /// Takes the next token if it is `text`.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.position += usize::from(found);
        found
    }

    pub fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(self.error(&format!("expected `{text}`")))
        }
    }

    pub fn keyword(&mut self, text: &str) -> Result<(), ParseError> {
        self.expect(text)
    }

    pub fn word(&mut self) -> Result<&'t str, ParseError> {
        match self.next() {
            Some(token) => Ok(token.text),
            None => Err(self.error("unexpected end")),
        }
    }

    /// Whether the next token is on another line than the last one.
    pub fn at_line_start(&self) -> bool {
        let last = self
            .position
            .checked_sub(1)
            .map(|last| self.tokens[last].line);
        self.peek().map(|token| token.line) != last
    }

    /// Checks that nothing is left.
    pub fn end(&self) -> Result<(), ParseError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("expected the end")),
        }
    }

    /// An error at the token taken last.
    pub fn error(&self, message: &str) -> ParseError {
        let at = self.tokens.get(self.position.saturating_sub(1));
        let found = self
            .peek()
            .map_or(String::new(), |token| format!(" (before `{}`)", token.text));
        ParseError {
            line: at.map_or(1, |token| token.line),
            message: format!("{message}{found}"),
        }
    }
}
