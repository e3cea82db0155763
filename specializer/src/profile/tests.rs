//! The file's format, and which functions are hot.

use super::*;
use crate::index::Map;
use crate::ir::{Base, Func, Sig};

fn identity(name: &str, nth: u32) -> Identity {
    Identity {
        name: name.to_owned(),
        code_len: 8,
        nth,
    }
}

fn profile(counts: &[(&str, u32, u64)]) -> Profile {
    let mut profile = Profile::default();
    for &(name, nth, count) in counts {
        profile.note(identity(name, nth), count);
    }
    profile
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
    assert_eq!(error(""), "a count and a function are expected");
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
        params: Vec::new(),
        bases: Map::default(),
        anchor: Base(0),
        code: 8 * index as u32,
        code_len: 8,
        is_recursive: false,
        loops: false,
        name: name.map(Into::into),
        heat: Heat::default(),
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
        identity("code@0x8", 1),
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
    };
    assert_eq!(fit, expected);
}

#[test]
fn where_nothing_ran_nothing_is_hot() {
    let mut requests = requests(&[Some("a"), Some("b")]);
    let fit = profile(&[("a", 1, 0)]).apply(&mut requests);
    assert_eq!((fit.known, fit.hot, fit.cold, fit.unknown), (1, 0, 1, 1));
}
