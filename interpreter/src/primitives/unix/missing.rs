//! What is not here: processes, sockets, other users' rights, timers, terminals' settings.
//!
//! Each of these raises `Unix_error (ENOSYS, name, "")`, unless the descriptor is of the wrong sort
//! anyway. Then the error is the system's: a file is no socket (`ENOTSOCK`), and what is no
//! terminal has no settings (`ENOTTY`).

use super::arguments::descriptor;
use super::error;
use crate::os::{Errno, descriptors};
use crate::registry::Outcome;
use crate::value::Value;

/// Defines primitives that raise `ENOSYS`: the primitive's name, its function's, and its
/// parameters.
macro_rules! missing {
    ($($primitive:literal $rust:ident $name:literal ($($parameter:ident)*) $arity:tt;)*) => {
        $(fn $rust($($parameter: Value),*) -> Outcome {
            $(let _ = $parameter;)*
            Err(error::error(Errno::NOSYS, $name))
        })*
        crate::primitives! {
            $(Leaf $primitive $rust, $arity;)*
            Leaf "unix_accept" accept, 2;
            Leaf "unix_bind" bind, 2;
            Leaf "unix_connect" connect, 2;
            Leaf "unix_listen" listen, 2;
            Leaf "unix_shutdown" shutdown, 2;
            Leaf "unix_getsockname" getsockname, 1;
            Leaf "unix_getpeername" getpeername, 1;
            Leaf "unix_recv" recv, 5;
            Leaf "unix_recvfrom" recvfrom, 5;
            Leaf "unix_send" send, 5;
            Leaf "unix_sendto" sendto, n;
            Leaf "unix_getsockopt" getsockopt, 3;
            Leaf "unix_setsockopt" setsockopt, 4;
            Leaf "unix_tcgetattr" tcgetattr, 1;
            Leaf "unix_tcsetattr" tcsetattr, 3;
            Leaf "unix_tcsendbreak" tcsendbreak, 2;
            Leaf "unix_tcdrain" tcdrain, 1;
            Leaf "unix_tcflush" tcflush, 2;
            Leaf "unix_tcflow" tcflow, 2;
        }
    };
}

missing! {
    "unix_execv" execv "execv" (a b) 2;
    "unix_execve" execve "execve" (a b c) 3;
    "unix_execvp" execvp "execvp" (a b) 2;
    "unix_execvpe" execvpe "execvpe" (a b c) 3;
    "unix_fork" fork "fork" (a) 1;
    "unix_spawn" spawn "create_process" (a b c d e) 5;
    "unix_setsid" setsid "setsid" (a) 1;
    "unix_chroot" chroot "chroot" (a) 1;
    "unix_setuid" setuid "setuid" (a) 1;
    "unix_setgid" setgid "setgid" (a) 1;
    "unix_setgroups" setgroups "setgroups" (a) 1;
    "unix_initgroups" initgroups "initgroups" (a b) 2;
    "unix_alarm" alarm "alarm" (a) 1;
    "unix_setitimer" setitimer "setitimer" (a b) 2;
    "unix_sigsuspend" sigsuspend "sigsuspend" (a) 1;
    "unix_socket" socket "socket" (a b c d) 4;
    "unix_socketpair" socketpair "socketpair" (a b c d) 4;
}

/// A descriptor that is open is no socket.
fn not_a_socket(file: Value, function: &str) -> Outcome {
    let failure = descriptors::check(descriptor(file))
        .err()
        .unwrap_or(Errno::NOTSOCK);
    Err(error::error(failure, function))
}

fn accept(_close_on_exec: Value, file: Value) -> Outcome {
    not_a_socket(file, "accept")
}

fn bind(file: Value, _address: Value) -> Outcome {
    not_a_socket(file, "bind")
}

fn connect(file: Value, _address: Value) -> Outcome {
    not_a_socket(file, "connect")
}

fn listen(file: Value, _backlog: Value) -> Outcome {
    not_a_socket(file, "listen")
}

fn shutdown(file: Value, _command: Value) -> Outcome {
    not_a_socket(file, "shutdown")
}

fn getsockname(file: Value) -> Outcome {
    not_a_socket(file, "getsockname")
}

fn getpeername(file: Value) -> Outcome {
    not_a_socket(file, "getpeername")
}

fn recv(file: Value, _buffer: Value, _start: Value, _len: Value, _flags: Value) -> Outcome {
    not_a_socket(file, "recv")
}

fn recvfrom(file: Value, _buffer: Value, _start: Value, _len: Value, _flags: Value) -> Outcome {
    not_a_socket(file, "recvfrom")
}

fn send(file: Value, _buffer: Value, _start: Value, _len: Value, _flags: Value) -> Outcome {
    not_a_socket(file, "send")
}

fn sendto(arguments: u32, _count: u32) -> Outcome {
    not_a_socket(crate::registry::argument(arguments, 0), "sendto")
}

fn getsockopt(_kind: Value, file: Value, _option: Value) -> Outcome {
    not_a_socket(file, "getsockopt")
}

fn setsockopt(_kind: Value, file: Value, _option: Value, _value: Value) -> Outcome {
    not_a_socket(file, "setsockopt")
}

/// WASI cannot change a terminal, and what is none has nothing to change.
fn terminal(file: Value, function: &str) -> Outcome {
    let failure = match descriptors::check(descriptor(file)) {
        Err(failure) => failure,
        Ok(()) if descriptors::is_terminal(descriptor(file)) => Errno::NOSYS,
        Ok(()) => Errno::NOTTY,
    };
    Err(error::error(failure, function))
}

fn tcgetattr(file: Value) -> Outcome {
    terminal(file, "tcgetattr")
}

fn tcsetattr(file: Value, _when: Value, _settings: Value) -> Outcome {
    terminal(file, "tcsetattr")
}

fn tcsendbreak(file: Value, _duration: Value) -> Outcome {
    terminal(file, "tcsendbreak")
}

fn tcdrain(file: Value) -> Outcome {
    terminal(file, "tcdrain")
}

fn tcflush(file: Value, _queue: Value) -> Outcome {
    terminal(file, "tcflush")
}

fn tcflow(file: Value, _action: Value) -> Outcome {
    terminal(file, "tcflow")
}
