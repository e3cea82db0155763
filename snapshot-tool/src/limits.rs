//! What a program may use, as `-W NAME=VALUE` says it; names and values are those of the `wasmtime`
//! command.
//!
//! One table has each limit's name, its help and how its value is read.

use std::str::FromStr;
use std::time::Duration;

/// The limits that were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that the guest's memory may grow to.
    pub memory: Option<usize>,
    /// Units of work: about one an instruction of WebAssembly.
    pub fuel: Option<u64>,
    /// Time that the program may run.
    pub time: Option<Duration>,
    /// Bytes of native stack.
    pub stack: Option<usize>,
}

/// One limit, to be added to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Memory(usize),
    Fuel(u64),
    Time(Duration),
    Stack(usize),
}

struct Row {
    name: &'static str,
    value: &'static str,
    effect: &'static str,
    read: fn(&str) -> Result<Limit, String>,
}

const TABLE: [Row; 4] = [
    Row {
        name: "max-memory-size",
        value: "BYTES",
        effect: "beyond it, Out_of_memory is raised",
        read: |text| number(text).map(Limit::Memory),
    },
    Row {
        name: "fuel",
        value: "N",
        effect: "the program ends when N instructions or so have run",
        read: |text| number(text).map(Limit::Fuel),
    },
    Row {
        name: "timeout",
        value: "DURATION",
        effect: "the program ends after so long: 10s, 1.5m, 200ms; a number alone is seconds",
        read: |text| duration(text).map(Limit::Time),
    },
    Row {
        name: "max-wasm-stack",
        value: "BYTES",
        effect: "beyond it, Stack_overflow is raised, or the program ends",
        read: |text| number(text).and_then(stack),
    },
];

/// The help for `-W`.
pub fn help() -> String {
    let mut text = String::from(
        "Limit what the program may use; several limits may follow each other, with commas \
         between them:",
    );
    for Row {
        name,
        value,
        effect,
        ..
    } in &TABLE
    {
        text += &format!("\n  {name}={value}: {effect}");
    }
    text
}

/// The names of all limits.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        let row = TABLE.iter().find(|row| row.name == name).ok_or_else(|| {
            let known: Vec<_> = names().collect();
            format!("there is no limit `{name}`; there are {}", known.join(", "))
        })?;
        (row.read)(value)
    }
}

impl Limits {
    /// All of these; of two of a kind the last.
    pub fn of(limits: &[Limit]) -> Self {
        let mut all = Self::default();
        for limit in limits {
            match *limit {
                Limit::Memory(bytes) => all.memory = Some(bytes),
                Limit::Fuel(units) => all.fuel = Some(units),
                Limit::Time(time) => all.time = Some(time),
                Limit::Stack(bytes) => all.stack = Some(bytes),
            }
        }
        all
    }
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    let number = text.parse();
    number.map_err(|_| format!("`{text}` is no number, or too large: whole numbers are taken"))
}

fn stack(bytes: usize) -> Result<Limit, String> {
    /// What an empty program needs.
    const LEAST: usize = 1 << 16;
    if bytes < LEAST {
        return Err(format!(
            "`{bytes}` is too little: no program runs with less than {LEAST}"
        ));
    }
    Ok(Limit::Stack(bytes))
}

/// A number, also with a fraction, and its unit.
fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 6] = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let count = &text[..text.len() - unit.len()];
    let seconds = match unit {
        "" => Some(1.0),
        _ => UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, seconds)| *seconds),
    };
    let duration = seconds.zip(count.parse::<f64>().ok());
    duration
        .and_then(|(seconds, count)| Duration::try_from_secs_f64(seconds * count).ok())
        .ok_or_else(|| format!("`{text}` is no duration, as 10s, 1.5m or 200ms are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_read() {
        let read = |text: &str| text.parse::<Limit>();
        assert_eq!(read("max-memory-size=65536"), Ok(Limit::Memory(65536)));
        assert_eq!(read("fuel=12"), Ok(Limit::Fuel(12)));
        assert_eq!(read("max-wasm-stack=1000000"), Ok(Limit::Stack(1_000_000)));
        for (text, millis) in [("2", 2000), ("2s", 2000), ("1.5m", 90_000), ("200ms", 200)] {
            let limit = Limit::Time(Duration::from_millis(millis));
            assert_eq!(read(&format!("timeout={text}")), Ok(limit));
        }
    }

    #[test]
    fn mistakes_say_what_is_expected() {
        let wrong = |text: &str| text.parse::<Limit>().expect_err("it is wrong");
        assert!(wrong("patience=3").contains("max-memory-size, fuel, timeout"));
        assert_eq!(wrong("fuel"), "expected NAME=VALUE");
        assert!(wrong("fuel=-1").contains("`-1` is no number"));
        assert!(wrong("max-memory-size=1g").contains("`1g` is no number"));
        assert!(wrong("max-wasm-stack=100").contains("too little"));
        for text in [
            "",
            "s",
            "5 s",
            "1.2.3s",
            "-1s",
            "5d",
            "1e400s",
            "99999999999999999999h",
        ] {
            assert!(
                wrong(&format!("timeout={text}")).contains("no duration"),
                "{text}"
            );
        }
    }

    #[test]
    fn the_last_of_a_kind_counts() {
        let limits = Limits::of(&[Limit::Fuel(1), Limit::Memory(2), Limit::Fuel(3)]);
        assert_eq!(
            (limits.fuel, limits.memory, limits.stack),
            (Some(3), Some(2), None)
        );
    }

    #[test]
    fn the_help_names_each_limit() {
        assert!(names().all(|name| help().contains(&format!("\n  {name}="))));
    }
}
