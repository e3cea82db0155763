//! Channels in a program that can create threads or handle signals: while one waits for a transfer,
//! other threads run, and handlers.
//!
//! What the buffer answers for is done at once. For anything else a thread takes the channel, as
//! OCaml's runtime locks it: then it waits before each transfer until that can be done, and who
//! else wants the channel waits in its queue. The channel is given back while handlers of signals
//! run. Until a second thread is created, or signals come from outside, all is done as without.

use super::buffer::{Channel, Direction, fill_by};
use super::open::with;
use super::values;
use crate::custom;
use crate::heap::Root;
use crate::os::{Errno, Transfer};
use crate::pending;
use crate::polymorphic::marshal::output::{self, Flags};
use crate::primitives::signals;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::threads;
use crate::value::Value;
use crate::vm::vm;
use crate::waiting::{self, Queue};
use std::cell::Cell;

crate::primitives! {
    Collects "caml_ml_seek_out" seek, 2;
    Collects "caml_ml_seek_out_64" seek_64, 2;
    Collects "caml_ml_flush" flush, 1;
    Collects "caml_ml_output" output, 4;
    Collects "caml_ml_output_bytes" output, 4;
    Collects "caml_ml_output_char" output_char, 2;
    Collects "caml_ml_output_int" output_int, 2;
    Collects "caml_output_value" output_value, 3;
    Collects "caml_ml_input" input, 4;
    Collects "caml_ml_input_char" input_char, 1;
    Collects "caml_ml_input_int" input_int, 1;
    Collects "caml_ml_input_scan_line" input_scan_line, 1;
    Collects "caml_input_value" input_value, 1;
    Collects "caml_md5_chan" md5, 2;
}

/// A channel that the present thread uses and no other.
struct Taken {
    channel: Root,
    /// Not while handlers of signals run.
    is_mine: Cell<bool>,
}

impl Taken {
    fn take(&self) -> Result<(), Raised> {
        while let users @ 1.. = self.with(|channel| channel.users) {
            match waiting::in_queue(Queue(users)) {
                Err(Errno::INTR) => signals::deliver()?,
                waited => waited?,
            }
        }
        let users = threads::new_queue();
        self.with(|channel| channel.users = users.0);
        self.is_mine.set(true);
        Ok(())
    }

    fn give_back(&self) {
        if !self.is_mine.replace(false) {
            return;
        }
        let users = self.with(|channel| std::mem::take(&mut channel.users));
        waiting::wake_all(Queue(users));
    }

    /// Other threads may use the channel while they do.
    fn let_handlers_run(&self) -> Result<(), Raised> {
        self.give_back();
        signals::deliver()?;
        self.take()
    }

    fn with<R>(&self, f: impl FnOnce(&mut Channel) -> R) -> R {
        with(self.channel.get(), f)
    }

    /// Waits until the descriptor can do its transfer. A closed one meets its error then.
    fn until_ready(&self) -> Result<(), Raised> {
        let transfer = match self.with(|channel| channel.direction) {
            Direction::Input => Transfer::Read,
            Direction::Output => Transfer::Write,
        };
        while let Some(descriptor) = self.with(|channel| channel.descriptor()) {
            match waiting::until_transfer(descriptor, transfer) {
                Err(Errno::INTR) => self.let_handlers_run()?,
                waited => return Ok(waited?),
            }
        }
        Ok(())
    }

    /// Does a transfer, which ends with nothing done if a signal comes, until it is done.
    fn transfer<R>(
        &self,
        mut transfer: impl FnMut(&mut Channel) -> Result<R, Errno>,
    ) -> Result<R, Raised> {
        if vm().action_pending.get() != 0 {
            self.let_handlers_run()?;
        }
        loop {
            self.until_ready()?;
            match self.with(&mut transfer) {
                Err(Errno::INTR) => self.let_handlers_run()?,
                result => return Ok(result?),
            }
        }
    }

    /// Writes some of what is buffered.
    fn write(&self) -> Result<(), Raised> {
        let descriptor = self.with(|channel| channel.descriptor());
        let most = descriptor.map_or(usize::MAX, waiting::most_written);
        self.transfer(|channel| channel.flush_some(most))?;
        Ok(())
    }

    fn flush(&self) -> Result<(), Raised> {
        while self.with(|channel| channel.has_unflushed_data()) {
            self.write()?;
        }
        Ok(())
    }

    /// Writes all of `bytes`, which no collection moves.
    fn put(&self, mut bytes: &[u8]) -> Outcome {
        while !bytes.is_empty() {
            bytes = &bytes[self.put_some(bytes)?..];
            self.write_if_full()?;
        }
        Ok(Value::UNIT)
    }

    fn put_some(&self, bytes: &[u8]) -> Result<usize, Raised> {
        Ok(self.with(|channel| channel.put_some(bytes))?)
    }

    fn write_if_full(&self) -> Result<(), Raised> {
        match self.with(|channel| channel.is_full()) {
            true => self.write(),
            false => Ok(()),
        }
    }

    /// Fills the buffer if it is empty; whether there is something to read.
    fn fetch(&self) -> Result<bool, Raised> {
        match self.with(|channel| channel.has_input()) {
            true => Ok(true),
            false => self.transfer(Channel::look_ahead),
        }
    }

    fn get_some(&self, target: &mut [u8]) -> Result<usize, Raised> {
        match self.with(|channel| channel.has_input()) {
            true => Ok(self.with(|channel| channel.get_some(target))?),
            false if target.is_empty() => Ok(0),
            false => self.transfer(|channel| channel.get_some(target)),
        }
    }

