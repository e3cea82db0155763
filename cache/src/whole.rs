//! Writing a file as a whole or not at all, whatever happens meanwhile.
//!
//! The contents go into a file without a name (`O_TMPFILE`), which disappears with the process;
//! only when they are complete does it get a name. Over an existing file that takes two steps, a
//! name beside it and a rename: what a process that is killed between them leaves behind is
//! replaced by the next. On file systems without such files, and for writers that find the name
//! beside taken too often, it is a temporary file (`.tmp…`).

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

/// How often other processes that write the same file may come in between.
const ATTEMPTS: usize = 100;

/// What the name beside a file ends in.
const UNFINISHED: &str = ".new";

/// What the names of temporary files begin with.
const TEMPORARY: &str = ".tmp";

/// What new files may be used for, but for what the process takes away.
pub const NEW: u32 = 0o644;

/// Puts a file with these contents at `path`, in the place of one that may be there.
pub fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    put(path, contents, None)
}

/// The same, with the permissions of the file that is to be replaced.
fn put(path: &Path, contents: &[u8], replaced: Option<Permissions>) -> io::Result<()> {
    let directory = directory(path);
    match nameless(directory) {
        Ok(mut file) => {
            file.write_all(contents)?;
            if let Some(permissions) = &replaced {
                file.set_permissions(permissions.clone())?;
            }
            match name(&file, path) {
                // Without /proc, such a file cannot be given a name. Or other writers had the name
                // beside `path` at each attempt, or it is too long.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound
                            | io::ErrorKind::AlreadyExists
                            | io::ErrorKind::InvalidFilename
                    ) =>
                {
                    by_temporary_file(directory, path, contents, replaced)
                }
                result => result,
            }
        }
        // A temporary file could not be made either.
        Err(error)
            if !directory.is_dir()
                || matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
        {
            Err(error)
        }
        Err(_) => by_temporary_file(directory, path, contents, replaced),
    }
}

/// Puts these contents where a user says. What is no file takes them as it is (a pipe, a device); a
/// link stays, and leads to them; what may be done with a file stays.
pub fn write_out(path: &Path, contents: &[u8]) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() => put(&target(path), contents, Some(there.permissions())),
        // The links of `/proc/self/fd` lead to pipes that have no name.
        Ok(there) if !there.is_dir() => {
            let mut file = File::options().write(true).open(path)?;
            file.write_all(contents)
        }
        _ => write(&target(path), contents),
    }
}

/// The directory in which `path` is.
pub fn directory(path: &Path) -> &Path {
    path.parent()
        .filter(|directory| !directory.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Where links lead, whether or not anything is there.
pub fn target(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(link) => path = path.with_file_name(link),
            Err(_) => break,
        }
    }
    path
}

fn nameless(directory: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let descriptor = rustix::fs::open(directory, flags, Mode::from_raw_mode(NEW))?;
    Ok(File::from(descriptor))
}

fn name(file: &File, path: &Path) -> io::Result<()> {
    match link(file, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => replace(file, path),
        result => result,
    }
}

