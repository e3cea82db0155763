//! Error numbers of the outside, as WASI numbers them, with the C library's messages for them.
//!
//! Invariant: the message is that of glibc's `strerror`, because programs print it.

use core::fmt;

/// An error number of WASI's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub u16);

impl Errno {
    pub const AGAIN: Errno = Errno(6);
    pub const BADF: Errno = Errno(8);
    pub const INTR: Errno = Errno(27);
    pub const INVAL: Errno = Errno(28);
    pub const IO: Errno = Errno(29);
    pub const ISDIR: Errno = Errno(31);
    pub const NOENT: Errno = Errno(44);
    pub const NOSYS: Errno = Errno(52);
    pub const NOTDIR: Errno = Errno(54);
    pub const PIPE: Errno = Errno(64);
    pub const SPIPE: Errno = Errno(70);
    pub const NOTCAPABLE: Errno = Errno(76);

    /// What `strerror` says.
    pub fn message(self) -> &'static str {
        match self {
            Errno(0) => "Success",
            Errno::NOTCAPABLE => "Operation not permitted",
            Errno(number) => ERRORS
                .get(number as usize - 1)
                .map_or("Unknown error", |&(_, message)| message),
        }
    }

    /// The error that Linux numbers `number`.
    pub fn from_linux(number: i32) -> Self {
        ERRORS
            .iter()
            .position(|&(linux, _)| linux == number)
            .map_or(Errno::IO, |index| Errno(index as u16 + 1))
    }

    /// `Ok` for number 0.
    pub fn check(number: u16) -> Result<(), Errno> {
        if number == 0 {
            Ok(())
        } else {
            Err(Errno(number))
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Errno {}

/// Linux's number and glibc's message for WASI's errors 1, 2, ….
const ERRORS: [(i32, &str); 75] = [
    (7, "Argument list too long"),
    (13, "Permission denied"),
    (98, "Address already in use"),
    (99, "Cannot assign requested address"),
    (97, "Address family not supported by protocol"),
    (11, "Resource temporarily unavailable"),
    (114, "Operation already in progress"),
    (9, "Bad file descriptor"),
    (74, "Bad message"),
    (16, "Device or resource busy"),
    (125, "Operation canceled"),
    (10, "No child processes"),
    (103, "Software caused connection abort"),
    (111, "Connection refused"),
    (104, "Connection reset by peer"),
    (35, "Resource deadlock avoided"),
    (89, "Destination address required"),
    (33, "Numerical argument out of domain"),
    (122, "Disk quota exceeded"),
    (17, "File exists"),
    (14, "Bad address"),
    (27, "File too large"),
    (113, "No route to host"),
    (43, "Identifier removed"),
    (84, "Invalid or incomplete multibyte or wide character"),
    (115, "Operation now in progress"),
    (4, "Interrupted system call"),
    (22, "Invalid argument"),
    (5, "Input/output error"),
    (106, "Transport endpoint is already connected"),
    (21, "Is a directory"),
    (40, "Too many levels of symbolic links"),
    (24, "Too many open files"),
    (31, "Too many links"),
    (90, "Message too long"),
    (72, "Multihop attempted"),
    (36, "File name too long"),
    (100, "Network is down"),
    (102, "Network dropped connection on reset"),
    (101, "Network is unreachable"),
    (23, "Too many open files in system"),
    (105, "No buffer space available"),
    (19, "No such device"),
    (2, "No such file or directory"),
    (8, "Exec format error"),
    (37, "No locks available"),
    (67, "Link has been severed"),
    (12, "Cannot allocate memory"),
    (42, "No message of desired type"),
    (92, "Protocol not available"),
    (28, "No space left on device"),
    (38, "Function not implemented"),
    (107, "Transport endpoint is not connected"),
    (20, "Not a directory"),
    (39, "Directory not empty"),
    (131, "State not recoverable"),
    (88, "Socket operation on non-socket"),
    (95, "Operation not supported"),
    (25, "Inappropriate ioctl for device"),
    (6, "No such device or address"),
    (75, "Value too large for defined data type"),
    (130, "Owner died"),
    (1, "Operation not permitted"),
    (32, "Broken pipe"),
    (71, "Protocol error"),
    (93, "Protocol not supported"),
    (91, "Protocol wrong type for socket"),
    (34, "Numerical result out of range"),
    (30, "Read-only file system"),
    (29, "Illegal seek"),
    (3, "No such process"),
    (116, "Stale file handle"),
    (110, "Connection timed out"),
    (26, "Text file busy"),
    (18, "Invalid cross-device link"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_messages() {
        assert_eq!(Errno::from_linux(2), Errno::NOENT);
        assert_eq!(Errno::NOENT.message(), "No such file or directory");
        assert_eq!(Errno::from_linux(9), Errno::BADF);
        assert_eq!(Errno::from_linux(32), Errno::PIPE);
        assert_eq!(Errno::from_linux(38), Errno::NOSYS);
        assert_eq!(Errno::from_linux(29), Errno::SPIPE);
        assert_eq!(Errno::from_linux(20), Errno::NOTDIR);
        assert_eq!(Errno(75).message(), "Invalid cross-device link");
        assert_eq!(Errno::AGAIN.message(), "Resource temporarily unavailable");
    }
}
