//! What is left of writes before a trap.

use super::*;

/// How many of the two writes stay, with this between them.
fn writes(trapped: Trapped, between: &str) -> usize {
    let text = format!(
        "function(i32, i64) -> i64 {{
bb0(v0: i32, v1: i64):
    global.set global0 v0
    v2: i32 = i32.const 16
{between}
    global.set global0 v2
    return v1
}}
"
    );
    let mut function: Function = crate::text::parse(&text).expect("the test's function parses");
    run(&mut function, trapped);
    function.to_string().matches("global.set").count()
}

/// The host of an instance that trapped reads the global, or calls a function that does.
#[test]
fn a_write_before_a_trap_stays_where_the_instance_goes_on() {
    for between in [
        "    v3: i64 = i64.div_u v1, v1",
        "    v3: i64 = i64.load v0",
        "    i64.store v0, v1",
    ] {
        assert_eq!(writes(Trapped::GoesOn, between), 2, "{between}");
        assert_eq!(writes(Trapped::Ends, between), 1, "{between}");
    }
    let harmless = "    v3: i64 = i64.add v1, v1";
    assert_eq!(writes(Trapped::GoesOn, harmless), 1);
}
