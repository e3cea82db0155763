//! The header of marshalled data: how long the data is, and what reading it takes.

use super::format::*;
use super::reader::{Error, Reader};

/// What a header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub header_len: usize,
    /// More than there can be, if it is a lie.
    pub data_len: u64,
    pub objects: usize,
    /// Words that the value takes in memory, headers included.
    pub words: usize,
}

impl Header {
    /// The data behind the header at the start of `bytes`, if all of it is there.
    pub fn data<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes[self.header_len..].get(..usize::try_from(self.data_len).ok()?)
    }
}

/// How long a header is that begins with these four bytes.
pub fn header_len(first: u32) -> usize {
    match first {
        MAGIC_BIG => HEADER_BIG,
        _ => HEADER_SMALL,
    }
}

/// Parses the header at the start of `bytes`. `function` names the reader in messages.
pub fn header(bytes: &[u8], function: &str) -> Result<Header, Error> {
    let Some(small) = bytes.first_chunk::<HEADER_SMALL>() else {
        return other_header(bytes, function);
    };
    let word = |index: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|byte| small[index * 4 + byte]);
        u32::from_be_bytes([a, b, c, d])
    };
    if word(0) != MAGIC_SMALL {
        return other_header(bytes, function);
    }
    Ok(Header {
        header_len: HEADER_SMALL,
        data_len: word(1).into(),
        objects: word(2) as usize,
        // The size on a machine of 32 bits comes first.
        words: word(4) as usize,
    })
}

/// The same for what is not a whole header of the short kind.
#[cold]
#[inline(never)]
fn other_header(bytes: &[u8], function: &str) -> Result<Header, Error> {
    let truncated = || Error::Failure(format!("{function}: bad length"));
    let mut reader = Reader::new(bytes);
    match reader.u32().map_err(|_| truncated())? {
        MAGIC_BIG if bytes.len() >= HEADER_BIG => {
            reader.u32()?;
            let most = |count| usize::try_from(count).unwrap_or(usize::MAX);
            Ok(Header {
                header_len: HEADER_BIG,
                data_len: reader.u64()?,
                objects: most(reader.u64()?),
                words: most(reader.u64()?),
            })
        }
        MAGIC_SMALL | MAGIC_BIG => Err(truncated()),
        _ => Err(Error::Failure(format!("{function}: bad object"))),
    }
}