fn link(file: &File, path: &Path) -> io::Result<()> {
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(CWD, source, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

/// Processes that replace the same file share the name beside it, so a rename may move another's
/// file, as complete as ours.
fn replace(file: &File, path: &Path) -> io::Result<()> {
    let beside = beside(path);
    let mut result = Ok(());
    for _ in 0..ATTEMPTS {
        result = link(file, &beside).and_then(|()| std::fs::rename(&beside, path));
        match &result {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Another writer has it, or one that was killed left it. It may be gone by now.
                drop(std::fs::remove_file(&beside));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(()) => return Ok(()),
            Err(_) => break,
        }
    }
    drop(std::fs::remove_file(&beside));
    result
}

fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Whether a process that was killed may have left a file of this name when it wrote one whose name
/// is `of`.
pub fn is_unfinished(name: &str, of: impl Fn(&str) -> bool) -> bool {
    let beside = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(UNFINISHED));
    beside.is_some_and(of) || is_temporary(name, TEMPORARY)
}

/// Whether a temporary file that begins so has this name.
pub fn is_temporary(name: &str, prefix: &str) -> bool {
    /// As many random characters as there are.
    const RANDOM: usize = 6;
    name.strip_prefix(prefix).is_some_and(|random| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn by_temporary_file(
    directory: &Path,
    path: &Path,
    contents: &[u8],
    replaced: Option<Permissions>,
) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .permissions(Permissions::from_mode(NEW))
        .tempfile_in(directory)?;
    file.write_all(contents)?;
    if let Some(permissions) = replaced {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &Path) -> usize {
        std::fs::read_dir(directory).expect("a directory").count()
    }

    #[test]
    fn a_file_is_made_replaced_and_nothing_else_stays() {
        let directory = tempfile::TempDir::new().expect("a scratch directory");
        let path = directory.path().join("out");
        write(&path, b"first").expect("a new file");
        std::fs::write(beside(&path), "left behind").expect("a scratch file");
        write(&path, b"second").expect("a file in its place");
        assert_eq!(std::fs::read(&path).expect("it is there"), b"second");
        assert_eq!(files(directory.path()), 1);
    }

    #[test]
    fn links_and_pipes_stay() {
        let directory = tempfile::TempDir::new().expect("a scratch directory");
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| directory.path().join(name));
        std::fs::write(&file, "before").expect("a scratch file");
        std::os::unix::fs::symlink("file", &link).expect("a scratch link");
        write_out(&link, b"after").expect("it leads to a file");
        assert_eq!(std::fs::read(&file).expect("it is there"), b"after");
        assert!(link.is_symlink());
        rustix::fs::mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).expect("a scratch pipe");
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| std::fs::read(&pipe));
            write_out(&pipe, b"through").expect("somebody reads");
            reader.join().expect("it ends")
        });
        assert_eq!(read.expect("the pipe is read"), b"through");
        assert_eq!(files(directory.path()), 3);
    }

    #[test]
    fn a_pipe_without_a_name_is_written_to() {
        let (mut reader, writer) = io::pipe().expect("a scratch pipe");
        let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
        write_out(Path::new(&path), b"through").expect("somebody reads");
        drop(writer);
        let mut read = Vec::new();
        io::Read::read_to_end(&mut reader, &mut read).expect("the pipe is read");
        assert_eq!(read, b"through");
    }

    #[test]
    fn a_link_to_nothing_leads_to_the_file() {
        let directory = tempfile::TempDir::new().expect("a scratch directory");
        let link = directory.path().join("link");
        std::os::unix::fs::symlink("file", &link).expect("a scratch link");
        write_out(&link, b"there").expect("it can be made");
        assert!(link.is_symlink());
        let file = std::fs::read(directory.path().join("file"));
        assert_eq!(file.expect("it is there"), b"there");
    }

    #[test]
    fn what_may_be_done_with_a_file_stays() {
        let directory = tempfile::TempDir::new().expect("a scratch directory");
        // The longest name, beside which there is none.
        let path = directory.path().join("x".repeat(255));
        write_out(&path, b"first").expect("a new file");
        let private = Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, private).expect("it is ours");
        write_out(&path, b"second").expect("a file in its place");
        assert_eq!(std::fs::read(&path).expect("it is there"), b"second");
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(files(directory.path()), 1);
    }

    #[test]
    fn writers_of_one_file_do_not_disturb_each_other() {
        let directory = tempfile::TempDir::new().expect("a scratch directory");
        let path = directory.path().join("out");
        std::thread::scope(|scope| {
            for writer in 0..4u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..50 {
                        write(path, &[writer; 10_000]).expect("a file can be written");
                        let contents = std::fs::read(path).expect("it is always there");
                        assert!(
                            contents.len() == 10_000
                                && contents.iter().all(|byte| *byte == contents[0])
                        );
                    }
                });
            }
        });
        assert_eq!(files(directory.path()), 1);
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error() {
        let error =
            write(Path::new("/nowhere/at/all"), b"").expect_err("there is no such directory");
        assert_eq!(error.to_string(), "No such file or directory (os error 2)");
    }
}
