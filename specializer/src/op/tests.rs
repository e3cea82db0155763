//! The operator table against WebAssembly's corner cases.

use super::*;

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = Plain::ALL.iter().map(|op| op.name()).collect();
    names.extend(LoadKind::ALL.iter().map(|kind| kind.name()));
    names.extend(StoreKind::ALL.iter().map(|kind| kind.name()));
    names.extend(Intrinsic::ALL.iter().map(|intrinsic| intrinsic.name()));
    let total = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), total);
}

#[test]
fn traps_do_not_fold() {
    let i32s = |op: Op, a, b| op.fold(&[Const::I32(a), Const::I32(b)]);
    assert_eq!(i32s(Op::I32DivS, 1, 0), None);
    assert_eq!(i32s(Op::I32DivS, i32::MIN, -1), None);
    assert_eq!(i32s(Op::I32RemS, i32::MIN, -1), Some(Const::I32(0)));
    assert_eq!(i32s(Op::I32DivU, -1, 2), Some(Const::I32(i32::MAX)));
    assert_eq!(i32s(Op::I32RemU, 1, 0), None);
}

#[test]
fn truncations_trap_exactly_out_of_range() {
    let f64_to = |op: Op, value: f64| op.fold(&[Const::F64(value.to_bits())]);
    let below = -2_147_483_649.0;
    assert_eq!(f64_to(Op::I32TruncF64S, below), None);
    assert_eq!(
        f64_to(Op::I32TruncF64S, below + 0.5),
        Some(Const::I32(i32::MIN))
    );
    assert_eq!(f64_to(Op::I32TruncF64U, -0.9), Some(Const::I32(0)));
    assert_eq!(f64_to(Op::I32TruncF64U, -1.0), None);
    assert_eq!(f64_to(Op::I64TruncF64S, f64::NAN), None);
    assert_eq!(f64_to(Op::I64TruncF64S, 9.3e18), None);
    assert_eq!(
        f64_to(Op::I64TruncSatF64S, 9.3e18),
        Some(Const::I64(i64::MAX))
    );
}

#[test]
fn nans_fold_only_where_their_bits_are_given() {
    let odd = Const::F64(0x7ff0_0000_0000_0001);
    let one = Const::F64(1.0_f64.to_bits());
    assert_eq!(Op::F64Add.fold(&[odd, one]), None);
    assert_eq!(
        Op::F64Neg.fold(&[odd]),
        Some(Const::F64(0xfff0_0000_0000_0001))
    );
    assert_eq!(Op::F64Copysign.fold(&[odd, one]), Some(odd));
    assert_eq!(Op::F64Lt.fold(&[odd, one]), Some(Const::I32(0)));
    assert_eq!(Op::F64Ne.fold(&[odd, odd]), Some(Const::I32(1)));
}

#[test]
fn zeros_keep_their_signs() {
    let (plus, minus) = (Const::F64(0), Const::F64(1 << 63));
    assert_eq!(Op::F64Min.fold(&[plus, minus]), Some(minus));
    assert_eq!(Op::F64Max.fold(&[minus, plus]), Some(plus));
    assert_eq!(
        Op::F64Nearest.fold(&[Const::F64((-0.5_f64).to_bits())]),
        Some(minus)
    );
    assert_eq!(
        Op::F64Nearest.fold(&[Const::F64(2.5_f64.to_bits())]),
        Some(Const::F64(2.0_f64.to_bits()))
    );
}

#[test]
fn shifts_and_rotations_take_counts_modulo_the_width() {
    let fold = |op: Op, a, b| op.fold(&[Const::I64(a), Const::I64(b)]);
    assert_eq!(fold(Op::I64Shl, 1, 65), Some(Const::I64(2)));
    assert_eq!(fold(Op::I64ShrU, -1, 63), Some(Const::I64(1)));
    assert_eq!(fold(Op::I64ShrS, -4, 1), Some(Const::I64(-2)));
    assert_eq!(
        fold(Op::I64Rotl, i64::MIN, 1 << 32 | 1),
        Some(Const::I64(1))
    );
}

#[test]
fn narrow_loads_extend() {
    assert_eq!(LoadKind::I64Load8S.value(&[0x80]), Const::I64(-128));
    assert_eq!(LoadKind::I64Load8U.value(&[0x80]), Const::I64(128));
    assert_eq!(LoadKind::I32Load16S.value(&[0xff, 0xff]), Const::I32(-1));
    assert_eq!(
        LoadKind::I64Load.value(&[1, 0, 0, 0, 0, 0, 0, 0x80]),
        Const::I64(i64::MIN | 1)
    );
    assert_eq!(
        StoreKind::I64Store32.bytes(Const::I64(-2))[..4],
        [0xfe, 0xff, 0xff, 0xff]
    );
}

#[test]
fn encoding_and_decoding_agree() {
    for &plain in Plain::ALL {
        let mut bytes = Vec::new();
        wasm_encoder::Encode::encode(&Op::Plain(plain).encode().expect("plain"), &mut bytes);
        bytes.push(0x0b);
        let reader = wasmparser::BinaryReader::new(&bytes, 0);
        let operator = wasmparser::OperatorsReader::new(reader)
            .read()
            .expect("an operator");
        assert_eq!(Op::decode(&operator), Some(Op::Plain(plain)));
    }
}
