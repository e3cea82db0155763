//! The header of a test: the comment `(* TEST … *)` at its beginning, in which OCaml's test driver
//! finds what to do. It holds assignments to variables, and a tree of tests whose depth is a number
//! of stars:
//!
//! ```text
//! (* TEST
//!    include unix
//!    modules = "help.ml"
//!    * bytecode
//!      exit_status = "2"
//!    ** script with unix,str
//! *)
//! ```
//!
//! With `TEST_BELOW` as the first word the header is the last comment of the file. Leaves out: what
//! the names mean ([`super::walk`]).

use std::iter::Peekable;
use std::vec::IntoIter;

/// What a test says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Header {
    pub statements: Vec<Statement>,
    pub tests: Vec<Node>,
}

/// One statement about a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Assign { variable: String, value: String },
    Append { variable: String, value: String },
    Include(String),
}

/// One test or action, after which those below it are done.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Node {
    pub action: String,
    /// Sets of variables that it is done with.
    pub modifiers: Vec<String>,
    pub statements: Vec<Statement>,
    pub children: Vec<Node>,
}

/// Why a header cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the header does not end")]
    Endless,
    #[error("{0:?} is not expected in a header")]
    Character(char),
    #[error("{0} is not expected there")]
    Token(String),
    #[error("{name} stands below depth {depth}, which no test has")]
    Depth { name: String, depth: usize },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Stars(usize),
    Word(String),
    Text(String),
    Equal,
    PlusEqual,
    Comma,
}

type Tokens = Peekable<IntoIter<Token>>;

/// The header of this source file; none if it has none.
pub fn parse(source: &str) -> Result<Option<Header>, Fault> {
    let Some((body, end)) = opening(source) else {
        return Ok(None);
    };
    let mut tokens = tokens(body, end)?.into_iter().peekable();
    let statements = statements(&mut tokens)?;
    let tests = nodes(&mut tokens, 1)?;
    match tokens.next() {
        None => Ok(Some(Header { statements, tests })),
        Some(Token::Stars(depth)) => Err(Fault::Depth {
            name: tokens.next().map(shown).unwrap_or_default(),
            depth,
        }),
        Some(other) => Err(Fault::Token(shown(other))),
    }
}

/// What follows the opening of the header, and how its comment ends.
fn opening(source: &str) -> Option<(&str, &'static str)> {
    let mut rest = source.trim_start();
    loop {
        for (open, close) in [("(*", "*)"), ("/*", "*/")] {
            if let Some(body) = keyword(rest, open, "TEST_BELOW") {
                return last_opening(body, open).map(|body| (body, close));
            }
            if let Some(body) = keyword(rest, open, "TEST") {
                return Some((body, close));
            }
        }
        rest = after_comment(rest.strip_prefix("(*")?)?.trim_start();
    }
}

fn last_opening<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    text.rmatch_indices(open)
        .find_map(|(at, _)| keyword(&text[at..], open, "TEST"))
}

/// What follows, if `text` begins with the comment that opens with this word.
fn keyword<'a>(text: &'a str, open: &str, word: &str) -> Option<&'a str> {
    let body = text.strip_prefix(open)?.trim_start_matches([' ', '\t']);
    let rest = body.strip_prefix(word)?;
    (!rest.starts_with(is_name)).then_some(rest)
}

/// What follows the comment whose beginning has been read.
fn after_comment(mut text: &str) -> Option<&str> {
    let mut depth = 1;
    while depth > 0 {
        let at = text.find(['(', '*'])?;
        text = &text[at..];
        let step = if text.starts_with("(*") {
            depth += 1;
            2
        } else if text.starts_with("*)") {
            depth -= 1;
            2
        } else {
            1
        };
        text = &text[step..];
    }
    Some(text)
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_.-'".contains(character)
}

