//! Functions that are large in one way are cleaned up in linear time: in quadratic time, each of
//! these would take from several seconds to minutes.

use std::fmt::Write;

use super::Trapped;
use crate::allocator::Allocator;
use crate::ir::residual::Function;

/// What is left of a function; `fn1` is the allocator's.
fn clean(text: &str) -> String {
    let mut function: Function = crate::text::parse(text).expect("the test's function parses");
    let allocator = Allocator {
        allocate: crate::ir::Func(1),
        pointer: 0x90,
        floor: 0x94,
        is_counted: false,
    };
    super::run(
        &mut function,
        &[],
        Some(&allocator),
        Trapped::Ends,
        &Default::default(),
        &mut |_, _| {},
    );
    function.to_string()
}

/// A function of `i32` and `i64` with this in its first block, and these blocks behind it.
fn function(first: &str, others: &str) -> String {
    format!("function(i32, i64) -> i64 {{\nbb0(v0: i32, v1: i64):\n{first}{others}}}\n")
}

#[test]
fn globals_are_many() {
    let mut text = String::new();
    for _ in 0..2 {
        for global in 0..20_000 {
            writeln!(text, "global.set global{global} v0").expect("strings grow");
        }
    }
    let left = clean(&function(&format!("{text}return v1\n"), ""));
    // Of the first ones, each write but the last is dropped.
    assert_eq!(left.matches("global.set").count(), 40_000 - 64);
}

#[test]
fn an_address_is_computed_in_many_steps() {
    let mut text =
        String::from("v2: i32 = i32.const 8\nv3: i32 = i32.const 1\nv5: i32 = i32.and v0, v2\n");
    for step in 0..100_000 {
        let (before, sum, after, loaded) = (5 + 3 * step, 6 + 3 * step, 8 + 3 * step, 7 + 3 * step);
        write!(
            text,
            "v{sum}: i32 = i32.add v{before}, v2
             v{after}: i32 = address.within v{sum}, v3
             v{loaded}: i64 = i64.load v{after}
             i64.store v{after}, v1\n",
        )
        .expect("strings grow");
    }
    let left = clean(&function(&format!("{text}return v1\n"), ""));
    assert_eq!(left.matches("i64.store").count(), 100_000);
}

#[test]
fn a_switch_with_many_targets_follows_many_instructions() {
    let (mut first, mut others) = (String::new(), String::new());
    let mut targets = Vec::new();
    first.push_str("v2: f64 = f64.convert_i64_s v1\n");
    for number in 0..50_000 {
        let (sum, called, block) = (3 + 2 * number, 4 + 2 * number, 1 + number);
        writeln!(first, "v{sum}: f64 = f64.add v2, v2\nf64.store v0, v{sum}")
            .expect("strings grow");
        write!(
            others,
            "bb{block}():\nv{called}: i64 = call fn0 v0, v1\nf64.store v0, v2\nreturn v{called}\n"
        )
        .expect("strings grow");
        targets.push(format!("bb{block}()"));
    }
    let targets = targets.join(", ");
    let left = clean(&function(
        &format!("{first}switch v0 [{targets}] default bb1()\n"),
        &others,
    ));
    assert!(left.contains("switch"));
}

/// One way loads from it, in many blocks; the other hands it on, and many blocks follow.
#[test]
fn a_block_of_memory_is_loaded_from_in_many_places() {
    let first = "v2: i32 = i32.const 16\nv3: i64 = i64.const 1024\n\
        v4: i32 = call fn1 v2, v3\ni64.store v4, v1\nbranch v0 ? bb1() : bb2()\n";
    let mut others = String::new();
    let end = 160_000;
    for number in 0..end / 2 {
        let [loading, other] = [1 + 2 * number, 2 + 2 * number];
        let [loaded, half, word, called, bits] = [5, 6, 7, 8, 9].map(|value| value + 5 * number);
        let [next, last] = [loading + 2, other + 2].map(|block| block.min(end + 1));
        write!(
            others,
            "bb{loading}():
             v{loaded}: i64 = i64.load v4
             v{half}: i32 = i32.wrap_i64 v{loaded}
             i64.store offset={number} v0, v1
             branch v{half} ? bb{next}() : bb{}()
             bb{other}():
             v{word}: i64 = i64.extend_i32_u v4
             v{called}: i64 = call fn0 v0, v{word}
             v{bits}: i32 = i32.wrap_i64 v{called}
             branch v{bits} ? bb{last}() : bb{}()\n",
            end + 1,
            end + 1,
        )
        .expect("strings grow");
    }
    write!(others, "bb{}():\nreturn v1\n", end + 1).expect("strings grow");
    let left = clean(&function(first, &others));
    assert!(!left.contains("load v4"));
}

