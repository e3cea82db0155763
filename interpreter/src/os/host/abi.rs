//! The imports of `bactrian_host`: what the tool does for a program with its own process's rights.
//!
//! All have one signature: three numbers, bytes in, room for bytes out. The result is not negative:
//! a number, or, where there is room for bytes out, how many of them were written; or it is a
//! negated error number of Linux's. Paths end with the input; two paths are parted by a NUL. Where
//! the room is too small, the error is `ERANGE`.
//!
//! Invariant: in the sandbox, in what `build` writes and natively each function answers `ENOSYS`.

use super::super::Errno;

/// Defines a safe function for each import, of the same name.
macro_rules! imports {
    ($($name:ident)*) => {
        #[cfg(target_family = "wasm")]
        mod raw {
            #[link(wasm_import_module = "bactrian_host")]
            unsafe extern "C" {
                $(pub fn $name(
                    a: i64,
                    b: i64,
                    c: i64,
                    input: *const u8,
                    input_len: usize,
                    output: *mut u8,
                    output_len: usize,
                ) -> i64;)*
            }
        }

        $(
            #[cfg(target_family = "wasm")]
            pub fn $name([a, b, c]: [i64; 3], input: &[u8], output: &mut [u8]) -> Answer {
                let (from, from_len) = (input.as_ptr(), input.len());
                let (to, to_len) = (output.as_mut_ptr(), output.len());
                // SAFETY: the host reads `input` and writes `output`, each as long as it is told.
                answer(unsafe { raw::$name(a, b, c, from, from_len, to, to_len) })
            }

            #[cfg(not(target_family = "wasm"))]
            pub fn $name(_numbers: [i64; 3], _input: &[u8], _output: &mut [u8]) -> Answer {
                Err(Errno::NOSYS)
            }
        )*
    };
}

/// A number, or how many bytes were written.
pub type Answer = Result<i64, Errno>;

imports! {
    version
    open close read write seek pipe set_nonblocking poll has_writer isatty ftruncate fsync lockf
    stat fstat access chmod fchmod chown fchown utimes truncate
    mkdir rmdir unlink rename link symlink readlink realpath mkfifo opendir readdir
    chdir getcwd umask getrlimit
    getuid geteuid getgid getegid getgroups getlogin getpwnam getpwuid
    getpid getppid nice times gethostname
    spawn execute wait kill
    socket socketpair bind connect listen accept shutdown getsockname getpeername
    recvfrom sendto getsockopt setsockopt resolve
    sigaction sigdefault sigtake sigwait nanosleep alarm setitimer getitimer
    tick
}

#[cfg(target_family = "wasm")]
fn answer(result: i64) -> Answer {
    if result < 0 {
        let number = i32::try_from(result.unsigned_abs());
        return Err(number.map_or(Errno::IO, Errno::from_linux));
    }
    Ok(result)
}
