//! File descriptors as Unix numbers them: the lowest free number, several for one open file, pipes.
//!
//! The backends know no duplicates, WASI no pipes either, and each numbers files as it likes.
//! Invariant: an open file is closed outside when its last descriptor is closed. Standard streams
//! are descriptors 0 to 2 from the start; whether they are open the outside says when they are
//! used. Programs that are started get the descriptors that are not [`Inherit::No`].

use super::backend;
use super::host;
use super::pipe::{Blocking, Pipe};
use super::{Descriptor, Errno, Handle, Kind, OpenFlags, Status, Transfer, Whence};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many descriptors a program may have where the host does not say.
const LIMIT: usize = 1024;

enum Object {
    Outside(Handle),
    Reader(Rc<Pipe>),
    Writer(Rc<Pipe>),
}

/// An open file, however many descriptors it has.
struct OpenFile {
    object: Object,
    blocking: Cell<Blocking>,
    /// Once somebody has asked: no open file becomes one of another kind.
    kind: Cell<Option<Kind>>,
}

/// Whether programs that are started get a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inherit {
    No,
    Yes,
}

struct Entry {
    file: Rc<OpenFile>,
    inherit: Inherit,
}

thread_local! {
    static TABLE: RefCell<Vec<Option<Entry>>> = RefCell::new(standard());
    static LOOKED: Cell<bool> = const { Cell::new(false) };
    static MOST: OnceCell<usize> = const { OnceCell::new() };
}

fn standard() -> Vec<Option<Entry>> {
    let stream = |number| Entry {
        file: OpenFile::new(Object::Outside(Handle(number))),
        inherit: Inherit::Yes,
    };
    (0..3).map(|number| Some(stream(number))).collect()
}

impl OpenFile {
    fn new(object: Object) -> Rc<Self> {
        match &object {
            Object::Outside(_) => {}
            Object::Reader(pipe) => pipe.readers.set(pipe.readers.get() + 1),
            Object::Writer(pipe) => pipe.writers.set(pipe.writers.get() + 1),
        }
        Rc::new(Self {
            object,
            blocking: Cell::new(Blocking::Yes),
            kind: Cell::new(None),
        })
    }

    fn close(&self) -> Result<(), Errno> {
        match &self.object {
            Object::Outside(handle) => return backend::close(*handle),
            Object::Reader(pipe) => pipe.readers.set(pipe.readers.get() - 1),
            Object::Writer(pipe) => pipe.writers.set(pipe.writers.get() - 1),
        }
        Ok(())
    }

    fn kind(&self) -> Result<Kind, Errno> {
        if let Some(kind) = self.kind.get() {
            return Ok(kind);
        }
        let kind = match self.handle() {
            Some(handle) => backend::status_of(handle)?.kind,
            None => Kind::Pipe,
        };
        self.kind.set(Some(kind));
        Ok(kind)
    }

    fn handle(&self) -> Option<Handle> {
        match &self.object {
            Object::Outside(handle) => Some(*handle),
            Object::Reader(_) | Object::Writer(_) => None,
        }
    }
}

fn get(descriptor: Descriptor) -> Result<Rc<OpenFile>, Errno> {
    let index = usize::try_from(descriptor).map_err(|_| Errno::BADF)?;
    TABLE.with_borrow(|table| {
        let entry = table.get(index).and_then(Option::as_ref);
        Ok(entry.ok_or(Errno::BADF)?.file.clone())
    })
}

/// Frees the numbers of standard streams that were closed from the start; done once, before one is
/// needed.
fn look_at_standard() {
    if LOOKED.replace(true) {
        return;
    }
    for number in 0..3 {
        if backend::status_of(Handle(number)) == Err(Errno::BADF) {
            TABLE.with_borrow_mut(|table| {
                let slot = &mut table[number as usize];
                let untouched = |entry: &Entry| entry.file.handle() == Some(Handle(number));
                if slot.as_ref().is_some_and(untouched) {
                    *slot = None;
                }
            });
        }
    }
}

/// How many descriptors a program may have.
fn limit() -> usize {
    MOST.with(|most| *most.get_or_init(|| host::most_descriptors().unwrap_or(LIMIT)))
}

/// Puts `file` at the lowest free number that is not below `lowest`; closes it if there is none.
fn add(file: Rc<OpenFile>, inherit: Inherit, lowest: usize) -> Result<Descriptor, Errno> {
    look_at_standard();
    TABLE.with_borrow_mut(|table| {
        let free = (lowest..table.len()).find(|&index| table[index].is_none());
        let index = free.unwrap_or(table.len().max(lowest));
        if index >= limit() {
            if let Ok(last) = Rc::try_unwrap(file) {
                last.close()?;
            }
            return Err(Errno::MFILE);
        }
        if table.len() <= index {
            table.resize_with(index + 1, || None);
        }
        table[index] = Some(Entry { file, inherit });
        Ok(index as Descriptor)
    })
}

