//! The collector's parameters, as `Gc.control` and `OCAMLRUNPARAM` have them, and the messages of
//! verbose mode.
//!
//! Those without a meaning in this heap are kept and shown: how much the heap grows by, the
//! smoothing window, the allocation policy, and when to compact.

use super::state::heap;
use super::stats;
use crate::os;

/// The fields of a `Gc.control` record, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub fields: [i64; 11],
}

/// Bounds of the nursery's size in words, and what it is a multiple of: a page.
const MINOR_WORDS_MIN: i64 = 4096;
const MINOR_WORDS_MAX: i64 = 1 << 28;
const MINOR_WORDS_UNIT: i64 = 512;

/// Longest smoothing window.
const WINDOW_MAX: i64 = 50;

/// Increments above this are words, others a percentage.
const LARGEST_PERCENTAGE: u64 = 1000;

/// The number of the newest allocation policy, which stands in for unknown ones.
const BEST_FIT: i64 = 2;

impl Settings {
    pub const MINOR_HEAP_SIZE: usize = 0;
    pub const INCREMENT: usize = 1;
    /// Percentage of garbage to live words that is tolerated.
    pub const SPACE_OVERHEAD: usize = 2;
    pub const VERBOSE: usize = 3;
    pub const MAX_OVERHEAD: usize = 4;
    pub const STACK_LIMIT: usize = 5;
    pub const POLICY: usize = 6;
    pub const WINDOW: usize = 7;
    pub const CUSTOM_MAJOR_RATIO: usize = 8;
    pub const CUSTOM_MINOR_RATIO: usize = 9;
    pub const CUSTOM_MINOR_MAX_SIZE: usize = 10;

    /// What OCaml 4.13 starts with.
    pub const DEFAULT: Settings = Settings {
        fields: [
            super::NURSERY_WORDS as i64,
            15,
            120,
            0,
            500,
            1 << 20,
            BEST_FIT,
            1,
            44,
            100,
            8192,
        ],
    };

    /// The field that a letter of `OCAMLRUNPARAM` sets.
    pub fn field_of(letter: u8) -> Option<usize> {
        b"siovOlawMmn".iter().position(|&known| known == letter)
    }

    /// The same with each field within its bounds.
    pub fn normalised(self) -> Self {
        let mut fields = self.fields;
        let minor = fields[Self::MINOR_HEAP_SIZE].clamp(MINOR_WORDS_MIN, MINOR_WORDS_MAX);
        fields[Self::MINOR_HEAP_SIZE] =
            (minor + MINOR_WORDS_UNIT - 1) / MINOR_WORDS_UNIT * MINOR_WORDS_UNIT;
        fields[Self::WINDOW] = fields[Self::WINDOW].clamp(1, WINDOW_MAX);
        for field in [
            Self::SPACE_OVERHEAD,
            Self::CUSTOM_MAJOR_RATIO,
            Self::CUSTOM_MINOR_RATIO,
        ] {
            // OCaml's are unsigned: a negative one is a large number.
            fields[field] = (fields[field] as u64).max(1) as i64;
        }
        if !(0..=BEST_FIT).contains(&fields[Self::POLICY]) {
            fields[Self::POLICY] = BEST_FIT;
        }
        Self { fields }
    }

    pub fn field(&self, index: usize) -> i64 {
        self.fields[index]
    }
}

/// What messages are about: bits of the verbosity.
pub mod about {
    pub const CYCLES: i64 = 0x01;
    pub const MINOR_COLLECTIONS: i64 = 0x02;
    pub const STACK: i64 = 0x08;
    pub const COMPACTION: i64 = 0x10;
    pub const PARAMETERS: i64 = 0x20;
    pub const FINALISERS: i64 = 0x80;
    pub const EXIT: i64 = 0x400;
}

/// Prints `text` on standard error if the user wants messages of this kind.
pub fn message(kind: i64, text: impl FnOnce() -> String) {
    if heap().settings.get().field(Settings::VERBOSE) & kind != 0 {
        os::write_all(2, text().as_bytes());
    }
}

/// Words that OCaml's major heap has at the start if nobody says otherwise.
pub const INITIAL_WORDS: u64 = 126_976;

