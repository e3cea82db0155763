//! Sockets. The tool has them; without it there are none, so a descriptor is of none.

use super::arguments::{descriptor, inherit, interruptible, plain};
use super::descriptors::PIECE;
use super::error;
use crate::heap::{self, Root};
use crate::os::descriptors;
use crate::os::host::sockets::{self, Address, OptionValue, SocketOption};
use crate::os::pipe::Blocking;
use crate::os::{Descriptor, Errno, Handle, Transfer};
use crate::primitives::signals;
use crate::registry::{self, Outcome, Raised};
use crate::value::Value;
use crate::waiting;

crate::primitives! {
    Leaf "unix_socket" socket, 4;
    Allocates "unix_socketpair" socket_pair, 4;
    Collects "unix_accept" accept, 2;
    Leaf "unix_bind" bind, 2;
    Collects "unix_connect" connect, 2;
    Leaf "unix_listen" listen, 2;
    Leaf "unix_shutdown" shutdown, 2;
    Allocates "unix_getsockname" own_address, 1;
    Allocates "unix_getpeername" peer_address, 1;
    Collects "unix_recv" receive, 5;
    Collects "unix_recvfrom" receive_from, 5;
    Collects "unix_send" send, 5;
    Collects "unix_sendto" send_to, n;
    Allocates "unix_getsockopt" option, 3;
    Leaf "unix_setsockopt" set_option, 4;
}

/// Does something with a socket. What may wait belongs to a primitive that may collect.
fn with<R>(
    file: Value,
    function: &str,
    f: impl FnOnce(Handle) -> Result<R, Errno>,
) -> Result<R, Raised> {
    result_of(descriptors::socket(descriptor(file)).and_then(f), function)
}

/// What came of that.
fn result_of<R>(result: Result<R, Errno>, function: &str) -> Result<R, Raised> {
    let result = match result {
        // Where nobody opens sockets, the descriptor is of something else.
        Err(Errno::NOSYS) => Err(Errno::NOTSOCK),
        result => result,
    };
    interruptible(result, function)
}

/// Lets other threads run until a transfer can be done at once; handlers of signals run first.
fn wait_for(file: Value, transfer: Transfer, function: &str) -> Result<(), Raised> {
    signals::deliver_before()?;
    interruptible(
        waiting::until_transfer(descriptor(file), transfer),
        function,
    )
}

/// Tag of `Unix.ADDR_UNIX` and of `Unix.ADDR_INET`.
const PATH: u8 = 0;
const INTERNET: u8 = 1;

/// What Linux has room for in the name of a socket.
const LONGEST: usize = 107;

fn address(value: Value) -> Result<Address, Raised> {
    let first = value.field(0).to_bytes();
    match value.tag() {
        PATH if first.len() > LONGEST => Err(error::about(Errno::NAMETOOLONG, "", value.field(0))),
        PATH => Ok(Address::Path(first)),
        _ => Ok(Address::Internet(first, value.field(1).as_int() as u16)),
    }
}

fn address_value(address: &Address) -> Value {
    match address {
        Address::Path(path) => heap::alloc_fields(PATH, &[heap::alloc_string(path)]),
        Address::Internet(address, port) => {
            let fields = [heap::alloc_string(address), Value::int((*port).into())];
            heap::alloc_fields(INTERNET, &fields)
        }
    }
}

fn socket(close_on_exec: Value, domain: Value, kind: Value, protocol: Value) -> Outcome {
    let socket = sockets::socket(domain.as_int(), kind.as_int(), protocol.as_int());
    let socket = socket.and_then(|socket| descriptors::add_outside(socket, inherit(close_on_exec)));
    Ok(Value::int(plain(socket, "socket")?.into()))
}

fn socket_pair(close_on_exec: Value, domain: Value, kind: Value, protocol: Value) -> Outcome {
    let ends = sockets::socket_pair(domain.as_int(), kind.as_int(), protocol.as_int());
    let ends = ends.and_then(|ends| descriptors::add_outside_pair(ends, inherit(close_on_exec)));
    let ends = plain(ends, "socketpair")?;
    Ok(heap::alloc_fields(
        0,
        &ends.map(|end| Value::int(end.into())),
    ))
}

/// The connection, and the address that it is from.
pub fn accept(close_on_exec: Value, file: Value) -> Outcome {
    let close_on_exec = inherit(close_on_exec);
    wait_for(file, Transfer::Read, "accept")?;
    let (connection, from) = with(file, "accept", |socket| {
        let (connection, from) = sockets::accept(socket)?;
        Ok((descriptors::add_outside(connection, close_on_exec)?, from))
    })?;
    let fields = [Value::int(connection.into()), address_value(&from)];
    Ok(heap::alloc_fields(0, &fields))
}

