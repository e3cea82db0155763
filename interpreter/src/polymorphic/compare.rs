//! Structural comparison: `compare`, `=`, `<` and the like.
//!
//! Without recursion, so depth does not matter. `compare` is total (NaN equals itself and is below
//! all other floats) and may take physical equality for equality; the relations are partial:
//! whatever is compared with NaN is unordered.

#[cfg(test)]
mod tests;

use super::bigarray;
use crate::code::fragments::{self, Ranges};
use crate::custom::operations::{Comparison, Operations};
use crate::custom::{self, Kind};
use crate::heap::COLOUR_MASK;
use crate::memory;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::value::{Value, WORD, tag};
use std::cell::Cell;
use std::cmp::Ordering;

crate::primitives! {
    Leaf "caml_compare" compare, 2;
    Leaf "caml_equal" equal, 2;
    Leaf "caml_notequal" not_equal, 2;
    Leaf "caml_lessthan" less_than, 2;
    Leaf "caml_lessequal" less_equal, 2;
    Leaf "caml_greaterthan" greater_than, 2;
    Leaf "caml_greaterequal" greater_equal, 2;
}

/// Which order is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// NaN has a place.
    Total,
    /// NaN is unordered.
    Partial,
}

/// The order of two values; `None` when they are unordered.
type Order = Option<Ordering>;

#[inline]
fn compare(a: Value, b: Value) -> Outcome {
    let order = order(a, b, Mode::Total)?.expect("a total order");
    Ok(Value::int(order as i64))
}

#[inline]
fn equal(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order == Some(Ordering::Equal)))
}

#[inline]
fn not_equal(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order != Some(Ordering::Equal)))
}

#[inline]
fn less_than(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order.is_some_and(Ordering::is_lt)))
}

#[inline]
fn less_equal(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order.is_some_and(Ordering::is_le)))
}

#[inline]
fn greater_than(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order.is_some_and(Ordering::is_gt)))
}

#[inline]
fn greater_equal(a: Value, b: Value) -> Outcome {
    order(a, b, Mode::Partial).map(|order| Value::bool(order.is_some_and(Ordering::is_ge)))
}

/// The order of two values. Raises for functions and abstract values.
#[inline]
pub fn order(a: Value, b: Value, mode: Mode) -> Result<Order, Raised> {
    match (a.is_int(), b.is_int()) {
        (true, true) => Ok(Some(a.0.cmp(&b.0))),
        (false, false) if a == b && mode == Mode::Total => Ok(Some(Ordering::Equal)),
        (false, false) => order_of_blocks(a, b, mode, 0),
        _ => order_slow(a, b, mode, 0),
    }
}

/// Most blocks around others that are compared by recursion.
const MOST_AROUND: usize = 64;

/// The order of two blocks of usual tags, `around` which so many have further fields; other blocks,
/// and what is deeper, are left to [`order_slow`].
#[inline(never)]
fn order_of_blocks(mut a: Value, mut b: Value, mode: Mode, around: usize) -> Result<Order, Raised> {
    let code = Ranges::now();
    'blocks: while !code.may_contain(a) && !code.may_contain(b) {
        let (header_a, header_b) = (a.header(), b.header());
        let (tag_a, tag_b) = (header_a as u8, header_b as u8);
        if tag_a >= tag::FORCING || tag_b >= tag::FORCING {
            match tag_a {
                tag::STRING if tag_b == tag_a => return Ok(Some(order_of_strings(a, b))),
                tag::DOUBLE if tag_b == tag_a => {
                    return Ok(floats(a.as_float(), b.as_float(), mode));
                }
                _ => break,
            }
        }
        let (size_a, size_b) = (header_a >> 10, header_b >> 10);
        if tag_a != tag_b || size_a != size_b {
            return Ok(Some(tag_a.cmp(&tag_b).then(size_a.cmp(&size_b))));
        }
        let last = (size_a as usize).wrapping_sub(1);
        for index in 0..size_a as usize {
            let (x, y) = (a.field(index), b.field(index));
            if x == y && (x.is_int() || mode == Mode::Total) {
                continue;
            }
            let order = match (x.is_int(), y.is_int()) {
                (true, true) => return Ok(Some(x.0.cmp(&y.0))),
                (false, false) if index == last => {
                    (a, b) = (x, y);
                    continue 'blocks;
                }
                (false, false) if around < MOST_AROUND => order_of_blocks(x, y, mode, around + 1)?,
                _ => order_slow(x, y, mode, around + 1)?,
            };
            if order != Some(Ordering::Equal) {
                return Ok(order);
            }
        }
        return Ok(Some(Ordering::Equal));
    }
    order_slow(a, b, mode, around)
}

