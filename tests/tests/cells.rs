//! Only the interpreter's loop reads and writes cells. A function that it calls would find in
//! memory what was there at the last sync; one that is inlined into the loop today need not be
//! tomorrow.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use bactrian::guest;
use wasmparser::{Operator, Parser, Payload, TypeRef};

/// Which of these intrinsics a function calls, by the function's index.
fn users() -> Result<BTreeMap<u32, BTreeSet<&'static str>>> {
    let mut cells: BTreeMap<u32, &'static str> = BTreeMap::new();
    let mut users: BTreeMap<u32, BTreeSet<&'static str>> = BTreeMap::new();
    let mut next = 0;
    let guest = guest::default();
    for payload in Parser::new(0).parse_all(&guest.module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    if let TypeRef::Func(_) = import.ty {
                        let accesses = ["cells.read", "cells.write"].into_iter();
                        let mut known = accesses.filter(|&name| name == import.name);
                        cells.extend(known.next().map(|name| (next, name)));
                        next += 1;
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                for operator in body.get_operators_reader()? {
                    if let Operator::Call { function_index } = operator?
                        && let Some(&name) = cells.get(&function_index)
                    {
                        users.entry(next).or_default().insert(name);
                    }
                }
                next += 1;
            }
            _ => {}
        }
    }
    Ok(users)
}

#[test]
fn only_the_loop_accesses_cells() -> Result<()> {
    let users: Vec<_> = users()?.into_values().collect();
    let both = BTreeSet::from(["cells.read", "cells.write"]);
    assert_eq!(users, [both], "one function, which calls both");
    Ok(())
}
