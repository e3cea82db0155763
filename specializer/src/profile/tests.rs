//! The file's format, and which functions are hot.

use super::*;
use crate::index::Map;
use crate::ir::{Base, Func, Numbers, Sig};
use crate::request::Boxed;

fn identity(name: &str, nth: u32) -> Identity {
    Identity {
        name: name.to_owned(),
        code_len: 8,
        nth,
    }
}

fn profile(counts: &[(&str, u32, u64)]) -> Profile {
    profile_with_calls(counts, &[])
}

/// The profile of functions whose code begins at 8, 16, and so on, with calls: the addresses of the
/// call and of what it called, and how often.
fn profile_with_calls(counts: &[(&str, u32, u64)], calls: &[((u32, u32), u64)]) -> Profile {
    let counted = (1..)
        .zip(counts)
        .map(|(index, &(name, nth, count))| Counted {
            identity: identity(name, nth),
            code: 8 * index,
            activations: count,
        });
    Profile::new(counted.collect(), calls.iter().copied())
}

#[test]
fn what_is_written_is_read() {
    let written = profile(&[
        ("Stdlib.@", 1, 12),
        ("Camel.( !! )", 1, 0),
        ("Camel.(fun)", 1, u64::MAX),
        ("Camel.(fun)", 2, 12),
    ]);
    let text = written.to_string();
    let lines = [
        "bactrian profile 1",
        "18446744073709551615\t8\t1\tCamel.(fun)",
        "12\t8\t2\tCamel.(fun)",
        "12\t8\t1\tStdlib.@",
        "0\t8\t1\tCamel.( !! )",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), lines);
    assert_eq!(Profile::parse(&text), Ok(written));
    assert_eq!(Profile::parse(HEADER), Ok(Profile::default()));
}

#[test]
fn a_malformed_line_is_named() {
    let whole = "bactrian profile 1\n1\t8\t1\tf\n";
    let error = |line: &str| {
        let error = Profile::parse(&format!("{whole}{line}\n")).expect_err("it is malformed");
        assert_eq!(error.line, 3, "{line:?}");
        error.what
    };
    assert_eq!(error(""), "the count is no number of 64 bits");
    assert_eq!(error("-1\t8\t1\tg"), "the count is no number of 64 bits");
    assert_eq!(
        error("18446744073709551616\t8\t1\tg"),
        "the count is no number of 64 bits"
    );
    assert_eq!(
        error("1\tx\t1\tg"),
        "the length of the code is no number of 32 bits"
    );
    assert_eq!(
        error("1\t8"),
        "the number among functions of this name is no number of 32 bits"
    );
    let call = "1\t8\t1\tf\t4\t8\t1\tf";
    assert_eq!(
        error("1\t8\t1\tf\tx"),
        "the distance of the call is no number of 32 bits"
    );
    assert_eq!(
        error("1\t8\t1\tf\t4"),
        "the length of the code is no number of 32 bits"
    );
    assert_eq!(
        error(&format!("{call}\t")),
        "there are more fields than those of a call"
    );
    let twice = format!("{HEADER}\n{call}\n{call}\n");
    assert_eq!(
        Profile::parse(&twice).map_err(|error| (error.line, error.what)),
        Err((3, "this call is on a line before"))
    );
    assert_eq!(error("1\t8\t1"), "the name is missing");
    assert_eq!(error("1\t8\t1\t"), "the name is missing");
    assert_eq!(error("2\t8\t1\tf"), "this function is on a line before");
    for text in ["", "bactrian profile 2\n", "\u{7f}ELF"] {
        assert_eq!(Profile::parse(text).map_err(|error| error.line), Err(1));
    }
}

fn requests(names: &[Option<&str>]) -> Requests {
    let request = |(index, name): (usize, &Option<&str>)| Request {
        function: Func(0),
        slot: 0x100 + 4 * index as u32,
        generic: Func(0),
        sig: Sig(0),
        globals: Vec::new(),
        params: Vec::new(),
        bases: Map::default(),
        anchor: Base(0),
        code: 8 + 8 * index as u32,
        code_len: 8,
        is_recursive: false,
        loops: false,
        returns_early: false,
        boxed: Boxed::default(),
        numbers: Numbers::Boxed,
        name: name.map(Into::into),
        heat: Heat::default(),
        callees: BTreeMap::new(),
    };
    Requests {
        requests: names.iter().enumerate().map(request).collect(),
        ..Requests::default()
    }
}

