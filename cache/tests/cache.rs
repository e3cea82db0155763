//! The cache as its users see it: entries survive, damage does not spread, the size is bounded,
//! processes share.

use std::path::{Path, PathBuf};
use std::{fs, io};

use bactrian_cache::{Cache, Error, Kind, Verified};
use tempfile::TempDir;

const LIMIT: u64 = 1 << 20;

struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: TempDir::new().expect("a temporary directory"),
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("deep/cache.sqlite")
    }

    fn open(&self) -> Cache {
        Cache::open(&self.file(), LIMIT).expect("the cache opens")
    }

    fn names(&self) -> Vec<String> {
        let entries =
            fs::read_dir(self.directory.path().join("deep")).expect("the directory is there");
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    /// A cache with `count` entries of a kilobyte, closed again.
    fn filled(count: u32) -> Self {
        let place = Self::new();
        let cache = place.open();
        for key in 0..count {
            cache.insert(Kind::Snapshot, &key.to_le_bytes(), &[key as u8; 1000]);
        }
        drop(cache);
        place
    }
}

/// Changes the one place in the file where `from` is.
fn patch(file: &PathBuf, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(file).expect("the file is there");
    let at = bytes
        .windows(from.len())
        .position(|window| window == from)
        .expect("the bytes are in the file");
    bytes[at..at + to.len()].copy_from_slice(to);
    fs::write(file, bytes).expect("the file can be written");
}

#[test]
fn entries_survive_and_kinds_are_apart() {
    let place = Place::new();
    let cache = place.open();
    cache.insert(Kind::Specialization, b"key", b"one");
    cache.insert(Kind::Specialization, b"key", b"two");
    cache.insert(Kind::Specialization, b"key", b"one");
    drop(cache);
    let cache = place.open();
    assert_eq!(
        cache.get(Kind::Specialization, b"key"),
        [b"one".to_vec(), b"two".to_vec()]
    );
    assert!(cache.get(Kind::MachineCode, b"key").is_empty());
    assert_eq!(cache.stats().expect("it is sound").total().entries, 2);
    cache.clear().expect("it can be written");
    assert_eq!(cache.stats().expect("it is sound").total().entries, 0);
    assert!(cache.notices().is_empty());
}

#[test]
fn a_changed_blob_is_a_miss_and_goes() {
    let place = Place::new();
    let cache = place.open();
    cache.insert(Kind::Module, b"key", b"machine code");
    drop(cache);
    patch(&place.file(), b"machine code", b"machine c0de");
    let cache = place.open();
    assert!(cache.get(Kind::Module, b"key").is_empty());
    assert_eq!(cache.stats().expect("it is sound").total().entries, 0);
    assert_eq!(cache.notices().len(), 1);
}

fn verified(cache: &Cache) -> Verified {
    let verified = cache.verify().expect("it can be read");
    verified.expect("it is not damaged as a whole")
}

#[test]
fn verification_removes_what_was_changed() {
    let place = Place::filled(20);
    patch(&place.file(), &[7; 1000], &[8; 1000]);
    let cache = place.open();
    let first = verified(&cache);
    assert_eq!((first.entries, first.damaged), (20, 1));
    assert_eq!(verified(&cache).entries, 19);
}

/// What no cache says of itself, a file beside it does.
#[test]
fn a_cache_that_is_overwritten_is_set_aside() {
    for contents in [
        b"not a database, but long enough to be taken for one".repeat(40),
        b"x".to_vec(),
    ] {
        let place = Place::filled(1);
        fs::write(place.file(), &contents).expect("the file can be written");
        let cache = place.open();
        assert!(cache.notices()[0].contains("damaged-1"));
        cache.insert(Kind::Snapshot, b"key", b"blob");
        drop(cache);
        assert_eq!(place.open().get(Kind::Snapshot, b"key"), [b"blob".to_vec()]);
        let aside = place.file().with_file_name("cache.sqlite-damaged-1");
        assert_eq!(fs::read(aside).expect("it was kept"), contents);
    }
}

