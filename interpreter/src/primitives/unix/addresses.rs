//! Internet addresses as text: `inet_pton` and `inet_ntop` of the C library.

use crate::heap;
use crate::raise;
use crate::registry::Outcome;
use crate::value::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

crate::primitives! {
    Allocates "unix_inet_addr_of_string" of_string, 1;
    Allocates "unix_string_of_inet_addr" to_string, 1;
}

fn of_string(text: Value) -> Outcome {
    match parse(&text.to_bytes()) {
        Some(address) => Ok(heap::alloc_string(&address)),
        None => Err(raise::failure("inet_addr_of_string")),
    }
}

fn to_string(address: Value) -> Value {
    let bytes = address.to_bytes();
    let text = match <[u8; 16]>::try_from(&bytes[..]) {
        Ok(bytes) => text_6(Ipv6Addr::from(bytes)),
        Err(_) => Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).to_string(),
    };
    heap::alloc_string(text.as_bytes())
}

/// The address's 4 or 16 bytes.
pub fn parse(text: &[u8]) -> Option<Vec<u8>> {
    let address: IpAddr = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    })
}

/// Like Rust's, but for addresses that end in one of version 4 and begin with zeros.
fn text_6(address: Ipv6Addr) -> String {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            format!("::{a}.{b}.{c}.{d}")
        }
        _ => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_version_4() {
        assert_eq!(parse(b"127.0.0.1"), Some(vec![127, 0, 0, 1]));
        for wrong in [
            &b"256.1.1.1"[..],
            b"1.2.3.4.5",
            b"",
            b"1..2",
            b"+1",
            b"host",
        ] {
            assert_eq!(parse(wrong), None);
        }
    }

    #[test]
    fn addresses_of_version_6() {
        for text in [
            "::",
            "::1",
            "::1.2.3.4",
            "::ffff:1.2.3.4",
            "1:0:0:2::3",
            "fe80::1",
        ] {
            let bytes = parse(text.as_bytes()).expect("an address");
            let bytes = <[u8; 16]>::try_from(bytes).expect("version 6");
            assert_eq!(text_6(Ipv6Addr::from(bytes)), text);
        }
    }
}
