//! The network's databases: hosts, services and protocols, from `/etc` where it can be read. Where
//! the tool serves the program, hosts that are not there are asked of the system.
//!
//! `getaddrinfo` and `getnameinfo` raise `Invalid_argument`: the library then does their work
//! itself, with the functions here.

use super::addresses;
use crate::heap;
use crate::os;
use crate::os::host::sockets;
use crate::primitives::files::string_array;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;

crate::primitives! {
    Allocates "unix_gethostbyname" host_by_name, 1;
    Allocates "unix_gethostbyaddr" host_by_address, 1;
    Allocates "unix_getprotobyname" protocol_by_name, 1;
    Allocates "unix_getprotobynumber" protocol_by_number, 1;
    Allocates "unix_getservbyname" service_by_name, 2;
    Allocates "unix_getservbyport" service_by_port, 2;
    Leaf "unix_getaddrinfo" address_info, 3;
    Leaf "unix_getnameinfo" name_info, 2;
}

type Words = Vec<Vec<u8>>;

/// The words of the first line that `wanted` accepts, comments left out.
fn line(file: &[u8], wanted: impl Fn(&Words) -> bool) -> Option<Words> {
    let contents = os::read_file(file).ok()?;
    contents
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.split(|&byte| byte == b'#').next())
        .map(words)
        .find(|words| words.len() > 1 && wanted(words))
}

fn words(line: &[u8]) -> Words {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

/// A name stands in the first place, or from the third on.
fn named(words: &Words, name: &[u8]) -> bool {
    words[0] == name || words[2..].iter().any(|alias| alias == name)
}

fn host_by_name(name: Value) -> Outcome {
    let wanted = name.to_bytes();
    if let Some(address) = addresses::parse(&wanted).filter(|address| address.len() == 4) {
        return Ok(host(&[wanted.to_vec()], &[address]));
    }
    let is_wanted = |words: &Words| {
        let version_4 = addresses::parse(&words[0]).is_some_and(|address| address.len() == 4);
        version_4
            && words[1..]
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&wanted))
    };
    if let Some(found) = known_host(is_wanted) {
        return Ok(found);
    }
    let mut addresses = sockets::resolve(&wanted).map_err(|_| raise::not_found())?;
    addresses.retain(|address| address.len() == 4);
    if addresses.is_empty() {
        return Err(raise::not_found());
    }
    Ok(host(&[wanted], &addresses))
}

fn host_by_address(address: Value) -> Outcome {
    let address = address.to_bytes();
    known_host(|words| addresses::parse(&words[0]).is_some_and(|known| known == address))
        .ok_or_else(raise::not_found)
}

fn known_host(wanted: impl Fn(&Words) -> bool) -> Option<Value> {
    let words = line(b"/etc/hosts", wanted)?;
    let address = addresses::parse(&words[0])?;
    Some(host(&words[1..], &[address]))
}

/// A value of type `Unix.host_entry`: the first name is the host's, the others are aliases. All
/// addresses, of which there is one, are of one version.
fn host(names: &[Vec<u8>], addresses: &[Vec<u8>]) -> Value {
    const VERSION_4: i64 = 1;
    const VERSION_6: i64 = 2;
    let domain = if addresses[0].len() == 4 {
        VERSION_4
    } else {
        VERSION_6
    };
    let fields = [
        heap::alloc_string(&names[0]),
        string_array(&names[1..]),
        Value::int(domain),
        string_array(addresses),
    ];
    heap::alloc_fields(0, &fields)
}

fn protocol_by_name(name: Value) -> Outcome {
    let name = name.to_bytes();
    protocol(|words| named(words, &name))
}

fn protocol_by_number(number: Value) -> Outcome {
    protocol(|words| integer(&words[1]) == Some(number.as_int()))
}

fn integer(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A value of type `Unix.protocol_entry`.
fn protocol(wanted: impl Fn(&Words) -> bool) -> Outcome {
    let words = line(b"/etc/protocols", wanted).ok_or_else(raise::not_found)?;
    let fields = [
        heap::alloc_string(&words[0]),
        string_array(&words[2..]),
        Value::int(integer(&words[1]).unwrap_or(0)),
    ];
    Ok(heap::alloc_fields(0, &fields))
}

fn service_by_name(name: Value, protocol: Value) -> Outcome {
    let name = name.to_bytes();
    service(protocol, |words, _| named(words, &name))
}

fn service_by_port(port: Value, protocol: Value) -> Outcome {
    service(protocol, |_, number| number == port.as_int())
}

/// A port and a protocol, written `80/tcp`.
fn port(word: &[u8]) -> Option<(i64, &[u8])> {
    let slash = word.iter().position(|&byte| byte == b'/')?;
    Some((integer(&word[..slash])?, &word[slash + 1..]))
}

/// A value of type `Unix.service_entry`; any protocol will do where the program names none.
fn service(protocol: Value, wanted: impl Fn(&Words, i64) -> bool) -> Outcome {
    let protocol = protocol.to_bytes();
    let is_wanted = |words: &Words| {
        port(&words[1]).is_some_and(|(number, found)| {
            (protocol.is_empty() || protocol == found) && wanted(words, number)
        })
    };
    let words = line(b"/etc/services", is_wanted).ok_or_else(raise::not_found)?;
    let (number, protocol) = port(&words[1]).ok_or_else(raise::not_found)?;
    let fields = [
        heap::alloc_string(&words[0]),
        string_array(&words[2..]),
        Value::int(number),
        heap::alloc_string(protocol),
    ];
    Ok(heap::alloc_fields(0, &fields))
}

fn address_info(_node: Value, _service: Value, _options: Value) -> Outcome {
    Err(raise::invalid_argument("getaddrinfo not implemented"))
}

fn name_info(_address: Value, _options: Value) -> Outcome {
    Err(raise::invalid_argument("getnameinfo not implemented"))
}