fn bind(file: Value, to: Value) -> Outcome {
    let to = address(to)?;
    with(file, "bind", |socket| sockets::bind(socket, &to))?;
    Ok(Value::UNIT)
}

fn connect(file: Value, to: Value) -> Outcome {
    let (file, to) = (descriptor(file), address(to)?);
    signals::deliver_before()?;
    result_of(connect_letting_others_run(file, &to), "connect")?;
    Ok(Value::UNIT)
}

/// Where there are other threads, begins without waiting, and asks later how it went.
fn connect_letting_others_run(file: Descriptor, to: &Address) -> Result<(), Errno> {
    let socket = descriptors::socket(file)?;
    if !waiting::has_others() || !descriptors::may_wait(file) {
        return sockets::connect(socket, to);
    }
    // What waits for room in the queue of a socket with a path has not begun: it is tried again.
    let begun = waiting::until_found(|| match connect_at_once(file, socket, to) {
        Err(Errno::AGAIN) if matches!(to, Address::Path(_)) => Ok(None),
        result => Ok(Some(result)),
    })?;
    if begun != Err(Errno::INPROGRESS) {
        return begun;
    }
    waiting::poll(&[(file, Transfer::Write)], None)?;
    match sockets::option(descriptors::socket(file)?, ERROR, OptionValue::Int(0))? {
        OptionValue::Int(0) => Ok(()),
        OptionValue::Int(number) => Err(Errno::from_linux(number as i32)),
        OptionValue::Linger(_) | OptionValue::Time(..) => Err(Errno::IO),
    }
}

/// Connects as a socket does that does not wait.
fn connect_at_once(file: Descriptor, socket: Handle, to: &Address) -> Result<(), Errno> {
    descriptors::set_blocking(file, Blocking::No)?;
    let connected = sockets::connect(socket, to);
    descriptors::set_blocking(file, Blocking::Yes)?;
    connected
}

fn listen(file: Value, backlog: Value) -> Outcome {
    with(file, "listen", |socket| {
        sockets::listen(socket, backlog.as_int())
    })?;
    Ok(Value::UNIT)
}

fn shutdown(file: Value, command: Value) -> Outcome {
    with(file, "shutdown", |socket| {
        sockets::shutdown(socket, command.as_int())
    })?;
    Ok(Value::UNIT)
}

fn own_address(file: Value) -> Outcome {
    let address = with(file, "getsockname", sockets::own_address)?;
    Ok(address_value(&address))
}

fn peer_address(file: Value) -> Outcome {
    let address = with(file, "getpeername", sockets::peer_address)?;
    Ok(address_value(&address))
}

/// Linux's bits for a list of `Unix.msg_flag`.
fn message_flags(flags: Value) -> i64 {
    const BITS: [i64; 3] = [1, 4, 2];
    let bits = flags.list().map(|flag| BITS[flag.as_int() as usize]);
    bits.fold(0, |all, bit| all | bit)
}

/// Receives into a buffer; how much, and from where.
fn received(
    [file, buffer, start, len, flags]: [Value; 5],
    function: &str,
) -> Result<(Value, Address), Raised> {
    let most = (len.as_int() as usize).min(PIECE);
    let flags = message_flags(flags);
    let buffer = Root::new(buffer);
    wait_for(file, Transfer::Read, function)?;
    let mut buffer = buffer.get();
    let (bytes, from) = with(file, function, |socket| {
        sockets::receive(socket, most, flags)
    })?;
    let start = start.as_int() as usize;
    // SAFETY: nothing else looks at the buffer meanwhile.
    let target = unsafe { &mut buffer.string_bytes_mut()[start..start + bytes.len()] };
    target.copy_from_slice(&bytes);
    Ok((Value::int(bytes.len() as i64), from))
}

fn receive(file: Value, buffer: Value, start: Value, len: Value, flags: Value) -> Outcome {
    let (count, _) = received([file, buffer, start, len, flags], "recv")?;
    Ok(count)
}

fn receive_from(file: Value, buffer: Value, start: Value, len: Value, flags: Value) -> Outcome {
    let (count, from) = received([file, buffer, start, len, flags], "recvfrom")?;
    Ok(heap::alloc_fields(0, &[count, address_value(&from)]))
}

