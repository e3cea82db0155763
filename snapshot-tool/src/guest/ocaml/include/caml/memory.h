/* Roots, and fields of blocks that exist.

   A local variable that holds a value has to be a root where OCaml code may run: in calls of
   `caml_callback` and its kin, and where signals and finalisers are let in. Allocation alone never
   moves a block. */

#ifndef CAML_MEMORY_H
#define CAML_MEMORY_H

#include "alloc.h"
#include "misc.h"
#include "mlvalues.h"

extern value caml_alloc_shr(mlsize_t, tag_t);
extern void caml_modify(value *, value);
extern void caml_initialize(value *, value);
extern value caml_check_urgent_gc(value);
extern void caml_minor_collection(void);
extern void caml_alloc_dependent_memory(mlsize_t);
extern void caml_free_dependent_memory(mlsize_t);
extern void caml_adjust_gc_speed(mlsize_t, mlsize_t);

#define Store_field(block, index, v) \
    do { \
        mlsize_t caml__index = (index); \
        value caml__value = (v); \
        caml_modify(&Field((block), caml__index), caml__value); \
    } while (0)

#define Alloc_small(result, wosize, tag) ((result) = caml_alloc_small((wosize), (tag)))
#define Alloc_small_no_track Alloc_small

extern void caml_register_global_root(value *);
extern void caml_remove_global_root(value *);
extern void caml_register_generational_global_root(value *);
extern void caml_remove_generational_global_root(value *);
extern void caml_modify_generational_global_root(value *, value);

/* Local roots: a list of blocks, each with up to five tables of so many values. The collector
   reads it. */
struct caml__roots_block {
    struct caml__roots_block *next;
    int ntables;
    int nitems;
    value *tables[5];
};

extern struct caml__roots_block *bactrian_local_roots;
#define caml_local_roots bactrian_local_roots
#define CAML_LOCAL_ROOTS bactrian_local_roots

#define CAMLparam0() struct caml__roots_block *caml__frame = bactrian_local_roots

#define CAMLxparam_of(name, count, size, ...) \
    struct caml__roots_block caml__roots_##name = { \
        bactrian_local_roots, (count), (size), {__VA_ARGS__}}; \
    int caml__dummy_##name CAMLunused = (bactrian_local_roots = &caml__roots_##name, 0)

#define CAMLxparam1(a) CAMLxparam_of(a, 1, 1, &a)
#define CAMLxparam2(a, b) CAMLxparam_of(a, 2, 1, &a, &b)
#define CAMLxparam3(a, b, c) CAMLxparam_of(a, 3, 1, &a, &b, &c)
#define CAMLxparam4(a, b, c, d) CAMLxparam_of(a, 4, 1, &a, &b, &c, &d)
#define CAMLxparam5(a, b, c, d, e) CAMLxparam_of(a, 5, 1, &a, &b, &c, &d, &e)
#define CAMLxparamN(array, size) CAMLxparam_of(array, 1, (size), (array))

#define CAMLparam1(a) CAMLparam0(); CAMLxparam1(a)
#define CAMLparam2(a, b) CAMLparam0(); CAMLxparam2(a, b)
#define CAMLparam3(a, b, c) CAMLparam0(); CAMLxparam3(a, b, c)
#define CAMLparam4(a, b, c, d) CAMLparam0(); CAMLxparam4(a, b, c, d)
#define CAMLparam5(a, b, c, d, e) CAMLparam0(); CAMLxparam5(a, b, c, d, e)
#define CAMLparamN(array, size) CAMLparam0(); CAMLxparamN(array, (size))

#define CAMLlocal1(a) value a = Val_unit; CAMLxparam1(a)
#define CAMLlocal2(a, b) value a = Val_unit, b = Val_unit; CAMLxparam2(a, b)
#define CAMLlocal3(a, b, c) value a = Val_unit, b = Val_unit, c = Val_unit; CAMLxparam3(a, b, c)
#define CAMLlocal4(a, b, c, d) \
    value a = Val_unit, b = Val_unit, c = Val_unit, d = Val_unit; \
    CAMLxparam4(a, b, c, d)
#define CAMLlocal5(a, b, c, d, e) \
    value a = Val_unit, b = Val_unit, c = Val_unit, d = Val_unit, e = Val_unit; \
    CAMLxparam5(a, b, c, d, e)
#define CAMLlocalN(array, size) \
    value array[(size)]; \
    for (int caml__item = 0; caml__item < (size); caml__item++) array[caml__item] = Val_unit; \
    CAMLxparamN(array, (size))

#define CAMLdrop (bactrian_local_roots = caml__frame)
#define CAMLnoreturn ((void)caml__frame)

#define CAMLreturn0 \
    do { \
        CAMLdrop; \
        return; \
    } while (0)
#define CAMLreturnT(type, result) \
    do { \
        type caml__result = (result); \
        CAMLdrop; \
        return caml__result; \
    } while (0)
#define CAMLreturn(result) CAMLreturnT(value, result)

/* The same without a function of their own. */
#define Begin_roots1(a) \
    { \
        CAMLparam0(); \
        CAMLxparam1(a);
#define Begin_roots2(a, b) \
    { \
        CAMLparam0(); \
        CAMLxparam2(a, b);
#define Begin_roots3(a, b, c) \
    { \
        CAMLparam0(); \
        CAMLxparam3(a, b, c);
#define Begin_roots4(a, b, c, d) \
    { \
        CAMLparam0(); \
        CAMLxparam4(a, b, c, d);
#define Begin_roots5(a, b, c, d, e) \
    { \
        CAMLparam0(); \
        CAMLxparam5(a, b, c, d, e);
#define Begin_roots_block(array, size) \
    { \
        CAMLparam0(); \
        struct caml__roots_block caml__roots_block = { \
            bactrian_local_roots, 1, (size), {(array)}}; \
        bactrian_local_roots = &caml__roots_block;
#define Begin_root Begin_roots1
#define End_roots() \
    CAMLdrop; \
    }

#endif