fn tokens(mut rest: &str, end: &str) -> Result<Vec<Token>, Fault> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.starts_with(end) {
            return Ok(found);
        }
        if let Some(comment) = rest.strip_prefix("(*") {
            rest = after_comment(comment).ok_or(Fault::Endless)?;
            continue;
        }
        let (token, after) = token(rest)?;
        found.push(token);
        rest = after;
    }
}

fn token(rest: &str) -> Result<(Token, &str), Fault> {
    let first = rest.chars().next().ok_or(Fault::Endless)?;
    match first {
        '*' => {
            let after = rest.trim_start_matches('*');
            Ok((Token::Stars(rest.len() - after.len()), after))
        }
        '"' => text(&rest[1..]),
        '=' => Ok((Token::Equal, &rest[1..])),
        ',' => Ok((Token::Comma, &rest[1..])),
        _ if rest.starts_with("+=") => Ok((Token::PlusEqual, &rest[2..])),
        _ if is_name(first) => {
            let after = rest.trim_start_matches(is_name);
            let name = &rest[..rest.len() - after.len()];
            Ok((Token::Word(name.to_string()), after))
        }
        _ => Err(Fault::Character(first)),
    }
}

/// A string up to its closing quote. A backslash at the end of a line takes the line's end away and
/// the blanks that follow it, up to one that has a backslash of its own; elsewhere it stands for
/// itself.
fn text(mut rest: &str) -> Result<(Token, &str), Fault> {
    let mut value = String::new();
    loop {
        let at = rest.find(['\\', '"']).ok_or(Fault::Endless)?;
        value.push_str(&rest[..at]);
        let is_end = rest[at..].starts_with('"');
        rest = &rest[at + 1..];
        if is_end {
            return Ok((Token::Text(value), rest));
        }
        match rest.trim_start_matches('\r').strip_prefix('\n') {
            None => value.push('\\'),
            Some(line) => {
                rest = line.trim_start_matches([' ', '\t']);
                if let Some(blank) = rest.strip_prefix('\\').filter(|rest| rest.starts_with(' ')) {
                    value.push(' ');
                    rest = &blank[1..];
                }
            }
        }
    }
}

fn statements(tokens: &mut Tokens) -> Result<Vec<Statement>, Fault> {
    let mut found = Vec::new();
    while let Some(Token::Word(_)) = tokens.peek() {
        found.push(statement(tokens)?);
    }
    Ok(found)
}

fn statement(tokens: &mut Tokens) -> Result<Statement, Fault> {
    let first = word(tokens)?;
    if first == "include" {
        return Ok(Statement::Include(word(tokens)?));
    }
    let variable = if first == "set" { word(tokens)? } else { first };
    match (tokens.next(), tokens.next()) {
        (Some(Token::Equal), Some(Token::Text(value))) => Ok(Statement::Assign { variable, value }),
        (Some(Token::PlusEqual), Some(Token::Text(value))) => {
            Ok(Statement::Append { variable, value })
        }
        (Some(other), _) => Err(Fault::Token(shown(other))),
        (None, _) => Err(Fault::Endless),
    }
}

/// The tests of this depth that come next, with those below them.
fn nodes(tokens: &mut Tokens, depth: usize) -> Result<Vec<Node>, Fault> {
    let mut found = Vec::new();
    while tokens.next_if_eq(&Token::Stars(depth)).is_some() {
        found.push(Node {
            action: word(tokens)?,
            modifiers: modifiers(tokens)?,
            statements: statements(tokens)?,
            children: nodes(tokens, depth + 1)?,
        });
    }
    Ok(found)
}

fn modifiers(tokens: &mut Tokens) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    if tokens.next_if_eq(&Token::Word("with".into())).is_some() {
        found.push(word(tokens)?);
        while tokens.next_if_eq(&Token::Comma).is_some() {
            found.push(word(tokens)?);
        }
    }
    Ok(found)
}

fn word(tokens: &mut Tokens) -> Result<String, Fault> {
    match tokens.next() {
        Some(Token::Word(name)) => Ok(name),
        Some(other) => Err(Fault::Token(shown(other))),
        None => Err(Fault::Endless),
    }
}