/// The outside's handle, or `error` for a pipe.
fn handle_or(descriptor: Descriptor, error: Errno) -> Result<Handle, Errno> {
    get(descriptor)?.handle().ok_or(error)
}

/// Opens a file, or a directory, which can then not be read. `permissions` of a file that is
/// created.
pub fn open(path: &[u8], flags: OpenFlags, permissions: u32) -> Result<Descriptor, Errno> {
    let handle = backend::open(path, flags, permissions)?;
    let file = OpenFile::new(Object::Outside(handle));
    if flags.nonblocking {
        file.blocking.set(Blocking::No);
    }
    add(file, flags.inherit(), 0)
}

pub fn close(descriptor: Descriptor) -> Result<(), Errno> {
    let file = get(descriptor)?;
    TABLE.with_borrow_mut(|table| table[descriptor as usize] = None);
    match Rc::try_unwrap(file) {
        Ok(last) => last.close(),
        Err(_) => Ok(()),
    }
}

/// One more descriptor for the same open file.
pub fn duplicate(descriptor: Descriptor, inherit: Inherit) -> Result<Descriptor, Errno> {
    add(get(descriptor)?, inherit, 0)
}

/// Says whether programs that are started get the descriptor.
pub fn set_inherit(descriptor: Descriptor, inherit: Inherit) -> Result<(), Errno> {
    get(descriptor)?;
    TABLE.with_borrow_mut(|table| {
        if let Some(entry) = &mut table[descriptor as usize] {
            entry.inherit = inherit;
        }
    });
    Ok(())
}

/// Whether programs that are started get a descriptor.
pub fn inherit(descriptor: Descriptor) -> Result<Inherit, Errno> {
    get(descriptor)?;
    let inherit = TABLE.with_borrow(|table| {
        let entry = table.get(descriptor as usize)?.as_ref();
        entry.map(|entry| entry.inherit)
    });
    inherit.ok_or(Errno::BADF)
}

/// What a program that is started gets: numbers, and the outside's files. Its descriptors 0 to 2
/// are `streams`, one after the other; one of these that had another number loses it. A pipe that
/// is in the program itself cannot be given: where there are such pipes, no program is started.
pub fn inherited(streams: [Descriptor; 3]) -> Result<Vec<(Descriptor, Handle)>, Errno> {
    look_at_standard();
    let mut given = BTreeMap::new();
    TABLE.with_borrow(|table| {
        for (number, entry) in table.iter().enumerate() {
            if let Some(entry) = entry
                && let Some(handle) = entry.file.handle()
            {
                given.insert(number as Descriptor, (handle, entry.inherit));
            }
        }
    });
    for (number, &stream) in streams.iter().enumerate() {
        let target = number as Descriptor;
        if stream != target {
            let missing = || get(stream).err().unwrap_or(Errno::NOSYS);
            let (handle, _) = *given.get(&stream).ok_or_else(missing)?;
            given.insert(target, (handle, Inherit::Yes));
            if !streams[number + 1..].contains(&stream) {
                given.remove(&stream);
            }
        }
    }
    given.retain(|_, (_, inherit)| *inherit == Inherit::Yes);
    Ok(given
        .into_iter()
        .map(|(number, (handle, _))| (number, handle))
        .collect())
}

/// Makes `target` a descriptor for the same open file, whatever it was; does nothing if it is the
/// same descriptor.
pub fn duplicate_to(
    descriptor: Descriptor,
    target: Descriptor,
    inherit: Inherit,
) -> Result<(), Errno> {
    let file = get(descriptor)?;
    let index = usize::try_from(target).map_err(|_| Errno::BADF)?;
    if index >= limit() {
        return Err(Errno::BADF);
    }
    if descriptor == target {
        return Ok(());
    }
    // The number `target` is free, even if closing its file fails.
    let _ = close(target);
    add(file, inherit, index).map(drop)
}

/// A pipe's ends, for reading and for writing: the host's, or where it has none, one inside of the
/// program.
pub fn pipe(inherit: Inherit) -> Result<[Descriptor; 2], Errno> {
    match host::pipe() {
        Ok(ends) => add_outside_pair(ends, inherit),
        Err(Errno::NOSYS) => {
            let pipe = Rc::new(Pipe::default());
            add_pair(
                [Object::Reader(pipe.clone()), Object::Writer(pipe)],
                inherit,
            )
        }
        Err(error) => Err(error),
    }
}

/// A descriptor for a file that the outside opened.
pub fn add_outside(handle: Handle, inherit: Inherit) -> Result<Descriptor, Errno> {
    add(OpenFile::new(Object::Outside(handle)), inherit, 0)
}

