//! Sockets. Addresses go over as bytes: 0 and a path; or 1, the port in two bytes, lowest first,
//! and the 4 or 16 bytes of an internet address.

use std::mem::size_of_val;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{c_int, c_void, linger, socklen_t, timeval};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, Protocol, RecvFlags, SendFlags, Shutdown};
use rustix::net::{SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType};

use super::files::{numbered, subject};
use super::{Answer, Call, Function, Network, Unconfined, checked, done};

pub(super) const FUNCTIONS: [(&str, Function); 14] = [
    ("socket", socket),
    ("socketpair", socket_pair),
    ("bind", bind),
    ("connect", connect),
    ("listen", listen),
    ("accept", accept),
    ("shutdown", shutdown),
    ("getsockname", own_address),
    ("getpeername", peer_address),
    ("recvfrom", receive),
    ("sendto", send),
    ("getsockopt", option),
    ("setsockopt", set_option),
    ("resolve", resolve),
];

fn address(bytes: &[u8]) -> Result<SocketAddrAny, Errno> {
    match bytes {
        [0] => Ok(SocketAddrUnix::new_unnamed().into()),
        [0, 0, name @ ..] => Ok(SocketAddrUnix::new_abstract_name(name)?.into()),
        [0, path @ ..] => Ok(SocketAddrUnix::new(path)?.into()),
        [1, low, high, address @ ..] => {
            let address: IpAddr = match address.len() {
                4 => <[u8; 4]>::try_from(address)
                    .map_err(|_| Errno::INVAL)?
                    .into(),
                _ => <[u8; 16]>::try_from(address)
                    .map_err(|_| Errno::INVAL)?
                    .into(),
            };
            Ok(SocketAddr::new(address, u16::from_le_bytes([*low, *high])).into())
        }
        _ => Err(Errno::INVAL),
    }
}