/// Two versions that take turns would fill the disk.
#[test]
fn of_the_caches_of_another_version_the_last_is_kept() {
    let place = Place::filled(1);
    for version in [7, 8] {
        let other = rusqlite::Connection::open(place.file()).expect("the file opens");
        let changed = other.execute_batch(&format!("PRAGMA user_version = {version}"));
        changed.expect("it can be written");
        drop(other);
        assert!(place.open().notices()[0].contains("cache.sqlite-other-version"));
    }
    let aside = place.file().with_file_name("cache.sqlite-other-version");
    let header = fs::read(aside).expect("it was kept");
    assert_eq!(header[60..64], 8u32.to_be_bytes());
    let damaged = place.names().into_iter();
    assert_eq!(damaged.filter(|name| name.contains("damaged")).count(), 0);
}

#[test]
fn a_file_that_is_no_cache_stays() {
    let place = Place::new();
    let directory = place.file().with_file_name("");
    fs::create_dir_all(&directory).expect("it can be made");
    let text = |path: &Path| fs::write(path, "let () = print_endline \"mine\"");
    let database = |path: &Path| {
        let database = rusqlite::Connection::open(path).expect("a database");
        database
            .execute_batch("CREATE TABLE mine (a)")
            .map_err(io::Error::other)
    };
    for is_database in [false, true] {
        let made = match is_database {
            true => database(&place.file()),
            false => text(&place.file()),
        };
        made.expect("the file can be made");
        let before = fs::read(place.file()).expect("it is there");
        for _ in 0..2 {
            let error = Cache::open(&place.file(), LIMIT).expect_err("it is no cache");
            assert!(matches!(error, Error::Other { .. }), "{error}");
        }
        assert_eq!(fs::read(place.file()).expect("it is there"), before);
        assert_eq!(place.names(), ["cache.sqlite"]);
        fs::remove_file(place.file()).expect("it can be removed");
    }
}

#[test]
fn an_export_takes_the_place_of_files_alone() {
    let place = Place::filled(1);
    let link = place.file().with_file_name("link");
    std::os::unix::fs::symlink("elsewhere", &link).expect("a scratch link");
    let error = place.open().export(&link).expect_err("it would be gone");
    assert!(matches!(error, Error::Export { .. }), "{error}");
    assert!(link.is_symlink());
}

#[test]
fn a_truncated_file_is_set_aside_and_rebuilt() {
    let place = Place::filled(200);
    let length = fs::metadata(place.file()).expect("the file is there").len();
    for keep in [length / 2, 10_000, 100] {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(place.file())
            .expect("the file is there");
        file.set_len(keep).expect("it can be cut");
        let cache = place.open();
        assert!(cache.notices()[0].contains("damaged"));
        for key in 0..200u32 {
            cache.insert(Kind::Snapshot, &key.to_le_bytes(), &[1; 1000]);
        }
        drop(cache);
        assert_eq!(
            place.open().stats().expect("it is sound").total().entries,
            200
        );
    }
    assert_eq!(
        place
            .names()
            .iter()
            .filter(|name| name.contains("damaged"))
            .count(),
        3
    );
}

#[test]
fn a_cache_that_had_to_be_replaced_is_not_verified() {
    let damages: [fn(&mut Vec<u8>); 2] = [
        // It is met when the file is opened, and when all of it is looked at.
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[8192 * 3..8192 * 20].fill(0x55),
    ];
    for damage in damages {
        let place = Place::filled(200);
        let mut bytes = fs::read(place.file()).expect("the file is there");
        damage(&mut bytes);
        fs::write(place.file(), bytes).expect("the file can be written");
        let cache = place.open();
        assert_eq!(cache.verify().expect("another one is there"), None);
        assert!(cache.notices()[0].contains("damaged-1"));
        drop(cache);
        assert_eq!(verified(&place.open()).entries, 0);
    }
}

