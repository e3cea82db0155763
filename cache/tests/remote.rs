//! Stores that cannot be opened or reached, and what is said of them.

use std::fs;
use std::time::Duration;

use bactrian_cache::remote::{Access, Remote};
use bactrian_cache::{Cache, Error, Kind};
use rustix::fs::{CWD, Mode};
use tempfile::TempDir;

fn open(uri: &str, access: Access) -> Remote {
    Remote::open(uri, access, Duration::from_secs(10)).expect("it is an address")
}

/// Why there is no such store.
fn refused(uri: &str) -> String {
    let refused = Remote::open(uri, Access::Read, Duration::from_secs(10));
    refused.expect_err("it is no address").to_string()
}

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
fn no_part_of_an_address_is_left_out() {
    for (uri, reason) in [
        ("fs://here/there", "a directory has no host"),
        ("fs://", "it names no directory"),
        (
            "s3://key:secret@bucket?region=x",
            "only the address of a Redis",
        ),
    ] {
        let said = refused(uri);
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn messages_keep_what_is_secret() {
    // Nobody listens at this port.
    let mut store = open(
        "redis://:secret@127.0.0.1:1/camels?key=secret",
        Access::Read,
    );
    assert_eq!(store.read("object"), None);
    let lost = store.notice().expect("it cannot be reached");
    assert!(
        lost.contains(": Connection refused (os error 111); going"),
        "{lost}"
    );
    for (message, address) in [
        (
            refused("camel://rider:secret@here/there?key=secret"),
            "camel://here/there: ",
        ),
        (refused("s3:/here?key=secret"), "s3:/here: "),
        (
            refused("redis://rider:secret#of@here"),
            "redis://…: invalid port number",
        ),
        (lost, "redis://127.0.0.1:1/camels "),
    ] {
        assert!(message.contains(address), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

/// As a shared directory that is not mounted.
#[test]
fn a_directory_that_cannot_be_made_is_lost() {
    let mut store = open("fs:///dev/null/here", Access::ReadAndWrite);
    assert!(!store.is_lost(), "nothing was asked of it");
    assert_eq!(store.read("object"), None);
    assert!(store.is_lost());
    let lost = store.notice().expect("it cannot be made");
    assert!(lost.contains("could not be used"), "{lost}");
}

#[test]
fn who_only_reads_makes_no_directory() {
    let place = TempDir::new().expect("a temporary directory");
    let directory = place.path().join("absent");
    let address = format!("fs://{}", directory.display());
    let mut reader = open(&address, Access::Read);
    assert_eq!(reader.read("object"), None);
    assert!(!directory.exists());
    let lost = reader.notice().expect("there is no store");
    assert!(
        lost.contains(": No such file or directory (os error 2); going on"),
        "{lost}"
    );
    drop(open(&address, Access::ReadAndWrite));
    assert!(!directory.exists(), "nothing was asked");
    let mut writer = open(&address, Access::ReadAndWrite);
    assert!(writer.write("object", b"kept".to_vec()));
    assert_eq!(
        open(&address, Access::Read).read("object"),
        Some(b"kept".to_vec())
    );
}

/// Reading from a pipe waits for somebody who writes.
#[test]
fn a_directory_that_does_not_answer_is_left_alone() {
    let place = TempDir::new().expect("a temporary directory");
    let address = format!("fs://{}", place.path().display());
    assert!(open(&address, Access::ReadAndWrite).write("object", b"kept".to_vec()));
    let object = place.path().join("bactrian-2/object");
    fs::remove_file(&object).expect("it was kept");
    let mode = Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(CWD, &object, mode).expect("a scratch pipe");
    let mut store = Remote::open(&address, Access::Read, Duration::from_millis(100))
        .expect("there is a directory");
    assert_eq!(store.read("object"), None);
    let lost = store.notice().expect("nobody writes");
    assert!(lost.contains("it does not answer"), "{lost}");
    drop(store);
}

/// A store, and machines whose caches share it.
struct Machines {
    place: TempDir,
}

impl Machines {
    fn new() -> Self {
        Self {
            place: TempDir::new().expect("a temporary directory"),
        }
    }

    fn store(&self) -> String {
        format!("fs://{}/store", self.place.path().display())
    }

    /// The cache of one, of at most so many bytes.
    fn cache(&self, name: &str, limit: u64) -> Cache {
        let cache = Cache::open(&self.place.path().join(name), limit).expect("it opens");
        cache.share_by(open(&self.store(), Access::ReadAndWrite), "program");
        cache
    }
}

#[test]
fn what_is_said_of_a_file_comes_with_it() {
    let machines = Machines::new();
    let first = machines.cache("first", 1 << 20);
    first.insert_file(Kind::Module, b"key", b"machine code");
    first.insert(Kind::Module, b"key", b"a notice");
    first.insert(Kind::Module, b"other", b"elsewhere");
    first.share();
    let second = machines.cache("second", 1 << 20);
    let file = second.get_file(Kind::Module, b"key").expect("it is shared");
    assert_eq!(fs::read(file).expect("readable"), b"machine code");
    assert_eq!(second.get_here(Kind::Module, b"key"), [b"a notice"]);
    assert_eq!(second.get_here(Kind::Module, b"other"), [[0; 0]; 0]);
    assert_eq!(second.notices(), [""; 0]);
}

#[test]
fn what_the_cache_cannot_keep_is_not_shared_and_that_is_said() {
    let machines = Machines::new();
    let cache = machines.cache("first", 0);
    cache.insert(Kind::Module, b"key", b"blob");
    cache.insert_file(Kind::Module, b"other", b"blob");
    cache.share();
    let notices = cache.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("is not shared"), "{notices:?}");
}

#[test]
fn a_list_that_is_too_long_is_not_believed() {
    let machines = Machines::new();
    let cache = machines.cache("first", 1 << 20);
    cache.insert(Kind::Module, b"key", b"blob");
    cache.share();
    let found = |name| {
        !machines
            .cache(name, 1 << 20)
            .get(Kind::Module, b"key")
            .is_empty()
    };
    assert!(found("second"));
    let lists = machines.place.path().join("store/bactrian-2/lineages");
    let list = fs::read_dir(lists).expect("it was shared").next();
    let list = list.expect("it was shared").expect("readable").path();
    let mut contents = fs::read(&list).expect("readable");
    contents.extend([7; 32 * 1000]);
    fs::write(&list, contents).expect("writable");
    assert!(!found("third"));
}
