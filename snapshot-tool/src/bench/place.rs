//! A file with a place for tables, between two lines that mark it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The two lines.
pub type Marks = [&'static str; 2];

/// A file that has them.
pub struct Place {
    path: PathBuf,
    text: String,
    marks: Marks,
}

impl Place {
    pub fn open(path: &Path, marks: Marks) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let place = Self {
            path: path.to_path_buf(),
            text,
            marks,
        };
        place.range()?;
        Ok(place)
    }

    /// Puts `tables` there, in place of what was there.
    pub fn replace(&self, tables: &str) -> Result<()> {
        let (begin, end) = self.range()?;
        let text = format!(
            "{}\n\n{}\n\n{}",
            &self.text[..begin],
            tables.trim_end(),
            &self.text[end..]
        );
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Where the tables begin and end.
    fn range(&self) -> Result<(usize, usize)> {
        let [first, last] = self.marks;
        let begin = self.text.find(first).map(|at| at + first.len());
        match (begin, self.text.find(last)) {
            (Some(begin), Some(end)) if begin <= end => Ok((begin, end)),
            _ => bail!(
                "{} has no place for the tables: a line `{first}` and a line `{last}`",
                self.path.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_replaced() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("page.md");
        fs::write(&path, "before <1>old<2> after")?;
        Place::open(&path, ["<1>", "<2>"])?.replace("new\n")?;
        assert_eq!(fs::read_to_string(&path)?, "before <1>\n\nnew\n\n<2> after");
        assert!(Place::open(&path, ["<2>", "<1>"]).is_err());
        Ok(())
    }
}