#[test]
fn damage_that_cannot_be_set_aside_is_told() {
    let place = Place::filled(200);
    let cache = place.open();
    let mut bytes = fs::read(place.file()).expect("the file is there");
    bytes[8192 * 3..8192 * 20].fill(0x55);
    fs::write(place.file(), bytes).expect("the file can be written");
    let lock = place.file().with_file_name("cache.sqlite-lock");
    fs::remove_file(&lock).expect("it was locked while it was opened");
    fs::create_dir(&lock).expect("a directory in the lock's place");
    let error = cache.verify().expect_err("nothing was done");
    assert!(matches!(error, Error::Database { .. }), "{error}");
    assert!(cache.notices()[0].contains("Is a directory"));
}

#[test]
fn damage_met_while_reading_is_set_aside() {
    let place = Place::filled(200);
    let mut bytes = fs::read(place.file()).expect("the file is there");
    for byte in &mut bytes[8192 * 2..] {
        *byte ^= 0x55;
    }
    fs::write(place.file(), bytes).expect("the file can be written");
    let cache = place.open();
    for key in 0..200u32 {
        cache.get(Kind::Snapshot, &key.to_le_bytes());
    }
    cache.insert(Kind::Snapshot, b"key", b"blob");
    cache.flush();
    assert_eq!(cache.get(Kind::Snapshot, b"key"), [b"blob".to_vec()]);
    assert!(!cache.notices().is_empty());
}

#[test]
fn the_size_is_bounded() {
    let place = Place::new();
    let cache = place.open();
    for key in 0..100u32 {
        cache.insert(Kind::Module, &key.to_le_bytes(), &[0; 40_000]);
        cache.flush();
    }
    assert!(cache.stats().expect("it is sound").total().bytes <= LIMIT);
    assert!(!cache.get(Kind::Module, &99u32.to_le_bytes()).is_empty());
    assert!(cache.get(Kind::Module, &0u32.to_le_bytes()).is_empty());
    drop(cache);
    assert!(fs::metadata(place.file()).expect("the file is there").len() < 2 * LIMIT);
}

#[test]
fn connections_share_the_file() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for worker in 0..4u32 {
            let place = &place;
            scope.spawn(move || {
                let cache = place.open();
                for round in 0..20u32 {
                    cache.insert(
                        Kind::Snapshot,
                        &(worker * 100 + round).to_le_bytes(),
                        &[1; 100],
                    );
                    cache.insert(Kind::Specialization, b"shared", b"the same");
                    cache.flush();
                }
                assert!(cache.notices().is_empty());
            });
        }
    });
    let cache = place.open();
    assert_eq!(
        cache.stats().expect("it is sound").total().entries,
        4 * 20 + 1
    );
    assert_eq!(cache.get(Kind::Specialization, b"shared").len(), 1);
}

#[test]
fn what_is_wrong_is_said_on_one_line() {
    let place = Place::filled(200);
    let mut bytes = fs::read(place.file()).expect("the file is there");
    bytes[8192 * 3..8192 * 20].fill(0x55);
    fs::write(place.file(), bytes).expect("the file can be written");
    let cache = place.open();
    assert_eq!(cache.verify().expect("another one is there"), None);
    let notices = cache.notices();
    assert!(!notices.concat().contains('\n'), "{notices:?}");
}

/// SQLite takes it only before whatever else is said of a new file.
#[test]
fn pages_have_the_size_that_is_asked_for() {
    let place = Place::filled(1);
    let header = fs::read(place.file()).expect("the file is there");
    assert_eq!(header[16..18], 8192u16.to_be_bytes());
}

/// Enough for a writer of its own.
fn insert_much(cache: &Cache) {
    for key in 0..40u8 {
        cache.insert(Kind::MachineCode, &[key], &[key; 40_000]);
    }
}

fn has_much(cache: &Cache) -> bool {
    (0..40u8).all(|key| cache.get(Kind::MachineCode, &[key]) == [[key; 40_000]])
}

#[test]
fn much_is_written_meanwhile() {
    let place = Place::new();
    let cache = Cache::open(&place.file(), 8 * LIMIT).expect("the cache opens");
    cache.write_meanwhile();
    insert_much(&cache);
    cache.write_meanwhile();
    // Nothing here waits for the writer, and in the end all is there.
    while !has_much(&cache) {
        std::thread::yield_now();
    }
    cache.insert(Kind::Snapshot, b"few", b"bytes");
    cache.write_meanwhile();
    cache.flush();
    assert_eq!(cache.get(Kind::Snapshot, b"few"), [b"bytes".to_vec()]);
    assert!(cache.notices().is_empty());
}

