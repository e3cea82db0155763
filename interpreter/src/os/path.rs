//! Paths: a current directory of the guest's own, and which preopened directory holds a path.
//!
//! WASI has no current directory, and opens paths relative to a directory that the host handed
//! over. Invariant: a path is left as the program wrote it but for its start, so symbolic links and
//! `..` inside of it mean what they mean to the host.

use super::{Errno, Follow};

/// `path` made absolute. `current` is absolute and normal.
pub fn absolute(current: &[u8], path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") {
        return path.to_vec();
    }
    let mut base = current.to_vec();
    let mut rest = path;
    loop {
        let (first, after) = split_first(rest);
        match first {
            b"." | b"" if !rest.is_empty() => {}
            b".." => parent(&mut base),
            _ => break,
        }
        rest = after;
    }
    append(&mut base, rest);
    base
}

/// The same with every `.`, `..` and empty component worked out by name alone.
pub fn normal(current: &[u8], path: &[u8]) -> Vec<u8> {
    let mut result = b"/".to_vec();
    for component in absolute(current, path).split(|&byte| byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => parent(&mut result),
            name => append(&mut result, name),
        }
    }
    result
}

/// The directory in `preopens` (absolute, normal) with the longest name that contains the absolute
/// `path`: its index, and the path from there.
pub fn locate<'a>(preopens: &[Vec<u8>], path: &'a [u8]) -> Option<(usize, &'a [u8])> {
    let mut best: Option<(usize, &[u8])> = None;
    for (index, directory) in preopens.iter().enumerate() {
        if let Some(rest) = inside(directory, path)
            && best.is_none_or(|(_, found)| rest.len() < found.len())
        {
            best = Some((index, rest));
        }
    }
    best.map(|(index, rest)| (index, if rest.is_empty() { b"." } else { rest }))
}

/// What a name on a path turns out to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    Directory,
    /// A symbolic link, and where it leads.
    Link(Vec<u8>),
    Other,
}

/// Symbolic links that a path may go through.
const MOST_LINKS: usize = 40;

/// The absolute `path` without `.`, `..` and symbolic links; `follow` is about one at its end.
/// `look` says what the name at the end of a path without links is.
pub fn resolve(
    path: &[u8],
    follow: Follow,
    look: impl Fn(&[u8]) -> Result<Part, Errno>,
) -> Result<Vec<u8>, Errno> {
    let mut rest = parts(path);
    let mut done = Vec::new();
    let mut links = 0;
    while let Some(name) = rest.pop() {
        if name == b".." {
            let slash = done.iter().rposition(|&byte| byte == b'/');
            done.truncate(slash.unwrap_or(0));
            continue;
        }
        let next = [&done[..], b"/", &name].concat();
        if rest.is_empty() && follow == Follow::No {
            return Ok(next);
        }
        match look(&next)? {
            Part::Directory => done = next,
            Part::Other if rest.is_empty() => done = next,
            Part::Other => return Err(Errno::NOTDIR),
            Part::Link(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP);
                }
                if target.starts_with(b"/") {
                    done.clear();
                }
                rest.extend(parts(&target));
            }
        }
    }
    Ok(if done.is_empty() { b"/".to_vec() } else { done })
}

/// The names on a path, last one first.
fn parts(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .map(<[u8]>::to_vec)
        .rev()
        .collect()
}

/// What is left of `path` inside `directory`.
fn inside<'a>(directory: &[u8], path: &'a [u8]) -> Option<&'a [u8]> {
    let rest = match directory {
        b"/" => path,
        _ => path.strip_prefix(directory)?,
    };
    match rest {
        [] => Some(rest),
        [b'/', ..] => {
            let start = rest.iter().position(|&byte| byte != b'/');
            Some(start.map_or(&[], |start| &rest[start..]))
        }
        _ => None,
    }
}

fn split_first(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().position(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (path, &[]),
    }
}

fn parent(directory: &mut Vec<u8>) {
    let slash = directory
        .iter()
        .rposition(|&byte| byte == b'/')
        .unwrap_or(0);
    directory.truncate(slash.max(1));
}

fn append(directory: &mut Vec<u8>, rest: &[u8]) {
    if rest.is_empty() {
        return;
    }
    if !directory.ends_with(b"/") {
        directory.push(b'/');
    }
    directory.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_absolute(path: &str, expected: &str) {
        let result = absolute(b"/home/me", path.as_bytes());
        assert_eq!(String::from_utf8_lossy(&result), expected);
    }

    #[test]
    fn absolute_paths() {
        check_absolute("a/b", "/home/me/a/b");
        check_absolute("./a", "/home/me/a");
        check_absolute("..", "/home");
        check_absolute("../../../x", "/x");
        check_absolute("a/../b", "/home/me/a/../b");
        check_absolute("/x/../y", "/x/../y");
        check_absolute(".", "/home/me");
        check_absolute(".hidden", "/home/me/.hidden");
        check_absolute("a/", "/home/me/a/");
    }

    #[test]
    fn normal_paths() {
        assert_eq!(normal(b"/a/b", b"../c/./d/../e/"), b"/a/c/e");
        assert_eq!(normal(b"/", b".."), b"/");
    }

    #[test]
    fn links_lead_to_where_they_lead() {
        let look = |path: &[u8]| {
            Ok(match path {
                b"/a/up" => Part::Link(b"../b/.".to_vec()),
                b"/a/far" => Part::Link(b"/b/file".to_vec()),
                b"/a/round" => Part::Link(b"round".to_vec()),
                b"/b/file" => Part::Other,
                b"/none" => return Err(Errno::NOENT),
                _ => Part::Directory,
            })
        };
        let check = |path: &str, follow| {
            resolve(path.as_bytes(), follow, look)
                .map(|path| String::from_utf8_lossy(&path).into_owned())
        };
        assert_eq!(check("/a/up/x", Follow::Yes), Ok("/b/x".to_owned()));
        assert_eq!(check("/a/./far", Follow::Yes), Ok("/b/file".to_owned()));
        assert_eq!(check("/a/far", Follow::No), Ok("/a/far".to_owned()));
        assert_eq!(check("/a/up/../..", Follow::Yes), Ok("/".to_owned()));
        assert_eq!(check("/a/far/x", Follow::Yes), Err(Errno::NOTDIR));
        assert_eq!(check("/a/round", Follow::Yes), Err(Errno::LOOP));
        assert_eq!(check("/none/x", Follow::Yes), Err(Errno::NOENT));
    }

    #[test]
    fn the_longest_preopen_wins() {
        let preopens = [b"/".to_vec(), b"/tmp".to_vec(), b"/tmp/deep".to_vec()];
        assert_eq!(locate(&preopens, b"/tmp/x"), Some((1, &b"x"[..])));
        assert_eq!(
            locate(&preopens, b"/tmp//deep/y"),
            Some((1, &b"deep/y"[..]))
        );
        assert_eq!(locate(&preopens, b"/tmp/deep"), Some((2, &b"."[..])));
        assert_eq!(locate(&preopens, b"/tmpfile"), Some((0, &b"tmpfile"[..])));
        assert_eq!(locate(&preopens[1..], b"/etc/passwd"), None);
        assert_eq!(locate(&preopens[..1], b"/"), Some((0, &b"."[..])));
    }
}
