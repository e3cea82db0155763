//! What cleanup leaves of each shape of code, and that its algebra is exact.
//!
//! That whole functions keep their meaning is tested with lowering ([`crate::lower`]).

use expect_test::{Expect, expect};

use crate::exec::{self, NoHost, State};
use crate::ir::residual::{BlockData, Function, Inst, Terminator, Value, Values};
use crate::ir::{Signature, Type};
use crate::op::{Const, Op, Plain};
use crate::random::Random;

fn check(text: &str, expect: Expect) {
    let mut function: Function = crate::text::parse(text).expect("the test's function parses");
    crate::verify::residual(&function, &crate::random::Types)
        .expect("the test's function is valid");
    super::run(&mut function);
    crate::verify::residual(&function, &crate::random::Types)
        .expect("cleanup leaves a valid function");
    expect.assert_eq(&function.to_string());
}

/// Integer operators without effect.
fn operators() -> Vec<Plain> {
    let integer = |ty: &Type| matches!(ty, Type::I32 | Type::I64);
    let all = Plain::ALL.iter().copied().filter(|plain| !plain.may_trap());
    all.filter(|plain| plain.operands().iter().all(integer) && integer(&plain.result()))
        .collect()
}

/// A chain of operators on the parameters, each on the result of the one before where types permit.
fn chain(random: &mut Random, operators: &[Plain], length: usize) -> Function {
    let types = vec![Type::I32, Type::I64];
    let signature = Signature {
        params: types.clone(),
        results: vec![Type::I64],
    };
    let block = BlockData {
        params: vec![Value(0), Value(1)],
        insts: Vec::new(),
        term: Terminator::Unreachable,
    };
    let mut function = Function {
        signature,
        blocks: vec![block],
        types,
    };
    let mut last = Value(random.below(2) as u32);
    let push = |function: &mut Function, op: Op, args: &[Value], ty: Type| {
        let result = function.new_value(ty);
        let args = Values::from_slice(args);
        function.blocks[0].insts.push(Inst {
            op,
            args,
            result: Some(result),
        });
        result
    };
    let mut made = 0;
    while made < length {
        let plain = operators[random.below(operators.len())];
        let Some(place) = plain
            .operands()
            .iter()
            .position(|&ty| ty == function.value_type(last))
        else {
            continue;
        };
        let mut args = Vec::new();
        for (index, &ty) in plain.operands().iter().enumerate() {
            let small = [
                -8,
                -2,
                -1,
                0,
                1,
                1,
                2,
                3,
                4,
                5,
                7,
                31,
                32,
                33,
                63,
                64,
                i64::from(u32::MAX),
                i64::MIN,
            ];
            let constant = Const::from_bits(ty, small[random.below(small.len())] as u64);
            args.push(match index == place {
                true => last,
                false if random.below(8) == 0 => Value(u32::from(ty == Type::I64)),
                false => push(&mut function, Op::Const(constant), &[], ty),
            });
        }
        last = push(&mut function, Op::Plain(plain), &args, plain.result());
        made += 1;
    }
    if function.value_type(last) == Type::I32 {
        last = push(&mut function, Op::I64ExtendI32U, &[last], Type::I64);
    }
    function.blocks[0].term = Terminator::Return(Values::from_slice(&[last]));
    function
}

#[test]
fn the_algebra_is_exact() {
    let all = operators();
    // Operators that rules are about come up more often.
    let known = "eqz eq ne lt_s le_s gt_s ge_s add sub and or xor shl shr_s shr_u wrap_i64 extend_i32_u extend_i32_s";
    let known: Vec<&str> = known.split(' ').collect();
    let is_known = |plain: &Plain| {
        plain
            .name()
            .split_once('.')
            .is_some_and(|(_, name)| known.contains(&name))
    };
    let chosen: Vec<Plain> = all.iter().copied().filter(is_known).collect();
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let operators = if seed % 8 == 0 { &all } else { &chosen };
        let length = 1 + random.below(5);
        check_chain(&chain(&mut random, operators, length));
    }
}

