//! Pipes inside of the program: bytes in memory, up to what Linux lets a pipe hold.
//!
//! The program is the only one at both ends: an operation that would have to wait would wait for
//! ever, unless other threads run first ([`crate::waiting`]). It fails, with `EAGAIN` where the
//! descriptor does not block, else with `EDEADLK`.

use super::Errno;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// What a pipe holds.
pub const CAPACITY: usize = 65536;

/// Writes of up to this many bytes go as a whole or not at all.
pub const ATOMIC: usize = 4096;

/// What an operation does that cannot be done at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocking {
    Yes,
    No,
}

/// A pipe, and how many descriptions are open at each end.
#[derive(Debug, Default)]
pub struct Pipe {
    bytes: RefCell<VecDeque<u8>>,
    pub readers: Cell<u32>,
    pub writers: Cell<u32>,
}

impl Pipe {
    /// Reads what is there; 0 bytes once it is empty and no writer is left.
    pub fn read(&self, buffer: &mut [u8], blocking: Blocking) -> Result<usize, Errno> {
        let mut bytes = self.bytes.borrow_mut();
        if bytes.is_empty() && self.writers.get() > 0 && !buffer.is_empty() {
            return Err(would_wait(blocking));
        }
        let count = buffer.len().min(bytes.len());
        for (target, byte) in buffer.iter_mut().zip(bytes.drain(..count)) {
            *target = byte;
        }
        Ok(count)
    }

    /// Writes what there is room for.
    pub fn write(&self, source: &[u8], blocking: Blocking) -> Result<usize, Errno> {
        if self.readers.get() == 0 {
            return Err(Errno::PIPE);
        }
        let mut bytes = self.bytes.borrow_mut();
        let room = CAPACITY - bytes.len();
        let fits = source.len() <= room;
        if !fits && (room == 0 || source.len() <= ATOMIC) {
            return Err(would_wait(blocking));
        }
        let count = source.len().min(room);
        bytes.extend(&source[..count]);
        Ok(count)
    }

    pub fn is_readable(&self) -> bool {
        !self.bytes.borrow().is_empty() || self.writers.get() == 0
    }

    pub fn is_writable(&self) -> bool {
        CAPACITY - self.bytes.borrow().len() >= ATOMIC || self.readers.get() == 0
    }
}

fn would_wait(blocking: Blocking) -> Errno {
    match blocking {
        Blocking::Yes => Errno::DEADLK,
        Blocking::No => Errno::AGAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Pipe {
        let pipe = Pipe::default();
        pipe.readers.set(1);
        pipe.writers.set(1);
        pipe
    }

    #[test]
    fn bytes_come_out_in_order_and_end_with_the_writer() {
        let pipe = open();
        let mut buffer = [0; 4];
        assert_eq!(pipe.read(&mut buffer, Blocking::Yes), Err(Errno::DEADLK));
        assert_eq!(pipe.read(&mut buffer, Blocking::No), Err(Errno::AGAIN));
        assert_eq!(pipe.write(b"camels", Blocking::Yes), Ok(6));
        assert_eq!(pipe.read(&mut buffer, Blocking::Yes), Ok(4));
        assert_eq!(&buffer, b"came");
        pipe.writers.set(0);
        assert!(pipe.is_readable());
        assert_eq!(pipe.read(&mut buffer, Blocking::Yes), Ok(2));
        assert_eq!(pipe.read(&mut buffer, Blocking::Yes), Ok(0));
    }

    #[test]
    fn a_full_pipe_takes_no_more() {
        let pipe = open();
        assert_eq!(
            pipe.write(&[1; CAPACITY - 1], Blocking::No),
            Ok(CAPACITY - 1)
        );
        assert!(!pipe.is_writable());
        assert_eq!(pipe.write(b"ab", Blocking::No), Err(Errno::AGAIN));
        assert_eq!(pipe.write(&[2; ATOMIC + 1], Blocking::No), Ok(1));
        assert_eq!(pipe.write(b"a", Blocking::Yes), Err(Errno::DEADLK));
        pipe.readers.set(0);
        assert_eq!(pipe.write(b"a", Blocking::Yes), Err(Errno::PIPE));
    }
}
