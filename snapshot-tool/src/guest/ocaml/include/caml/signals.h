/* Where signals, finalisers and other threads are let in. */

#ifndef CAML_SIGNALS_H
#define CAML_SIGNALS_H

#include "misc.h"
#include "mlvalues.h"

/* Between these two, other threads run while C waits: for files, for a time, for a program. */
extern void caml_enter_blocking_section(void);
extern void caml_leave_blocking_section(void);

#define caml_enter_blocking_section_no_pending caml_enter_blocking_section

extern void caml_process_pending_actions(void);
extern value caml_process_pending_actions_exn(void);
extern int caml_check_pending_actions(void);

/* A signal's number in OCaml, which may be negative, as C's number, and back. */
extern int caml_convert_signal_number(int);
extern int caml_rev_convert_signal_number(int);

#endif
