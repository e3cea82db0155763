//! Channels over captured descriptors and temporary files; expectations are what `ocamlrun` prints.

use super::*;
use crate::os::native::{capture, feed};
use crate::os::{self, OpenFlags};
use crate::testing::{raised, start_machine, string};
use buffer::BUFFER_SIZE;

const CREATE: OpenFlags = OpenFlags {
    create: true,
    truncate: true,
    ..OpenFlags::WRITE
};

fn unwrap(outcome: Outcome) -> Value {
    outcome.expect("no exception")
}

fn reader(contents: &[u8]) -> Value {
    start_machine();
    feed(0, contents);
    unwrap(open_descriptor_in(Value::int(0)))
}

/// A file in the temporary directory, removed in the end.
struct File(Vec<u8>);

impl File {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bactrian-{}-{name}", std::process::id()));
        Self(path.into_os_string().into_encoded_bytes())
    }

    fn open(&self, flags: OpenFlags) -> Value {
        let descriptor = os::open(&self.0, flags, 0o644).expect("the file opens");
        let descriptor = Value::int(descriptor.into());
        if flags.write {
            unwrap(open_descriptor_out(descriptor))
        } else {
            unwrap(open_descriptor_in(descriptor))
        }
    }

    fn with_contents(name: &str, contents: &[u8]) -> Self {
        let file = Self::new(name);
        let channel = file.open(CREATE);
        with(channel, |channel| channel.put(contents)).expect("written");
        unwrap(flush(channel));
        unwrap(close_channel(channel));
        file
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = os::unlink(&self.0);
    }
}

#[test]
fn output_waits_for_flush_or_a_full_buffer() {
    start_machine();
    let written = capture(1);
    let channel = unwrap(open_descriptor_out(Value::int(1)));
    unwrap(output_char(channel, Value::int(b'a'.into())));
    unwrap(output(
        channel,
        string("xbcx"),
        Value::int(1),
        Value::int(2),
    ));
    assert!(written.borrow().is_empty());
    unwrap(flush(channel));
    assert_eq!(*written.borrow(), b"abc");
    let filling = vec![b'-'; BUFFER_SIZE - 1];
    with(channel, |channel| channel.put(&filling)).expect("written");
    assert_eq!(written.borrow().len(), 3);
    with(channel, |channel| channel.put(b"+")).expect("written");
    assert_eq!(
        written.borrow().len(),
        3 + BUFFER_SIZE,
        "a buffer just full is written"
    );
    with(channel, |channel| channel.put(&[b'.'; 2 * BUFFER_SIZE + 1])).expect("written");
    assert_eq!(written.borrow().len(), 3 + 3 * BUFFER_SIZE);
}

#[test]
fn the_position_of_a_pipe_starts_below_zero() {
    start_machine();
    capture(1);
    let channel = unwrap(open_descriptor_out(Value::int(1)));
    assert_eq!(position(channel), Ok(Value::int(-1)));
}

#[test]
fn closed_channels() {
    start_machine();
    let file = File::new("closed");
    let channel = file.open(CREATE);
    unwrap(output(
        channel,
        string("hello"),
        Value::int(0),
        Value::int(5),
    ));
    unwrap(flush(channel));
    unwrap(close_channel(channel));
    let bad = "Sys_error(\"Bad file descriptor\")";
    assert_eq!(raised(output_char(channel, Value::int(65))), bad);
    assert_eq!(
        raised(output(channel, string("c"), Value::int(0), Value::int(1))),
        bad
    );
    unwrap(flush(channel));
    unwrap(close_channel(channel));
    assert_eq!(position(channel), Ok(Value::int(65541)));
    assert_eq!(raised(seek(channel, Value::int(3))), bad);
    assert_eq!(raised(channel_size(channel)), bad);
    let channel = file.open(OpenFlags::READ);
    unwrap(close_channel(channel));
    assert_eq!(raised(input_char(channel)), bad);
    unwrap(seek(channel, Value::int(0)));
    assert_eq!(raised(input_char(channel)), bad);
    assert_eq!(raised(input_scan_line(channel)), bad);
    assert_eq!(raised(seek(channel, Value::int(1))), bad);
}

#[test]
fn a_closed_channel_says_where_seeking_has_moved_it() {
    start_machine();
    let file = File::new("closed_and_moved");
    let channel = file.open(CREATE);
    unwrap(output(
        channel,
        string("hello"),
        Value::int(0),
        Value::int(5),
    ));
    unwrap(flush(channel));
    unwrap(close_channel(channel));
    let channel = file.open(OpenFlags::READ);
    unwrap(input_char(channel));
    unwrap(close_channel(channel));
    let end = unwrap(position(channel)).as_int();
    for target in [end, end - 65536, 0, end - 1] {
        unwrap(seek(channel, Value::int(target)));
        assert_eq!(position(channel), Ok(Value::int(target)));
        raised(input_char(channel));
    }
    raised(seek(channel, Value::int(end + 1)));
    assert_eq!(position(channel), Ok(Value::int(end - 1)));
}

#[test]
fn reading_bytes_and_words() {
    let channel = reader(b"a\xff\xff\xff\xfexyz");
    assert_eq!(unwrap(input_char(channel)), Value::int(97));
    assert_eq!(unwrap(input_int(channel)), Value::int(-2));
    let bytes = string("......");
    assert_eq!(
        unwrap(input(channel, bytes, Value::int(1), Value::int(5))),
        Value::int(3)
    );
    assert_eq!(bytes.to_bytes(), b".xyz..");
    assert_eq!(
        unwrap(input(channel, bytes, Value::int(0), Value::int(1))),
        Value::int(0)
    );
    assert_eq!(raised(input_char(channel)), "End_of_file");
}

