/* Making blocks. None of these collects; fields of a block from `caml_alloc_small` and
   `caml_alloc_shr` are to be written before OCaml code runs. */

#ifndef CAML_ALLOC_H
#define CAML_ALLOC_H

#include "misc.h"
#include "mlvalues.h"

extern value caml_alloc(mlsize_t, tag_t);
extern value caml_alloc_small(mlsize_t, tag_t);
extern value caml_alloc_tuple(mlsize_t);
extern value caml_alloc_float_array(mlsize_t);
extern value caml_alloc_string(mlsize_t);
extern value caml_alloc_initialized_string(mlsize_t, const char *);
extern value caml_copy_string(const char *);
extern value caml_copy_string_array(const char **);
extern value caml_copy_double(double);
extern value caml_copy_int32(int32_t);
extern value caml_copy_int64(int64_t);
extern value caml_copy_nativeint(intnat);
extern value caml_alloc_array(value (*)(const char *), const char **);
extern value caml_alloc_sprintf(const char *, ...) __attribute__((format(printf, 1, 2)));
extern value caml_alloc_some(value);

/* A block whose first field is C's, and a function for when it dies. */
typedef void (*final_fun)(value);
extern value caml_alloc_final(mlsize_t words, final_fun, mlsize_t used, mlsize_t most);

/* Blocks of one field, which OCaml code unboxes nowhere. */
static inline value caml_alloc_unboxed(value v) { return v; }
static inline value caml_field_unboxed(value v) { return v; }
static inline value caml_alloc_boxed(value v)
{
    value block = caml_alloc_small(1, 0);
    Field(block, 0) = v;
    return block;
}
static inline value caml_field_boxed(value v) { return Field(v, 0); }
#define caml_alloc_unboxable caml_alloc_unboxed
#define caml_field_unboxable caml_field_unboxed

#define caml_alloc_shr_no_track_noexc caml_alloc_shr

/* Flags of C as a list of constant constructors. */
extern int caml_convert_flag_list(value, int *);

#endif