fn check_chain(function: &Function) {
    let mut clean = function.clone();
    super::run(&mut clean);
    for narrow in [0, 1, 2, 3, -1, 7, i32::MIN, i32::MAX] {
        for wide in [0, 1, 2, 3, -1, -2, 5, 1 << 31, 1 << 32, i64::MIN, i64::MAX] {
            let args = [Const::I32(narrow), Const::I64(wide)];
            let run = |function| {
                exec::run(
                    function,
                    &args,
                    &mut State::new(0, Vec::new(), 10),
                    &mut NoHost,
                )
            };
            assert_eq!(
                run(&clean),
                run(function),
                "of {args:?} in {function} as {clean}"
            );
        }
    }
}

#[test]
fn a_tagged_comparison_is_tested_as_it_is() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 1
    v3: i64 = i64.shr_s v1, v2
    v4: i64 = i64.const 2
    v5: i32 = i64.ge_s v3, v4
    v6: i64 = i64.extend_i32_u v5
    v7: i64 = i64.shl v6, v2
    v8: i64 = i64.or v7, v2
    v9: i32 = i64.ne v8, v2
    branch v9 ? bb1() : bb2()
bb1():
    return v1
bb2():
    return v2
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 4
                v3: i64 = i64.const 1
                v4: i32 = i64.ge_s v1, v2
                branch v4 ? bb1() : bb2()
            bb1():
                return v1
            bb2():
                return v3
            }
        "#]],
    );
}

#[test]
fn parameters_that_are_one_value_go() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    jump bb1(v1, v0)
bb1(v2: i64, v3: i32):
    v4: i64 = call fn0 v3, v2
    v5: i32 = i64.eqz v4
    branch v5 ? bb2(v2, v3) : bb3(v2, v4)
bb2(v6: i64, v7: i32):
    jump bb1(v6, v7)
bb3(v8: i64, v9: i64):
    v10: i64 = i64.add v8, v9
    return v10
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1()
            bb1():
                v2: i64 = call fn0 v0, v1
                v3: i32 = i64.eqz v2
                branch v3 ? bb1() : bb2()
            bb2():
                v4: i64 = i64.add v1, v2
                return v4
            }
        "#]],
    );
}

#[test]
fn parameters_that_go_together_become_one() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    jump bb1(v1, v1)
bb1(v2: i64, v3: i64):
    v4: i64 = call fn0 v0, v2
    v5: i64 = call fn0 v0, v3
    v6: i32 = i64.eqz v5
    branch v6 ? bb1(v4, v4) : bb2()
bb2():
    return v3
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1(v1)
            bb1(v2: i64):
                v3: i64 = call fn0 v0, v2
                v4: i64 = call fn0 v0, v2
                v5: i32 = i64.eqz v4
                branch v5 ? bb1(v3) : bb2()
            bb2():
                return v2
            }
        "#]],
    );
}

#[test]
fn what_nothing_depends_on_goes() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = i64.const 0
    jump bb1(v2)
bb1(v3: i64):
    v4: i64 = i64.add v3, v1
    v5: i64 = i64.load offset=0 v0
    v6: i64 = call fn0 v0, v1
    v7: i32 = i64.eqz v6
    branch v7 ? bb1(v4) : bb2()
bb2():
    return v6
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                jump bb1()
            bb1():
                v2: i64 = call fn0 v0, v1
                v3: i32 = i64.eqz v2
                branch v3 ? bb1() : bb2()
            bb2():
                return v2
            }
        "#]],
    );
}

#[test]
fn returned_calls_are_tail_calls() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    v2: i64 = call fn0 v0, v1
    jump bb3(v2)
bb2():
    v3: i64 = i64.const 3
    v4: i64 = call fn0 v0, v3
    jump bb3(v4)
bb3(v5: i64):
    return v5
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 3
                branch v0 ? bb1() : bb2()
            bb1():
                tail_call fn0 v0, v1
            bb2():
                tail_call fn0 v0, v2
            }
        "#]],
    );
}

#[test]
fn equal_ways_out_are_one() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i64 = call fn0 v0, v1
    v3: i32 = i64.eqz v2
    branch v3 ? bb1() : bb2()
bb1():
    v4: i64 = i64.const 0
    return v4
bb2():
    v5: i64 = call fn0 v0, v2
    v6: i32 = i64.eqz v5
    branch v6 ? bb3() : bb4()
