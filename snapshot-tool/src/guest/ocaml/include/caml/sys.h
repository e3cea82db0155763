/* The runtime's own errors of the system, and the end of the program. */

#ifndef CAML_SYS_H
#define CAML_SYS_H

#include "misc.h"
#include "mlvalues.h"

#define NO_ARG Val_int(0)

/* Raise `Sys_error` for what `errno` says; the latter `Sys_blocked_io` where that is it. */
extern void caml_sys_error(value) __attribute__((noreturn));
extern void caml_sys_io_error(value) __attribute__((noreturn));
extern value caml_sys_exit(value);

#endif
