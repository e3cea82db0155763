//! Which programs there are: their sources, each with its group, and whether it is held back.
//!
//! Invariant: a program's group is the word before the first colon of its source, and is said
//! nowhere else. What lies in the directory `held_back` is measured as the others are, but nobody
//! tunes to it (CONTRIBUTING.md).

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Where the programs held back lie, in the directory of the others.
const HELD_BACK: &str = "held_back";

/// A program's source.
pub struct Source {
    pub path: PathBuf,
    pub name: String,
    pub group: Group,
    pub shelf: Shelf,
}

/// What a program does most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Floats,
    Calls,
    Arrays,
    Closures,
    Strings,
    Allocation,
    /// Of 32 and 64 bits.
    Integers,
}

/// Whether a program may be looked at by those who tune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shelf {
    Visible,
    HeldBack,
}

impl Source {
    /// The programs in `directory` in order of group, shelf and name; only those of these names, if
    /// any are given.
    pub fn list(directory: &Path, names: &[String]) -> Result<Vec<Self>> {
        let mut sources = Vec::new();
        let held_back = directory.join(HELD_BACK);
        for (directory, shelf) in [
            (directory, Shelf::Visible),
            (held_back.as_path(), Shelf::HeldBack),
        ] {
            // Only ours have a place for them.
            if shelf == Shelf::HeldBack && !directory.exists() {
                continue;
            }
            for path in files(directory, "ml")? {
                let name = name(&path);
                if names.is_empty() || names.contains(&name) {
                    let group = Group::of(&path)?;
                    sources.push(Self {
                        path,
                        name,
                        group,
                        shelf,
                    });
                }
            }
        }
        if let Some(absent) = names
            .iter()
            .find(|name| sources.iter().all(|source| source.name != **name))
        {
            bail!("there is no program {absent} in {}", directory.display());
        }
        sources.sort_by(|left, right| left.order().cmp(&right.order()));
        Ok(sources)
    }

    fn order(&self) -> (Group, Shelf, &str) {
        (self.group, self.shelf, &self.name)
    }
}

impl Group {
    pub const ALL: [Self; 7] = [
        Self::Floats,
        Self::Calls,
        Self::Arrays,
        Self::Closures,
        Self::Strings,
        Self::Allocation,
        Self::Integers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Floats => "floats",
            Self::Calls => "calls",
            Self::Arrays => "arrays",
            Self::Closures => "closures",
            Self::Strings => "strings",
            Self::Allocation => "allocation",
            Self::Integers => "integers",
        }
    }

    /// That of the program with this source.
    fn of(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let word = text
            .strip_prefix("(* ")
            .and_then(|text| text.split_once(':'))
            .map_or("", |(word, _)| word);
        let Some(group) = Self::ALL.into_iter().find(|group| group.name() == word) else {
            bail!(
                "{} does not begin with `(* GROUP:`, GROUP being one of {}",
                path.display(),
                Self::ALL.map(Self::name).join(", ")
            );
        };
        Ok(group)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the program in this file is called.
pub fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The files of `directory` with this extension, in order.
pub fn files(directory: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let unlisted = || {
        format!(
            "cannot list {} (run this from the repository)",
            directory.display()
        )
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(unlisted)? {
        let path = entry.with_context(unlisted)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("there is no program in {}", directory.display());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_its_group_and_its_place_its_shelf() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let put = |name: &str, text: &str| fs::write(directory.path().join(name), text);
        put("z.ml", "(* calls: many. *)\n")?;
        put("b.ml", "(* strings: of letters. *)\n")?;
        put("b.flags", "str.cma\n")?;
        let list = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            Source::list(directory.path(), &names)
        };
        assert_eq!(list(&[])?.len(), 2);
        fs::create_dir(directory.path().join(HELD_BACK))?;
        put("held_back/a.ml", "(* strings: of digits. *)\n")?;
        let all: Vec<_> = list(&[])?
            .into_iter()
            .map(|source| (source.name, source.group, source.shelf))
            .collect();
        assert_eq!(
            all,
            [
                ("z".to_string(), Group::Calls, Shelf::Visible),
                ("b".to_string(), Group::Strings, Shelf::Visible),
                ("a".to_string(), Group::Strings, Shelf::HeldBack),
            ]
        );
        assert_eq!(list(&["a"])?.len(), 1);
        assert!(list(&["a", "absent"]).is_err());
        put("a.ml", "(* things: no such group. *)\n")?;
        assert!(list(&[]).is_err());
        Ok(())
    }
}
