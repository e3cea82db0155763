/* The runtime's lock, which the program's one thread has. */

#ifndef CAML_THREADS_H
#define CAML_THREADS_H

#include "signals.h"

#define caml_acquire_runtime_system() ((void)0)
#define caml_release_runtime_system() ((void)0)
#define caml_c_thread_register() 0
#define caml_c_thread_unregister() 0

#endif
