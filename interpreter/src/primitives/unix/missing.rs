//! What is not here: other users' rights, terminals' settings.
//!
//! Each of these raises `Unix_error (ENOSYS, name, "")`, unless the descriptor is of the wrong sort
//! anyway: what is no terminal has no settings (`ENOTTY`).

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
    "unix_setsid" setsid "setsid" (a) 1;
    "unix_chroot" chroot "chroot" (a) 1;
    "unix_setuid" setuid "setuid" (a) 1;
    "unix_setgid" setgid "setgid" (a) 1;
    "unix_setgroups" setgroups "setgroups" (a) 1;
    "unix_initgroups" initgroups "initgroups" (a b) 2;
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
