//! The outside world: files, directories, users, arguments, environment, clocks.
//!
//! Invariant: nothing of the outside is looked at before it is asked for, so that a snapshot taken
//! before the program runs holds nothing of the machine it was taken on. What a backend does not
//! know is an error (`ENOSYS`), never a value made up. (Natively, where tests alone run, processor
//! time is that of the wall.)
//!
//! Three backends have the same functions: [`wasi`] by raw imports, [`host`] by those of the tool,
//! which serves programs that may use what its own process can use, and [`native`] over the
//! standard library; under Wasm, [`choice`] says which it is. [`host`] also has what WASI has no
//! words for, and fails where the tool does not serve. Above them, [`descriptors`] numbers open
//! files as Unix does, with duplicates and pipes, and [`environment`] keeps what the program
//! changes in its environment.

pub mod descriptors;
pub mod environment;
pub mod errno;
pub mod host;
pub mod path;
pub mod pipe;
pub mod processes;

#[cfg(target_family = "wasm")]
mod choice;
#[cfg(not(target_family = "wasm"))]
pub mod native;
#[cfg(target_family = "wasm")]
mod wasi;

#[cfg(target_family = "wasm")]
use choice as backend;
#[cfg(not(target_family = "wasm"))]
use native as backend;

pub use backend::{
    arguments, change_directory, create_directory, current_directory, exit, link,
    monotonic_nanoseconds, process_nanoseconds, random, read_directory, read_link,
    real_nanoseconds, real_path, remove_directory, rename, set_times, sleep, status, symbolic_link,
    unlink,
};
#[cfg(target_family = "wasm")]
pub use backend::{begin, has_variable};
pub use descriptors::{Inherit, close, is_terminal, open, read, seek, write};
pub use environment::variable;
pub use errno::Errno;

/// A file descriptor of the program's.
pub type Descriptor = i32;

/// What the outside calls an open file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(pub i32);

/// How a file is opened; the flags of `open`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenFlags {
    pub read: bool,
    pub write: bool,
    /// Only where it is opened for writing.
    pub append: bool,
    pub create: bool,
    pub truncate: bool,
    pub exclusive: bool,
    pub nonblocking: bool,
    /// A terminal that is opened does not become the process's.
    pub no_terminal: bool,
    /// Writing waits for the disk: for the data, or for all that is known of the file, too.
    pub data_synchronous: bool,
    pub synchronous: bool,
    /// Programs that are started do not get it.
    pub close_on_exec: bool,
}

impl OpenFlags {
    pub const READ: Self = Self {
        read: true,
        write: false,
        append: false,
        create: false,
        truncate: false,
        exclusive: false,
        nonblocking: false,
        no_terminal: false,
        data_synchronous: false,
        synchronous: false,
        close_on_exec: false,
    };
    pub const WRITE: Self = Self {
        read: false,
        write: true,
        ..Self::READ
    };

    pub fn inherit(self) -> Inherit {
        if self.close_on_exec {
            Inherit::No
        } else {
            Inherit::Yes
        }
    }

    /// Linux's numbers for them. The outside keeps each file from programs that it starts, so
    /// `close_on_exec` has none.
    pub fn to_linux(self) -> i32 {
        const O_WRONLY: i32 = 1;
        const O_RDWR: i32 = 2;
        let access = match (self.read, self.write) {
            (_, false) => 0,
            (false, true) => O_WRONLY,
            (true, true) => O_RDWR,
        };
        let others = [
            (self.create, 0o100),
            (self.exclusive, 0o200),
            (self.no_terminal, 0o400),
            (self.truncate, 0o1000),
            (self.append, 0o2000),
            (self.nonblocking, 0o4000),
            (self.data_synchronous, 0o10000),
            (self.synchronous, 0o4010000),
        ];
        let set = others.iter().filter(|(on, _)| *on);
        set.fold(access, |all, (_, bit)| all | bit)
    }
}

/// From where a seek counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Whence {
    Start = 0,
    Current = 1,
    End = 2,
}

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Regular,
    Directory,
    CharacterDevice,
    BlockDevice,
    Link,
    Pipe,
    Socket,
}

/// What is known of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub device: u64,
    pub inode: u64,
    pub kind: Kind,
    pub links: u64,
    pub size: u64,
    /// Nanoseconds since 1970: last read, last written, last changed in any way.
    pub times: [i64; 3],
    /// Where the outside tells it.
    pub ownership: Option<Ownership>,
}

