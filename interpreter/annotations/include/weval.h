/* For interpreters that were annotated for weval 0.5.1: the names that its header gives to imports,
 * exports and requests, so that such an interpreter compiles with this one as it is. bactrian.h has
 * more: regions of constant memory, cells by address, facts about values.
 *
 * What each name means, and where specializing differs from weval, is in docs/weval.md.
 *
 * Exactly one source file has WEVAL_DEFINE_GLOBALS() at its top level. Leaves out: weval's templates
 * for C++, and its table of bodies that are made in advance. */
#ifndef BACTRIAN_WEVAL_H
#define BACTRIAN_WEVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BACTRIAN_WEVAL(name) __attribute__((import_module("weval"), import_name(name)))

/* ---- Positions ---- */

/* As bactrian_context_push, bactrian_context_pop and bactrian_context_update, which see. Mistake: a
 * push without a pop on one of the ways out of a loop. */
BACTRIAN_WEVAL("push.context") void weval_push_context(uint32_t position);
BACTRIAN_WEVAL("pop.context") void weval_pop_context(void);
BACTRIAN_WEVAL("update.context") void weval_update_context(uint32_t position);

/* The value; one version of what follows for each from `low` to `high`, both included. */
BACTRIAN_WEVAL("specialize.value")
uint32_t weval_specialize_value(uint32_t value, uint32_t low, uint32_t high);

/* The request's constant of this number. Mistake: asking in generic code, where it traps. */
BACTRIAN_WEVAL("read.specialization.global")
uint64_t weval_read_specialization_global(uint32_t index);

/* ---- What is kept out of memory ---- */

/* A register of the activation, by number. Mistake: reading one that some way has not written; the
 * function then stays generic. */
BACTRIAN_WEVAL("read.reg") uint64_t weval_read_reg(uint64_t index);
BACTRIAN_WEVAL("write.reg") void weval_write_reg(uint64_t index, uint64_t value);

/* A stack, of which the value lies at `address`: what is pushed, popped, read or written. A value
 * that was pushed reaches memory by a sync, unless it is popped before. Index 0 is the top.
 *   weval_push_stack(--sp, value); value = weval_pop_stack(sp++);
 *   third = weval_read_stack(sp + 2, 2);
 * Mistake: looking at memory before weval_sync_stack; or the top's address for all indices, which
 * is wrong in generic code and behind a sync. */
BACTRIAN_WEVAL("push.stack") void weval_push_stack(uint64_t *address, uint64_t value);
BACTRIAN_WEVAL("pop.stack") uint64_t weval_pop_stack(uint64_t *address);
BACTRIAN_WEVAL("read.stack") uint64_t weval_read_stack(uint64_t *address, uint32_t index);
BACTRIAN_WEVAL("write.stack")
void weval_write_stack(uint64_t *address, uint32_t index, uint64_t value);

/* Locals, each at its own address. Mistake: two numbers for one address. */
BACTRIAN_WEVAL("read.local") uint64_t weval_read_local(uint64_t *address, uint32_t index);
BACTRIAN_WEVAL("write.local")
void weval_write_local(uint64_t *address, uint32_t index, uint64_t value);

/* Brings memory up to date with the stack and locals, and forgets them. */
BACTRIAN_WEVAL("sync.stack") void weval_sync_stack(void);

/* ---- Assertions, which leave the function generic where they fail; and information ---- */

BACTRIAN_WEVAL("assert.const32") void weval_assert_const32(uint32_t value, uint32_t line);
BACTRIAN_WEVAL("assert.specialized") void weval_assert_specialized(uint32_t line);
BACTRIAN_WEVAL("abort.specialization")
void weval_abort_specialization(uint32_t line, uint32_t fatal);
BACTRIAN_WEVAL("trace.line") void weval_trace_line(uint32_t line);
BACTRIAN_WEVAL("print") void weval_print(const char *message, uint32_t line, uint32_t value);
BACTRIAN_WEVAL("context.bucket") void weval_context_bucket(uint32_t bucket);
BACTRIAN_WEVAL("reachable.at.depth") void weval_reachable_at_depth(uint32_t depth);

/* ---- Requests ---- */

typedef void (*weval_func_t)(void);

typedef struct weval_req_t weval_req_t;

/* A function to be specialized, a link of a list. `specialized` gets the residual function. */
struct weval_req_t {
    weval_req_t *next;
    weval_req_t *prev;
    uint32_t func_id;
    uint32_t num_globals;
    weval_func_t func;
    uint8_t *argbuf;
    uint32_t arglen;
    weval_func_t *specialized;
};

typedef enum {
    weval_req_arg_i32 = 0,
    weval_req_arg_i64 = 1,
    weval_req_arg_f32 = 2,
    weval_req_arg_f64 = 3,
    weval_req_arg_buffer = 4,
    weval_req_arg_none = 255,
} weval_req_arg_type;

/* An argument, in the order of the function's. The bytes of a buffer follow it. */
typedef struct weval_req_arg_t {
    uint32_t specialize;
    uint32_t ty;
    union {
        uint64_t raw;
        uint32_t i32;
        uint64_t i64;
        float f32;
        double f64;
        struct {
            uint32_t len;
            uint32_t padded_len;
        } buffer;
    } u;
} weval_req_arg_t;

/* The list's first request, and whether this module was specialized. */
extern weval_req_t *weval_req_pending_head;
extern bool weval_is_wevaled;

#define WEVAL_DEFINE_GLOBALS()                                                        \
    weval_req_t *weval_req_pending_head;                                              \
    bool weval_is_wevaled;                                                            \
    __attribute__((export_name("weval.pending.head"))) weval_req_t **                 \
    bactrian_weval_pending_head(void) {                                               \
        return &weval_req_pending_head;                                               \
    }                                                                                 \
    __attribute__((export_name("weval.is.wevaled"))) bool *                           \
    bactrian_weval_is_wevaled(void) {                                                 \
        return &weval_is_wevaled;                                                     \
    }

/* Names a function for people who look at requests. */
#define WEVAL_DEFINE_TARGET(index, func)                                              \
    __attribute__((export_name("weval.func." #index))) weval_func_t                   \
    bactrian_weval_func_##index(void) {                                               \
        return (weval_func_t)&(func);                                                 \
    }

/* Puts a request at the list's head. In a specialized module nobody reads the list. */
static inline void weval_request(weval_req_t *request) {
    if (weval_is_wevaled) return;
    weval_req_t *second = weval_req_pending_head;
    request->prev = NULL;
    request->next = second;
    if (second != NULL) second->prev = request;
    weval_req_pending_head = request;
}

/* Takes a request off the list and frees it, with its arguments. */
static inline void weval_free(weval_req_t *request) {
    weval_req_t **before =
        request->prev != NULL ? &request->prev->next : &weval_req_pending_head;
    if (*before == request) *before = request->next;
    if (request->next != NULL) request->next->prev = request->prev;
    free(request->argbuf);
    free(request);
}

#ifdef __cplusplus
}
#endif
#endif
