/* Calling OCaml functions, and finding values that OCaml code has registered by name. */

#ifndef CAML_CALLBACK_H
#define CAML_CALLBACK_H

#include "mlvalues.h"

extern value caml_callback(value, value);
extern value caml_callback2(value, value, value);
extern value caml_callback3(value, value, value, value);
extern value caml_callback_n(value, int, value *);
extern value caml_callback_exn(value, value);
extern value caml_callback2_exn(value, value, value);
extern value caml_callback3_exn(value, value, value, value);
extern value caml_callback_n_exn(value, int, value *);
#define caml_callbackN caml_callback_n
#define caml_callbackN_exn caml_callback_n_exn

extern const value *caml_named_value(const char *);

#endif
