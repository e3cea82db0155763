//! The generated tables without their figures: what `make bench` and `make shapes` write whatever
//! they measure. Tests compare the documents with it, so that a change of the generator shows until
//! the tables are written anew.
//!
//! Leaves out: rows that depend on what was measured.

use std::path::Path;

use anyhow::Result;

use super::figures;
use super::means;
use super::programs::{Group, Source};
use super::rebuild;
use super::shapes::{self, Shape};
use super::table;
use super::users;

/// A row; `None` stands for a figure.
pub type Row = Vec<Option<String>>;

/// The tables of the README, in their order: figures, means, tasks, shapes.
pub fn readme() -> [Vec<Row>; 4] {
    let groups = Group::ALL.map(Group::name);
    let means = ["all"].into_iter().chain(groups);
    let shapes = Shape::ALL.into_iter().flat_map(|shape| {
        let sizes = shapes::sizes(shape).into_iter();
        sizes.map(move |size| [shape.name().to_string(), size.to_string()])
    });
    [
        table(
            &figures::HEADER.map(String::from),
            figures::labels().map(|(label, aim)| vec![known(label), None, known(aim)]),
        ),
        table(
            &means::HEADER.map(String::from),
            means.map(|label| vec![known(label)]),
        ),
        table(
            &table::tasks(&[])[0],
            users::labels().map(|(label, aim)| vec![known(label), None, None, None, known(&aim)]),
        ),
        table(
            &table::shapes(&[])[0],
            shapes.map(|cells| cells.map(Some).to_vec()),
        ),
    ]
}

/// The table of the programs in `directory`, of `docs/bench.md`.
pub fn programs(directory: &Path) -> Result<Vec<Row>> {
    let sources = Source::list(directory, &[])?;
    let rows = sources
        .iter()
        .map(|source| vec![known(&source.name), Some(table::group(source))]);
    Ok(table(&table::programs(&[])[0], rows))
}

/// The table of `docs/caching.md`.
pub fn rebuilds() -> Vec<Row> {
    let rows = rebuild::rows()
        .map(|(program, edit)| vec![known(&program.name()), known(rebuild::title(edit))]);
    table(&table::rebuilds(&[])[0], rows)
}

fn known(cell: &str) -> Option<String> {
    Some(cell.into())
}

/// A table of rows as long as the header, of which the last cells may be left out.
fn table(header: &[String], rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let rows = rows.map(|mut row| {
        row.resize(header.len(), None);
        row
    });
    let header = header.iter().cloned().map(Some).collect();
    std::iter::once(header).chain(rows).collect()
}
