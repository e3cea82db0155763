//! How a guest's words are shown: rules of its manifest, of which the first that fits counts.

use serde::Deserialize;

/// Words of one kind, and how they are shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The rule is for words whose bits under this mask are those of `is`. Without `is`, and with
    /// no mask, it is for all words.
    mask: Option<i64>,
    is: Option<i64>,
    /// The bits that make the value.
    #[serde(default = "all_bits")]
    payload: i64,
    /// By how many bits that is shifted to the right; the sign stays.
    #[serde(default)]
    shift: Shift,
    show: Template,
}

fn all_bits() -> i64 {
    -1
}

impl Rule {
    fn fits(&self, word: i64) -> bool {
        match (self.mask, self.is) {
            (None, None) => true,
            (mask, is) => word & mask.unwrap_or(-1) == is.unwrap_or(0),
        }
    }
}

/// From 0 to 63.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "u32")]
struct Shift(u32);

impl TryFrom<u32> for Shift {
    type Error = String;

    fn try_from(bits: u32) -> Result<Self, String> {
        match bits {
            0..64 => Ok(Self(bits)),
            _ => Err(format!(
                "a word has 64 bits, and cannot be shifted by {bits}"
            )),
        }
    }
}

/// A text with places for the value.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Template(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Value(Form),
}

/// How a value is written.
#[derive(Clone, Copy, Debug)]
enum Form {
    Integer,
    Hexadecimal,
    Float,
}

const FORMS: [(&str, Form); 3] = [
    ("int", Form::Integer),
    ("hex", Form::Hexadecimal),
    ("float", Form::Float),
];

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| format!("`{{{after}` has no `}}`"))?;
            let form = FORMS.iter().find(|(known, _)| *known == name);
            let (_, form) = form.ok_or_else(|| {
                format!("`{{{name}}}` is none of `{{int}}`, `{{hex}}` and `{{float}}`")
            })?;
            parts.extend([Part::Text(before.into()), Part::Value(*form)]);
            rest = after;
        }
        parts.push(Part::Text(rest.into()));
        Ok(Self(parts))
    }
}

/// `word` as the first rule that fits shows it; without one, as a number.
pub fn show(rules: &[Rule], word: i64) -> String {
    let Some(rule) = rules.iter().find(|rule| rule.fits(word)) else {
        return format!("{word:#x}");
    };
    let value = (word & rule.payload) >> rule.shift.0;
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Value(Form::Integer) => value.to_string(),
        Part::Value(Form::Hexadecimal) => format!("{value:#x}"),
        Part::Value(Form::Float) => f64::from_bits(value as u64).to_string(),
    };
    rule.show.0.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<Rule> {
        #[derive(Deserialize)]
        struct Rules {
            words: Vec<Rule>,
        }
        let rules: Rules = toml::from_str(text).expect("well-formed");
        rules.words
    }

    #[test]
    fn the_first_rule_that_fits_counts() {
        let rules = rules(
            "[[words]]\nis = 0x2f\nshow = \"#f\"\n\
             [[words]]\nmask = 7\nis = 0\nshift = 3\nshow = \"{int}\"\n\
             [[words]]\nmask = 7\nis = 1\npayload = -8\nshow = \"pair at {hex}\"",
        );
        let shown = [0x2f, 80, -8, 0x1001, 6].map(|word| show(&rules, word));
        assert_eq!(shown, ["#f", "10", "-1", "pair at 0x1000", "0x6"]);
    }

    #[test]
    fn floats_are_shown_as_such() {
        let rules = rules("[[words]]\nshow = \"a{float}b\"");
        assert_eq!(show(&rules, 1.5f64.to_bits() as i64), "a1.5b");
    }
}
