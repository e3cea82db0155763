//! Geometric means over groups of programs, of all and by shelf.
//!
//! Invariant: a mean is of those programs that were measured in that way; where there are none, the
//! cell has a dash.

use super::program::Entry;
use super::programs::{Group, Shelf};

/// What the table's columns are.
pub const HEADER: [&str; 8] = [
    "geometric means",
    "programs",
    "× ocamlrun",
    "visible × ocamlrun",
    "held back × ocamlrun",
    "of ocamlopt's speed",
    "visible of ocamlopt's",
    "held back of ocamlopt's",
];

/// One row for all programs, and one for each group.
pub fn rows(entries: &[Entry]) -> Vec<Vec<String>> {
    let mut rows = vec![HEADER.map(String::from).to_vec()];
    if entries.is_empty() {
        return rows;
    }
    rows.push(row("all", &entries.iter().collect::<Vec<_>>()));
    for group in Group::ALL {
        let members: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.source.group == group)
            .collect();
        if !members.is_empty() {
            rows.push(row(group.name(), &members));
        }
    }
    rows
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.into_iter().map(f64::ln).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    (!logarithms.is_empty()).then(|| mean.exp())
}

fn row(label: &str, entries: &[&Entry]) -> Vec<String> {
    let mut cells = vec![label.to_string(), entries.len().to_string()];
    let over_ocamlrun = |entry: &Entry| entry.measurement.over_ocamlrun();
    cells.extend(means(entries, over_ocamlrun));
    cells.extend(means(entries, Entry::of_ocamlopt));
    cells
}

/// Of all, of those visible and of those held back.
fn means(entries: &[&Entry], of: impl Fn(&Entry) -> Option<f64>) -> [String; 3] {
    [None, Some(Shelf::Visible), Some(Shelf::HeldBack)].map(|shelf| {
        let members = entries
            .iter()
            .filter(|entry| shelf.is_none_or(|shelf| entry.source.shelf == shelf));
        let mean = geometric_mean(members.filter_map(|entry| of(entry)));
        mean.map_or_else(|| "-".into(), |mean| format!("{mean:.2}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_mean_is_that_of_ratios() {
        let mean = geometric_mean([2.0, 8.0]).expect("there are some");
        assert!((mean - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }

    #[test]
    fn a_group_has_means_by_shelf() {
        let sample = |shelf, millis| Entry::sample("program", Group::Calls, shelf, millis);
        let entries = [
            sample(Shelf::Visible, [200, 400, 100, 50]),
            sample(Shelf::Visible, [800, 400, 100, 50]),
            sample(Shelf::HeldBack, [400, 400, 100, 0]),
        ];
        let rows = rows(&entries);
        assert_eq!(rows[1][0], "all");
        assert_eq!(
            rows[2],
            ["calls", "3", "4.00", "4.00", "4.00", "0.50", "0.50", "-"]
        );
        assert_eq!(rows.len(), 3, "groups without programs have no row");
    }
}
