/* Exceptions as text. */

#ifndef CAML_PRINTEXC_H
#define CAML_PRINTEXC_H

#include "misc.h"
#include "mlvalues.h"

/* A string that `caml_stat_free` gives back. */
extern char *caml_format_exception(value);
/* Says so, and ends the program. */
extern void caml_fatal_uncaught_exception(value) __attribute__((noreturn));

#endif