/// Whose a file is, and what others may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ownership {
    pub permissions: u32,
    pub user: u32,
    pub group: u32,
    /// Of a device: which one it is.
    pub device: u64,
}

impl Status {
    /// Of a pipe of our own, which the outside knows nothing of.
    const PIPE: Self = Self {
        device: 0,
        inode: 0,
        kind: Kind::Pipe,
        links: 1,
        size: 0,
        times: [0; 3],
        ownership: None,
    };
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    No = 0,
    Yes = 1,
}

/// Which way data is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    Read = 0,
    Write = 1,
}

/// What the path names, links followed.
pub fn kind(path: &[u8]) -> Result<Kind, Errno> {
    Ok(status(path, Follow::Yes)?.kind)
}

/// What a program may want to do with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read = 4,
    Write = 2,
    Execute = 1,
}

/// Whether the file is there and can be used in each of the ways. Where nobody tells, reading and
/// writing are tried.
pub fn access(path: &[u8], wanted: &[Access]) -> Result<(), Errno> {
    let bits = wanted.iter().fold(0, |bits, access| bits | *access as u32);
    match host::access(path, bits) {
        Err(Errno::NOSYS) => wanted
            .iter()
            .try_fold(kind(path)?, |kind, access| {
                try_access(path, kind, *access).map(|()| kind)
            })
            .map(drop),
        answer => answer,
    }
}

/// Does what `access` is about, if that changes nothing.
fn try_access(path: &[u8], kind: Kind, access: Access) -> Result<(), Errno> {
    match (access, kind) {
        (Access::Read, Kind::Directory) => read_directory(path).map(drop),
        (Access::Read, Kind::Regular) => close(open(path, OpenFlags::READ, 0)?),
        (Access::Write, Kind::Regular) => close(open(path, OpenFlags::WRITE, 0)?),
        (Access::Execute | Access::Write | Access::Read, _) => Err(Errno::NOSYS),
    }
}

/// Cuts the file of this name to `size` bytes, or adds zeros. WASI can do that to an open file.
pub fn truncate(path: &[u8], size: i64) -> Result<(), Errno> {
    match host::truncate(path, size) {
        Err(Errno::NOSYS) => {
            let size = u64::try_from(size).map_err(|_| Errno::INVAL)?;
            let file = open(path, OpenFlags::WRITE, 0)?;
            let result = descriptors::set_size(file, size);
            close(file)?;
            result
        }
        answer => answer,
    }
}

/// All of a file.
pub fn read_file(path: &[u8]) -> Result<Vec<u8>, Errno> {
    const PIECE: usize = 1 << 14;
    let descriptor = open(path, OpenFlags::READ, 0)?;
    let mut contents = Vec::new();
    let result = loop {
        let len = contents.len();
        contents.resize(len + PIECE, 0);
        let count = read(descriptor, &mut contents[len..]);
        contents.truncate(len + count.unwrap_or(0));
        match count {
            Ok(0) => break Ok(contents),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => break Err(error),
        }
    };
    close(descriptor)?;
    result
}

/// Writes all of `bytes`, for messages of the runtime's own; errors have nowhere to go.
pub fn write_all(descriptor: Descriptor, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match write(descriptor, bytes) {
            Ok(0) => return,
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

/// Processor time counts from here, where the host has no clock for it.
pub fn start_clock() {
    process_nanoseconds();
}

/// Ends the program, as the runtime does when it cannot go on. Needs no memory.
#[cold]
pub fn fatal_error(message: &str) -> ! {
    for part in ["Fatal error: ", message, "\n"] {
        write_all(2, part.as_bytes());
    }
    exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_tells_is_no_answer() {
        assert_eq!(access(b"/etc/passwd", &[Access::Read]), Ok(()));
        assert_eq!(access(b"/", &[Access::Read]), Ok(()));
        assert_eq!(access(b"/none", &[Access::Execute]), Err(Errno::NOENT));
        for wanted in [Access::Execute, Access::Write] {
            assert_eq!(access(b"/", &[wanted]), Err(Errno::NOSYS));
        }
        assert_eq!(
            access(b"/etc/passwd", &[Access::Read, Access::Execute]),
            Err(Errno::NOSYS)
        );
    }
}
