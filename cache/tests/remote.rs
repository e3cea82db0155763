//! Stores that cannot be opened.

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
