//! One channel: a descriptor and a buffer of 64 KiB, which is filled and flushed when OCaml's is.
//!
//! Invariant, for output: `position` is the start of the buffer in the file, and the bytes up to
//! `next` are not written yet. For input: `position` is the end of the buffered bytes,
//! `next..limit` are unread. After [`Channel::close`] every attempt to use the buffer meets the
//! closed descriptor's error.
//!
//! A signal ends a transfer of a channel that has users, with EINTR and nothing done: who takes a
//! channel for its use has handlers run then.
//!
//! Nothing outside is touched before the first transfer, not even to ask for the position.

use crate::allocator;
use crate::memory;
use crate::os::{self, Descriptor, Errno, Whence};
use crate::primitives::signals;

/// Size of a channel's buffer.
pub const BUFFER_SIZE: usize = 65536;

/// Which way a channel goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Input,
    Output,
}

/// What can go wrong in a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    Outside(Errno),
    EndOfFile,
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        Failure::Outside(error)
    }
}

/// A channel.
pub struct Channel {
    /// `None` once closed.
    descriptor: Option<Descriptor>,
    pub direction: Direction,
    /// The name that the program gave it, for warnings.
    pub name: Option<Vec<u8>>,
    /// How many custom blocks stand for the channel.
    pub references: u32,
    /// The number of the queue of threads that wait for the one which uses the channel, 0 if none
    /// does. See [`super::shared`].
    pub users: u64,
    /// See the module's invariant; −1 where the descriptor cannot seek, `None` before the first
    /// use.
    position: Option<i64>,
    next: usize,
    limit: usize,
    /// How far before the position seeking has moved a closed channel.
    back: i64,
    /// Empty before the first use, and after the end.
    buffer: Vec<u8>,
}

impl Channel {
    pub fn new(descriptor: Descriptor, direction: Direction) -> Self {
        Self {
            descriptor: Some(descriptor),
            direction,
            name: None,
            references: 0,
            users: 0,
            position: None,
            next: 0,
            limit: 0,
            back: 0,
            buffer: Vec::new(),
        }
    }

    pub fn descriptor(&self) -> Option<Descriptor> {
        self.descriptor
    }

    /// Whether bytes wait to be written to an open channel.
    pub fn has_unflushed_data(&self) -> bool {
        self.direction == Direction::Output && self.descriptor.is_some() && self.next > 0
    }

    fn open_descriptor(&self) -> Result<Descriptor, Errno> {
        self.descriptor.ok_or(Errno::BADF)
    }

    /// The descriptor, with position and buffer made ready. Only transfers and new buffers need it,
    /// so it is no part of what calls it.
    #[inline(never)]
    fn ready(&mut self) -> Result<Descriptor, Errno> {
        let descriptor = self.open_descriptor()?;
        self.file_position();
        if self.buffer.is_empty() {
            self.make_buffer().ok_or(Errno::NOMEM)?;
        }
        Ok(descriptor)
    }

    #[cold]
    fn make_buffer(&mut self) -> Option<()> {
        allocator::attempt(|| self.buffer.try_reserve_exact(BUFFER_SIZE).ok())?;
        self.buffer.resize(BUFFER_SIZE, 0);
        Some(())
    }

    fn file_position(&mut self) -> i64 {
        let descriptor = self.descriptor;
        *self.position.get_or_insert_with(|| {
            let position = descriptor.map(|fd| os::seek(fd, 0, Whence::Current));
            position.and_then(Result::ok).unwrap_or(-1)
        })
    }

    fn advance(&mut self, bytes: usize) {
        self.position = Some(self.file_position() + bytes as i64);
    }

    /// Closes the descriptor; nothing happens the second time. What is not flushed is lost.
    pub fn close(&mut self) -> Result<(), Errno> {
        let Some(descriptor) = self.descriptor else {
            return Ok(());
        };
        self.file_position();
        self.descriptor = None;
        self.buffer = Vec::new();
        self.next = BUFFER_SIZE;
        self.limit = BUFFER_SIZE;
        os::close(descriptor)
    }

    /// The position of the next byte that the program reads or writes.
    pub fn tell(&mut self) -> i64 {
        let position = self.file_position();
        match self.direction {
            Direction::Input => position - (self.limit - self.next) as i64 - self.back,
            Direction::Output => position + self.next as i64,
        }
    }

    /// The size of the file.
    pub fn size(&mut self) -> Result<i64, Errno> {
        let descriptor = self.open_descriptor()?;
        let position = self.file_position();
        let size = os::seek(descriptor, 0, Whence::End)?;
        os::seek(descriptor, position, Whence::Start)?;
        Ok(size)
    }

    pub fn seek(&mut self, target: i64) -> Result<(), Errno> {
        match self.direction {
            Direction::Input => self.seek_input(target),
            Direction::Output => self.seek_output(target),
        }
    }

