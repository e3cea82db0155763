//! Error numbers of the outside, as WASI numbers them, with the C library's messages for them.
//!
//! Invariant: the message is that of glibc's `strerror`, because programs print it.

use core::fmt;

/// An error number of WASI's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub u16);

impl Errno {
    pub const ACCES: Errno = Errno(2);
    pub const AGAIN: Errno = Errno(6);
    pub const BADF: Errno = Errno(8);
    pub const CHILD: Errno = Errno(12);
    pub const DEADLK: Errno = Errno(16);
    pub const INPROGRESS: Errno = Errno(26);
    pub const INTR: Errno = Errno(27);
    pub const INVAL: Errno = Errno(28);
    pub const IO: Errno = Errno(29);
    pub const ISDIR: Errno = Errno(31);
    pub const LOOP: Errno = Errno(32);
    pub const MFILE: Errno = Errno(33);
    pub const NAMETOOLONG: Errno = Errno(37);
    pub const NOENT: Errno = Errno(44);
    pub const NOEXEC: Errno = Errno(45);
    pub const NOMEM: Errno = Errno(48);
    pub const NOSYS: Errno = Errno(52);
    pub const NOTDIR: Errno = Errno(54);
    pub const NOTSOCK: Errno = Errno(57);
    pub const NOTTY: Errno = Errno(59);
    pub const NXIO: Errno = Errno(60);
    pub const OVERFLOW: Errno = Errno(61);
    pub const PERM: Errno = Errno(63);
    pub const PIPE: Errno = Errno(64);
    pub const RANGE: Errno = Errno(68);
    pub const SPIPE: Errno = Errno(70);
    pub const SRCH: Errno = Errno(71);
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

    /// Linux's number.
    pub fn to_linux(self) -> i32 {
        const IO: i32 = 5;
        match self {
            Errno(0) => 0,
            Errno::NOTCAPABLE => Errno::PERM.to_linux(),
            Errno(number) => ERRORS
                .get(number as usize - 1)
                .map_or(IO, |&(linux, _)| linux),
        }
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

/// What `strerror` says of an error by Linux's number.
pub fn linux_message(number: i32) -> String {
    if number == 0 {
        return Errno(0).message().to_owned();
    }
    let all = ERRORS.iter().chain(OTHERS);
    let found = all.into_iter().find(|&&(linux, _)| linux == number);
    found.map_or_else(
        || format!("Unknown error {number}"),
        |&(_, message)| message.to_owned(),
    )
}

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

/// The same for errors that WASI does not have.
const OTHERS: &[(i32, &str)] = &[
    (15, "Block device required"),
    (44, "Channel number out of range"),
    (45, "Level 2 not synchronized"),
    (46, "Level 3 halted"),
    (47, "Level 3 reset"),
    (48, "Link number out of range"),
    (49, "Protocol driver not attached"),
    (50, "No CSI structure available"),
    (51, "Level 2 halted"),
    (52, "Invalid exchange"),
    (53, "Invalid request descriptor"),
    (54, "Exchange full"),
    (55, "No anode"),
    (56, "Invalid request code"),
    (57, "Invalid slot"),
    (59, "Bad font file format"),
    (60, "Device not a stream"),
    (61, "No data available"),
    (62, "Timer expired"),
    (63, "Out of streams resources"),
    (64, "Machine is not on the network"),
    (65, "Package not installed"),
    (66, "Object is remote"),
    (68, "Advertise error"),
    (69, "Srmount error"),
    (70, "Communication error on send"),
    (73, "RFS specific error"),
    (76, "Name not unique on network"),
    (77, "File descriptor in bad state"),
    (78, "Remote address changed"),
    (79, "Can not access a needed shared library"),
    (80, "Accessing a corrupted shared library"),
    (81, ".lib section in a.out corrupted"),
    (82, "Attempting to link in too many shared libraries"),
    (83, "Cannot exec a shared library directly"),
    (85, "Interrupted system call should be restarted"),
    (86, "Streams pipe error"),
    (87, "Too many users"),
    (94, "Socket type not supported"),
    (96, "Protocol family not supported"),
    (108, "Cannot send after transport endpoint shutdown"),
    (109, "Too many references: cannot splice"),
    (112, "Host is down"),
    (117, "Structure needs cleaning"),
    (118, "Not a XENIX named type file"),
    (119, "No XENIX semaphores available"),
    (120, "Is a named type file"),
    (121, "Remote I/O error"),
    (123, "No medium found"),
    (124, "Wrong medium type"),
    (126, "Required key not available"),
    (127, "Key has expired"),
    (128, "Key has been revoked"),
    (129, "Key was rejected by service"),
    (132, "Operation not possible due to RF-kill"),
    (133, "Memory page has hardware error"),
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
        for number in 1..=75 {
            assert_eq!(Errno::from_linux(Errno(number).to_linux()), Errno(number));
        }
    }
}