fn sent(
    [file, buffer, start, len, flags]: [Value; 5],
    to: Option<Address>,
    function: &str,
) -> Outcome {
    let (start, len) = (start.as_int() as usize, (len.as_int() as usize).min(PIECE));
    let flags = message_flags(flags);
    let buffer = Root::new(buffer);
    wait_for(file, Transfer::Write, function)?;
    let buffer = buffer.get();
    let count = with(file, function, |socket| {
        // SAFETY: sending to the outside changes no block.
        let bytes = unsafe { &buffer.string_bytes()[start..start + len] };
        let result = sockets::send(socket, bytes, flags, to.as_ref());
        if result == Err(Errno::PIPE) {
            signals::broken_pipe();
        }
        result
    })?;
    Ok(Value::int(count as i64))
}

fn send(file: Value, buffer: Value, start: Value, len: Value, flags: Value) -> Outcome {
    sent([file, buffer, start, len, flags], None, "send")
}

fn send_to(arguments: u32, _count: u32) -> Outcome {
    let given = [0, 1, 2, 3, 4].map(|index| registry::argument(arguments, index));
    let to = address(registry::argument(arguments, 5))?;
    sent(given, Some(to), "sendto")
}

/// Linux's options of sockets, by the constructors of `Unix.socket_bool_option` and its kin.
const BOOL: [SocketOption; 10] = [
    SocketOption(1, 1),
    SocketOption(1, 6),
    SocketOption(1, 2),
    SocketOption(1, 9),
    SocketOption(1, 5),
    SocketOption(1, 10),
    SocketOption(1, 30),
    SocketOption(6, 1),
    SocketOption(41, 26),
    SocketOption(1, 15),
];
const INT: [SocketOption; 6] = [
    SocketOption(1, 7),
    SocketOption(1, 8),
    SocketOption(1, 4),
    SocketOption(1, 3),
    SocketOption(1, 18),
    SocketOption(1, 19),
];
const LINGER: SocketOption = SocketOption(1, 13);
const TIMES: [SocketOption; 2] = [SocketOption(1, 20), SocketOption(1, 21)];
const ERROR: SocketOption = SocketOption(1, 4);

/// Which option one of OCaml's is, and a value of its kind.
fn known(kind: Value, option: Value) -> (SocketOption, OptionValue) {
    let index = option.as_int() as usize;
    match kind.as_int() {
        0 => (BOOL[index], OptionValue::Int(0)),
        1 => (INT[index], OptionValue::Int(0)),
        2 => (LINGER, OptionValue::Linger(None)),
        3 => (TIMES[index], OptionValue::Time(0, 0)),
        _ => (ERROR, OptionValue::Int(0)),
    }
}

/// What the functions for a kind of options have behind their names.
fn suffix(kind: Value) -> &'static str {
    const SUFFIXES: [&str; 5] = ["", "_int", "_optint", "_float", "_error"];
    SUFFIXES.get(kind.as_int() as usize).unwrap_or(&"")
}

/// A number as C converts it to an `int`: all that are none give the same.
fn c_int(number: f64) -> i64 {
    match number.trunc() {
        whole if whole >= i32::MIN.into() && whole <= i32::MAX.into() => whole as i64,
        _ => i32::MIN.into(),
    }
}

/// As OCaml's library makes seconds and microseconds. What is too large the system refuses.
fn time(seconds: f64) -> OptionValue {
    let whole = c_int(seconds);
    OptionValue::Time(whole, c_int(1e6 * (seconds - whole as f64)))
}

fn option(kind: Value, file: Value, option: Value) -> Outcome {
    let (known, like) = known(kind, option);
    let found = with(file, &format!("getsockopt{}", suffix(kind)), |socket| {
        sockets::option(socket, known, like)
    })?;
    Ok(match (found, kind.as_int()) {
        (OptionValue::Int(value), 0) => Value::bool(value != 0),
        (OptionValue::Int(value), 1) => Value::int(value),
        (OptionValue::Int(0), _) | (OptionValue::Linger(None), _) => Value::int(0),
        (OptionValue::Int(number), _) => {
            heap::alloc_fields(0, &[error::constructor(number as i32)])
        }
        (OptionValue::Linger(Some(seconds)), _) => heap::alloc_fields(0, &[Value::int(seconds)]),
        (OptionValue::Time(seconds, rest), _) => {
            heap::alloc_float(seconds as f64 + rest as f64 / 1e6)
        }
    })
}

fn set_option(kind: Value, file: Value, option: Value, value: Value) -> Outcome {
    let (known, like) = known(kind, option);
    let value = match like {
        OptionValue::Int(_) => OptionValue::Int(value.as_int()),
        OptionValue::Linger(_) => OptionValue::Linger(value.option().map(Value::as_int)),
        OptionValue::Time(..) => time(value.as_float()),
    };
    with(file, &format!("setsockopt{}", suffix(kind)), |socket| {
        sockets::set_option(socket, known, value)
    })?;
    Ok(Value::UNIT)
}
