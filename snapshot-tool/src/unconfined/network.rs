//! What a guest in the sandbox may use of the network, which is nothing but what the user opened:
//! addresses where it may wait for connections (`--tcp-listen`), or all that this process can reach
//! by TCP and UDP (`--inherit-network`).
//!
//! Invariant: whatever is not opened is refused with `EACCES`, before the system is asked. Sockets
//! with names of files are never opened: they would lead out of the directories that are.

use std::net::SocketAddr;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrAny, SocketType};

/// What is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Where the guest may wait for TCP connections; port 0 is any that the system chooses.
    pub listen: Vec<SocketAddr>,
    /// Whether it may use whatever this process can use.
    pub inherit: bool,
}

/// The functions that such a guest may call: those on sockets, and on open files.
pub(super) const FUNCTIONS: [&str; 21] = [
    "socket",
    "bind",
    "connect",
    "listen",
    "accept",
    "shutdown",
    "getsockname",
    "getpeername",
    "recvfrom",
    "sendto",
    "getsockopt",
    "setsockopt",
    "resolve",
    "close",
    "read",
    "write",
    "seek",
    "set_nonblocking",
    "poll",
    "isatty",
    "fstat",
];

pub(super) type Allowed = Result<(), Errno>;

impl Network {
    /// Whether nothing is open.
    pub fn is_closed(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn allows_socket(&self, family: AddressFamily, kind: SocketType) -> Allowed {
        let is_internet = matches!(family, AddressFamily::INET | AddressFamily::INET6);
        let is_open = match kind {
            SocketType::STREAM => true,
            SocketType::DGRAM => self.inherit,
            _ => false,
        };
        allowed(is_internet && is_open)
    }

    /// Whether the guest may have this as a socket's address.
    pub(super) fn allows_binding(&self, address: &SocketAddrAny) -> Allowed {
        let address = SocketAddr::try_from(address.clone()).map_err(|_| Errno::ACCESS)?;
        allowed(self.inherit || self.listen.contains(&address))
    }

    /// Whether a socket with this address may wait for connections. One that was given none has
    /// port 0, and would get any.
    pub(super) fn allows_listening_as(&self, own: &SocketAddrAny) -> Allowed {
        let own = SocketAddr::try_from(own.clone()).map_err(|_| Errno::ACCESS)?;
        allowed(self.inherit || own.port() != 0)
    }

    /// Whether it may connect to there, or send to there.
    pub(super) fn allows_reaching(&self, address: &SocketAddrAny) -> Allowed {
        SocketAddr::try_from(address.clone()).map_err(|_| Errno::ACCESS)?;
        allowed(self.inherit)
    }

    /// Whether it may ask for the addresses of hosts.
    pub(super) fn allows_names(&self) -> Allowed {
        allowed(self.inherit)
    }
}

fn allowed(is: bool) -> Allowed {
    is.then_some(()).ok_or(Errno::ACCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddrAny {
        let address: SocketAddr = text.parse().expect("an address");
        address.into()
    }

    #[test]
    fn nothing_is_open_but_what_was_opened() {
        let listening = Network {
            listen: vec!["127.0.0.1:8080".parse().expect("an address")],
            inherit: false,
        };
        assert!(Network::default().is_closed() && !listening.is_closed());
        let refused = Err(Errno::ACCESS);
        assert_eq!(listening.allows_binding(&address("127.0.0.1:8080")), Ok(()));
        for other in [
            "127.0.0.1:8081",
            "0.0.0.0:8080",
            "127.0.0.1:0",
            "[::1]:8080",
        ] {
            assert_eq!(
                listening.allows_binding(&address(other)),
                refused,
                "{other}"
            );
        }
        assert_eq!(
            listening.allows_reaching(&address("127.0.0.1:8080")),
            refused
        );
        assert_eq!(listening.allows_names(), refused);
        assert_eq!(
            listening.allows_listening_as(&address("0.0.0.0:0")),
            refused
        );
        assert_eq!(
            listening.allows_listening_as(&address("127.0.0.1:8080")),
            Ok(())
        );
        let (stream, datagram) = (SocketType::STREAM, SocketType::DGRAM);
        assert_eq!(listening.allows_socket(AddressFamily::INET, stream), Ok(()));
        assert_eq!(
            listening.allows_socket(AddressFamily::INET, datagram),
            refused
        );
        let inheriting = Network {
            inherit: true,
            ..Network::default()
        };
        assert_eq!(inheriting.allows_reaching(&address("[::1]:1")), Ok(()));
        assert_eq!(
            inheriting.allows_socket(AddressFamily::INET6, datagram),
            Ok(())
        );
        assert_eq!(
            inheriting.allows_socket(AddressFamily::UNIX, stream),
            refused
        );
        assert_eq!(
            inheriting.allows_socket(AddressFamily::INET, SocketType::RAW),
            refused
        );
    }
}