    /// Fills `target` as far as the file goes; returns how far.
    fn get(&self, target: &mut [u8]) -> Result<usize, Raised> {
        fill_by(target, |target| self.get_some(target))
    }

    fn scan_line(&self) -> Result<i64, Raised> {
        loop {
            // Where a signal came, another thread may have read from the buffer.
            let mut scanned = 0;
            if let Some(length) = self.with(|channel| channel.scan_buffered(&mut scanned)) {
                return Ok(length);
            }
            let is_more = self.transfer(|channel| {
                scanned = channel.buffered();
                channel.fetch()
            })?;
            if !is_more {
                return Ok(-(scanned as i64));
            }
        }
    }
}

/// Does `f` with the channel while no other thread uses it.
fn alone<R>(channel: Value, f: impl FnOnce(&Taken) -> Result<R, Raised>) -> Result<R, Raised> {
    let taken = Taken {
        channel: Root::new(channel),
        is_mine: Cell::new(false),
    };
    taken.take()?;
    let result = f(&taken);
    taken.give_back();
    result
}

/// Whether the channel can be used as without threads, as that needs no transfer.
fn is_at_once(channel: Value, is_enough: impl FnOnce(&Channel) -> bool) -> bool {
    is_undisturbed() || with(channel, |channel| channel.users == 0 && is_enough(channel))
}

/// Whether neither other threads nor handlers can run while the channel waits.
fn is_undisturbed() -> bool {
    !waiting::has_others() && !pending::is_expected()
}

fn seek(channel: Value, target: Value) -> Outcome {
    let channel = Root::new(channel);
    flush(channel.get())?;
    super::seek(channel.get(), target)
}

fn seek_64(channel: Value, target: Value) -> Outcome {
    let target = custom::as_int64(target);
    let channel = Root::new(channel);
    flush(channel.get())?;
    with(channel.get(), |channel| channel.seek(target))?;
    Ok(Value::UNIT)
}

fn flush(channel: Value) -> Outcome {
    if is_at_once(channel, |channel| !channel.has_unflushed_data()) {
        return super::flush(channel);
    }
    alone(channel, Taken::flush)?;
    Ok(Value::UNIT)
}

fn output(channel: Value, string: Value, start: Value, len: Value) -> Outcome {
    let length = len.as_int() as usize;
    if is_at_once(channel, |channel| channel.has_room(length)) {
        return super::output(channel, string, start, len);
    }
    let string = Root::new(string);
    alone(channel, |taken| {
        let mut put = 0;
        while put < length {
            let string = string.get();
            // SAFETY: a channel has memory of its own.
            let bytes = super::part(unsafe { string.string_bytes() }, start, len);
            put += taken.put_some(&bytes[put..])?;
            taken.write_if_full()?;
        }
        Ok(Value::UNIT)
    })
}

fn output_char(channel: Value, char: Value) -> Outcome {
    if is_at_once(channel, |channel| channel.has_room(1)) {
        return super::output_char(channel, char);
    }
    alone(channel, |taken| taken.put(&[char.as_int() as u8]))
}

fn output_int(channel: Value, word: Value) -> Outcome {
    if is_at_once(channel, |channel| channel.has_room(4)) {
        return super::output_int(channel, word);
    }
    alone(channel, |taken| {
        taken.put(&(word.as_int() as u32).to_be_bytes())
    })
}

fn output_value(channel: Value, value: Value, flags: Value) -> Outcome {
    if is_undisturbed() {
        return values::output_value(channel, value, flags);
    }
    let data = output::marshal_for(value, Flags::from_list(flags), |message| message.to_vec())?;
    alone(channel, |taken| taken.put(&data))
}

fn input(channel: Value, bytes: Value, start: Value, len: Value) -> Outcome {
    if len == Value::int(0) || is_at_once(channel, Channel::has_input) {
        return super::input(channel, bytes, start, len);
    }
    let bytes = Root::new(bytes);
    alone(channel, |taken| match taken.fetch()? {
        true => super::input(taken.channel.get(), bytes.get(), start, len),
        false => {
            taken.with(Channel::forget_read);
            Ok(Value::int(0))
        }
    })
}

fn input_char(channel: Value) -> Outcome {
    if is_at_once(channel, Channel::has_input) {
        return super::input_char(channel);
    }
    alone(channel, |taken| match taken.fetch()? {
        true => super::input_char(taken.channel.get()),
        false => Err(raise::end_of_file()),
    })
}

fn input_int(channel: Value) -> Outcome {
    let mut bytes = [0; 4];
    let count = alone(channel, |taken| taken.get(&mut bytes))?;
    match count {
        4 => Ok(Value::int(i32::from_be_bytes(bytes).into())),
        _ => Err(raise::end_of_file()),
    }
}

fn input_scan_line(channel: Value) -> Outcome {
    if is_undisturbed() {
        return super::input_scan_line(channel);
    }
    Ok(Value::int(alone(channel, Taken::scan_line)?))
}

fn input_value(channel: Value) -> Outcome {
    alone(channel, |taken| {
        values::value_from(&mut |target| taken.get(target))
    })
}

fn md5(channel: Value, length: Value) -> Outcome {
    alone(channel, |taken| {
        values::digest_of(length, &mut |target| taken.get_some(target))
    })
}
