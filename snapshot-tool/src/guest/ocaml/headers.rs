//! OCaml's interface for C as headers, written from its manual, and the part of it that is C.

/// A file of that directory, and its text.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("include/", $name)))),*]
    };
}

pub const ALL: &[(&str, &str)] = files! {
    "caml/address_class.h"
    "caml/alloc.h"
    "caml/bigarray.h"
    "caml/callback.h"
    "caml/compatibility.h"
    "caml/config.h"
    "caml/custom.h"
    "caml/fail.h"
    "caml/hash.h"
    "caml/intext.h"
    "caml/memory.h"
    "caml/misc.h"
    "caml/mlvalues.h"
    "caml/signals.h"
    "caml/threads.h"
    "caml/version.h"
    "support.c"
};