/// Two of these, or none.
pub fn add_outside_pair(ends: [Handle; 2], inherit: Inherit) -> Result<[Descriptor; 2], Errno> {
    add_pair(ends.map(Object::Outside), inherit)
}

/// What may be a socket of the outside's.
pub fn socket(descriptor: Descriptor) -> Result<Handle, Errno> {
    handle_or(descriptor, Errno::NOTSOCK)
}

/// Numbers two open files, or neither.
fn add_pair(ends: [Object; 2], inherit: Inherit) -> Result<[Descriptor; 2], Errno> {
    match ends.map(OpenFile::new).map(|end| add(end, inherit, 0)) {
        [Ok(first), Ok(second)] => Ok([first, second]),
        [Err(error), _] => Err(error),
        [Ok(first), Err(error)] => {
            close(first)?;
            Err(error)
        }
    }
}

/// Says whether operations that would have to wait fail instead.
pub fn set_blocking(descriptor: Descriptor, blocking: Blocking) -> Result<(), Errno> {
    let file = get(descriptor)?;
    if let Some(handle) = file.handle() {
        backend::set_blocking(handle, blocking)?;
    }
    file.blocking.set(blocking);
    Ok(())
}

/// Whether transfers wait until they can be done.
pub fn may_wait(descriptor: Descriptor) -> bool {
    get(descriptor).is_ok_and(|file| file.blocking.get() == Blocking::Yes)
}

/// Fails unless the descriptor is open.
pub fn check(descriptor: Descriptor) -> Result<(), Errno> {
    get(descriptor).map(drop)
}

/// Reads up to `buffer.len()` bytes; 0 at the end.
pub fn read(descriptor: Descriptor, buffer: &mut [u8]) -> Result<usize, Errno> {
    let file = get(descriptor)?;
    match &file.object {
        Object::Outside(handle) => backend::read(*handle, buffer),
        Object::Reader(pipe) => pipe.read(buffer, file.blocking.get()),
        Object::Writer(_) => Err(Errno::BADF),
    }
}

/// Writes a prefix of `bytes`; returns its length.
pub fn write(descriptor: Descriptor, bytes: &[u8]) -> Result<usize, Errno> {
    let file = get(descriptor)?;
    match &file.object {
        Object::Outside(handle) => backend::write(*handle, bytes),
        Object::Writer(pipe) => pipe.write(bytes, file.blocking.get()),
        Object::Reader(_) => Err(Errno::BADF),
    }
}

/// Moves to `offset`; returns the new position from the start.
pub fn seek(descriptor: Descriptor, offset: i64, whence: Whence) -> Result<i64, Errno> {
    backend::seek(handle_or(descriptor, Errno::SPIPE)?, offset, whence)
}

pub fn is_terminal(descriptor: Descriptor) -> bool {
    handle_or(descriptor, Errno::NOTTY).is_ok_and(backend::is_terminal)
}

/// What is known of an open file.
pub fn status(descriptor: Descriptor) -> Result<Status, Errno> {
    match get(descriptor)?.handle() {
        Some(handle) => backend::status_of(handle),
        None => Ok(Status::PIPE),
    }
}

/// What an open file is.
pub fn kind(descriptor: Descriptor) -> Result<Kind, Errno> {
    get(descriptor)?.kind()
}

/// Whether somebody has a pipe open for writing, or had since this end was opened.
pub fn has_writer(descriptor: Descriptor) -> Result<bool, Errno> {
    host::has_writer(handle_or(descriptor, Errno::NOSYS)?)
}

/// Cuts a file to `size` bytes, or adds zeros.
pub fn set_size(descriptor: Descriptor, size: u64) -> Result<(), Errno> {
    backend::set_size(handle_or(descriptor, Errno::INVAL)?, size)
}

pub fn set_permissions(descriptor: Descriptor, permissions: u32) -> Result<(), Errno> {
    host::set_permissions_of(handle_or(descriptor, Errno::NOSYS)?, permissions)
}

/// Gives an open file to a user and a group; -1 leaves it with its own.
pub fn set_owner(descriptor: Descriptor, user: i32, group: i32) -> Result<(), Errno> {
    host::set_owner_of(handle_or(descriptor, Errno::NOSYS)?, user, group)
}

/// Locks or unlocks a part of a file, see [`host::lock`].
pub fn lock(descriptor: Descriptor, command: i64, size: i64) -> Result<(), Errno> {
    host::lock(handle_or(descriptor, Errno::NOSYS)?, command, size)
}

/// Waits until what was written is on the disk.
pub fn synchronise(descriptor: Descriptor) -> Result<(), Errno> {
    backend::synchronise(handle_or(descriptor, Errno::INVAL)?)
}

