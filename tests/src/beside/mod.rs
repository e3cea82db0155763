//! Guests beside weval and beside native implementations: what `make guests-bench` measures.
//!
//! * [`machine`]: the program of a machine that is annotated for weval;
//! * [`weval`]: the same modules specialized by weval and by ours;
//! * [`guests`]: the Scheme and Lua, from what their own benchmarks print;
//! * [`javascript`]: StarlingMonkey, from what `scripts/javascript.sh` prints.

pub mod guests;
pub mod javascript;
pub mod machine;
pub mod weval;

use std::path::PathBuf;

use anyhow::Result;

/// A command that was built beside this one.
pub fn sibling(name: &str) -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// A number with so many digits behind the point, or a dash for none.
pub fn shown(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "–".into(), |number| format!("{number:.digits$}"))
}

/// The cells of a table's rows, without its head.
pub fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| line.starts_with('|'));
    let cells = lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect());
    let mut rows: Vec<Vec<&str>> = Vec::new();
    let mut is_body = false;
    for row in cells {
        let row: Vec<&str> = row;
        if row[0].starts_with("---") {
            is_body = true;
        } else if is_body {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_body() {
        let table = "text\n| a | b |\n| --- | ---: |\n| x | 1.50 |\n| y | – |\n";
        assert_eq!(rows(table), [["x", "1.50"], ["y", "–"]]);
    }

    #[test]
    fn what_is_absent_is_a_dash() {
        assert_eq!(shown(Some(4.04), 1), "4.0");
        assert_eq!(shown(None, 1), "–");
    }
}