#[test]
fn what_cannot_be_written_meanwhile_is_written_by_the_next_flush() {
    let place = Place::new();
    let cache = Cache::open(&place.file(), 8 * LIMIT).expect("the cache opens");
    // No further connection is made.
    let lock = place.file().with_extension("sqlite-lock");
    fs::remove_file(&lock).expect("the file was opened");
    fs::create_dir(&lock).expect("there is none");
    insert_much(&cache);
    cache.write_meanwhile();
    cache.flush();
    assert!(has_much(&cache));
    assert!(cache.notices().is_empty());
}

/// What is left where a process is killed between making the database and making a cache of it.
#[test]
fn a_database_without_tables_becomes_a_cache() {
    let place = Place::filled(1);
    let blank = rusqlite::Connection::open(place.file()).expect("the file opens");
    blank
        .execute_batch("DROP TABLE entries; PRAGMA application_id = 0; PRAGMA user_version = 0")
        .expect("the tables go");
    drop(blank);
    let cache = place.open();
    assert_eq!(cache.notices(), Vec::<String>::new());
    cache.insert(Kind::Snapshot, b"key", b"blob");
    cache.flush();
    assert_eq!(cache.get(Kind::Snapshot, b"key"), [b"blob".to_vec()]);
}

/// At the limit, entries that come use the room of those that went: the file neither grows nor is
/// rewritten each time.
#[test]
fn a_full_cache_reuses_its_pages() {
    let place = Place::filled(2 * LIMIT as u32 / 1000);
    let before = fs::metadata(place.file()).expect("the file is there").len();
    for round in 0..20u32 {
        let cache = place.open();
        for key in 0..100u32 {
            cache.insert(
                Kind::Snapshot,
                &[round.to_le_bytes(), key.to_le_bytes()].concat(),
                &[7; 1000],
            );
        }
    }
    let after = fs::metadata(place.file()).expect("the file is there").len();
    assert!(
        after <= before + before / 4,
        "{before} bytes became {after}"
    );
}

#[test]
fn a_place_that_cannot_hold_a_cache_is_an_error() {
    let place = Place::new();
    let file = place.directory.path().join("file");
    fs::write(&file, "no directory").expect("a file can be written");
    assert!(matches!(
        Cache::open(&file.join("cache.sqlite"), LIMIT),
        Err(Error::File { .. })
    ));
    assert!(matches!(
        Cache::open(place.directory.path(), LIMIT),
        Err(Error::Other { .. })
    ));
    fs::create_dir_all(place.directory.path().join("deep/cache.sqlite-wal")).expect("it is free");
    assert!(matches!(
        Cache::open(&place.file(), LIMIT),
        Err(Error::Database { .. })
    ));
}

/// SQLite has its log beside the file, not beside a link to it: a cache was taken for one that has
/// lost its end.
#[test]
fn a_link_to_a_cache_is_that_cache() {
    let place = Place::filled(1);
    let directory = place.directory.path();
    for (name, leads) in [("link", "deep/cache.sqlite"), ("new", "other/cache.sqlite")] {
        let link = directory.join(name);
        std::os::unix::fs::symlink(leads, &link).expect("the name is free");
        let cache = Cache::open(&link, 8 * LIMIT).expect("it opens");
        cache.insert(Kind::Snapshot, b"key", &vec![3; 2 << 20]);
        cache.write_meanwhile();
        cache.flush();
        assert!(cache.notices().is_empty());
        drop(cache);
        assert!(link.is_symlink() && directory.join(leads).is_file());
    }
    assert_eq!(place.open().get(Kind::Snapshot, b"key").len(), 1);
    let names = fs::read_dir(directory).expect("the directory is there");
    assert_eq!(names.count(), 4, "two links and two directories");
}