    /// A target inside of the buffer needs no system call. So this works even in a closed channel;
    /// reading it then fails.
    fn seek_input(&mut self, target: i64) -> Result<(), Errno> {
        let position = self.file_position();
        if (position - self.limit as i64..=position).contains(&target) {
            match self.descriptor {
                Some(_) => self.next = self.limit - (position - target) as usize,
                None => self.back = position - target,
            }
            return Ok(());
        }
        move_to(self.open_descriptor(), target)?;
        self.position = Some(target);
        self.next = 0;
        self.limit = 0;
        Ok(())
    }

    fn seek_output(&mut self, target: i64) -> Result<(), Errno> {
        while !self.flush_partial()? {}
        move_to(self.open_descriptor(), target)?;
        self.position = Some(target);
        Ok(())
    }
}

/// Moves the descriptor. OCaml's runtime takes it for an error if the result is not the target, and
/// reports the last error number there was. So moving to −1 succeeds. A device that stays where it
/// is fails with an old error: mostly that of asking a pipe or a terminal for its position.
fn move_to(descriptor: Result<Descriptor, Errno>, target: i64) -> Result<(), Errno> {
    match descriptor.and_then(|descriptor| os::seek(descriptor, target, Whence::Start)) {
        Ok(position) if position != target => Err(Errno::SPIPE),
        Err(error) if target != -1 => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Output.
impl Channel {
    /// Writes all that is buffered. Nothing for a closed channel.
    pub fn flush(&mut self) -> Result<(), Errno> {
        if self.descriptor.is_none() {
            return Ok(());
        }
        while !self.flush_partial()? {}
        Ok(())
    }

    /// One attempt at it; whether the buffer is empty afterwards.
    pub fn flush_partial(&mut self) -> Result<bool, Errno> {
        if self.next > 0 {
            self.write_buffer(self.next)?;
        }
        Ok(self.next == 0)
    }

    /// Writes a prefix of the first `filled` bytes, and moves the rest to the start.
    fn write_buffer(&mut self, filled: usize) -> Result<(), Errno> {
        let descriptor = self.ready()?;
        let written = write(descriptor, &self.buffer[..filled], self.users != 0)?;
        self.advance(written);
        self.buffer.copy_within(written..filled, 0);
        self.next = filled - written;
        Ok(())
    }

    /// The same with so many bytes at most.
    pub fn flush_some(&mut self, most: usize) -> Result<bool, Errno> {
        if self.next <= most {
            return self.flush_partial();
        }
        let filled = self.next;
        self.write_buffer(most)?;
        self.buffer.copy_within(most..filled, self.next);
        self.next += filled - most;
        Ok(false)
    }

    /// Whether so many bytes more can be buffered, and the buffer is not full then.
    pub fn has_room(&self, bytes: usize) -> bool {
        bytes < self.buffer.len().saturating_sub(self.next)
    }

    /// Buffers a prefix of `bytes`; returns its length, and the buffer is full if that is not all.
    pub fn put_some(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        self.ready()?;
        let count = bytes.len().min(BUFFER_SIZE - self.next);
        memory::copy_slice(&bytes[..count], &mut self.buffer[self.next..]);
        self.next += count;
        Ok(count)
    }

    pub fn is_full(&self) -> bool {
        self.next == BUFFER_SIZE
    }

    /// Buffers a byte, if there is room for it.
    #[inline]
    pub fn try_put_byte(&mut self, byte: u8) -> bool {
        let Some(place) = self.buffer.get_mut(self.next) else {
            return false;
        };
        *place = byte;
        self.next += 1;
        true
    }

    pub fn put_byte(&mut self, byte: u8) -> Result<(), Errno> {
        while !self.try_put_byte(byte) {
            self.ready()?;
            if self.is_full() {
                self.flush_partial()?;
            }
        }
        Ok(())
    }

    /// Buffers `bytes`, if there is room for them and more.
    pub fn try_put(&mut self, bytes: &[u8]) -> bool {
        if !self.has_room(bytes.len()) {
            return false;
        }
        memory::copy_slice(bytes, &mut self.buffer[self.next..]);
        self.next += bytes.len();
        true
    }

    pub fn put(&mut self, mut bytes: &[u8]) -> Result<(), Errno> {
        while !bytes.is_empty() && !self.try_put(bytes) {
            bytes = &bytes[self.put_some(bytes)?..];
            if self.is_full() {
                self.write_buffer(BUFFER_SIZE)?;
            }
        }
        Ok(())
    }
}

/// Writes a prefix of `bytes` that is not empty; `ends` says whether a signal ends that.
fn write(descriptor: Descriptor, bytes: &[u8], ends: bool) -> Result<usize, Errno> {
    let mut len = bytes.len();
    loop {
        match os::write(descriptor, &bytes[..len]) {
            Err(Errno::INTR) if !ends => {}
            // A pipe that is nearly full may take one byte though it refuses many.
            Err(Errno::AGAIN) if len > 1 => len = 1,
            Err(Errno::PIPE) => {
                signals::broken_pipe();
                return Err(Errno::PIPE);
            }
            result => return result,
        }
    }
}

/// Input.
impl Channel {
    /// Fills the buffer from `start` on; returns how many bytes came, 0 at the end of the file.
    fn fill(&mut self, start: usize) -> Result<usize, Errno> {
        let descriptor = self.ready()?;
        let count = loop {
            match os::read(descriptor, &mut self.buffer[start..]) {
                Err(Errno::INTR) if self.users == 0 => {}
                result => break result?,
            }
        };
        self.advance(count);
        Ok(count)
    }

    /// Replaces the bytes read by the next ones of the file; whether there were any. If not, those
    /// read stay for seeking back.
    #[cold]
    fn refill(&mut self) -> Result<bool, Errno> {
        let count = self.fill(0)?;
        if count > 0 {
            self.next = 0;
            self.limit = count;
        }
        Ok(count > 0)
    }

    /// Whether there is something to read: what is buffered, or else what one read gives.
    pub fn look_ahead(&mut self) -> Result<bool, Errno> {
        Ok(self.has_input() || self.refill()?)
    }

    /// The next byte, if one is buffered; otherwise −1, which takes no memory to return.
    #[inline]
    pub fn try_get_byte(&mut self) -> i32 {
        if !self.has_input() {
            return -1;
        }
        let byte = self.buffer[self.next];
        self.next += 1;
        byte.into()
    }

    pub fn get_byte(&mut self) -> Result<u8, Failure> {
        loop {
            if let Ok(byte) = u8::try_from(self.try_get_byte()) {
                return Ok(byte);
            }
            if !self.refill()? {
                return Err(Failure::EndOfFile);
            }
        }
    }

    /// Reads at most `target.len()` bytes: those buffered, or, if there are none, those that one
    /// read gives.
    pub fn get_some(&mut self, target: &mut [u8]) -> Result<usize, Errno> {
        if target.is_empty() {
            return Ok(0);
        }
        if self.next >= self.limit && !self.refill()? {
            self.forget_read();
            return Ok(0);
        }
        let count = target.len().min(self.limit - self.next);
        memory::copy_slice(&self.buffer[self.next..self.limit], target);
        self.next += count;
        Ok(count)
    }

    /// Nothing is left for seeking back.
    pub fn forget_read(&mut self) {
        self.next = 0;
        self.limit = 0;
    }

    /// Fills `target` as far as the file goes; returns how far.
    pub fn get(&mut self, target: &mut [u8]) -> Result<usize, Errno> {
        fill_by(target, |target| self.get_some(target))
    }

    /// The length of the next line with its newline, all of it buffered; or, negative, the number
    /// of bytes buffered where the file or the buffer ends before a newline.
    pub fn scan_line(&mut self) -> Result<i64, Errno> {
        let mut scanned = 0;
        loop {
            if let Some(length) = self.scan_buffered(&mut scanned) {
                return Ok(length);
            }
            if !self.fetch()? {
                return Ok(-(scanned as i64));
            }
        }
    }

    /// The same, of what is buffered, of which `scanned` bytes are known to be without a newline;
    /// nothing if more has to be read.
    pub fn scan_buffered(&mut self, scanned: &mut usize) -> Option<i64> {
        if let Some(at) = newline(&self.buffer, self.next + *scanned, self.limit) {
            return Some((at + 1 - self.next) as i64);
        }
        *scanned = self.limit - self.next;
        if self.next > 0 {
            // A closed channel has no buffer to move bytes in.
            if *scanned > 0 {
                self.buffer.copy_within(self.next..self.limit, 0);
            }
            self.next = 0;
            self.limit = *scanned;
        }
        (*scanned == BUFFER_SIZE).then_some(-(*scanned as i64))
    }

    /// Reads more behind what is buffered; whether there was any.
    pub fn fetch(&mut self) -> Result<bool, Errno> {
        let count = self.fill(self.limit)?;
        self.limit += count;
        Ok(count > 0)
    }

    /// How many bytes are buffered.
    pub fn buffered(&self) -> usize {
        self.limit.saturating_sub(self.next)
    }

    pub fn has_input(&self) -> bool {
        self.buffered() > 0
    }
}

/// Fills `target` by what reads some bytes, or none at the end; returns how far.
pub fn fill_by<E>(
    target: &mut [u8],
    mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
) -> Result<usize, E> {
    let mut filled = 0;
    while filled < target.len() {
        match read(&mut target[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn newline(buffer: &[u8], start: usize, end: usize) -> Option<usize> {
    let at = buffer
        .get(start..end)?
        .iter()
        .position(|&byte| byte == b'\n')?;
    Some(start + at)
}