/// Waits until one of `wanted` can be done without waiting, at most `timeout` nanoseconds; which
/// can.
pub fn poll(wanted: &[(Descriptor, Transfer)], timeout: Option<u64>) -> Result<Vec<bool>, Errno> {
    let mut ready = vec![false; wanted.len()];
    let mut outside = Vec::new();
    for (index, &(descriptor, transfer)) in wanted.iter().enumerate() {
        let file = get(descriptor)?;
        match &file.object {
            // Files are always ready, but not every host says so.
            Object::Outside(handle) => match file.kind()? {
                Kind::Regular | Kind::Directory => ready[index] = true,
                _ => outside.push((index, *handle, transfer)),
            },
            Object::Reader(pipe) => ready[index] = transfer == Transfer::Read && pipe.is_readable(),
            Object::Writer(pipe) => {
                ready[index] = transfer == Transfer::Write && pipe.is_writable()
            }
        }
    }
    let timeout = if ready.contains(&true) {
        Some(0)
    } else {
        timeout
    };
    match (outside.is_empty(), timeout) {
        (true, None) => match host::signals::wait() {
            Ok(()) => return Err(Errno::INTR),
            // No signal can come.
            Err(Errno::NOSYS) => return Err(Errno::DEADLK),
            Err(error) => return Err(error),
        },
        (true, Some(0)) => {}
        (true, Some(timeout)) => match host::signals::sleep(timeout)? {
            0 => {}
            _ => return Err(Errno::INTR),
        },
        (false, timeout) => {
            let wanted: Vec<_> = outside
                .iter()
                .map(|&(_, handle, way)| (handle, way))
                .collect();
            let found = backend::poll(&wanted, timeout)?;
            for ((index, _, _), found) in outside.iter().zip(found) {
                ready[*index] = found;
            }
        }
    }
    Ok(ready)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_lowest_free_ones() {
        let [reader, writer] = pipe(Inherit::Yes).expect("a pipe");
        assert_eq!((reader, writer), (3, 4));
        assert_eq!(duplicate(writer, Inherit::Yes), Ok(5));
        close(reader).expect("it is open");
        assert_eq!(close(reader), Err(Errno::BADF));
        assert_eq!(duplicate(writer, Inherit::Yes), Ok(3));
        duplicate_to(writer, 9, Inherit::Yes).expect("room");
        assert_eq!(duplicate(writer, Inherit::Yes), Ok(6));
        assert_eq!(duplicate_to(77, 3, Inherit::Yes), Err(Errno::BADF));
    }

    #[test]
    fn a_pipe_ends_with_the_last_duplicate_of_its_writer() {
        let [reader, writer] = pipe(Inherit::Yes).expect("a pipe");
        let again = duplicate(writer, Inherit::Yes).expect("room");
        close(writer).expect("it is open");
        assert_eq!(write(again, b"x"), Ok(1));
        assert_eq!(
            poll(&[(reader, Transfer::Read), (again, Transfer::Write)], None),
            Ok(vec![true, true])
        );
        close(again).expect("it is open");
        let mut buffer = [0; 2];
        assert_eq!(read(reader, &mut buffer), Ok(1));
        assert_eq!(read(reader, &mut buffer), Ok(0));
        assert_eq!(seek(reader, 0, Whence::Current), Err(Errno::SPIPE));
    }

    #[test]
    fn programs_get_what_they_are_to_inherit() {
        let outside = |number, inherit| add_outside(Handle(number), inherit).expect("room");
        let kept = outside(70, Inherit::Yes);
        let closed = outside(80, Inherit::No);
        let numbers = |given: Vec<(Descriptor, Handle)>| {
            let pairs = given.into_iter().map(|(number, handle)| (number, handle.0));
            pairs.collect::<Vec<_>>()
        };
        let all = [(0, 0), (1, 1), (2, 2), (kept, 70)];
        assert_eq!(inherited([0, 1, 2]).map(numbers), Ok(all.to_vec()));
        // As another number it is inherited, and no more as its own.
        let swapped = [(0, 80), (1, 2), (2, 2), (kept, 70)];
        assert_eq!(inherited([closed, 2, 2]).map(numbers), Ok(swapped.to_vec()));
        assert_eq!(inherited([kept, kept, 9]), Err(Errno::BADF));
        let [reader, _] = pipe(Inherit::No).expect("a pipe");
        assert_eq!(inherited([reader, 1, 2]), Err(Errno::NOSYS));
        set_inherit(closed, Inherit::Yes).expect("it is open");
        set_inherit(kept, Inherit::No).expect("it is open");
        let changed = [(0, 0), (1, 1), (2, 2), (closed, 80)];
        assert_eq!(inherited([0, 1, 2]).map(numbers), Ok(changed.to_vec()));
    }
}
