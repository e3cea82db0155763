//! Stores that cannot be opened or reached, and what is said of them.

use std::time::Duration;

use bactrian_cache::Error;
use bactrian_cache::remote::{Access, Remote};

#[test]
fn an_address_of_no_known_kind_is_refused() {
    for uri in ["camel://here", "no address", "s3://"] {
        let error = Remote::open(uri, Access::Read, Duration::from_secs(1))
            .expect_err("there is no such store");
        assert!(matches!(&error, Error::Remote { uri: named, .. } if named == uri));
        assert!(
            error.to_string().contains("cannot share a cache by"),
            "{error}"
        );
    }
}

#[test]
fn messages_keep_what_is_secret() {
    let patience = Duration::from_secs(1);
    let open = |uri| Remote::open(uri, Access::Read, patience);
    let refused = open("camel://rider:secret@here/there?key=secret").expect_err("no such store");
    // Nobody listens at this port.
    let mut store = open("redis://:secret@127.0.0.1:1/camels?key=secret").expect("an address");
    assert_eq!(store.read("object"), None);
    let lost = store.notice().expect("it cannot be reached");
    for (message, address) in [
        (refused.to_string(), "camel://here/there: "),
        (lost, "redis://127.0.0.1:1/camels "),
    ] {
        assert!(message.contains(address), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

/// As a shared directory that is not mounted.
#[test]
fn a_directory_that_cannot_be_made_is_lost_from_the_start() {
    let open = || Remote::open("fs:///dev/null/here", Access::Read, Duration::from_secs(1));
    let mut store = open().expect("it may be there another time");
    assert!(store.is_lost());
    assert_eq!(store.read("object"), None);
    let lost = store.notice().expect("it cannot be made");
    assert!(lost.contains("could not be used"), "{lost}");
}
