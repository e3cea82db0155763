/* What the machine is like: a memory of 32-bit addresses, in which values have 64 bits, so that
   integers and layouts are those of OCaml on other 64-bit machines. */

#ifndef CAML_CONFIG_H
#define CAML_CONFIG_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __wasm32__
#error "Bactrian's headers are for WebAssembly: compile with `bactrian stubs`"
#endif

#define ARCH_SIXTYFOUR
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
/* Of a value: that is what libraries ask for by this name. */
#define SIZEOF_PTR 8
#define SIZEOF_LONGLONG 8
#define ARCH_INT64_TYPE long long
#define ARCH_UINT64_TYPE unsigned long long
#define ARCH_INT64_PRINTF_FORMAT "ll"
#define ARCH_INTNAT_PRINTF_FORMAT "ll"
#define ARCH_SIZET_PRINTF_FORMAT "z"
#undef ARCH_BIG_ENDIAN
#define SIZEOF_SHORT 2
#define ARCH_INT32_TYPE int
#define ARCH_UINT32_TYPE unsigned int
#define ARCH_INT32_PRINTF_FORMAT ""
#define INT64_LITERAL(n) n##LL
#define FLAT_FLOAT_ARRAY
#define CAML_SAFE_STRING

/* Integers of a value's size. `long` is smaller. */
typedef long long intnat;
typedef unsigned long long uintnat;

typedef unsigned char uchar;

/* Whether the product of two numbers does not fit into one of 64 bits, in which it is left without
   its upper bits. The compiler calls a function of numbers of 128 bits for that; this is shorter,
   and seen through where it is called, as it has no branch. */
static inline _Bool bactrian_mul_overflow(int64_t a, int64_t b, int64_t *product)
{
    const uint64_t half = 0xffffffff;
    uint64_t a_low = (uint64_t)a & half, b_low = (uint64_t)b & half;
    int64_t a_high = a >> 32, b_high = b >> 32;
    int64_t outer = a_high * (int64_t)b_low + (int64_t)(a_low * b_low >> 32);
    int64_t inner = (int64_t)a_low * b_high + (int64_t)((uint64_t)outer & half);
    int64_t upper = a_high * b_high + (outer >> 32) + (inner >> 32);
    *product = (int64_t)((uint64_t)a * (uint64_t)b);
    return upper != *product >> 63;
}

#define BACTRIAN_FITS_INT64(n) \
    _Generic((n), unsigned long long: 0, __int128: 0, unsigned __int128: 0, default: 1)
#define __builtin_mul_overflow(a, b, product)                                           \
    (_Generic((product), int64_t *: 1, default: 0) && BACTRIAN_FITS_INT64(a) &&         \
             BACTRIAN_FITS_INT64(b)                                                     \
         ? bactrian_mul_overflow((int64_t)(a), (int64_t)(b), (int64_t *)(void *)(product)) \
         : __builtin_mul_overflow(a, b, product))

#define Max_young_wosize 256
#define Max_young_whsize (Max_young_wosize + 1)

#define HAS_STDINT_H
#define HAS_UNISTD
#define HAS_LOCALE_H

#define OCAML_OS_TYPE "Unix"

#endif
