/* Blocks of data that only C understands, with functions for what OCaml does with them. */

#ifndef CAML_CUSTOM_H
#define CAML_CUSTOM_H

#include "mlvalues.h"

/* Sizes in bytes that the data of all blocks of a kind has where a value has 32 and 64 bits. */
struct custom_fixed_length {
    intnat bsize_32;
    intnat bsize_64;
};

struct custom_operations {
    char const *identifier;
    void (*finalize)(value);
    int (*compare)(value, value);
    intnat (*hash)(value);
    void (*serialize)(value, uintnat *bsize_32, uintnat *bsize_64);
    uintnat (*deserialize)(void *);
    int (*compare_ext)(value, value);
    const struct custom_fixed_length *fixed_length;
};

#define custom_finalize_default NULL
#define custom_compare_default NULL
#define custom_hash_default NULL
#define custom_serialize_default NULL
#define custom_deserialize_default NULL
#define custom_compare_ext_default NULL
#define custom_fixed_length_default NULL

extern value caml_alloc_custom(const struct custom_operations *, uintnat size, mlsize_t used,
                               mlsize_t most);
extern value caml_alloc_custom_mem(const struct custom_operations *, uintnat size, mlsize_t bytes);
extern void caml_register_custom_operations(const struct custom_operations *);

/* A comparison sets this if two values are unordered. */
extern int bactrian_unordered;
#define caml_compare_unordered bactrian_unordered

#endif