/// The order of two strings: bytes, then length. The last byte of a string's last word says how
/// many before it are no part of the string; these are 0.
#[inline(never)]
pub fn order_of_strings(a: Value, b: Value) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let (words_a, words_b) = (a.wosize(), b.wosize());
    let common = words_a.min(words_b);
    let index = first_difference(a, b, common);
    if index == common {
        return words_a.cmp(&words_b);
    }
    // The first byte most significant.
    let [x, y] = [a, b].map(|string| word(string, index).swap_bytes());
    // One string is as the other begins, and then ends.
    let ends = index + 1 == common && x >> 8 == y >> 8;
    match ends {
        true => a.string_len().cmp(&b.string_len()),
        false => x.cmp(&y),
    }
}

/// The first of so many words in which two strings differ, or how many there are.
#[inline(always)]
pub fn first_difference(a: Value, b: Value, words: usize) -> usize {
    const AT_ONCE: usize = 4;
    let differ = |index| word(a, index) ^ word(b, index);
    let mut index = 0;
    while words - index >= AT_ONCE {
        if (0..AT_ONCE).fold(0, |all, next| all | differ(index + next)) != 0 {
            break;
        }
        index += AT_ONCE;
    }
    while index < words && differ(index) == 0 {
        index += 1;
    }
    index
}

/// Eight bytes of a string.
#[inline(always)]
fn word(string: Value, index: usize) -> u64 {
    memory::load_u64(string.field_address(index))
}

/// What comparing one pair of values gave.
enum Step {
    /// Equal as far as they have been compared.
    Same,
    /// Compare these instead.
    Then(Value, Value),
    /// Compare so many fields of both.
    Fields(usize),
    /// Different, or unordered.
    Decided(Order),
}

impl Step {
    fn from(order: Order) -> Step {
        match order {
            Some(Ordering::Equal) => Step::Same,
            Some(Ordering::Less | Ordering::Greater) | None => Step::Decided(order),
        }
    }
}

/// Fields still to be compared: addresses in both blocks, and how many.
struct Pending {
    a: u32,
    b: u32,
    count: usize,
}

/// How many may wait, as in OCaml's runtime: what is deeper or cyclic raises `Out_of_memory`.
const MOST_PENDING: usize = (1 << 19) - 2;
thread_local! {
    /// Kept from one comparison to the next, so that most need no allocation.
    static PENDING: Cell<Vec<Pending>> = const { Cell::new(Vec::new()) };
}

/// The order of any two values, `around` which so many blocks have fields that wait.
#[inline(never)]
fn order_slow(a: Value, b: Value, mode: Mode, around: usize) -> Result<Order, Raised> {
    let mut pending = Vec::new();
    let order = walk(a, b, mode, MOST_PENDING - around, &mut pending);
    if pending.capacity() > 0 {
        pending.clear();
        PENDING.set(pending);
    }
    order
}

