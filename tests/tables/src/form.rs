//! Reads the text of a table: a list of words and lists, each with its name at its start.

/// A table that is not written as it should be.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {text}")]
pub struct Malformed {
    what: String,
    /// The list in which it is.
    text: String,
}

/// `(name part …)`.
pub struct List<'t> {
    pub name: &'t str,
    parts: Vec<Part<'t>>,
    text: &'t str,
}

enum Part<'t> {
    Word(&'t str),
    List(List<'t>),
}

impl<'t> List<'t> {
    /// The list at whose parenthesis `text` starts, and what follows it.
    pub fn read(text: &'t str) -> Result<(Self, &'t str), Malformed> {
        let (name, mut rest) = word(&text[1..]);
        let mut parts = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(')') {
                let text = &text[..text.len() - after.len()];
                return Ok((Self { name, parts, text }, after));
            }
            if rest.is_empty() {
                return Err(malformed("it does not end", text));
            }
            let (part, after) = if rest.starts_with('(') {
                let (list, after) = Self::read(rest)?;
                (Part::List(list), after)
            } else {
                let (word, after) = word(rest);
                (Part::Word(word), after)
            };
            parts.push(part);
            rest = after;
        }
    }

    /// The numbers at the start of the list. After them come words and lists of these names only.
    pub fn numbers<const COUNT: usize>(&self, names: &[&str]) -> Result<[u32; COUNT], Malformed> {
        let mut numbers = [0; COUNT];
        for (index, number) in numbers.iter_mut().enumerate() {
            let Some(Part::Word(word)) = self.parts.get(index) else {
                return Err(self.malformed("a number is missing"));
            };
            let value = match word.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => word.parse(),
            };
            let no_number = |_| self.malformed(&format!("`{word}` is no number of 32 bits"));
            *number = value.map_err(no_number)?;
        }
        let mut rest = self.parts[COUNT..].iter().map(Part::name);
        match rest.find(|name| !names.contains(name)) {
            Some(name) => Err(self.malformed(&format!("`{name}` does not belong here"))),
            None => Ok(numbers),
        }
    }

    /// What `read` makes of each of the lists of this name.
    pub fn each<T>(
        &self,
        name: &str,
        read: impl Fn(&Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let named = self.lists().filter(|list| list.name == name);
        named.map(read).collect()
    }

    pub fn lists(&self) -> impl Iterator<Item = &Self> {
        self.parts.iter().filter_map(|part| match part {
            Part::List(list) => Some(list),
            Part::Word(_) => None,
        })
    }

    pub fn has(&self, word: &str) -> bool {
        let is_it = |part: &Part| matches!(part, Part::Word(found) if *found == word);
        self.parts.iter().any(is_it)
    }

    pub fn malformed(&self, what: &str) -> Malformed {
        malformed(what, self.text)
    }
}

impl<'t> Part<'t> {
    fn name(&self) -> &'t str {
        match self {
            Self::Word(word) => word,
            Self::List(list) => list.name,
        }
    }
}

fn malformed(what: &str, text: &str) -> Malformed {
    Malformed {
        what: what.into(),
        text: text.into(),
    }
}

/// What comes before the next space or parenthesis, and the rest.
fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || "()".contains(c));
    text.split_at(end.unwrap_or(text.len()))
}