fn shown(token: Token) -> String {
    match token {
        Token::Stars(depth) => "*".repeat(depth),
        Token::Word(name) => name,
        Token::Text(value) => format!("{value:?}"),
        Token::Equal => "=".into(),
        Token::PlusEqual => "+=".into(),
        Token::Comma => ",".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign(variable: &str, value: &str) -> Statement {
        Statement::Assign {
            variable: variable.into(),
            value: value.into(),
        }
    }

    fn header(source: &str) -> Header {
        parse(source)
            .expect("it is well-formed")
            .expect("it is a header")
    }

    #[test]
    fn a_file_without_a_header_has_none() {
        assert_eq!(parse("let x = 1 (* TEST *)"), Ok(None));
        assert_eq!(parse("(* TESTING *) let x = 1"), Ok(None));
        assert_eq!(parse(""), Ok(None));
    }

    #[test]
    fn an_empty_header_asks_for_nothing_special() {
        assert_eq!(header("(* TEST *)"), Header::default());
        assert_eq!(header("(* (* a *) b *)\n\n(* TEST *)"), Header::default());
        assert_eq!(header("/* TEST */ int x;"), Header::default());
    }

    #[test]
    fn statements_come_in_three_kinds() {
        let expected = vec![
            assign("flags", "-g -w -a"),
            Statement::Append {
                variable: "ocamlrunparam".into(),
                value: ",b=1".into(),
            },
            Statement::Include("unix".into()),
            assign("mine", "${flags}"),
        ];
        let source = "(* TEST flags = \"-g -w -a\"\n ocamlrunparam += \",b=1\"\n include unix\n \
            set mine = \"${flags}\" *)";
        assert_eq!(header(source).statements, expected);
    }

    #[test]
    fn stars_make_a_tree() {
        let source = "(* TEST\n* hasunix\n** bytecode\n exit_status = \"2\"\n\
            ** script with unix,str\n*** run\n* native\n*)";
        let run = Node {
            action: "run".into(),
            ..Node::default()
        };
        let bytecode = Node {
            action: "bytecode".into(),
            statements: vec![assign("exit_status", "2")],
            ..Node::default()
        };
        let script = Node {
            action: "script".into(),
            modifiers: vec!["unix".into(), "str".into()],
            children: vec![run],
            ..Node::default()
        };
        let tests = header(source).tests;
        assert_eq!(tests.len(), 2);
        assert_eq!(tests[0].children, vec![bytecode, script]);
        assert_eq!(tests[1].action, "native");
    }

    #[test]
    fn comments_within_are_skipped() {
        let source = "(* TEST (* why (* not *) *) modules = \"a.ml\" *)";
        assert_eq!(header(source).statements, vec![assign("modules", "a.ml")]);
    }

    #[test]
    fn strings_go_on_after_a_backslash_at_a_line_end() {
        let source = "(* TEST script = \"sh a\\\n   b\\\n  \\ c \\d\" *)";
        assert_eq!(
            header(source).statements,
            vec![assign("script", "sh ab c \\d")]
        );
    }

    #[test]
    fn a_header_may_stand_below() {
        let source = "(* TEST_BELOW *)\nlet x = (* TESTER *) 1\n(* TEST\n flags = \"-g\"\n*)\n";
        assert_eq!(header(source).statements, vec![assign("flags", "-g")]);
    }

    #[test]
    fn malformed_headers_are_refused() {
        assert_eq!(parse("(* TEST flags = \"-g"), Err(Fault::Endless));
        assert_eq!(parse("(* TEST flags"), Err(Fault::Endless));
        assert_eq!(parse("(* TEST ? *)"), Err(Fault::Character('?')));
        assert_eq!(
            parse("(* TEST flags \"-g\" *)"),
            Err(Fault::Token("\"-g\"".into()))
        );
        assert_eq!(
            parse("(* TEST * a *** b *)"),
            Err(Fault::Depth {
                name: "b".into(),
                depth: 3
            })
        );
    }
}
