//! Sockets, which only the tool has.
//!
//! Addresses go over as bytes: 0 and a path; or 1, the port in two bytes, lowest first, and the 4
//! or 16 bytes of an internet address.

use super::super::{Errno, Handle};
use super::{abi, done, number, words};

/// Room for an address and its length.
const ADDRESS: usize = 128;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    Path(Vec<u8>),
    /// An address of 4 or 16 bytes, and a port.
    Internet(Vec<u8>, u16),
}

impl Address {
    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Path(path) => [&[0], path.as_slice()].concat(),
            Self::Internet(address, port) => {
                [&[1], port.to_le_bytes().as_slice(), address].concat()
            }
        }
    }

    /// A socket without a name has the empty path.
    fn decode(bytes: &[u8]) -> Self {
        match bytes {
            [1, low, high, address @ ..] => {
                Self::Internet(address.to_vec(), u16::from_le_bytes([*low, *high]))
            }
            [_, path @ ..] => Self::Path(path.to_vec()),
            [] => Self::Path(Vec::new()),
        }
    }
}

/// A value of `Unix.socket_domain`, of `Unix.socket_type`, and a protocol's number.
pub fn socket(domain: i64, kind: i64, protocol: i64) -> Result<Handle, Errno> {
    let handle = abi::socket([domain, kind, protocol], b"", &mut [])?;
    Ok(Handle(handle as i32))
}

/// Two that are connected.
pub fn socket_pair(domain: i64, kind: i64, protocol: i64) -> Result<[Handle; 2], Errno> {
    let mut ends = [0; 16];
    abi::socketpair([domain, kind, protocol], b"", &mut ends)?;
    let ends = words(&ends);
    Ok([Handle(ends[0] as i32), Handle(ends[1] as i32)])
}

pub fn bind(socket: Handle, address: &Address) -> Result<(), Errno> {
    done(abi::bind(
        [number(socket), 0, 0],
        &address.encode(),
        &mut [],
    ))
}

pub fn connect(socket: Handle, address: &Address) -> Result<(), Errno> {
    done(abi::connect(
        [number(socket), 0, 0],
        &address.encode(),
        &mut [],
    ))
}

pub fn listen(socket: Handle, backlog: i64) -> Result<(), Errno> {
    done(abi::listen([number(socket), backlog, 0], b"", &mut []))
}

/// A connection, and from where it comes.
pub fn accept(socket: Handle) -> Result<(Handle, Address), Errno> {
    let mut found = [0; 8 + ADDRESS];
    let len = abi::accept([number(socket), 0, 0], b"", &mut found)?;
    let (handle, address) = found[..len as usize].split_at(8);
    Ok((Handle(words(handle)[0] as i32), Address::decode(address)))
}

/// `how` is a value of `Unix.shutdown_command`.
pub fn shutdown(socket: Handle, how: i64) -> Result<(), Errno> {
    done(abi::shutdown([number(socket), how, 0], b"", &mut []))
}

pub fn own_address(socket: Handle) -> Result<Address, Errno> {
    let mut found = [0; ADDRESS];
    let len = abi::getsockname([number(socket), 0, 0], b"", &mut found)?;
    Ok(Address::decode(&found[..len as usize]))
}

pub fn peer_address(socket: Handle) -> Result<Address, Errno> {
    let mut found = [0; ADDRESS];
    let len = abi::getpeername([number(socket), 0, 0], b"", &mut found)?;
    Ok(Address::decode(&found[..len as usize]))
}

/// Receives up to `most` bytes, and from where; `flags` are Linux's.
pub fn receive(socket: Handle, most: usize, flags: i64) -> Result<(Vec<u8>, Address), Errno> {
    let mut found = vec![0; ADDRESS + most];
    let len = abi::recvfrom([number(socket), flags, most as i64], b"", &mut found)?;
    let (address_len, rest) = found[..len as usize].split_first().ok_or(Errno::IO)?;
    let (address, data) = rest.split_at((*address_len).into());
    Ok((data.to_vec(), Address::decode(address)))
}

/// Sends a prefix of `bytes`, to where the socket is connected or to an address; its length.
pub fn send(
    socket: Handle,
    bytes: &[u8],
    flags: i64,
    to: Option<&Address>,
) -> Result<usize, Errno> {
    let mut input = to.map(Address::encode).unwrap_or_default();
    let len = input.len() as i64;
    input.extend(bytes);
    let count = abi::sendto([number(socket), flags, len], &input, &mut [])?;
    Ok(count as usize)
}

/// An option of sockets: Linux's level and number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SocketOption(pub i32, pub i32);

impl SocketOption {
    fn number(self) -> i64 {
        i64::from(self.0) << 32 | i64::from(self.1)
    }
}

/// What an option's value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionValue {
    Int(i64),
    /// Seconds, if it is on.
    Linger(Option<i64>),
    /// Seconds and microseconds.
    Time(i64, i64),
}

impl OptionValue {
    /// The kind of value, and the value: two words.
    fn encode(self) -> (i64, [i64; 2]) {
        match self {
            Self::Int(value) => (0, [value, 0]),
            Self::Linger(seconds) => (1, [seconds.is_some().into(), seconds.unwrap_or(0)]),
            Self::Time(seconds, rest) => (2, [seconds, rest]),
        }
    }
}

/// Asks for an option whose value is of the kind of `like`.
pub fn option(
    socket: Handle,
    option: SocketOption,
    like: OptionValue,
) -> Result<OptionValue, Errno> {
    let mut found = [0; 16];
    let (kind, _) = like.encode();
    abi::getsockopt([number(socket), option.number(), kind], b"", &mut found)?;
    let found = words(&found);
    Ok(match like {
        OptionValue::Int(_) => OptionValue::Int(found[0]),
        OptionValue::Linger(_) => OptionValue::Linger((found[0] != 0).then_some(found[1])),
        OptionValue::Time(..) => OptionValue::Time(found[0], found[1]),
    })
}

pub fn set_option(socket: Handle, option: SocketOption, value: OptionValue) -> Result<(), Errno> {
    let (kind, words) = value.encode();
    let input = words.map(i64::to_le_bytes).concat();
    let numbers = [number(socket), option.number(), kind];
    done(abi::setsockopt(numbers, &input, &mut []))
}

/// The addresses of a host, of 4 and of 16 bytes.
pub fn resolve(name: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
    let found = super::bytes(ADDRESS, |room| abi::resolve([0; 3], name, room))?;
    let mut rest = found.as_slice();
    let mut addresses = Vec::new();
    while let [len, after @ ..] = rest {
        let (address, after) = after.split_at_checked((*len).into()).ok_or(Errno::IO)?;
        addresses.push(address.to_vec());
        rest = after;
    }
    Ok(addresses)
}