/// Nothing for an address of another family, and for none.
fn address_bytes(address: Option<SocketAddrAny>) -> Vec<u8> {
    let Some(address) = address else {
        return Vec::new();
    };
    if let Ok(address) = SocketAddr::try_from(address.clone()) {
        let port = address.port().to_le_bytes();
        return [&[1], port.as_slice(), &octets(address.ip())].concat();
    }
    let Ok(address) = SocketAddrUnix::try_from(address) else {
        return Vec::new();
    };
    match (address.path_bytes(), address.abstract_name()) {
        (Some(path), _) => [&[0], path].concat(),
        (None, None | Some([])) => vec![0],
        (None, Some(name)) => [&[0, 0], name].concat(),
    }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

/// Family (0: paths, 1 and 2: internet addresses), type (stream, datagram, raw, packets) and
/// protocol, which has the system's number.
fn described(
    [domain, kind, protocol]: [i64; 3],
) -> Result<(AddressFamily, SocketType, Option<Protocol>), Errno> {
    let family = match domain {
        0 => AddressFamily::UNIX,
        1 => AddressFamily::INET,
        2 => AddressFamily::INET6,
        _ => return Err(Errno::AFNOSUPPORT),
    };
    let kind = match kind {
        0 => SocketType::STREAM,
        1 => SocketType::DGRAM,
        2 => SocketType::RAW,
        3 => SocketType::SEQPACKET,
        _ => return Err(Errno::INVAL),
    };
    // What is none the system refuses, as it does by the family.
    let protocol = (protocol as u32).try_into().ok().map(Protocol::from_raw);
    Ok((family, kind, protocol))
}

fn socket(state: &mut Unconfined, call: &mut Call) -> Answer {
    let (family, kind, protocol) = described(call.numbers)?;
    state.asks(|network| network.allows_socket(family, kind))?;
    let socket = net::socket_with(family, kind, SocketFlags::CLOEXEC, protocol)?;
    Ok(state.files.add_file(socket))
}

fn socket_pair(state: &mut Unconfined, call: &mut Call) -> Answer {
    let (family, kind, protocol) = described(call.numbers)?;
    let (first, second) = net::socketpair(family, kind, SocketFlags::CLOEXEC, protocol)?;
    let ends = [first, second].map(|end| state.files.add_file(end));
    call.put_words(&ends)
}

fn bind(state: &mut Unconfined, call: &mut Call) -> Answer {
    let address = address(call.input)?;
    state.asks(|network| network.allows_binding(&address))?;
    done(net::bind(subject(state, call)?, &address))
}

fn connect(state: &mut Unconfined, call: &mut Call) -> Answer {
    let address = address(call.input)?;
    state.asks(|network| network.allows_reaching(&address))?;
    done(net::connect(subject(state, call)?, &address))
}

fn listen(state: &mut Unconfined, call: &mut Call) -> Answer {
    let socket = subject(state, call)?;
    state.asks(|network| network.allows_listening_as(&net::getsockname(socket)?))?;
    done(net::listen(socket, call.numbers[1] as i32))
}

/// Puts out the connection's number, and from where it comes.
fn accept(state: &mut Unconfined, call: &mut Call) -> Answer {
    let (connection, from) = net::acceptfrom_with(subject(state, call)?, SocketFlags::CLOEXEC)?;
    let number = state.files.add_file(connection);
    call.put(&[&number.to_le_bytes(), address_bytes(from).as_slice()].concat())
}

/// No more receiving (0), no more sending (1), neither (2).
fn shutdown(state: &mut Unconfined, call: &mut Call) -> Answer {
    let how = match call.numbers[1] {
        0 => Shutdown::Read,
        1 => Shutdown::Write,
        _ => Shutdown::Both,
    };
    done(net::shutdown(subject(state, call)?, how))
}

fn own_address(state: &mut Unconfined, call: &mut Call) -> Answer {
    let address = net::getsockname(subject(state, call)?)?;
    call.put(&address_bytes(Some(address)))
}

fn peer_address(state: &mut Unconfined, call: &mut Call) -> Answer {
    let address = net::getpeername(subject(state, call)?)?;
    call.put(&address_bytes(address))
}

/// A socket, flags, and how much is to be received at most. Puts out the length of an address in a
/// byte, the address, and what was received.
fn receive(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [_, flags, most] = call.numbers;
    let socket = subject(state, call)?;
    let flags = RecvFlags::from_bits_retain(flags as u32);
    let mut data = vec![0; call.output.len().min(usize::try_from(most).unwrap_or(0))];
    let (count, _, from) = net::recvfrom(socket, data.as_mut_slice(), flags)?;
    let from = address_bytes(from);
    call.put(&[&[from.len() as u8], from.as_slice(), &data[..count]].concat())
}

/// A socket, flags, and the length of the address that comes in before the data; 0 for none.
fn send(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [_, flags, len] = call.numbers;
    let flags = SendFlags::from_bits_retain(flags as u32) | SendFlags::NOSIGNAL;
    let socket = subject(state, call)?;
    let len = usize::try_from(len).map_err(|_| Errno::INVAL)?;
    let (to, data) = call.input.split_at_checked(len).ok_or(Errno::INVAL)?;
    let count = match to {
        [] => net::send(socket, data, flags)?,
        to => {
            let to = address(to)?;
            state.asks(|network| network.allows_reaching(&to))?;
            net::sendto(socket, data, flags, &to)?
        }
    };
    Ok(count as i64)
}

/// An option's level and number, in the halves of a number.
fn named(number: i64) -> (c_int, c_int) {
    ((number >> 32) as c_int, number as c_int)
}

/// What an option's value is: a number, whether to wait and how many seconds, or a time.
enum Kind {
    Int,
    Linger,
    Time,
}

impl Kind {
    fn from(number: i64) -> Self {
        match number {
            0 => Self::Int,
            1 => Self::Linger,
            _ => Self::Time,
        }
    }
}

/// A socket, an option, its kind. Puts out two words: the number; whether to wait, and seconds; or
/// seconds and microseconds.
fn option(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [_, name, kind] = call.numbers;
    let (socket, name) = (subject(state, call)?, named(name));
    let words = match Kind::from(kind) {
        Kind::Int => [get::<c_int>(socket, name, 0)?.into(), 0],
        Kind::Linger => {
            let none = linger {
                l_onoff: 0,
                l_linger: 0,
            };
            let found = get(socket, name, none)?;
            [found.l_onoff.into(), found.l_linger.into()]
        }
        Kind::Time => {
            let none = timeval {
                tv_sec: 0,
                tv_usec: 0,
            };
            let found = get(socket, name, none)?;
            [found.tv_sec, found.tv_usec]
        }
    };
    call.put_words(&words)
}

/// The same with two words in.
fn set_option(state: &mut Unconfined, call: &mut Call) -> Answer {
    let [_, name, kind] = call.numbers;
    let (socket, name) = (subject(state, call)?, named(name));
    let words = numbered(call.input);
    let &[first, second] = words.as_slice() else {
        return Err(Errno::INVAL);
    };
    match Kind::from(kind) {
        Kind::Int => set(socket, name, first as c_int),
        Kind::Linger => {
            let value = linger {
                l_onoff: first as c_int,
                l_linger: second as c_int,
            };
            set(socket, name, value)
        }
        Kind::Time => {
            let value = timeval {
                tv_sec: first,
                tv_usec: second,
            };
            set(socket, name, value)
        }
    }
}

/// Values of options that are plain numbers in C.
trait Plain: Copy {}
impl Plain for c_int {}
impl Plain for linger {}
impl Plain for timeval {}

fn get<T: Plain>(
    socket: BorrowedFd,
    (level, name): (c_int, c_int),
    mut value: T,
) -> Result<T, Errno> {
    let mut len = size_of_val(&value) as socklen_t;
    let place: *mut c_void = (&raw mut value).cast();
    // SAFETY: it writes `len` bytes at most, of which any make a value.
    checked(unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, place, &mut len) })?;
    Ok(value)
}

fn set<T: Plain>(socket: BorrowedFd, (level, name): (c_int, c_int), value: T) -> Answer {
    let len = size_of_val(&value) as socklen_t;
    let place: *const c_void = (&raw const value).cast();
    // SAFETY: it reads `len` bytes.
    checked(unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, place, len) })
}

/// The addresses of the host that comes in, as the system finds them: each one's length in a byte,
/// and it.
fn resolve(state: &mut Unconfined, call: &mut Call) -> Answer {
    state.asks(Network::allows_names)?;
    let name = str::from_utf8(call.input).map_err(|_| Errno::NOENT)?;
    let found = (name, 0).to_socket_addrs().map_err(|_| Errno::NOENT)?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found.map(|address| address.ip()) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    let bytes = addresses.into_iter().map(octets);
    let bytes = bytes.flat_map(|address| [vec![address.len() as u8], address].concat());
    call.put(&bytes.collect::<Vec<u8>>())
}