#[test]
fn scanning_lines() {
    let mut contents = vec![b'x'; BUFFER_SIZE + 10];
    contents[3] = b'\n';
    contents.extend_from_slice(b"\nlast");
    let channel = reader(&contents);
    let target = string(vec![0; BUFFER_SIZE]);
    let line = || {
        let length = unwrap(input_scan_line(channel)).as_int();
        let take = Value::int(length.abs());
        unwrap(input(channel, target, Value::int(0), take));
        length
    };
    assert_eq!(line(), 4);
    assert_eq!(line(), -(BUFFER_SIZE as i64), "the buffer is full");
    assert_eq!(line(), 7);
    assert_eq!(line(), -4);
    assert_eq!(line(), 0);
}

#[test]
fn seeking_and_sizes() {
    start_machine();
    let file = File::with_contents("seek", b"0123456789");
    let channel = file.open(OpenFlags::READ);
    assert_eq!(unwrap(input_char(channel)), Value::int(b'0'.into()));
    unwrap(seek(channel, Value::int(7)));
    assert_eq!(unwrap(input_char(channel)), Value::int(b'7'.into()));
    assert_eq!(position(channel), Ok(Value::int(8)));
    assert_eq!(unwrap(channel_size(channel)), Value::int(10));
    assert_eq!(unwrap(input_char(channel)), Value::int(b'8'.into()));
    assert_eq!(
        raised(seek(channel, Value::int(-2))),
        "Sys_error(\"Invalid argument\")"
    );
    unwrap(seek(channel, Value::int(100)));
    assert_eq!(raised(input_char(channel)), "End_of_file");
    assert_eq!(position(channel), Ok(Value::int(100)));
}

#[test]
fn overwriting_in_the_middle() {
    start_machine();
    let file = File::new("overwrite");
    let channel = file.open(CREATE);
    unwrap(output(
        channel,
        string("0123456789"),
        Value::int(0),
        Value::int(10),
    ));
    unwrap(seek(channel, Value::int(4)));
    unwrap(output_int(channel, Value::int(0x41424344)));
    assert_eq!(position(channel), Ok(Value::int(8)));
    assert_eq!(unwrap(channel_size(channel)), Value::int(10));
    unwrap(flush(channel));
    let mut contents = [0; 12];
    let count = with(file.open(OpenFlags::READ), |channel| {
        channel.get(&mut contents)
    })
    .expect("readable");
    assert_eq!(&contents[..count], b"0123ABCD89");
}

#[test]
fn open_outputs_are_listed_in_order_without_closed_ones() {
    start_machine();
    capture(1);
    capture(2);
    let (out, err) = (
        unwrap(open_descriptor_out(Value::int(1))),
        unwrap(open_descriptor_out(Value::int(2))),
    );
    let file = File::new("list");
    let closed = file.open(CREATE);
    unwrap(close_channel(closed));
    reader_beside();
    let list = out_channels_list(Value::UNIT);
    let same = |a, b| with(a, |a| a as *const Channel) == with(b, |b| b as *const Channel);
    assert!(same(list.field(0), out) && same(list.field(1).field(0), err));
    assert_eq!(list.field(1).field(1), Value::EMPTY_LIST);
}

fn reader_beside() {
    feed(0, b"");
    unwrap(open_descriptor_in(Value::int(0)));
}

#[test]
fn a_dead_channel_with_data_stays_for_the_last_flush() {
    start_machine();
    let written = capture(1);
    let channel = unwrap(open_descriptor_out(Value::int(1)));
    unwrap(output(
        channel,
        string("late"),
        Value::int(0),
        Value::int(4),
    ));
    heap::collect_major();
    let list = out_channels_list(Value::UNIT);
    unwrap(flush(list.field(0)));
    assert_eq!(*written.borrow(), b"late");
    heap::collect_major();
    assert_eq!(out_channels_list(Value::UNIT), Value::EMPTY_LIST);
}

#[test]
fn values_through_a_file() {
    start_machine();
    let file = File::new("values");
    let channel = file.open(CREATE);
    unwrap(values::output_value(
        channel,
        string("a value"),
        Value::EMPTY_LIST,
    ));
    unwrap(values::output_value(
        channel,
        Value::int(42),
        Value::EMPTY_LIST,
    ));
    unwrap(output(channel, string("abc"), Value::int(0), Value::int(3)));
    unwrap(flush(channel));
    let channel = file.open(OpenFlags::READ);
    assert_eq!(unwrap(values::input_value(channel)).to_bytes(), b"a value");
    assert_eq!(unwrap(values::input_value(channel)), Value::int(42));
    assert_eq!(
        raised(values::input_value(channel)),
        "Failure(\"input_value: truncated object\")"
    );
    assert_eq!(raised(values::input_value(channel)), "End_of_file");
}

#[test]
fn not_a_value() {
    let channel = reader(b"abcdefghijklmnopqrstuvwxyzabcdefgh");
    assert_eq!(
        raised(values::input_value(channel)),
        "Failure(\"input_value: bad object\")"
    );
}

#[test]
fn digests() {
    let channel = reader(b"hello");
    assert_eq!(raised(values::md5(channel, Value::int(100))), "End_of_file");
    let channel = {
        feed(0, b"xhello");
        unwrap(open_descriptor_in(Value::int(0)))
    };
    unwrap(input_char(channel));
    let digest = unwrap(values::md5(channel, Value::int(-1)));
    let hex: String = digest
        .to_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(hex, "5d41402abc4b2a76b9719d911017c592");
}
