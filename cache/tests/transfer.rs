//! Caches that go from one machine to another, and caches that are made smaller.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bactrian_cache::{Cache, Error, Imported, Kind, Verified};
use tempfile::TempDir;

const LIMIT: u64 = 1 << 30;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn cache(&self, name: &str) -> Cache {
        Cache::open(&self.path(name), LIMIT).expect("the cache opens")
    }

    /// A cache with `count` entries of a kilobyte, and a module.
    fn filled(&self, name: &str, count: u32) -> Cache {
        let cache = self.cache(name);
        for key in 0..count {
            cache.insert(Kind::Specialization, &key.to_le_bytes(), &blob(key));
        }
        cache.insert_file(Kind::Module, b"program", &[7; 5000]);
        cache.flush();
        cache
    }

    /// Exports such a cache.
    fn export(&self, name: &str, count: u32, file: &Path) {
        let cache = self.filled(name, count);
        cache.export(file).expect("it is written");
    }
}

fn blob(key: u32) -> Vec<u8> {
    let start = key.to_le_bytes();
    start.into_iter().cycle().take(1000).collect()
}

fn verified(cache: &Cache) -> Verified {
    let verified = cache.verify().expect("it can be read");
    verified.expect("it is not damaged as a whole")
}

#[test]
fn what_was_exported_is_found_where_it_is_imported() {
    let place = Place::new();
    let file = place.path("exported");
    place.export("here", 50, &file);
    let there = place.cache("there");
    there.insert(Kind::Specialization, b"own", b"kept");
    for _ in 0..2 {
        let imported = there.import(&file).expect("it is read");
        assert_eq!(
            imported,
            Imported {
                entries: 50,
                ..Imported::default()
            }
        );
    }
    for key in 0..50u32 {
        let found = there.get(Kind::Specialization, &key.to_le_bytes());
        assert_eq!(found, [blob(key)]);
    }
    assert_eq!(there.get(Kind::Specialization, b"own"), [b"kept"]);
    assert_eq!(there.get_file(Kind::Module, b"program"), None);
    assert_eq!(verified(&there).damaged, 0);
}

#[test]
fn an_export_takes_the_place_of_another_and_leaves_nothing_else() {
    let place = Place::new();
    let file = place.path("exported");
    place.export("many", 60, &file);
    place.export("few", 3, &file);
    let there = place.cache("there");
    assert_eq!(there.import(&file).expect("it is read").entries, 3);
    let names = fs::read_dir(place.0.path()).expect("the directory is there");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let unfinished = |name: &OsString| name.to_string_lossy().contains("unfinished");
    assert_eq!(names.filter(unfinished).count(), 0);
}

#[test]
fn several_processes_may_export_to_one_file() {
    let place = Place::new();
    let cache = place.filled("here", 200);
    let file = place.path("exported");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let other = Cache::open(&place.path("here"), LIMIT).expect("it opens");
                other.export(&file).expect("it can be written");
            });
        }
    });
    let there = place.cache("there");
    let imported = there.import(&file).expect("it is read");
    assert_eq!((imported.entries, imported.unread), (200, None));
    assert!(matches!(
        cache.export(&place.path("here")),
        Err(Error::Export { .. })
    ));
}

#[test]
fn what_can_be_read_of_a_damaged_file_is_taken_over() {
    let place = Place::new();
    let file = place.path("exported");
    place.export("here", 400, &file);
    let mut bytes = fs::read(&file).expect("the file is there");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40_000].fill(0xa5);
    fs::write(&file, bytes).expect("the file can be written");
    let there = place.cache("there");
    let imported = there.import(&file).expect("it is begun");
    assert!(imported.unread.is_some(), "{imported:?}");
    assert!((1..400).contains(&imported.entries), "{imported:?}");
    let here = verified(&there);
    assert_eq!((here.entries, here.damaged), (imported.entries, 0));
    assert!(there.notices().is_empty());
}

#[test]
fn damaged_entries_are_left_out() {
    let place = Place::new();
    let file = place.path("exported");
    place.export("here", 20, &file);
    let mut bytes = fs::read(&file).expect("the file is there");
    let at = bytes.windows(1000).position(|window| window == blob(11));
    bytes[at.expect("the entry is in the file") + 500] ^= 1;
    fs::write(&file, bytes).expect("the file can be written");
    let there = place.cache("there");
    let imported = there.import(&file).expect("it is read");
    assert_eq!((imported.entries, imported.damaged), (19, 1));
    assert!(
        there
            .get(Kind::Specialization, &11u32.to_le_bytes())
            .is_empty()
    );
}

