/* Mixing numbers into a hash, as OCaml's polymorphic hash does. */

#ifndef CAML_HASH_H
#define CAML_HASH_H

#include "mlvalues.h"

extern uint32_t caml_hash_mix_uint32(uint32_t hash, uint32_t);
extern uint32_t caml_hash_mix_intnat(uint32_t hash, intnat);
extern uint32_t caml_hash_mix_int64(uint32_t hash, int64_t);
extern uint32_t caml_hash_mix_double(uint32_t hash, double);
extern uint32_t caml_hash_mix_float(uint32_t hash, float);
extern uint32_t caml_hash_mix_string(uint32_t hash, value);

#endif
