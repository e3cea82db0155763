//! What lowering writes for each shape of code.

use expect_test::{Expect, expect};

use super::tests::{module, validate};
use crate::ir::residual::Function;
use crate::module::Module;

/// Lowers the function `text` as it stands (of the type of the test module's functions).
fn check(text: &str, expect: Expect) {
    let function: Function = crate::text::parse(text).expect("the test's function parses");
    crate::verify::residual(&function, &crate::random::Types)
        .expect("the test's function is valid");
    let bytes = module(super::function(&function));
    validate(&bytes).expect("lowered code is valid");
    expect.assert_eq(&print(&bytes));
}

/// The operators of the module's function, one a line.
fn print(bytes: &[u8]) -> String {
    use wasmparser::Operator;
    let module = Module::parse(bytes).expect("lowered code parses");
    let mut text = String::new();
    let mut depth = 0_usize;
    for operator in module.bodies[0]
        .get_operators_reader()
        .expect("a body has operators")
    {
        let operator = operator.expect("lowered code parses");
        if let Operator::End | Operator::Else = operator {
            depth = depth.saturating_sub(1);
        }
        text += &format!("{}{}\n", "  ".repeat(depth), brief(&operator));
        if let Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else = operator
        {
            depth += 1;
        }
    }
    text
}

fn brief(operator: &wasmparser::Operator) -> String {
    use wasmparser::Operator::*;
    match operator {
        LocalGet { local_index } => format!("local.get {local_index}"),
        LocalSet { local_index } => format!("local.set {local_index}"),
        LocalTee { local_index } => format!("local.tee {local_index}"),
        I32Const { value } => format!("i32.const {value}"),
        I64Const { value } => format!("i64.const {value}"),
        Br { relative_depth } => format!("br {relative_depth}"),
        BrIf { relative_depth } => format!("br_if {relative_depth}"),
        BrTable { targets } => {
            let labels = targets
                .targets()
                .map(|label| label.expect("lowered code parses").to_string());
            format!(
                "br_table {} {}",
                labels.collect::<Vec<_>>().join(" "),
                targets.default()
            )
        }
        Call { function_index } => format!("call {function_index}"),
        ReturnCall { function_index } => format!("return_call {function_index}"),
        Block { .. } => "block".into(),
        Loop { .. } => "loop".into(),
        If { .. } => "if".into(),
        I32Load { memarg } => format!("i32.load offset={}", memarg.offset),
        I64Load { memarg } => format!("i64.load offset={}", memarg.offset),
        I64Store { memarg } => format!("i64.store offset={}", memarg.offset),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[test]
fn a_result_with_one_use_stays_on_the_stack() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 5
    v3: i64 = i64.add v1, v2
    v4: i64 = i64.load offset=8 v0
    v5: i64 = i64.mul v3, v4
    return v5
}
",
        expect![[r#"
            local.get 1
            i64.const 5
            i64add
            local.get 0
            i64.load offset=8
            i64mul
            end
        "#]],
    );
}

#[test]
fn a_result_with_more_uses_stays_for_the_first() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load offset=0 v0
    v3: i64 = i64.add v2, v1
    v4: i64 = i64.mul v3, v2
    return v4
}
",
        expect![[r#"
            local.get 0
            i64.load offset=0
            local.tee 2
            local.get 1
            i64add
            local.get 2
            i64mul
            end
        "#]],
    );
}

#[test]
fn a_load_does_not_move_past_a_store() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load offset=0 v0
    i64.store offset=8 v0, v1
    return v2
}
",
        expect![[r#"
            local.get 0
            i64.load offset=0
            local.set 2
            local.get 0
            local.get 1
            i64.store offset=8
            local.get 2
            end
        "#]],
    );
}

#[test]
fn calls_nest_in_order() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = call fn0 v0, v1
    v3: i64 = call fn0 v0, v1
    v4: i64 = i64.sub v2, v3
    v5: i64 = call fn0 v0, v4
    return v4
}
",
        expect![[r#"
            local.get 0
            local.get 0
            local.get 1
            call 0
            local.get 0
            local.get 1
            call 0
            i64sub
            local.tee 1
            call 0
            drop
            local.get 1
            end
        "#]],
    );
}

#[test]
fn calls_do_not_swap() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = call fn0 v0, v1
    v3: i64 = call fn0 v0, v1
    v4: i64 = i64.sub v3, v2
    return v4
}
",
        expect![[r#"
            local.get 0
            local.get 1
            call 0
            local.set 2
            local.get 0
            local.get 1
            call 0
            local.get 2
            i64sub
            end
        "#]],
    );
}

#[test]
fn a_join_is_the_end_of_an_if() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    v2: i64 = call fn0 v0, v1
    jump bb3(v2)
bb2():
    jump bb3(v1)
bb3(v3: i64):
    return v3
}
",
        expect![[r#"
            local.get 0
            if
              local.get 0
              local.get 1
              call 0
              local.set 2
            else
              local.get 1
              local.set 2
            end
            local.get 2
            end
        "#]],
    );
}

#[test]
fn one_armed_branches_turn_their_comparison_round() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 7
    v3: i32 = i64.lt_s v1, v2
    branch v3 ? bb2() : bb1()
bb1():
    v4: i64 = call fn0 v0, v1
    jump bb2()
bb2():
    return v1
}
",
        expect![[r#"
            local.get 1
            i64.const 7
            i64ges
            if
              local.get 0
              local.get 1
              call 0
              drop
            end
            local.get 1
            end
        "#]],
    );
}

#[test]
fn swapped_parameters_need_no_temporary() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 0
    jump bb1(v1, v2)
