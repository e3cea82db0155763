/* The runtime's lock. All threads are OCaml's: C can make none. */

#ifndef CAML_THREADS_H
#define CAML_THREADS_H

#include "signals.h"

#define caml_acquire_runtime_system caml_leave_blocking_section
#define caml_release_runtime_system caml_enter_blocking_section
#define caml_c_thread_register() 0
#define caml_c_thread_unregister() 0

#endif