bb3():
    v7: i64 = i64.const 0
    return v7
bb4():
    v8: i64 = i64.mul v5, v2
    return v8
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i64 = i64.const 0
                v3: i64 = call fn0 v0, v1
                v4: i32 = i64.eqz v3
                branch v4 ? bb2() : bb1()
            bb1():
                v5: i64 = call fn0 v0, v3
                v6: i32 = i64.eqz v5
                branch v6 ? bb2() : bb3()
            bb2():
                return v2
            bb3():
                v7: i64 = i64.mul v5, v3
                return v7
            }
        "#]],
    );
}

#[test]
fn decided_branches_go_one_way() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = i32.const 2
    switch v2 [bb1(), bb1(), bb2(v1)] default bb1()
bb1():
    unreachable
bb2(v3: i64):
    branch v0 ? bb3(v3) : bb3(v3)
bb3(v4: i64):
    return v4
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                return v1
            }
        "#]],
    );
}

#[test]
fn what_both_arms_begin_with_comes_before_the_branch() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    branch v0 ? bb1() : bb2()
bb1():
    i64.store offset=8 v0, v1
    v2: i64 = i64.load offset=0 v0
    v3: i64 = call fn0 v0, v2
    jump bb3(v3)
bb2():
    i64.store offset=8 v0, v1
    v4: i64 = i64.load offset=0 v0
    v5: i64 = i64.mul v4, v1
    jump bb3(v5)
bb3(v6: i64):
    v7: i64 = i64.add v6, v1
    return v7
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                i64.store offset=8 v0, v1
                v2: i64 = i64.load v0
                branch v0 ? bb1() : bb2()
            bb1():
                v3: i64 = call fn0 v0, v2
                jump bb3(v3)
            bb2():
                v4: i64 = i64.mul v2, v1
                jump bb3(v4)
            bb3(v5: i64):
                v6: i64 = i64.add v5, v1
                return v6
            }
        "#]],
    );
}

#[test]
fn a_frame_that_nothing_is_called_under_goes() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = global.get global0
    v3: i32 = i32.const 16
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    i64.store offset=8 v4, v1
    branch v0 ? bb1() : bb2()
bb1():
    v5: i64 = i64.load offset=8 v4
    v6: i32 = i32.wrap_i64 v5
    branch v6 ? bb1() : bb2()
bb2():
    v7: i32 = i32.add v4, v3
    global.set global0 v7
    v8: i64 = call fn0 v0, v1
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -16
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                i64.store offset=8 v4, v1
                branch v0 ? bb1() : bb2()
            bb1():
                v5: i64 = i64.load offset=8 v4
                v6: i32 = i32.wrap_i64 v5
                branch v6 ? bb1() : bb2()
            bb2():
                v7: i64 = call fn0 v0, v1
                return v1
            }
        "#]],
    );
}

#[test]
fn a_frame_under_a_call_stays() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    v2: i32 = global.get global0
    v3: i32 = i32.const 16
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    branch v0 ? bb1() : bb2()
bb1():
    v5: i64 = call fn0 v4, v1
    jump bb2()
bb2():
    global.set global0 v2
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -16
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                global.set global0 v4
                branch v0 ? bb1() : bb2()
            bb1():
                v5: i64 = call fn0 v4, v1
                jump bb2()
            bb2():
                global.set global0 v3
                return v1
            }
        "#]],
    );
}

#[test]
fn a_global_that_a_loop_changes_is_read_in_it() {
    check(
        "function(i32, i64) -> i64 {
bb0(v0: i32, v1: i64):
    global.set global0 v0
    jump bb1()
bb1():
    v2: i32 = global.get global0
    v3: i32 = i32.const 1
    v4: i32 = i32.sub v2, v3
    global.set global0 v4
    branch v4 ? bb1() : bb2()
bb2():
    return v1
}
",
        expect![[r#"
            function(i32, i64) -> i64 {
            bb0(v0: i32, v1: i64):
                v2: i32 = i32.const -1
                global.set global0 v0
                jump bb1()
            bb1():
                v3: i32 = global.get global0
                v4: i32 = i32.add v3, v2
                global.set global0 v4
                branch v4 ? bb1() : bb2()
            bb2():
                return v1
            }
        "#]],
    );
}
