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

#define Max_young_wosize 256
#define Max_young_whsize (Max_young_wosize + 1)

#define HAS_STDINT_H
#define HAS_UNISTD
#define HAS_LOCALE_H

#define OCAML_OS_TYPE "Unix"

#endif
