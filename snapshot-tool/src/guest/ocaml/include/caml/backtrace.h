/* Backtraces of exceptions. */

#ifndef CAML_BACKTRACE_H
#define CAML_BACKTRACE_H

#include "mlvalues.h"

/* Whether they are recorded. */
extern void caml_record_backtraces(int);

#ifdef CAML_INTERNALS

extern int *bactrian_backtrace_active(void);
extern int *bactrian_backtrace_length(void);
extern value bactrian_backtrace_exception(void);

#define caml_backtrace_active (*bactrian_backtrace_active())
/* How many positions the last backtrace has. To write 0 forgets them. */
#define caml_backtrace_pos (*bactrian_backtrace_length())
#define caml_backtrace_last_exn bactrian_backtrace_exception()

extern void caml_print_exception_backtrace(void);

#endif

#endif
