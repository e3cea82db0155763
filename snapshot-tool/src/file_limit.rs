//! The limit on the size of files (`ulimit -f`): a file that would become larger is an error to the
//! tool, as a full disk is, and the end of a program that it runs, as of any process.

/// While it lives, writing beyond the limit is an error.
pub struct Ignored(libc::sighandler_t);

impl Ignored {
    pub fn new() -> Self {
        // SAFETY: no handler is installed, and one that was is kept as it is.
        Self(unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) })
    }
}

impl Drop for Ignored {
    fn drop(&mut self) {
        // SAFETY: this is what the signal did before.
        unsafe { libc::signal(libc::SIGXFSZ, self.0) };
    }
}
