//! The specializer's operator table against Wasmtime: each plain operator over corner values, where
//! it has to give the same bits, trap alike, and say so where the engine may choose a NaN.
//!
//! Leaves out operators that touch memory or globals, which random programs cover.

use specializer::ir::Type;
use specializer::op::{Const, LoadKind, Outcome, Plain, StoreKind};
use wasmtime::{Engine, Func, Instance, Module, Store, Val};

#[test]
fn plain_operators_agree_with_the_engine() {
    let engine = Engine::default();
    let module =
        Module::new(&engine, assemble(&text(Plain::ALL))).expect("one function per operator");
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &module, &[]).expect("there are no imports");
    for &plain in Plain::ALL {
        let func = instance
            .get_func(&mut store, plain.name())
            .expect("exported");
        for operands in operand_lists(plain.operands()) {
            check(&mut store, func, plain, &operands);
        }
    }
}

fn check(store: &mut Store<()>, func: Func, plain: Plain, operands: &[Const]) {
    let found = call(store, func, operands, plain.result());
    let agrees = match (plain.evaluate(operands), found) {
        (Outcome::Value(value), Some(found)) => value == found,
        (Outcome::AnyNan(_), Some(found)) => is_nan(found),
        (Outcome::Trap, None) => plain.may_trap(),
        (Outcome::Value(_) | Outcome::AnyNan(_), None) | (Outcome::Trap, Some(_)) => false,
    };
    let outcome = plain.evaluate(operands);
    assert!(
        agrees,
        "{} {operands:?}: {outcome:?}, but the engine gives {found:?}",
        plain.name()
    );
}

/// The result; absent if it traps.
fn call(store: &mut Store<()>, func: Func, operands: &[Const], result: Type) -> Option<Const> {
    let args: Vec<Val> = operands.iter().map(|&operand| to_val(operand)).collect();
    let mut results = [to_val(Const::from_bits(result, 0))];
    func.call(store, &args, &mut results).ok()?;
    Some(match results[0] {
        Val::I32(value) => Const::I32(value),
        Val::I64(value) => Const::I64(value),
        Val::F32(bits) => Const::F32(bits),
        Val::F64(bits) => Const::F64(bits),
        ref other => panic!("plain operators have numbers as results, not {other:?}"),
    })
}

fn to_val(value: Const) -> Val {
    match value {
        Const::I32(value) => Val::I32(value),
        Const::I64(value) => Val::I64(value),
        Const::F32(bits) => Val::F32(bits),
        Const::F64(bits) => Val::F64(bits),
    }
}

fn is_nan(value: Const) -> bool {
    match value {
        Const::F32(bits) => f32::from_bits(bits).is_nan(),
        Const::F64(bits) => f64::from_bits(bits).is_nan(),
        Const::I32(_) | Const::I64(_) => false,
    }
}

fn assemble(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("valid text")
}

/// A module that exports a function for each operator, under the operator's name.
fn text(operators: &[Plain]) -> String {
    let functions = operators.iter().map(|plain| {
        let params: Vec<_> = plain.operands().iter().map(Type::to_string).collect();
        let gets: String = (0..params.len())
            .map(|index| format!(" (local.get {index})"))
            .collect();
        let (name, params, result) = (plain.name(), params.join(" "), plain.result());
        format!("(func (export \"{name}\") (param {params}) (result {result}) ({name}{gets}))\n")
    });
    format!("(module {})", functions.collect::<String>())
}

/// All combinations of corner values of these types.
fn operand_lists(types: &[Type]) -> Vec<Vec<Const>> {
    types.iter().fold(vec![vec![]], |lists, &ty| {
        let extended = |list: &Vec<Const>| {
            let list = list.clone();
            corners(ty)
                .into_iter()
                .map(move |value| [&list[..], &[value]].concat())
        };
        lists.iter().flat_map(extended).collect()
    })
}