/// Words that OCaml's major heap has at the start. Only shown: no memory is taken for it.
pub fn initial_words() -> u64 {
    const LEAST: u64 = 15 * 4096;
    const PAGE: u64 = 512;
    let words = heap().initial_words.get().max(LEAST);
    words.next_multiple_of(PAGE)
}

/// The parameters at the start, for people.
pub fn show_initial() {
    let settings = heap().settings.get();
    message(about::PARAMETERS, || {
        let field = |index| settings.field(index);
        format!(
            "Initial minor heap size: {}k words\n\
             Initial major heap size: {}k bytes\n\
             Initial space overhead: {}%\n\
             Initial max overhead: {}%\n\
             Initial heap increment: {}\n\
             Initial allocation policy: {}\n\
             Initial smoothing window: {}\n",
            field(Settings::MINOR_HEAP_SIZE) / 1024,
            initial_words() * 8 / 1024,
            field(Settings::SPACE_OVERHEAD),
            field(Settings::MAX_OVERHEAD),
            increment(field(Settings::INCREMENT)),
            field(Settings::POLICY),
            field(Settings::WINDOW),
        )
    });
    message(about::STACK, || {
        let words = settings.field(Settings::STACK_LIMIT) as u64;
        format!("Initial stack limit: {}k bytes\n", words / 1024 * 8)
    });
}

/// A heap increment: a percentage or words.
fn increment(value: i64) -> String {
    let value = value as u64;
    match value > LARGEST_PERCENTAGE {
        true => format!("{}k words", value / 1024),
        false => format!("{value}%"),
    }
}

/// Says what `Gc.set` changes, in the order in which it does; policy and nursery come later.
/// Numbers are unsigned, as in OCaml.
pub fn show_changes(old: &Settings, new: &Settings) {
    let changed = |index: usize| old.field(index) != new.field(index);
    let parameters = [
        (Settings::SPACE_OVERHEAD, "space overhead", "%"),
        (Settings::MAX_OVERHEAD, "max overhead", "%"),
        (Settings::INCREMENT, "heap increment size", ""),
        (Settings::WINDOW, "smoothing window size", ""),
        (Settings::CUSTOM_MAJOR_RATIO, "custom major ratio", "%"),
        (Settings::CUSTOM_MINOR_RATIO, "custom minor ratio", "%"),
        (
            Settings::CUSTOM_MINOR_MAX_SIZE,
            "custom minor size limit",
            "%",
        ),
    ];
    for (index, name, unit) in parameters.into_iter().filter(|&(index, ..)| changed(index)) {
        message(about::PARAMETERS, || match index {
            Settings::INCREMENT => format!("New {name}: {}\n", increment(new.field(index))),
            _ => format!("New {name}: {}{unit}\n", new.field(index) as u64),
        });
    }
}

/// The statistics that verbose mode prints when the program ends.
pub fn show_at_exit() {
    message(about::EXIT, || {
        let counters = &heap().counters;
        let (minor, promoted, major) = (
            stats::minor_words(),
            counters.promoted_words.get(),
            counters.major_words.get(),
        );
        let lines = [
            ("allocated_words", minor + major - promoted),
            ("minor_words", minor),
            ("promoted_words", promoted),
            ("major_words", major),
            ("minor_collections", counters.minor_collections.get()),
            ("major_collections", counters.major_collections.get()),
            ("heap_words", stats::heap_words()),
            ("heap_chunks", stats::heap_chunks()),
            ("top_heap_words", stats::top_heap_words()),
            ("compactions", counters.compactions.get()),
            (
                "forced_major_collections",
                counters.forced_major_collections.get(),
            ),
        ];
        lines
            .map(|(name, number)| format!("{name}: {number}\n"))
            .concat()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_percentages_are_large_ones() {
        let mut settings = Settings::DEFAULT;
        for (index, given, normal) in [
            (Settings::SPACE_OVERHEAD, -5, -5),
            (Settings::CUSTOM_MAJOR_RATIO, i64::MIN, i64::MIN),
            (Settings::CUSTOM_MINOR_RATIO, 0, 1),
            (Settings::WINDOW, -1, 1),
            (Settings::MINOR_HEAP_SIZE, -1, MINOR_WORDS_MIN),
        ] {
            settings.fields[index] = given;
            assert_eq!(settings.normalised().field(index), normal);
        }
        assert_eq!(increment(-1), "18014398509481983k words");
    }
}
