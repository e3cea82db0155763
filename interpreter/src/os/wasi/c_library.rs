//! Functions of the C library that come with more of it than programs need. Rust's standard library
//! asks for a variable and for the current directory when it panics: the C library's answers need
//! its allocator.

use core::ffi::c_char;
use core::ptr::null_mut;

/// The variable of the environment: none. Those of the program are
/// [`crate::os::environment`]'s.
#[unsafe(no_mangle)]
extern "C" fn getenv(_name: *const c_char) -> *mut c_char {
    null_mut()
}

/// A copy of a text: there is no memory for one. Who asks for the current directory has a place for
/// it, and needs none.
#[unsafe(no_mangle)]
extern "C" fn strdup(_text: *const c_char) -> *mut c_char {
    null_mut()
}
