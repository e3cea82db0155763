/* Plain C that stubs use: attributes, memory outside of the heap, messages. */

#ifndef CAML_MISC_H
#define CAML_MISC_H

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "compatibility.h"

typedef size_t asize_t;
typedef char *addr;

#define CAMLextern extern
#define CAMLexport
#define CAMLprim
#define CAMLnoreturn_start
#define CAMLnoreturn_end __attribute__((noreturn))
#define Noreturn CAMLnoreturn_end
#define CAMLunused __attribute__((unused))
#define CAMLunused_start
#define CAMLunused_end __attribute__((unused))
#define CAMLweakdef __attribute__((weak))
#define CAMLalign(n) _Alignas(n)
#define CAMLdeprecated_typedef(name, type) typedef type name
#define CAMLthread_local
#define Caml_inline static inline
#define INLINE static inline

#ifdef DEBUG
#define CAMLassert(condition) assert(condition)
#else
#define CAMLassert(condition) ((void)0)
#endif
#define CAML_STATIC_ASSERT(condition) _Static_assert(condition, #condition)

static inline int caml_uadd_overflow(uintnat a, uintnat b, uintnat *result)
{
    return __builtin_add_overflow(a, b, result);
}
static inline int caml_usub_overflow(uintnat a, uintnat b, uintnat *result)
{
    return __builtin_sub_overflow(a, b, result);
}
static inline int caml_umul_overflow(uintnat a, uintnat b, uintnat *result)
{
    return __builtin_mul_overflow(a, b, result);
}

/* Texts of the operating system are bytes. */
typedef char char_os;
#define T(text) text
#define caml_stat_strdup_to_os caml_stat_strdup
#define caml_stat_strdup_of_os caml_stat_strdup
#define caml_copy_string_of_os caml_copy_string

typedef void *caml_stat_block;
typedef char *caml_stat_string;

#define caml_stat_strdup_os caml_stat_strdup
#define caml_stat_strconcat_os caml_stat_strconcat

extern caml_stat_block caml_stat_alloc(asize_t);
extern caml_stat_block caml_stat_alloc_noexc(asize_t);
extern caml_stat_block caml_stat_resize(caml_stat_block, asize_t);
extern caml_stat_block caml_stat_resize_noexc(caml_stat_block, asize_t);
extern caml_stat_block caml_stat_calloc_noexc(asize_t, asize_t);
extern void caml_stat_free(caml_stat_block);
extern caml_stat_string caml_stat_strdup(const char *);
extern caml_stat_string caml_stat_strdup_noexc(const char *);
extern caml_stat_string caml_stat_strconcat(int, ...);

#define caml_strdup caml_stat_strdup
#define caml_strconcat caml_stat_strconcat

/* Says what is wrong, and ends the program. */
extern void caml_fatal_error(const char *, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* Messages of the collector, which nobody asks stubs for. */
#define caml_gc_message(...) ((void)0)

extern int caml_abs_int(int);

#endif
