/* Raising exceptions. These do not return: what called them is left, up to OCaml code. */

#ifndef CAML_FAIL_H
#define CAML_FAIL_H

#include "misc.h"
#include "mlvalues.h"

#define CAML_RAISES __attribute__((noreturn))

extern void caml_raise(value) CAML_RAISES;
extern void caml_raise_constant(value) CAML_RAISES;
extern void caml_raise_with_arg(value, value) CAML_RAISES;
extern void caml_raise_with_args(value, int, value *) CAML_RAISES;
extern void caml_raise_with_string(value, const char *) CAML_RAISES;
extern void caml_failwith(const char *) CAML_RAISES;
extern void caml_failwith_value(value) CAML_RAISES;
extern void caml_invalid_argument(const char *) CAML_RAISES;
extern void caml_invalid_argument_value(value) CAML_RAISES;
extern void caml_raise_out_of_memory(void) CAML_RAISES;
extern void caml_raise_stack_overflow(void) CAML_RAISES;
extern void caml_raise_sys_error(value) CAML_RAISES;
extern void caml_raise_end_of_file(void) CAML_RAISES;
extern void caml_raise_zero_divide(void) CAML_RAISES;
extern void caml_raise_not_found(void) CAML_RAISES;
extern void caml_array_bound_error(void) CAML_RAISES;
extern void caml_raise_sys_blocked_io(void) CAML_RAISES;

static inline void caml_raise_if_exception(value result)
{
    if (Is_exception_result(result)) caml_raise(Extract_exception(result));
}

#endif
