//! Puts constants that are added to addresses into the offsets of loads and stores.
//!
//! The sum of an address and a constant wraps, and the sum that an access makes of its address and
//! its offset does not. So this is done where an interpreter says that the address lies within a
//! memory region (`address.within`), whose contract is that no address below [`LIMIT`] comes from a
//! sum that wraps. The sum with a constant below the limit then wraps for no address.
//!
//! Invariant: an offset that this makes is below the limit, so an engine that reserves memory
//! behind the last address needs no test for it.

use crate::index::Map;
use crate::ir::residual::{Function, Inst, Value};
use crate::op::{Const, Intrinsic, Op};

const LIMIT: u32 = 1 << 16;

/// How a value is computed, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Constant(i32),
    Sum([Value; 2]),
    /// The value, of which a region is known.
    Within(Value),
    Other,
}

pub fn run(function: &mut Function) {
    let mut known = Map::filled_like(&function.types, Known::Other);
    for data in function.blocks.values() {
        for inst in &data.insts {
            if let Some(result) = inst.result {
                known[result] = computed(inst);
            }
        }
    }
    for data in function.blocks.values_mut() {
        for inst in &mut data.insts {
            let (Op::Load { offset, .. } | Op::Store { offset, .. }) = &mut inst.op else {
                continue;
            };
            let Some((base, constant)) = displaced(&known, inst.args[0]) else {
                continue;
            };
            let sum = offset.saturating_add(constant);
            if sum < LIMIT {
                *offset = sum;
                inst.args[0] = base;
            }
        }
    }
}

fn computed(inst: &Inst) -> Known {
    match inst.op {
        Op::Const(Const::I32(constant)) => Known::Constant(constant),
        Op::I32Add => Known::Sum([inst.args[0], inst.args[1]]),
        Op::Intrinsic(Intrinsic::AddressWithin) => Known::Within(inst.args[0]),
        _ => Known::Other,
    }
}

/// The address and the constant whose sum `address` is, if that does not wrap.
fn displaced(known: &Map<Value, Known>, address: Value) -> Option<(Value, u32)> {
    let Known::Within(mut sum) = known[address] else {
        return None;
    };
    while let Known::Within(inner) = known[sum] {
        sum = inner;
    }
    let Known::Sum([a, b]) = known[sum] else {
        return None;
    };
    let (base, constant) = match (known[a], known[b]) {
        (Known::Constant(_), Known::Constant(_)) => return None,
        (_, Known::Constant(constant)) => (a, constant),
        (Known::Constant(constant), _) => (b, constant),
        _ => return None,
    };
    Some((base, u32::try_from(constant).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a load through `address`, which is computed from `v0` and `v1: i32` before.
    fn load(before: &str, load: &str) -> String {
        let mut function = crate::text::parse(&format!(
            "function(i32) -> i64 {{
bb0(v0: i32):
    v1: i32 = i32.const 2
{before}
    v9: i64 = {load}
    return v9
}}
"
        ))
        .expect("the text is valid");
        run(&mut function);
        let text = function.to_string();
        let line = text.lines().find(|line| line.contains("v9: i64"));
        line.expect("there is a load").trim().to_owned()
    }

    const SUM: &str = "v2: i32 = i32.const 24\n v3: i32 = i32.add v0, v2\n";

    #[test]
    fn a_constant_of_an_address_within_a_region_is_an_offset() {
        let before = format!("{SUM} v4: i32 = address.within v3, v1");
        let text = load(&before, "i64.load offset=8 v4");
        assert_eq!(text, "v9: i64 = i64.load offset=32 v0");
        let twice = format!("{before}\n v5: i32 = address.within v4, v1");
        let text = load(&twice, "i64.load offset=0 v5");
        assert_eq!(text, "v9: i64 = i64.load offset=24 v0");
        let turned = before.replace("v0, v2", "v2, v0");
        assert_eq!(load(&turned, "i64.load offset=0 v4"), text);
    }

    #[test]
    fn a_sum_that_may_wrap_stays() {
        let plain = load(SUM, "i64.load offset=0 v3");
        assert_eq!(plain, "v9: i64 = i64.load v3");
        let before = format!("{SUM} v4: i32 = address.within v3, v1");
        for constant in ["-8", "65536", "2147483647"] {
            let text = load(&before.replace("24", constant), "i64.load offset=0 v4");
            assert_eq!(text, "v9: i64 = i64.load v4", "{constant}");
        }
        let far = load(&before, "i64.load offset=65520 v4");
        assert_eq!(far, "v9: i64 = i64.load offset=65520 v4");
        let of_constants = before.replace("v0, v2", "v1, v2");
        assert_eq!(
            load(&of_constants, "i64.load offset=0 v4"),
            "v9: i64 = i64.load v4"
        );
    }
}
