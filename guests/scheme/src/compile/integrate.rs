//! Calls of functions of the prelude that are a few primitives where the number of arguments is
//! known.

use super::expand::{Expander, vector};
use super::forms::primitive;
use super::tree::Tree;
use crate::datum::{Datum, Result};

/// Operations on any number of operands: the primitive for two, and what it is without any.
const FOLDS: &[(&str, &str, Option<i64>)] = &[
    ("+", "%add", Some(0)),
    ("*", "%multiply", Some(1)),
    ("-", "%subtract", None),
    ("/", "%divide", None),
    ("string-append", "%string-append", None),
];

/// Comparisons of two or more operands: the primitive, and what it is applied to.
const COMPARISONS: &[(&str, &str, Option<&str>)] = &[
    ("=", "%equal", None),
    ("<", "%less", None),
    (">", "%greater", None),
    ("<=", "%less-equal", None),
    (">=", "%greater-equal", None),
    ("char=?", "%equal", Some("char->integer")),
    ("char<?", "%less", Some("char->integer")),
    ("char>?", "%greater", Some("char->integer")),
    ("char<=?", "%less-equal", Some("char->integer")),
    ("char>=?", "%greater-equal", Some("char->integer")),
    ("string=?", "%string-equal", None),
    ("string<?", "%string-less", None),
];

/// A call of a function of the prelude that is a few primitives, if it is one.
pub fn integrated(
    e: &mut Expander,
    name: &str,
    operands: &[Datum],
    line: u32,
) -> Result<Option<Tree>> {
    let int = |n| Tree::int(n);
    let count = operands.len();
    if let Some((_, operation, unit)) = FOLDS.iter().find(|(known, ..)| *known == name) {
        let trees = e.nested(count, line, |e| e.trees(operands, line))?;
        return Ok(match (count, *unit) {
            (0, Some(unit)) => Some(int(unit)),
            (1, None) if name == "-" => Some(primitive(operation, [vec![int(0)], trees].concat())),
            (1, Some(unit)) => Some(primitive(operation, [vec![int(unit)], trees].concat())),
            (0 | 1, _) => None,
            _ => trees
                .into_iter()
                .reduce(|a, b| primitive(operation, vec![a, b])),
        });
    }
    if let Some((_, operation, of)) = COMPARISONS.iter().find(|(known, ..)| *known == name) {
        if count != 2 {
            return Ok(None);
        }
        let trees = e.trees(operands, line)?.into_iter();
        let trees = trees.map(|tree| match of {
            Some(of) => primitive(of, vec![tree]),
            None => tree,
        });
        return Ok(Some(primitive(operation, trees.collect())));
    }
    if let Some(path) = name
        .strip_prefix('c')
        .and_then(|name| name.strip_suffix('r'))
        && path.chars().all(|c| "ad".contains(c))
        && count == 1
    {
        let tree = e.tree(&operands[0], line)?;
        let inward = path.chars().rev();
        let accessor = |c| if c == 'a' { "car" } else { "cdr" };
        return Ok(Some(
            inward.fold(tree, |tree, c| primitive(accessor(c), vec![tree])),
        ));
    }
    if let ("gcd" | "lcm", 2) = (name, count) {
        let trees = e.trees(operands, line)?;
        return Ok(Some(e.call_prelude(&format!("%{name}"), trees)));
    }
    let mut trees = || e.trees(operands, line);
    let remainder = |tree| primitive("remainder", vec![tree, int(2)]);
    Ok(Some(match (name, count) {
        ("list", 0..=64) => {
            let rest = Tree::Constant(Datum::Nil);
            let inward = trees()?.into_iter().rev();
            inward.fold(rest, |rest, tree| primitive("cons", vec![tree, rest]))
        }
        ("vector", 0..=64) => vector(trees()?),
        ("zero?", 1) => primitive("%equal", vec![trees()?.remove(0), int(0)]),
        ("positive?", 1) => primitive("%greater", vec![trees()?.remove(0), int(0)]),
        ("negative?", 1) => primitive("%less", vec![trees()?.remove(0), int(0)]),
        ("even?", 1) => primitive("%equal", vec![remainder(trees()?.remove(0)), int(0)]),
        ("odd?", 1) => {
            let even = primitive("%equal", vec![remainder(trees()?.remove(0)), int(0)]);
            primitive("not", vec![even])
        }
        ("apply", 2) => {
            let mut parts = trees()?;
            let list = parts.remove(1);
            Tree::Apply(Box::new([parts.remove(0), list]))
        }
        ("newline", 0) => {
            let end = Tree::Constant(Datum::String("\n".into()));
            primitive("display", vec![end])
        }
        ("number->string", 1) => primitive("%number->string", vec![trees()?.remove(0), int(10)]),
        ("string->number", 1) => primitive("%string->number", vec![trees()?.remove(0), int(10)]),
        ("string->number", 2) => primitive("%string->number", trees()?),
        ("log", 1) => primitive("%log", trees()?),
        ("vector-fill!", 2) => primitive("%vector-fill!", trees()?),
        ("string->list", 1) => primitive("%string->list", trees()?),
        ("atan", 1) => primitive("%atan", trees()?),
        ("atan", 2) => primitive("%atan2", trees()?),
        ("make-vector", 2) => primitive("%make-vector", trees()?),
        ("make-string", 2) => primitive("%make-string", trees()?),
        ("substring", 3) => primitive("%substring", trees()?),
        _ => return Ok(None),
    }))
}
