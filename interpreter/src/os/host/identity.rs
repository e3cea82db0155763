//! Who runs the program, as which process, on which machine.

use super::super::Errno;
use super::{abi, bytes, words};

/// Room for an entry of the database of users, and for names, at first.
const ENTRY: usize = 1024;

/// A number that a process has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    User,
    EffectiveUser,
    Group,
    EffectiveGroup,
    Process,
    Parent,
}

pub fn identity(which: Identity) -> Result<i64, Errno> {
    let ask = match which {
        Identity::User => abi::getuid,
        Identity::EffectiveUser => abi::geteuid,
        Identity::Group => abi::getgid,
        Identity::EffectiveGroup => abi::getegid,
        Identity::Process => abi::getpid,
        Identity::Parent => abi::getppid,
    };
    ask([0; 3], b"", &mut [])
}

/// The groups that the process belongs to beside its own.
pub fn groups() -> Result<Vec<i64>, Errno> {
    let groups = bytes(ENTRY, |room| abi::getgroups([0; 3], b"", room))?;
    Ok(words(&groups))
}

/// The name by which the user logged in.
pub fn login() -> Result<Vec<u8>, Errno> {
    bytes(ENTRY, |room| abi::getlogin([0; 3], b"", room))
}

/// The seven fields of a user's entry, as in `/etc/passwd`; `ENOENT` if there is none.
pub fn user_by_name(name: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    entry(|room| abi::getpwnam([0; 3], name, room))
}

pub fn user_by_number(number: i64) -> Result<Vec<Vec<u8>>, Errno> {
    entry(|room| abi::getpwuid([number, 0, 0], b"", room))
}

/// The fields of an entry, which the host parts by NULs.
fn entry(ask: impl Fn(&mut [u8]) -> abi::Answer) -> Result<Vec<Vec<u8>>, Errno> {
    let entry = bytes(ENTRY, ask)?;
    let fields = entry.split(|&byte| byte == 0);
    Ok(fields.map(<[u8]>::to_vec).collect())
}

/// Adds to the process's niceness; what it then is.
pub fn nice(increment: i64) -> Result<i64, Errno> {
    // The answer of a call is not negative, but niceness may be: it comes 20 higher.
    const LOWEST: i64 = -20;
    Ok(abi::nice([increment, 0, 0], b"", &mut [])? + LOWEST)
}

/// Processor time in nanoseconds: the program's own and the system's for it, and both for its
/// children.
pub fn times() -> Result<[i64; 4], Errno> {
    let mut times = [0; 32];
    abi::times([0; 3], b"", &mut times)?;
    let times = words(&times);
    Ok([times[0], times[1], times[2], times[3]])
}

pub fn host_name() -> Result<Vec<u8>, Errno> {
    bytes(ENTRY, |room| abi::gethostname([0; 3], b"", room))
}