#[test]
fn functions_of_one_name_are_told_apart() {
    let requests = requests(&[Some("f"), None, Some("f"), Some("g")]);
    let expected = [
        identity("f", 1),
        identity("code@0x10", 1),
        identity("f", 2),
        identity("g", 1),
    ];
    assert_eq!(identities(&requests), expected);
}

#[test]
fn hot_functions_have_nearly_all_activations_and_cold_ones_none() {
    let mut requests = requests(&["a", "b", "c", "d", "e"].map(Some));
    let profile = profile(&[
        ("a", 1, 10),
        ("b", 1, 1000),
        ("c", 1, 0),
        ("d", 1, 1000),
        ("e", 2, 3),
        ("gone", 1, 5),
    ]);
    let fit = profile.apply(&mut requests);
    let heats: Vec<_> = requests.requests.iter().map(|one| one.heat).collect();
    let expected = [Heat::Usual, Heat::Hot, Heat::Cold, Heat::Hot, Heat::Usual];
    assert_eq!(heats, expected);
    let expected = Fit {
        known: 4,
        hot: 2,
        cold: 1,
        unknown: 1,
        stale: 2,
        calls: 0,
    };
    assert_eq!(fit, expected);
}

#[test]
fn where_nothing_ran_nothing_is_hot() {
    let mut requests = requests(&[Some("a"), Some("b")]);
    let fit = profile(&[("a", 1, 0)]).apply(&mut requests);
    assert_eq!((fit.known, fit.hot, fit.cold, fit.unknown), (1, 0, 1, 1));
}

/// What the file says of calls.
#[test]
fn calls_belong_to_the_smallest_code_around_them() {
    let function = |name: &str, code, code_len| Counted {
        identity: Identity {
            name: name.to_owned(),
            code_len,
            nth: 1,
        },
        code,
        activations: 1,
    };
    let functions = vec![
        function("large", 100, 100),
        function("piece", 120, 20),
        function("entry", 120, 10),
        function("after", 300, 10),
    ];
    let calls = [
        ((99, 100), 1),
        ((100, 300), 2),
        ((125, 120), 3),
        ((135, 300), 4),
        ((150, 301), 5),
        ((199, 100), 6),
        ((200, 100), 7),
    ];
    let profile = Profile::new(functions, calls.into_iter());
    let text = profile.to_string();
    let calls: Vec<_> = text
        .lines()
        .filter(|line| line.split('\t').count() > 4)
        .collect();
    let expected = [
        "6\t100\t1\tlarge\t99\t100\t1\tlarge",
        "4\t20\t1\tpiece\t15\t10\t1\tafter",
        "3\t10\t1\tentry\t5\t20\t1\tpiece",
        "2\t100\t1\tlarge\t0\t10\t1\tafter",
    ];
    assert_eq!(calls, expected);
    assert_eq!(Profile::parse(&text), Ok(profile));
}

#[test]
fn callees_are_expected_of_calls_that_nearly_always_call_them() {
    let mut requests = requests(&["a", "b", "c"].map(Some));
    let calls = [
        // Nearly always the same, from the second byte of `a`.
        ((9, 16), 1000),
        ((9, 24), 100),
        // One of two.
        ((10, 16), 1000),
        ((10, 24), 1000),
        // Not often enough, and in code that is gone.
        ((11, 16), 9),
        ((33, 16), 1000),
        // Backwards.
        ((24, 8), 1000),
    ];
    let counts = [
        ("a", 1, 1000),
        ("b", 1, 2000),
        ("c", 1, 2000),
        ("gone", 1, 1000),
    ];
    let fit = profile_with_calls(&counts, &calls).apply(&mut requests);
    assert_eq!(fit.calls, 2);
    let callees = requests.requests.iter().map(|request| {
        let callees = request.callees.iter();
        callees
            .map(|(&at, &callee)| (at, callee))
            .collect::<Vec<_>>()
    });
    let expected = [vec![(1, 16)], vec![], vec![(0, 8)]];
    assert_eq!(callees.collect::<Vec<_>>(), expected);
}
