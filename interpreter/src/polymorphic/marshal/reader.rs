//! The bytes of marshalled data, one after the other, and why they cannot be read.

use super::format::{Code, PREFIX_SMALL_BLOCK, PREFIX_SMALL_INT};
use std::fmt;

/// Why data could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// What `Failure` says to the program.
    Failure(String),
    OutOfMemory,
    /// A function of C has raised.
    Raised,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Failure(message) => f.write_str(message),
            Error::OutOfMemory => f.write_str("out of memory"),
            Error::Raised => f.write_str("a custom block cannot be read"),
        }
    }
}

impl std::error::Error for Error {}

#[cold]
#[inline(never)]
pub(crate) fn failure<T>(message: &str) -> Result<T, Error> {
    Err(Error::Failure(message.to_owned()))
}

pub(super) fn ill_formed<T>() -> Result<T, Error> {
    failure("input_value: ill-formed message")
}

#[cold]
pub(super) fn truncated<T>() -> Result<T, Error> {
    failure("input_value: truncated object")
}

/// Bytes being read, big endian unless told.
pub struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        match self.rest.split_at_checked(len) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => truncated(),
        }
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        Ok(self
            .take(N)?
            .try_into()
            .expect("take gives the length asked for"))
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    #[inline]
    pub fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// The integer that is next, if one is and takes four bytes at most.
    #[inline]
    pub(super) fn immediate(&mut self) -> Option<i64> {
        let (n, len) = match *self.rest {
            [code @ PREFIX_SMALL_INT..PREFIX_SMALL_BLOCK, ..] => ((code & 0x3F).into(), 1),
            [code, a, ..] if code == Code::Int8 as u8 => ((a as i8).into(), 2),
            [code, a, b, ..] if code == Code::Int16 as u8 => (i16::from_be_bytes([a, b]).into(), 3),
            [code, a, b, c, d, ..] if code == Code::Int32 as u8 => {
                (i32::from_be_bytes([a, b, c, d]).into(), 5)
            }
            _ => return None,
        };
        self.rest = &self.rest[len..];
        Some(n)
    }

    /// Up to a NUL byte, which is skipped.
    pub(super) fn c_string(&mut self) -> Result<&'a [u8], Error> {
        let Some(len) = self.rest.iter().position(|&byte| byte == 0) else {
            return ill_formed();
        };
        let text = self.take(len)?;
        self.take(1)?;
        Ok(text)
    }

    /// Checks that `count` items of at least `size` bytes can follow.
    #[inline]
    pub(super) fn expect(&self, count: u64, size: u64) -> Result<usize, Error> {
        if count > self.rest.len() as u64 / size {
            return truncated();
        }
        Ok(count as usize)
    }
}
