//! OCaml's unix library, over WASI or the tool's own functions: `docs/unix.md` says, function by
//! function, what works and what does not.
//!
//! * [`error`]: the exception `Unix_error`; [`arguments`]: flags, paths, options;
//! * [`descriptors`], [`files`], [`directories`], [`status`], [`waiting`], [`mapping`]: files and
//!   pipes;
//! * [`time`], [`calendar`], [`zone`]: clocks and time zones;
//! * [`process`], [`users`], [`signals`]: what is here of the program's process;
//!   [`children`]: programs that it starts;
//! * [`addresses`], [`network`], [`sockets`]: network addresses, databases, connections;
//! * [`missing`]: what neither has.
//!
//! Invariant: what cannot be done raises `Unix_error (ENOSYS, name, _)`, where `name` is that of
//! the function.

mod addresses;
mod arguments;
mod calendar;
mod children;
mod descriptors;
mod directories;
pub mod error;
mod files;
mod mapping;
mod missing;
mod network;
mod process;
mod signals;
pub mod sockets;
mod status;
pub mod time;
mod users;
mod waiting;
mod zone;

use crate::registry::Primitive;

pub const TABLES: &[&[Primitive]] = &[
    addresses::TABLE,
    children::TABLE,
    descriptors::TABLE,
    directories::TABLE,
    error::TABLE,
    files::TABLE,
    mapping::TABLE,
    missing::TABLE,
    network::TABLE,
    process::TABLE,
    signals::TABLE,
    sockets::TABLE,
    status::TABLE,
    time::TABLE,
    users::TABLE,
    waiting::TABLE,
];
