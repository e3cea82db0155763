//! What the program writes and reads.

use std::cell::RefCell;
use std::io::{BufRead, Write};

/// Bytes that are kept before they are written.
const LIMIT: usize = 1 << 13;

thread_local! {
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes to standard output, sooner or later.
pub fn write(text: &str) {
    let is_full = WRITTEN.with_borrow_mut(|written| {
        written.extend(text.as_bytes());
        written.len() >= LIMIT
    });
    if is_full && cfg!(not(test)) {
        flush();
    }
}

/// Writes what was kept. Where that fails, nobody is there to be told.
pub fn flush() {
    let bytes = WRITTEN.take();
    let mut out = std::io::stdout().lock();
    if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(STATUS_OF_OUTPUT);
    }
}

/// What was kept, for tests.
#[cfg(test)]
pub fn taken() -> String {
    String::from_utf8(WRITTEN.take()).expect("it was text")
}

/// The exit status where standard output cannot be written.
const STATUS_OF_OUTPUT: i32 = 74;

/// The exit status of a program that ends by an error.
pub const STATUS_OF_ERROR: i32 = 70;

/// A line of standard input, without its end; `None` where there is no more.
pub fn read_line() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
    }
}

/// Ends the program with a message.
pub fn fatal(message: &str) -> ! {
    flush();
    eprintln!("scheme: {message}");
    exit(STATUS_OF_ERROR)
}

/// Ends the program; in tests, which share a process, its thread.
pub fn exit(status: i32) -> ! {
    if cfg!(test) {
        panic!("the program ends with status {status}");
    }
    flush();
    std::process::exit(status)
}