/// Compares blocks field by field, depth first. Integers are compared at once, so most blocks leave
/// one field, which needs no place among what is `pending`, which has at most `most_pending`.
fn walk(
    mut a: Value,
    mut b: Value,
    mode: Mode,
    most_pending: usize,
    pending: &mut Vec<Pending>,
) -> Result<Order, Raised> {
    loop {
        match step(a, b, mode)? {
            Step::Decided(order) => return Ok(order),
            Step::Then(next_a, next_b) => {
                (a, b) = (next_a, next_b);
                continue;
            }
            Step::Fields(count) => {
                let is_same = |&index: &usize| {
                    let (x, y) = (a.field(index), b.field(index));
                    x == y && x.is_int()
                };
                if let Some(index) = (0..count).find(|index| !is_same(index)) {
                    let (x, y) = (a.field(index), b.field(index));
                    if x.is_int() && y.is_int() {
                        return Ok(Some(x.0.cmp(&y.0)));
                    }
                    if index + 1 < count {
                        if pending.capacity() == 0 {
                            *pending = PENDING.take();
                        }
                        if pending.len() == most_pending {
                            return Err(raise::out_of_memory());
                        }
                        pending.push(Pending {
                            a: a.field_address(index + 1),
                            b: b.field_address(index + 1),
                            count: count - index - 1,
                        });
                    }
                    (a, b) = (x, y);
                    continue;
                }
            }
            Step::Same => {}
        }
        let Some(fields) = pending.last_mut() else {
            return Ok(Some(Ordering::Equal));
        };
        (a, b) = (
            Value::block(fields.a).field(0),
            Value::block(fields.b).field(0),
        );
        fields.a += WORD;
        fields.b += WORD;
        fields.count -= 1;
        if fields.count == 0 {
            pending.pop();
        }
    }
}

#[inline(always)]
fn step(a: Value, b: Value, mode: Mode) -> Result<Step, Raised> {
    if a == b && (mode == Mode::Total || a.is_int()) {
        return Ok(Step::Same);
    }
    match (a.is_int(), b.is_int()) {
        (true, true) => Ok(Step::Decided(Some(a.0.cmp(&b.0)))),
        (true, false) if is_forward(b) => Ok(Step::Then(a, b.field(0))),
        (false, true) if is_forward(a) => Ok(Step::Then(a.field(0), b)),
        (true, false) => mixed(b, a, b, Ordering::Less, mode),
        (false, true) => mixed(a, a, b, Ordering::Greater, mode),
        (false, false) => blocks(a, b, mode),
    }
}

/// Compares an integer and `block`, which are `a` and `b`, by the block's own function or else by
/// `order`.
#[inline(never)]
fn mixed(block: Value, a: Value, b: Value, order: Ordering, mode: Mode) -> Result<Step, Raised> {
    if fragments::offset(block).is_none()
        && block.tag() == tag::CUSTOM
        && let Some(operations) = Operations::of(block)
        && let Some(order) = operations.compare(Comparison::Mixed, a, b)?
    {
        return Ok(Step::from(ordered(order, mode)));
    }
    Ok(Step::Decided(Some(order)))
}

/// What a function of C says, whose values are never unordered in a total order.
fn ordered((order, is_unordered): (Ordering, bool), mode: Mode) -> Order {
    match mode {
        Mode::Partial if is_unordered => None,
        Mode::Partial | Mode::Total => Some(order),
    }
}

fn is_forward(block: Value) -> bool {
    fragments::offset(block).is_none() && block.tag() == tag::FORWARD
}

#[inline(always)]
fn blocks(a: Value, b: Value, mode: Mode) -> Result<Step, Raised> {
    let code = Ranges::now();
    let may_be_code = code.may_contain(a) || code.may_contain(b);
    if may_be_code && (fragments::offset(a).is_some() || fragments::offset(b).is_some()) {
        return Ok(Step::from(Some(a.0.cmp(&b.0))));
    }
    let (header_a, header_b) = (a.header(), b.header());
    if (header_a ^ header_b) & !COLOUR_MASK == 0 && (header_a as u8) < tag::FORCING {
        return Ok(Step::Fields((header_a >> 10) as usize));
    }
    let (tag_a, tag_b) = (a.tag(), b.tag());
    if tag_a != tag_b {
        return different_tags(a, b);
    }
    match tag_a {
        tag::FORWARD => Ok(Step::Then(a.field(0), b.field(0))),
        tag::STRING => Ok(Step::from(Some(order_of_strings(a, b)))),
        tag::DOUBLE => Ok(Step::from(floats(a.as_float(), b.as_float(), mode))),
        tag::DOUBLE_ARRAY => Ok(Step::from(float_arrays(a, b, mode))),
        tag::ABSTRACT => Err(raise::invalid_argument("compare: abstract value")),
        tag::CLOSURE | tag::INFIX => Err(raise::invalid_argument("compare: functional value")),
        tag::OBJECT => Ok(Step::from(Some(a.field(1).0.cmp(&b.field(1).0)))),
        tag::CUSTOM => customs(a, b, mode).map(Step::from),
        _ => {
            let (size_a, size_b) = (a.wosize(), b.wosize());
            if size_a != size_b {
                return Ok(Step::Decided(Some(size_a.cmp(&size_b))));
            }
            Ok(Step::Fields(size_a))
        }
    }
}