bb1(v3: i64, v4: i64):
    v5: i64 = call fn0 v0, v3
    v6: i32 = i64.eqz v5
    branch v6 ? bb2() : bb1(v4, v3)
bb2():
    return v4
}
",
        expect![[r#"
            i64.const 0
            local.set 2
            block
              loop
                local.get 0
                local.get 1
                call 0
                i64eqz
                br_if 1
                local.get 2
                local.get 1
                local.set 2
                local.set 1
                br 0
              end
            end
            local.get 2
            end
        "#]],
    );
}

#[test]
fn code_after_a_loop_is_behind_its_end() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    jump bb1()
bb1():
    v2: i64 = call fn0 v0, v1
    v3: i32 = i64.eqz v2
    branch v3 ? bb1() : bb2()
bb2():
    jump bb3()
bb3():
    v4: i64 = call fn0 v0, v1
    v5: i32 = i64.eqz v4
    branch v5 ? bb3() : bb4()
bb4():
    return v1
}
",
        expect![[r#"
            block
              loop
                local.get 0
                local.get 1
                call 0
                i64eqz
                br_if 0
              end
            end
            block
              loop
                local.get 0
                local.get 1
                call 0
                i64eqz
                br_if 0
              end
            end
            local.get 1
            end
        "#]],
    );
}

#[test]
fn a_switch_is_a_table_of_labels() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    switch v0 [bb1(), bb2(v2), bb1()] default bb2(v1)
bb1():
    v3: i64 = call fn0 v0, v1
    jump bb2(v3)
bb2(v4: i64):
    return v4
}
",
        expect![[r#"
            block
              block
                block
                  block
                    local.get 0
                    br_table 2 1 2 0
                  end
                  local.get 1
                  local.set 2
                  br 2
                end
                i64.const 1
                local.set 2
                br 1
              end
              local.get 0
              local.get 1
              call 0
              local.set 2
            end
            local.get 2
            end
        "#]],
    );
}

#[test]
fn a_loop_with_two_entries_gets_a_dispatcher() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2(v1)
bb1():
    v2: i64 = call fn0 v0, v1
    jump bb2(v2)
bb2(v3: i64):
    v4: i32 = i64.eqz v3
    branch v4 ? bb1() : bb3()
bb3():
    return v1
}
",
        expect![[r#"
            local.get 0
            if
              i32.const 0
              i64.const 0
              local.set 2
              local.set 4
            else
              i32.const 1
              local.get 1
              local.set 2
              local.set 4
            end
            block
              loop
                block
                  block
                    block
                      local.get 4
                      br_table 1 0
                    end
                    local.get 2
                    local.set 3
                    br 1
                  end
                  i32.const 1
                  local.get 0
                  local.get 1
                  call 0
                  local.set 2
                  local.set 4
                  br 1
                end
                local.get 3
                i64eqz
                i32eqz
                br_if 1
                i32.const 0
                i64.const 0
                local.set 2
                local.set 4
                br 0
              end
            end
            local.get 1
            end
        "#]],
    );
}

#[test]
fn calls_in_tail_position() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    tail_call fn0 v0, v1
bb2():
    unreachable
}
",
        expect![[r#"
            local.get 0
            if
              local.get 0
              local.get 1
              return_call 0
            end
            unreachable
            end
        "#]],
    );
}

#[test]
fn locals_are_shared_by_values_that_do_not_live_together() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.load offset=0 v0
    i64.store offset=8 v0, v1
    v3: i64 = i64.add v2, v2
    i64.store offset=16 v0, v3
    v4: i64 = i64.load offset=24 v0
    i64.store offset=32 v0, v3
    v5: i64 = i64.add v4, v4
    return v5
}
",
        expect![[r#"
            local.get 0
            i64.load offset=0
            local.set 2
            local.get 0
            local.get 1
            i64.store offset=8
            local.get 0
            local.get 2
            local.get 2
            i64add
            local.tee 2
            i64.store offset=16
            local.get 0
            i64.load offset=24
            local.set 1
            local.get 0
            local.get 2
            i64.store offset=32
            local.get 1
            local.get 1
            i64add
            end
        "#]],
    );
}

#[test]
fn a_long_expression_does_not_recurse() {
    let mut text = String::from("function(i32, i64) -> i64 {\nbb0(v0: i32, v1: i64):\n");
    let count = 100_000;
    for value in 2..count {
        text += &format!("    v{value}: i64 = i64.add v{}, v1\n", value - 1);
    }
    text += &format!("    return v{}\n}}\n", count - 1);
    let function: Function = crate::text::parse(&text).expect("the test's function parses");
    validate(&module(super::function(&function))).expect("lowered code is valid");
}

#[test]
fn a_deep_dominator_tree_does_not_recurse_or_nest() {
    let mut text =
        String::from("function(i32, i64) -> i64 {\nbb0(v0: i32, v1: i64):\n    jump bb1()\n");
    for block in (1..60_000).step_by(2) {
        let [after, next, value] = [block + 1, block + 2, block / 2 + 2];
        text += &format!("bb{block}():\n    branch v0 ? bb{after}() : bb{next}()\n");
        text +=
            &format!("bb{after}():\n    v{value}: i64 = call fn0 v0, v1\n    jump bb{next}()\n");
    }
    text += "bb60001():\n    return v1\n}\n";
    let function: Function = crate::text::parse(&text).expect("the test's function parses");
    let bytes = module(super::function(&function));
    validate(&bytes).expect("lowered code is valid");
    let indentation = print(&bytes)
        .lines()
        .map(|line| line.len() - line.trim_start().len())
        .max();
    assert_eq!(
        indentation,
        Some(2),
        "branches one after the other do not nest"
    );
}
