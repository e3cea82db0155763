//! Comparisons and their opposites.
//!
//! Leaves out floats: with a NaN, the opposite of "less" is not "greater or equal".

use crate::op::Op;

/// The integer comparison that holds exactly when `op` does not, if `op` is an integer comparison.
pub fn inverse(op: Op) -> Option<Op> {
    Some(match op {
        Op::I32Eq => Op::I32Ne,
        Op::I32Ne => Op::I32Eq,
        Op::I32LtS => Op::I32GeS,
        Op::I32LtU => Op::I32GeU,
        Op::I32GtS => Op::I32LeS,
        Op::I32GtU => Op::I32LeU,
        Op::I32LeS => Op::I32GtS,
        Op::I32LeU => Op::I32GtU,
        Op::I32GeS => Op::I32LtS,
        Op::I32GeU => Op::I32LtU,
        Op::I64Eq => Op::I64Ne,
        Op::I64Ne => Op::I64Eq,
        Op::I64LtS => Op::I64GeS,
        Op::I64LtU => Op::I64GeU,
        Op::I64GtS => Op::I64LeS,
        Op::I64GtU => Op::I64LeU,
        Op::I64LeS => Op::I64GtS,
        Op::I64LeU => Op::I64GtU,
        Op::I64GeS => Op::I64LtS,
        Op::I64GeU => Op::I64LtU,
        _ => return None,
    })
}

/// Whether `op` gives 0 or 1.
pub fn is_comparison(op: Op) -> bool {
    let float = matches!(
        op,
        Op::F32Eq
            | Op::F32Ne
            | Op::F32Lt
            | Op::F32Gt
            | Op::F32Le
            | Op::F32Ge
            | Op::F64Eq
            | Op::F64Ne
            | Op::F64Lt
            | Op::F64Gt
            | Op::F64Le
            | Op::F64Ge
    );
    float || matches!(op, Op::I32Eqz | Op::I64Eqz) || inverse(op).is_some()
}
