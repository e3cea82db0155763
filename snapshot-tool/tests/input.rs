//! Each way in which a file cannot be used.

use std::fs;

use bactrian::guest;
use bactrian::input::{self, Error};

#[test]
fn files_that_cannot_be_used() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let absent = directory.path().join("absent");
    assert!(matches!(
        input::kind(&absent, &guest::default()),
        Err(Error::Unreadable { path, .. }) if path == absent
    ));
    let script = directory.path().join("script");
    fs::write(&script, "#!/bin/sh\necho a script\n").expect("a file can be written");
    assert!(matches!(
        input::kind(&script, &guest::default()),
        Err(Error::Foreign { path, .. }) if path == script
    ));
}
