//! What came of all libraries, as a table in Markdown, and whether that is enough.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Result, bail, ensure};

use super::trial::{State, Tried};

/// Where the table stands in a document.
pub const MARKS: [&str; 2] = [
    "<!-- libraries:begin (written by `make libraries`) -->",
    "<!-- libraries:end -->",
];

/// As many libraries have to be as under `ocamlrun`.
pub const BAR: usize = 40;

/// Why libraries are not as under `ocamlrun`, by their names.
#[derive(Debug, Default)]
pub struct Reasons(BTreeMap<String, String>);

impl Reasons {
    /// A line for each: the name, a colon, the reason.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines();
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut reasons = BTreeMap::new();
        for line in lines {
            let Some((name, reason)) = line.split_once(": ") else {
                bail!("no reason: {line}");
            };
            let former = reasons.insert(name.to_owned(), reason.to_owned());
            ensure!(former.is_none(), "{name} has two reasons");
        }
        Ok(Self(reasons))
    }

    /// What is wrong with what came out: too few that are the same, a difference without a reason,
    /// a reason without a difference.
    pub fn complaints(&self, all: &[Tried]) -> Vec<String> {
        let mut complaints = Vec::new();
        for tried in all {
            let name = &tried.library.name;
            match (&tried.state, self.0.get(name)) {
                (State::Differs(_), None) => complaints.push(format!("{name} differs")),
                (State::Same, Some(_)) => complaints.push(format!("{name} does not differ")),
                (State::Differs(_) | State::Untried(_) | State::Same, _) => {}
            }
        }
        let same = same(all);
        if same < BAR {
            complaints.push(format!("{same} libraries are as under ocamlrun, not {BAR}"));
        }
        complaints
    }
}

fn same(all: &[Tried]) -> usize {
    let same = all.iter().filter(|tried| tried.state == State::Same);
    same.count()
}

/// The table.
pub fn markdown(all: &[Tried], reasons: &Reasons) -> String {
    let mut text = format!(
        "{} libraries: {} are as under `ocamlrun`, generic and specialized.\n\n\
         | library | version | needs | state |\n| --- | --- | --- | --- |\n",
        all.len(),
        same(all)
    );
    for tried in all {
        let version = tried.version.as_deref().unwrap_or("–");
        let name = &tried.library.name;
        let state = match &tried.state {
            State::Same => "as under `ocamlrun`",
            State::Untried(reason) => &format!("not tried: {reason}"),
            State::Differs(_) => reasons.0.get(name).map_or("**differs**", String::as_str),
        };
        _ = writeln!(text, "| {name} | {version} | {} | {state} |", needs(tried));
    }
    text
}

/// What a user has to give the program.
fn needs(tried: &Tried) -> String {
    let mut needs = Vec::new();
    if !tried.recipes.is_empty() {
        let names: Vec<_> = tried.recipes.iter().map(String::as_str).collect();
        needs.push(format!("stubs: {}", names.join(", ")));
    }
    if tried.threads {
        needs.push("threads".into());
    }
    if tried.library.unconfined {
        needs.push("`--unconfined`".into());
    }
    match needs.is_empty() {
        true => "nothing".into(),
        false => needs.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::Library;
    use super::*;

    fn tried(name: &str, state: State) -> Tried {
        let library = Library {
            name: name.into(),
            unconfined: name == "yak",
            ..Library::default()
        };
        Tried {
            library,
            version: Some("1".into()),
            recipes: [String::from("wool")].into(),
            threads: false,
            state,
        }
    }

    #[test]
    fn what_differs_needs_a_reason() {
        let reasons = Reasons::parse("# why\nyak: it is shy\ncamel: it is wet\n");
        let reasons = reasons.expect("it can be read");
        let all = [
            tried("yak", State::Differs("no".into())),
            tried("camel", State::Same),
            tried("llama", State::Differs("no".into())),
            tried("emu", State::Untried("not installed".into())),
        ];
        let complaints = reasons.complaints(&all);
        assert_eq!(complaints[..2], ["camel does not differ", "llama differs"]);
        assert_eq!(complaints.len(), 3, "{complaints:?}");
        let table = markdown(&all, &reasons);
        let row = "| yak | 1 | stubs: wool; `--unconfined` | it is shy |";
        assert!(table.contains(row), "{table}");
        assert!(table.contains("| **differs** |"), "{table}");
        assert!(Reasons::parse("yak").is_err());
        assert!(Reasons::parse("yak: a\nyak: b\n").is_err());
    }
}
