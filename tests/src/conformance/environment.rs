//! The variables of a test: what its header assigns, expanded as in a shell, and the sets of
//! variables that `include` stands for.
//!
//! Invariant: a value is kept as it was written, and expanded when it is read. Leaves out: which
//! variable matters to which action ([`super::walk`]).

use std::collections::BTreeMap;
use std::path::Path;

use super::header::Statement;

/// How often an expansion may be expanded again; a variable that names itself must end somewhere.
const EXPANSIONS: usize = 16;

/// Variables and their values. They are the environment of the programs under test, too.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    bindings: BTreeMap<String, String>,
}

/// A set of variables that is not known.
#[derive(Debug, thiserror::Error)]
#[error("there is no set of variables {0}")]
pub struct Unknown(pub String);

impl Environment {
    pub fn set(&mut self, variable: &str, value: impl Into<String>) {
        self.bindings.insert(variable.to_string(), value.into());
    }

    pub fn set_default(&mut self, variable: &str, value: impl Into<String>) {
        if !self.bindings.contains_key(variable) {
            self.set(variable, value);
        }
    }

    pub fn append(&mut self, variable: &str, value: &str) {
        let value = self.text(variable) + value;
        self.set(variable, value);
    }

    pub fn remove(&mut self, variable: &str) {
        self.bindings.remove(variable);
    }

    /// The expanded value.
    pub fn get(&self, variable: &str) -> Option<String> {
        let mut value = self.bindings.get(variable)?.clone();
        for _ in 0..EXPANSIONS {
            let expanded = self.expand(&value);
            if expanded == value {
                break;
            }
            value = expanded;
        }
        Some(value)
    }

    /// The expanded value, empty if there is none.
    pub fn text(&self, variable: &str) -> String {
        self.get(variable).unwrap_or_default()
    }

    /// The words of the expanded value.
    pub fn words(&self, variable: &str) -> Vec<String> {
        words(&self.text(variable))
    }

    /// The value as an exit status.
    pub fn status(&self, variable: &str) -> i32 {
        self.text(variable).trim().parse().unwrap_or(0)
    }

    pub fn is_true(&self, variable: &str) -> bool {
        self.text(variable) == "true"
    }

    /// All variables, expanded, as a process gets them.
    pub fn exported(&self) -> Vec<(String, String)> {
        let export = |name: &String| {
            let value = self.text(name);
            match name.as_str() {
                "ocamlrunparam" => ("OCAMLRUNPARAM".into(), value),
                "ld_library_path" => ("CAML_LD_LIBRARY_PATH".into(), words(&value).join(":")),
                _ => (name.clone(), value),
            }
        };
        self.bindings.keys().map(export).collect()
    }

    /// Does what a header says; `suite` is where the suite's own libraries were built.
    pub fn apply(&mut self, statement: &Statement, suite: &Path) -> Result<(), Unknown> {
        match statement {
            Statement::Assign { variable, value } => self.set(variable, value.as_str()),
            Statement::Append { variable, value } => self.append(variable, value),
            Statement::Include(name) => self.include(name, suite)?,
        }
        Ok(())
    }

    /// Adds a set of variables: most often, a library and where it is installed.
    pub fn include(&mut self, name: &str, suite: &Path) -> Result<(), Unknown> {
        match name {
            "unix" | "str" => self.library(name, ""),
            // In Debian, beside the standard library.
            "dynlink" => self.library(name, ""),
            "systhreads" => {
                self.library("unix", "");
                self.library("threads", "+threads");
            }
            "testing" => self.library(name, &suite.to_string_lossy()),
            "tool-ocaml-lib" => {
                self.directory(&suite.to_string_lossy());
                self.append("binary_modules", " lib ");
            }
            "ocamlcommon" | "ocamlbytecomp" | "ocamlmiddleend" | "ocamloptcomp"
            | "ocamltoplevel" => self.library(name, "+compiler-libs"),
            "config" | "debugger" => self.directory("+compiler-libs"),
            "principal" => {
                self.append("flags", " -principal ");
                self.set("compiler_directory_suffix", ".principal");
                self.set("compiler_reference_suffix", ".principal");
            }
            // Of ocamldoc, which is not under test.
            "html" | "latex" | "man" => {}
            _ => return Err(Unknown(name.into())),
        }
        Ok(())
    }

    fn library(&mut self, name: &str, directory: &str) {
        self.directory(directory);
        self.append("libraries", &format!(" {name} "));
    }

    fn directory(&mut self, directory: &str) {
        self.append("directories", &format!(" {directory} "));
    }

    /// `value` with what `$NAME`, `${NAME}` and `$(NAME)` stand for.
    fn expand(&self, value: &str) -> String {
        let mut result = String::new();
        let mut rest = value;
        while let Some(at) = rest.find('$') {
            result.push_str(&rest[..at]);
            let (name, after) = reference(&rest[at + 1..]);
            match name {
                Some(name) => result.push_str(self.bindings.get(name).map_or("", String::as_str)),
                None => result.push('$'),
            }
            rest = after;
        }
        result + rest
    }
}

/// The name that a reference begins with, and what follows it.
fn reference(text: &str) -> (Option<&str>, &str) {
    for (open, close) in [('{', '}'), ('(', ')')] {
        if let Some((name, after)) = text
            .strip_prefix(open)
            .and_then(|inner| inner.split_once(close))
        {
            return (Some(name), after);
        }
    }
    let after = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let name = &text[..text.len() - after.len()];
    ((!name.is_empty()).then_some(name), after)
}

/// Words, where quotes of either kind hold together what has blanks.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in text.chars() {
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            (' ', None) => {
                if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(character),
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_expand_when_they_are_read() {
        let mut environment = Environment::default();
        environment.set("all", "${one} $(two)-$three/$");
        environment.set("one", "1${two}");
        environment.set("two", "2");
        assert_eq!(environment.text("all"), "12 2-/$");
        environment.set("two", "3");
        assert_eq!(environment.text("all"), "13 3-/$");
    }

    #[test]
    fn a_variable_may_name_itself() {
        let mut environment = Environment::default();
        environment.set("self", "${self}");
        assert_eq!(environment.text("self"), "${self}");
    }

    #[test]
    fn words_keep_what_is_quoted() {
        assert_eq!(words(" a  'b c' d\"e f\"g "), ["a", "b c", "de fg"]);
    }

    #[test]
    fn includes_add_to_what_is_there() {
        let mut environment = Environment::default();
        let suite = Path::new("/suite");
        for name in ["testing", "systhreads"] {
            environment.include(name, suite).expect("it is known");
        }
        let libraries = environment.words("libraries");
        assert_eq!(libraries, ["testing", "unix", "threads"]);
        assert_eq!(environment.words("directories"), ["/suite", "+threads"]);
        assert!(environment.include("nothing", suite).is_err());
    }

    #[test]
    fn some_variables_are_exported_by_another_name() {
        let mut environment = Environment::default();
        environment.set("ocamlrunparam", "v=0");
        environment.append("ocamlrunparam", ",b=1");
        let exported = environment.exported();
        assert_eq!(exported, [("OCAMLRUNPARAM".into(), "v=0,b=1".into())]);
    }
}
