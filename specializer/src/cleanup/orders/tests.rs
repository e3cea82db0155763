//! All comparisons of all orders with small constants are comparisons of what was ordered.

use super::super::algebra::check_chain;
use crate::ir::residual::Function;

/// How an order comes to its test, of a width, with the name of the value that is tested.
const FORMS: [(&str, u32, &str); 4] = [
    ("", 32, "v4"),
    ("v5: i64 = i64.extend_i32_s v4", 64, "v5"),
    (
        "v5: i64 = i64.extend_i32_s v4
    v6: i64 = i64.const 1
    v7: i64 = i64.shl v5, v6
    v8: i64 = i64.or v7, v6",
        64,
        "v8",
    ),
    (
        "v5: i32 = i32.const 2
    v6: i32 = i32.add v4, v5
    v7: i64 = i64.extend_i32_u v6",
        64,
        "v7",
    ),
];

/// A function that tests the order of its parameters.
fn tested(width: u32, sign: &str, form: usize, comparison: &str, with: i64) -> Function {
    let (extension, operands) = match width {
        32 => ("i32.wrap_i64 v1", ["v0", "v2"]),
        _ => ("i64.extend_i32_s v0", ["v2", "v1"]),
    };
    let [left, right] = operands;
    let (steps, tested, value) = FORMS[form];
    let text = format!(
        "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    v2: i{width} = {extension}
    v3: i32 = i{width}.gt_{sign} {left}, {right}
    v9: i32 = i{width}.lt_{sign} {left}, {right}
    v4: i32 = i32.sub v3, v9
    {steps}
    v10: i{tested} = i{tested}.const {with}
    v11: i32 = i{tested}.{comparison} {value}, v10
    v12: i64 = i64.extend_i32_u v11
    return v12
}}
"
    );
    crate::text::parse(&text).expect("the test's function parses")
}

#[test]
fn comparisons_of_orders_are_comparisons_of_what_was_ordered() {
    let comparisons = [
        "eq", "ne", "lt_s", "lt_u", "le_s", "le_u", "gt_s", "gt_u", "ge_s", "ge_u",
    ];
    for width in [32, 64] {
        for sign in ["s", "u"] {
            for form in 0..FORMS.len() {
                for comparison in comparisons {
                    for with in -2..5 {
                        let function = tested(width, sign, form, comparison, with);
                        let clean = check_chain(&function).to_string();
                        assert!(!clean.contains("sub"), "{function} as {clean}");
                    }
                }
            }
        }
    }
}

#[test]
fn differences_of_other_comparisons_are_none() {
    let text = tested(64, "s", 2, "eq", 1).to_string();
    for (from, to) in [
        ("lt_s v2, v1", "lt_s v1, v2"),
        ("lt_s v2, v1", "lt_u v2, v1"),
        ("lt_s v2, v1", "le_s v2, v1"),
    ] {
        assert!(text.contains(from), "{text}");
        let function = crate::text::parse(&text.replace(from, to)).expect("it parses");
        let clean = check_chain(&function).to_string();
        assert!(clean.contains("sub"), "{clean}");
    }
}
