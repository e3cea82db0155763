//! OCaml's interface for C as headers, written from its manual, and the part of it that is C.

/// A file of that directory, and its text.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("include/", $name)))),*]
    };
}

pub const ALL: &[(&str, &str)] = files! {
    "__mode_t.h"
    "__struct_timespec.h"
    "caml/address_class.h"
    "caml/alloc.h"
    "caml/backtrace.h"
    "caml/bigarray.h"
    "caml/callback.h"
    "caml/compare.h"
    "caml/compatibility.h"
    "caml/config.h"
    "caml/custom.h"
    "caml/fail.h"
    "caml/gc.h"
    "caml/hash.h"
    "caml/intext.h"
    "caml/m.h"
    "caml/md5.h"
    "caml/memory.h"
    "caml/minor_gc.h"
    "caml/misc.h"
    "caml/mlvalues.h"
    "caml/osdeps.h"
    "caml/printexc.h"
    "caml/roots.h"
    "caml/s.h"
    "caml/signals.h"
    "caml/socketaddr.h"
    "caml/sys.h"
    "caml/threads.h"
    "caml/unixsupport.h"
    "caml/version.h"
    "clock.c"
    "descriptors.c"
    "files.c"
    "md5.c"
    "processes.c"
    "pthread.c"
    "pthread.h"
    "support.c"
    "signal.h"
    "sys/ioctl.h"
    "sys/wait.h"
    "system.h"
    "time.h"
    "unistd.h"
    "unix.c"
};
