/* The part of OCaml's interface that takes any number of arguments, or is easier in C. Each file of
   stubs has a copy. */

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caml/alloc.h"
#include "caml/bigarray.h"
#include "caml/custom.h"
#include "caml/fail.h"
#include "caml/memory.h"
#include "caml/misc.h"
#include "caml/mlvalues.h"
#include "caml/osdeps.h"
#include "caml/signals.h"

value caml_alloc_sprintf(const char *format, ...)
{
    char small[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof small) return caml_alloc_initialized_string(length, small);
    value text = caml_alloc_string(length);
    va_start(arguments, format);
    vsnprintf((char *)Bytes_val(text), length + 1, format, arguments);
    va_end(arguments);
    return text;
}

value caml_alloc_array(value (*make)(const char *), const char **items)
{
    CAMLparam0();
    CAMLlocal2(array, item);
    mlsize_t count = 0;
    while (items[count] != NULL) count++;
    array = caml_alloc(count, 0);
    for (mlsize_t index = 0; index < count; index++) {
        item = make(items[index]);
        caml_modify(&Field(array, index), item);
    }
    CAMLreturn(array);
}

int caml_convert_flag_list(value list, int *flags)
{
    int all = 0;
    for (; list != Val_emptylist; list = Field(list, 1)) all |= flags[Int_val(Field(list, 0))];
    return all;
}

caml_stat_string caml_stat_strconcat(int count, ...)
{
    va_list texts;
    size_t length = 1;
    va_start(texts, count);
    for (int index = 0; index < count; index++) length += strlen(va_arg(texts, const char *));
    va_end(texts);
    char *all = caml_stat_alloc(length), *end = all;
    va_start(texts, count);
    for (int index = 0; index < count; index++) end = stpcpy(end, va_arg(texts, const char *));
    va_end(texts);
    *end = 0;
    return all;
}

value caml_hash_variant(const char *name)
{
    int32_t hash = 0;
    for (; *name != 0; name++) hash = 223 * (uint32_t)hash + (unsigned char)*name;
    return Val_int((int32_t)((uint32_t)hash << 1) >> 1);
}

void caml_fatal_error(const char *format, ...)
{
    va_list arguments;
    fputs("Fatal error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

int caml_abs_int(int n) { return n < 0 ? -n : n; }

value caml_check_urgent_gc(value v) { return v; }

value caml_alloc_final(mlsize_t words, final_fun finalize, mlsize_t used, mlsize_t most)
{
    /* Programs have few such functions, each for all blocks of a kind. */
    struct kind {
        struct custom_operations operations;
        struct kind *next;
    };
    static struct kind *kinds = NULL;
    struct kind *kind = kinds;
    while (kind != NULL && kind->operations.finalize != finalize) kind = kind->next;
    if (kind == NULL) {
        kind = caml_stat_calloc_noexc(1, sizeof *kind);
        if (kind == NULL) caml_raise_out_of_memory();
        kind->operations.identifier = "_final";
        kind->operations.finalize = finalize;
        kind->next = kinds;
        kinds = kind;
    }
    return caml_alloc_custom(&kind->operations, (words - 1) * sizeof(value), used, most);
}

value caml_ba_alloc_dims(int flags, int num_dims, void *data, ...)
{
    intnat dim[CAML_BA_MAX_NUM_DIMS];
    va_list arguments;
    va_start(arguments, data);
    for (int index = 0; index < num_dims; index++) dim[index] = va_arg(arguments, intnat);
    va_end(arguments);
    return caml_ba_alloc(flags, num_dims, data, dim);
}

uintnat caml_ba_num_elts(struct caml_ba_array *array)
{
    uintnat count = 1;
    for (intnat index = 0; index < array->num_dims; index++) count *= array->dim[index];
    return count;
}

uintnat caml_ba_byte_size(struct caml_ba_array *array)
{
    static const unsigned char size[] = {4, 8, 1, 1, 2, 2, 4, 8, 8, 8, 8, 16, 1};
    return caml_ba_num_elts(array) * size[array->flags & CAML_BA_KIND_MASK];
}

/* Signals have small negative numbers in OCaml, in this order. */
static const int signals[] = {SIGABRT, SIGALRM, SIGFPE,  SIGHUP,  SIGILL,  SIGINT,    SIGKILL,
                              SIGPIPE, SIGQUIT, SIGSEGV, SIGTERM, SIGUSR1, SIGUSR2,   SIGCHLD,
                              SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGVTALRM, SIGPROF,
                              SIGBUS,  SIGPOLL, SIGSYS,  SIGTRAP, SIGURG,  SIGXCPU,   SIGXFSZ};
#define SIGNALS ((int)(sizeof signals / sizeof *signals))

int caml_convert_signal_number(int number)
{
    return number < 0 && number >= -SIGNALS ? signals[-number - 1] : number;
}

int caml_rev_convert_signal_number(int number)
{
    for (int index = 0; index < SIGNALS; index++)
        if (signals[index] == number) return -index - 1;
    return number;
}

char *caml_secure_getenv(const char *name) { return getenv(name); }
