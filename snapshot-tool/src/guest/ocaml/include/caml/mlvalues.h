/* Values, as chapter "Interfacing C with OCaml" of OCaml's manual describes them. A value has 64
   bits. One that is a block is the address of its first field, extended by zeros. */

#ifndef CAML_MLVALUES_H
#define CAML_MLVALUES_H

#include <string.h>

#include "config.h"
#include "misc.h"

typedef intnat value;
typedef uintnat mlsize_t;
typedef uintnat header_t;
typedef unsigned int tag_t;
typedef uintnat color_t;
typedef uintnat mark_t;
typedef int32_t opcode_t;
typedef opcode_t *code_t;

/* A pointer as a value, and back. */
#define Bp_val(v) ((char *)(uintptr_t)(v))
#define Op_val(v) ((value *)(uintptr_t)(v))
#define Val_bp(p) ((value)(uintptr_t)(p))
#define Val_op(p) ((value)(uintptr_t)(p))
#define Val_hp(hp) ((value)(uintptr_t)((header_t *)(hp) + 1))

#define Is_long(x) (((x)&1) != 0)
#define Is_block(x) (((x)&1) == 0)

#define Val_long(x) ((value)(((uintnat)(x) << 1) + 1))
#define Long_val(x) ((intnat)(x) >> 1)
#define Unsigned_long_val(x) ((uintnat)(x) >> 1)
#define Max_long (((intnat)1 << 62) - 1)
#define Min_long (-((intnat)1 << 62))
#define Val_int(x) Val_long(x)
#define Int_val(x) ((int)Long_val(x))
#define Unsigned_int_val(x) ((unsigned int)Long_val(x))

#define Val_unit Val_int(0)
#define Val_bool(x) Val_int((x) != 0)
#define Bool_val(x) Int_val(x)
#define Val_false Val_int(0)
#define Val_true Val_int(1)
#define Val_not(x) (Val_false + Val_true - (x))
#define Val_emptylist Val_int(0)
#define Tag_cons 0
#define Val_none Val_int(0)
#define Some_val(v) Field(v, 0)
#define Tag_some 0
#define Is_none(v) ((v) == Val_none)
#define Is_some(v) Is_block(v)

/* Headers: the size in words, two bits of the collector's, the tag. */
#define Hd_val(v) (((header_t *)(uintptr_t)(v))[-1])
#define Hp_val(v) ((header_t *)(uintptr_t)(v)-1)
#define Hd_hp(hp) (*(header_t *)(hp))
#define Hd_op(op) (((header_t *)(op))[-1])
#define Hd_bp(bp) (((header_t *)(bp))[-1])
#define Hp_op(op) ((header_t *)(op)-1)
#define Hp_bp(bp) ((header_t *)(bp)-1)
#define Op_hp(hp) ((value *)((header_t *)(hp) + 1))
#define Bp_hp(hp) ((char *)((header_t *)(hp) + 1))
#define Wosize_hd(h) ((mlsize_t)((h) >> 10))
#define Wosize_val(v) Wosize_hd(Hd_val(v))
#define Wosize_op(op) Wosize_hd(Hd_op(op))
#define Wosize_bp(bp) Wosize_hd(Hd_bp(bp))
#define Wosize_hp(hp) Wosize_hd(Hd_hp(hp))
#define Tag_hd(h) ((tag_t)((h)&0xFF))
#define Tag_val(v) (((unsigned char *)(uintptr_t)(v))[-8])
#define Bsize_wsize(n) ((n) * sizeof(value))
#define Wsize_bsize(n) ((n) / sizeof(value))
#define Bosize_val(v) Bsize_wsize(Wosize_val(v))
#define Bosize_hd(h) Bsize_wsize(Wosize_hd(h))
#define Whsize_wosize(n) ((n) + 1)
#define Wosize_whsize(n) ((n)-1)
#define Whsize_hd(h) Whsize_wosize(Wosize_hd(h))
#define Whsize_val(v) Whsize_hd(Hd_val(v))
#define Bhsize_wosize(n) Bsize_wsize(Whsize_wosize(n))
#define Bhsize_hd(h) Bhsize_wosize(Wosize_hd(h))
#define Max_wosize (((mlsize_t)1 << 29) - 1)
#define Make_header(wosize, tag, color) (((header_t)(wosize) << 10) + (color) + (tag_t)(tag))
#define Caml_white 0
#define Caml_gray 0
#define Caml_blue 0
#define Caml_black 0
#define Num_tags 256

#define Field(v, i) (Op_val(v)[i])
#define Byte(v, i) (Bp_val(v)[i])
#define Byte_u(v, i) (((unsigned char *)Bp_val(v))[i])

#define No_scan_tag 251
#define Forcing_tag 244
#define Cont_tag 245
#define Lazy_tag 246
#define Closure_tag 247
#define Object_tag 248
#define Infix_tag 249
#define Forward_tag 250
#define Abstract_tag 251
#define String_tag 252
#define Double_tag 253
#define Double_array_tag 254
#define Custom_tag 255

#define Forward_val(v) Field(v, 0)
#define Infix_offset_val(v) Bsize_wsize(Wosize_val(v))

/* Objects: class, identity. */
#define Class_val(v) Field((v), 0)
#define Oid_val(v) Long_val(Field((v), 1))

/* Strings: bytes, of which the last says how many before it are padding. */
#define String_val(v) ((const char *)Bp_val(v))
#define Bytes_val(v) ((unsigned char *)Bp_val(v))
extern mlsize_t caml_string_length(value);
#define caml_string_is_c_safe(s) (strlen(String_val(s)) == caml_string_length(s))

/* Floats and records of floats. */
#define Double_val(v) (*(double *)(uintptr_t)(v))
#define Store_double_val(v, d) (*(double *)(uintptr_t)(v) = (d))
#define Double_wosize 1
#define Double_field(v, i) (((double *)(uintptr_t)(v))[i])
#define Store_double_field(v, i, d) (((double *)(uintptr_t)(v))[i] = (d))
#define Double_flat_field Double_field
#define Store_double_flat_field Store_double_field
#define Double_array_field Double_field
#define Store_double_array_field Store_double_field
static inline mlsize_t caml_array_length(value v) { return Wosize_val(v); }
static inline int caml_is_double_array(value v) { return Tag_val(v) == Double_array_tag; }

/* Custom blocks: the operations, then data. */
struct custom_operations;
#define Custom_ops_val(v) (*(struct custom_operations **)(uintptr_t)(v))
#define Data_custom_val(v) ((void *)(Op_val(v) + 1))
#define Data_abstract_val(v) ((void *)Op_val(v))

#define Int32_val(v) (*(int32_t *)Data_custom_val(v))
#define Nativeint_val(v) (*(intnat *)Data_custom_val(v))
#define Int64_val(v) (*(int64_t *)Data_custom_val(v))

/* The method of an object with this hash, the null pointer if it has none; and an object's
   identity. */
extern value caml_get_public_method(value object, value hash);
extern value caml_set_oo_id(value object);

/* The block without fields. */
extern value caml_atom(int);
#define Atom(tag) caml_atom(tag)

/* The hash of a polymorphic variant's tag. */
extern value caml_hash_variant(const char *);

/* What functions return that do not raise: an exception has its second bit set. */
#define Make_exception_result(v) ((v) | 2)
#define Is_exception_result(v) (((v)&3) == 2)
#define Extract_exception(v) ((v) & ~(value)3)

#endif