#[test]
fn other_files_are_refused() {
    let place = Place::new();
    let there = place.cache("there");
    let text = place.path("text");
    fs::write(
        &text,
        "no database, but longer than a page header would be".repeat(9),
    )
    .expect("the file can be written");
    assert!(matches!(there.import(&text), Err(Error::Import { .. })));
    let empty = place.path("empty");
    fs::write(&empty, "").expect("the file can be written");
    assert!(matches!(there.import(&empty), Err(Error::Foreign { .. })));
    let pipe = place.path("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).expect("a scratch pipe");
    assert!(matches!(there.import(&pipe), Err(Error::Foreign { .. })));
    let absent = there
        .import(&place.path("absent"))
        .expect_err("it is not there");
    assert!(
        absent
            .to_string()
            .ends_with(": No such file or directory (os error 2)")
    );
    assert!(!place.path("absent").exists(), "nothing is created");
    assert_eq!(there.stats().expect("it is sound").total().entries, 0);
}

#[test]
fn an_export_to_nowhere_is_an_error() {
    let place = Place::new();
    let cache = place.filled("here", 1);
    let nowhere = cache.export(&place.path("no/such/directory"));
    assert!(matches!(nowhere, Err(Error::Export { .. })));
    let name = OsStr::from_bytes(b"not-\xff-text");
    let odd = place.0.path().join(name);
    cache.export(&odd).expect("no name need be text");
    let directory = odd.join("file");
    fs::rename(&odd, place.path("other")).expect("it is there");
    fs::create_dir(&odd).expect("it can be made");
    cache.export(&directory).expect("nor that of a directory");
    assert_eq!(cache.stats().expect("it is sound").total().entries, 2);
}

#[test]
fn a_cache_is_made_smaller() {
    let place = Place::new();
    drop(place.filled("here", 2000));
    let cache = place.cache("here");
    let before = fs::metadata(place.path("here")).expect("the file is there");
    cache.shrink(500 << 10).expect("it can be written");
    let bytes = cache.stats().expect("it is sound").total().bytes;
    assert!((300 << 10..500 << 10).contains(&bytes), "{bytes}");
    drop(cache);
    let after = fs::metadata(place.path("here")).expect("the file is there");
    assert!(after.len() < before.len() / 2, "{} bytes", after.len());
    let cache = place.cache("here");
    let kept = cache.stats().expect("it is sound").total();
    cache.shrink(LIMIT).expect("it can be written");
    assert_eq!(
        cache.stats().expect("it is sound").total(),
        kept,
        "nothing to do"
    );
}

/// One that others write, and one that was exported.
#[test]
fn another_cache_is_looked_up_in_and_stays_as_it_is() {
    let place = Place::new();
    place.export("other", 50, &place.path("exported"));
    for name in ["other", "exported"] {
        let before = fs::read(place.path(name)).expect("it was written");
        let cache = place.cache("own");
        let found = || cache.get(Kind::Specialization, &7u32.to_le_bytes());
        assert_eq!(found(), [[0; 0]; 0]);
        cache.look_beside(&place.path(name)).expect("it is a cache");
        assert_eq!(found(), [blob(7)]);
        cache.insert(Kind::Specialization, &7u32.to_le_bytes(), b"of our own");
        cache.flush();
        assert_eq!(found(), [b"of our own"]);
        cache.clear().expect("it can be written");
        assert!(fs::read(place.path(name)).expect("it is there") == before);
    }
    fs::write(place.path("none"), "no cache").expect("there is room");
    for name in ["none", "absent"] {
        let refused = place.cache("own").look_beside(&place.path(name));
        assert!(matches!(refused, Err(Error::Import { .. })), "{name}");
    }
    assert!(!place.path("absent").exists());
}

#[test]
fn an_export_takes_the_place_of_a_cache_alone() {
    let place = Place::new();
    let file = place.path("program");
    fs::write(&file, "what somebody wrote").expect("there is room");
    let cache = place.cache("here");
    let refused = cache.export(&file).expect_err("it is no cache");
    assert!(matches!(refused, Error::Other { path } if path == file));
    let kept = fs::read(&file).expect("it is there");
    assert_eq!(kept, b"what somebody wrote");
    fs::write(&file, "").expect("there is room");
    cache.export(&file).expect("there was nothing");
    cache.export(&file).expect("there was a cache");
}

#[test]
fn an_export_leaves_the_files_of_the_cache_alone() {
    let place = Place::new();
    let cache = place.filled("here", 1);
    fs::write(place.path("here-modules/empty"), "").expect("there is room");
    for name in ["here", "here-lock", "here-wal", "here-modules/empty"] {
        let before = fs::read(place.path(name)).expect("it is there");
        let refused = cache.export(&place.path(name)).expect_err("it is in use");
        assert!(
            refused
                .to_string()
                .ends_with("it belongs to the cache itself")
        );
        assert!(fs::read(place.path(name)).expect("it is there") == before);
    }
}

#[test]
fn what_a_killed_export_left_goes_with_a_later_one() {
    let place = Place::new();
    let cache = place.filled("here", 1);
    let names = [
        ".unfinished-Abc123",
        ".unfinished-Abc123-journal",
        ".unfinished-Xyz789",
        ".unfinished-business",
    ];
    for name in names {
        let file = fs::File::create(place.path(name)).expect("there is room");
        if name != ".unfinished-Xyz789" {
            let made = std::time::SystemTime::UNIX_EPOCH;
            file.set_modified(made).expect("it is ours");
        }
    }
    cache
        .export(&place.path("exported"))
        .expect("it is written");
    assert_eq!(
        names.map(|name| place.path(name).exists()),
        [false, false, true, true]
    );
}

#[test]
fn a_cache_that_is_damaged_is_named_where_it_is_exported() {
    let place = Place::new();
    drop(place.filled("here", 400));
    let mut bytes = fs::read(place.path("here")).expect("the file is there");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40_000].fill(0xa5);
    fs::write(place.path("here"), bytes).expect("the file can be written");
    let refused = place.cache("here").export(&place.path("exported"));
    let Err(Error::Database { path, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(path, place.path("here"));
}
