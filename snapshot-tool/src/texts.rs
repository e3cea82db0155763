//! A blob that has something to say: bytes, and then texts, each followed by its length.

/// `bytes` with `texts` behind them.
pub fn join<const N: usize>(bytes: &[u8], texts: [&str; N]) -> Vec<u8> {
    let mut blob = bytes.to_vec();
    for text in texts {
        blob.extend(text.as_bytes());
        blob.extend((text.len() as u32).to_le_bytes());
    }
    blob
}

/// What [`join`] was given, if `blob` is its result.
pub fn split<const N: usize>(mut blob: Vec<u8>) -> Option<(Vec<u8>, [String; N])> {
    let mut texts = [const { String::new() }; N];
    for text in texts.iter_mut().rev() {
        *text = last(&mut blob)?;
    }
    Some((blob, texts))
}

/// Takes the last text off.
fn last(blob: &mut Vec<u8>) -> Option<String> {
    let length = u32::from_le_bytes(blob.split_off(blob.len().checked_sub(4)?).try_into().ok()?);
    let text = blob.split_off(blob.len().checked_sub(length as usize)?);
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_read_as_it_was_written() {
        for notice in ["", "dllcamel: 2\n  walk trot"] {
            let blob = join(b"\0asm", [notice, "as far as here"]);
            let texts = [notice.to_owned(), "as far as here".to_owned()];
            assert_eq!(split(blob), Some((b"\0asm".to_vec(), texts)));
        }
        assert_eq!(split::<2>(vec![1]), None);
        assert_eq!(split::<1>(vec![b'n', 0xff, 0xff, 0, 0]), None);
    }
}