/// Of one field, many values are stored; another one is loaded in many places, and the address is
/// handed on in many others.
#[test]
fn a_block_of_memory_is_used_often() {
    let count = 60_000;
    let mut first = String::from(
        "v2: i32 = i32.const 24\nv3: i64 = i64.const 2048\n\
         v4: i32 = call fn1 v2, v3\ni64.store v4, v1\n",
    );
    let mut calls = String::from("v5: i64 = i64.extend_i32_u v4\n");
    for number in 0..count {
        let [loaded, called] = [6, 7].map(|value| value + 2 * number);
        write!(
            first,
            "v{loaded}: i64 = i64.load v4
             i64.store offset=8 v4, v{loaded}\n"
        )
        .expect("strings grow");
        writeln!(calls, "v{called}: i64 = call fn0 v0, v5").expect("strings grow");
    }
    let left = clean(&function(
        &format!("{first}branch v0 ? bb1() : bb2()\n"),
        &format!("bb1():\n{calls}return v1\nbb2():\nreturn v1\n"),
    ));
    assert!(!left.contains("i64.load"));
}

/// Each value that an edge brings to a test is a choice by a condition of its own.
#[test]
fn an_edge_brings_many_choices() {
    let count = 40_000;
    let mut first = String::from("v2: i64 = i64.const 1\nv3: i64 = i64.const 3\n");
    let (mut choices, mut params) = (Vec::new(), Vec::new());
    for number in 0..count {
        let [loaded, cond, choice, param] = [4, 5, 6, 7].map(|value| value + 4 * number);
        write!(
            first,
            "v{loaded}: i64 = i64.load offset={number} v0
             v{cond}: i32 = i64.lt_s v1, v{loaded}
             v{choice}: i64 = select v2, v3, v{cond}\n",
        )
        .expect("strings grow");
        choices.push(format!("v{choice}"));
        params.push(format!("v{param}: i64"));
    }
    let [choices, params] = [choices, params].map(|list| list.join(", "));
    let (last, test) = (3 + 4 * count, 4 + 4 * count);
    let left = clean(&function(
        &format!("{first}branch v0 ? bb1({choices}) : bb2()\n"),
        &format!(
            "bb1({params}):
             v{test}: i32 = i64.eq v{last}, v2
             branch v{test} ? bb2() : bb3()
             bb2():
             return v1
             bb3():
             return v2\n"
        ),
    ));
    assert!(!left.contains("select"));
}

#[test]
fn many_blocks_allocate() {
    let count = 100_000;
    let first = "v2: i32 = i32.const 16\nv3: i64 = i64.const 1024\njump bb1()\n";
    let mut others = String::new();
    for number in 0..count {
        let [made, word, called] = [4, 5, 6].map(|value| value + 3 * number);
        write!(
            others,
            "bb{}():
             v{made}: i32 = call fn1 v2, v3
             i64.store v{made}, v1
             v{word}: i64 = i64.extend_i32_u v{made}
             v{called}: i64 = call fn0 v0, v{word}
             branch v{made} ? bb{}() : bb{}()\n",
            number + 1,
            number + 2,
            count + 1
        )
        .expect("strings grow");
    }
    write!(others, "bb{}():\nreturn v1\n", count + 1).expect("strings grow");
    let left = clean(&function(first, &others));
    assert_eq!(left.matches("call fn1").count(), count);
}

#[test]
fn loops_whose_results_are_needed_at_the_end_ask_what_does_not_change() {
    let count = 4000;
    let first = "v2: i32 = i32.const 1\njump bb1(v0, v1)\n";
    let (mut others, mut sum) = (String::new(), String::new());
    for number in 0..count {
        let [left, before, asked, more, most, after, fewer, total] =
            [3, 4, 5, 6, 7, 8, 9, 10].map(|value| value + 8 * number);
        let [head, one, other, end, next] = [1, 2, 3, 4, 5].map(|block| block + 4 * number);
        write!(
            others,
            "bb{head}(v{left}: i32, v{before}: i64):
             v{asked}: i32 = i32.and v0, v2
             branch v{asked} ? bb{one}() : bb{other}()
             bb{one}():
             v{more}: i64 = i64.add v{before}, v1
             jump bb{end}(v{more})
             bb{other}():
             v{most}: i64 = i64.mul v{before}, v1
             jump bb{end}(v{most})
             bb{end}(v{after}: i64):
             v{fewer}: i32 = i32.sub v{left}, v2
             branch v{fewer} ? bb{head}(v{fewer}, v{after}) : bb{next}(v0, v1)\n",
        )
        .expect("strings grow");
        let others = if number == 0 {
            "v1".into()
        } else {
            format!("v{}", total - 8)
        };
        writeln!(sum, "v{total}: i64 = i64.add v{after}, {others}").expect("strings grow");
    }
    let [rounds, result] = [3, 4].map(|value| value + 8 * count);
    writeln!(
        others,
        "bb{}(v{rounds}: i32, v{result}: i64):\n{sum}return v{}",
        1 + 4 * count,
        2 + 8 * count
    )
    .expect("strings grow");
    let left = clean(&function(first, &others));
    assert!(left.matches("i64.mul").count() >= count);
}