/// Blocks of different tags are ordered by their tags, except forwarding blocks and the two kinds
/// of closures.
fn different_tags(a: Value, b: Value) -> Result<Step, Raised> {
    let (tag_a, tag_b) = (a.tag(), b.tag());
    if tag_a == tag::FORWARD {
        return Ok(Step::Then(a.field(0), b));
    }
    if tag_b == tag::FORWARD {
        return Ok(Step::Then(a, b.field(0)));
    }
    let closure = |tag| if tag == tag::INFIX { tag::CLOSURE } else { tag };
    match closure(tag_a).cmp(&closure(tag_b)) {
        Ordering::Equal => Err(raise::invalid_argument("compare: functional value")),
        order => Ok(Step::Decided(Some(order))),
    }
}

/// The order of two floats.
#[inline]
pub fn floats(a: f64, b: f64, mode: Mode) -> Order {
    match (a.partial_cmp(&b), mode) {
        (None, Mode::Total) => Some(b.is_nan().cmp(&a.is_nan())),
        (order, Mode::Total | Mode::Partial) => order,
    }
}

fn float_arrays(a: Value, b: Value, mode: Mode) -> Order {
    let (len_a, len_b) = (a.wosize(), b.wosize());
    if len_a != len_b {
        return Some(len_a.cmp(&len_b));
    }
    (0..len_a)
        .map(|index| floats(a.float_field(index), b.float_field(index), mode))
        .find(|&order| order != Some(Ordering::Equal))
        .unwrap_or(Some(Ordering::Equal))
}

fn customs(a: Value, b: Value, mode: Mode) -> Result<Order, Raised> {
    let (kind_a, kind_b) = (Kind::of(a), Kind::of(b));
    if kind_a == Kind::Foreign || kind_b == Kind::Foreign {
        return foreign(a, b, mode);
    }
    if kind_a != kind_b {
        return Ok(Some(kind_a.identifier().cmp(kind_b.identifier())));
    }
    match kind_a {
        Kind::Int32 => Ok(Some(custom::as_int32(a).cmp(&custom::as_int32(b)))),
        Kind::Int64 | Kind::Nativeint => Ok(Some(custom::as_int64(a).cmp(&custom::as_int64(b)))),
        Kind::Bigarray => Ok(bigarray::order(a, b, mode)),
        // These are ordered by identity.
        Kind::Channel | Kind::Lock | Kind::Thread => {
            Ok(Some(custom::as_int64(a).cmp(&custom::as_int64(b))))
        }
        Kind::Foreign => Err(raise::invalid_argument("compare: abstract value")),
    }
}

/// The same where one of the blocks is of stubs.
fn foreign(a: Value, b: Value, mode: Mode) -> Result<Order, Raised> {
    let (of_a, of_b) = (Operations::of(a), Operations::of(b));
    let (Some(x), Some(y)) = (of_a, of_b) else {
        return Ok(Some(identifier(a).cmp(&identifier(b))));
    };
    if !x.compares_like(y) {
        let below = x.identifier() < y.identifier();
        return Ok(Some(if below {
            Ordering::Less
        } else {
            Ordering::Greater
        }));
    }
    match x.compare(Comparison::Blocks, a, b)? {
        Some(order) => Ok(ordered(order, mode)),
        None => Err(raise::invalid_argument("compare: abstract value")),
    }
}

/// What orders custom blocks of different kinds.
fn identifier(block: Value) -> Vec<u8> {
    match Operations::of(block) {
        Some(operations) => operations.identifier(),
        None => Kind::of(block).identifier().into(),
    }
}
