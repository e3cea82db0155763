//! Why cases fail: a file of lines `CASE: REASON`, where a case is a path in the suite's directory
//! of tests, or the beginning of one that ends with `*`. Lines that begin with `#` are comments.
//!
//! Invariant: a failure without a reason is shown as such. Leaves out: whether a reason is right.

use anyhow::{Result, bail};

/// Reasons, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    lines: Vec<(String, String)>,
}

impl Reasons {
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once(": ") {
                Some((case, reason)) => lines.push((case.to_string(), reason.to_string())),
                None => bail!("`{line}` is not CASE: REASON"),
            }
        }
        Ok(Self { lines })
    }

    /// Why this test fails.
    pub fn of(&self, test: &str) -> Option<&str> {
        let found = self
            .lines
            .iter()
            .find(|(case, _)| match case.strip_suffix('*') {
                Some(beginning) => test.starts_with(beginning),
                None => test == case,
            });
        found.map(|(_, reason)| reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_for_one_test_or_for_those_that_begin_alike() {
        let reasons =
            Reasons::parse("# why\na/b.ml: because\n\nc/*: all: of them\n").expect("well-formed");
        assert_eq!(reasons.of("a/b.ml"), Some("because"));
        assert_eq!(reasons.of("a/b.mli"), None);
        assert_eq!(reasons.of("c/d/e.ml"), Some("all: of them"));
        assert!(Reasons::parse("nothing").is_err());
    }
}