fn corners(ty: Type) -> Vec<Const> {
    const INTEGERS: [i64; 18] = [
        0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        63,
        64,
        127,
        128,
        255,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
    ];
    let integers = INTEGERS
        .iter()
        .flat_map(|&value| [value, -value, !value, value << 32, i64::MAX - value]);
    match ty {
        Type::I32 => integers.map(|value| Const::I32(value as i32)).collect(),
        Type::I64 => integers.map(Const::I64).collect(),
        Type::F32 => {
            let nans = [0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 1, 0x8000_0001];
            let bits = floats()
                .into_iter()
                .map(|value| (value as f32).to_bits())
                .chain(nans);
            bits.map(Const::F32).collect()
        }
        Type::F64 => {
            let nans = [
                0x7ff8_0000_0000_0000,
                0xfff8_0000_0000_0001,
                0x7ff0_0000_0000_0001,
                1,
            ];
            let bits = floats().into_iter().map(f64::to_bits).chain(nans);
            bits.map(Const::F64).collect()
        }
    }
}

/// Values around rounding and the bounds of integer types, with both signs.
fn floats() -> Vec<f64> {
    let bounds = [7.0, 31.0, 32.0, 63.0, 64.0].map(f64::exp2);
    let around = bounds.into_iter().flat_map(|bound| {
        [
            bound - 1.0,
            bound - 0.5,
            bound.next_down(),
            bound,
            bound + 0.5,
            bound + 1.0,
            f64::from(bound as f32 * 0.999_999_9),
        ]
    });
    let small = [
        0.0,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        std::f64::consts::PI,
        1e-310,
        1e300,
        3.5e38,
    ];
    let values =
        small
            .into_iter()
            .chain(around)
            .chain([f64::MAX, f64::MIN_POSITIVE, f64::INFINITY]);
    values.flat_map(|value| [value, -value]).collect()
}

#[test]
fn loads_and_stores_agree_with_the_engine() {
    let accesses = LoadKind::ALL.iter().map(|kind| {
        let (name, ty) = (kind.name(), kind.ty());
        format!("(func (export \"{name}\") (result {ty}) ({name} offset=8 (i32.const 8)))\n")
    });
    let stores = StoreKind::ALL.iter().map(|kind| {
        let (name, ty) = (kind.name(), kind.ty());
        format!(
            "(func (export \"{name}\") (param {ty}) (result {ty}) \
            ({name} (i32.const 16) (local.get 0)) (local.get 0))\n"
        )
    });
    let body: String = accesses.chain(stores).collect();
    let engine = Engine::default();
    let module = Module::new(
        &engine,
        assemble(&format!("(module (memory (export \"memory\") 1) {body})")),
    )
    .expect("valid");
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &module, &[]).expect("there are no imports");
    let memory = instance.get_memory(&mut store, "memory").expect("exported");
    for bits in [0, 0x8182_8384_8586_8788, 0x7ff8_7f7f_7f80_8001, u64::MAX] {
        for &kind in LoadKind::ALL {
            memory
                .write(&mut store, 16, &bits.to_le_bytes())
                .expect("in bounds");
            let func = instance
                .get_func(&mut store, kind.name())
                .expect("exported");
            let expected = kind.value(&bits.to_le_bytes()[..kind.width() as usize]);
            assert_eq!(
                call(&mut store, func, &[], kind.ty()),
                Some(expected),
                "{}",
                kind.name()
            );
        }
        for &kind in StoreKind::ALL {
            memory.write(&mut store, 16, &[0x55; 8]).expect("in bounds");
            let func = instance
                .get_func(&mut store, kind.name())
                .expect("exported");
            let value = Const::from_bits(kind.ty(), bits);
            call(&mut store, func, &[value], kind.ty());
            let mut expected = [0x55; 8];
            let width = kind.width() as usize;
            expected[..width].copy_from_slice(&kind.bytes(value)[..width]);
            assert_eq!(memory.data(&store)[16..24], expected, "{}", kind.name());
        }
    }
}
