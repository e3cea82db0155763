/* Values as bytes, and the data of custom blocks among them. */

#ifndef CAML_INTEXT_H
#define CAML_INTEXT_H

#include "misc.h"
#include "mlvalues.h"

/* Flags are a list of `Marshal.extern_flags`. The first hands over memory that `caml_stat_free`
   gives back; the second returns how many bytes it wrote, and fails where there is no room. */
extern void caml_output_value_to_malloc(value, value flags, char **bytes, intnat *length);
extern intnat caml_output_value_to_block(value, value flags, char *bytes, intnat length);
/* The first gives back the memory. */
extern value caml_input_value_from_malloc(char *bytes, intnat offset);
extern value caml_input_value_from_block(const char *bytes, intnat length);
extern value caml_input_val_from_string(value bytes, intnat offset);

extern void caml_serialize_int_1(int);
extern void caml_serialize_int_2(int);
extern void caml_serialize_int_4(int32_t);
extern void caml_serialize_int_8(int64_t);
extern void caml_serialize_float_4(float);
extern void caml_serialize_float_8(double);
extern void caml_serialize_block_1(const void *, intnat);
extern void caml_serialize_block_2(const void *, intnat);
extern void caml_serialize_block_4(const void *, intnat);
extern void caml_serialize_block_8(const void *, intnat);
extern void caml_serialize_block_float_8(const void *, intnat);

extern int caml_deserialize_uint_1(void);
extern int caml_deserialize_sint_1(void);
extern int caml_deserialize_uint_2(void);
extern int caml_deserialize_sint_2(void);
extern uint32_t caml_deserialize_uint_4(void);
extern int32_t caml_deserialize_sint_4(void);
extern uint64_t caml_deserialize_uint_8(void);
extern int64_t caml_deserialize_sint_8(void);
extern float caml_deserialize_float_4(void);
extern double caml_deserialize_float_8(void);
extern void caml_deserialize_block_1(void *, intnat);
extern void caml_deserialize_block_2(void *, intnat);
extern void caml_deserialize_block_4(void *, intnat);
extern void caml_deserialize_block_8(void *, intnat);
extern void caml_deserialize_block_float_8(void *, intnat);
extern void caml_deserialize_error(char *) __attribute__((noreturn));

#endif
