//! Memory that is free is given back to the system where the next stage needs other memory: an
//! allocator keeps it for the threads that had it.
//!
//! Leaves out allocators other than glibc's, which need no telling.

/// Gives back what is free. Takes a few milliseconds, and what is needed again takes page faults.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes the allocator's own locks, and touches free memory only.
    unsafe {
        libc::malloc_trim(0);
    }
}
