//! Files mapped into memory. WASI maps nothing: a private mapping is a copy of the file's part,
//! which is what a program can tell of it; a shared one is refused.

use super::arguments::{descriptor, plain};
use super::error;
use crate::custom;
use crate::os::{self, Descriptor, Errno, Whence, descriptors};
use crate::polymorphic::bigarray::{self, MAX_DIMS};
use crate::raise;
use crate::registry::{Outcome, Raised, argument};

crate::primitives! {
    Allocates "caml_unix_map_file_bytecode" map_file, n;
}

fn map_file(arguments: u32, _count: u32) -> Outcome {
    let [file, kind, layout, shared, dims, start] =
        std::array::from_fn(|index| argument(arguments, index as u32));
    let (file, start) = (descriptor(file), custom::as_int64(start));
    let mut dims: Vec<i64> = (0..dims.wosize())
        .map(|index| dims.field(index).as_int())
        .collect();
    let major = if layout.as_int() == 0 {
        0
    } else {
        dims.len().saturating_sub(1)
    };
    check(&dims, major)?;
    if shared.as_bool() {
        return Err(error::error(Errno::NOSYS, "map_file"));
    }
    let size = plain(descriptors::status(file), "map_file")?.size as i64;
    let mut known = dims.iter().filter(|&&dim| dim != -1);
    let bytes = known
        .try_fold(bigarray::element_size(kind), |bytes, &dim| {
            bytes.checked_mul(dim)
        })
        .ok_or_else(raise::out_of_memory)?;
    if dims[major] == -1 {
        dims[major] = rest(size, start, bytes)?;
    } else {
        let end = start.checked_add(bytes).ok_or_else(raise::out_of_memory)?;
        if size < end {
            plain(descriptors::set_size(file, end as u64), "map_file")?;
        }
    }
    let mut array = bigarray::create_of(kind, layout, &dims)?;
    // SAFETY: the array is new; nobody else knows it.
    let elements = unsafe { bigarray::bytes_mut(&mut array) };
    plain(fill(file, start, elements), "map_file")?;
    Ok(array)
}

fn check(dims: &[i64], major: usize) -> Result<(), Raised> {
    if dims.is_empty() || dims.len() > MAX_DIMS {
        return Err(raise::invalid_argument(
            "Unix.map_file: bad number of dimensions",
        ));
    }
    let negative = |(index, &dim): (usize, &i64)| dim < 0 && (dim != -1 || index != major);
    if dims.iter().enumerate().any(negative) {
        return Err(raise::invalid_argument("Unix.map_file: negative dimension"));
    }
    Ok(())
}

/// The greatest dimension, where the program leaves it to the size of the file.
fn rest(size: i64, start: i64, slice: i64) -> Result<i64, Raised> {
    if size < start {
        return Err(raise::failure(
            "Unix.map_file: file position exceeds file size",
        ));
    }
    let count = (size - start).checked_div(slice).unwrap_or(0);
    if count * slice != size - start {
        return Err(raise::failure(
            "Unix.map_file: file size doesn't match array dimensions",
        ));
    }
    Ok(count)
}

fn fill(file: Descriptor, start: i64, mut target: &mut [u8]) -> Result<(), Errno> {
    let position = os::seek(file, 0, Whence::Current)?;
    os::seek(file, start, Whence::Start)?;
    while !target.is_empty() {
        match os::read(file, target)? {
            0 => break,
            count => target = &mut target[count..],
        }
    }
    os::seek(file, position, Whence::Start)?;
    Ok(())
}
