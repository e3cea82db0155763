/* Annotations with which an interpreter in C or C++ tells Bactrian how to turn it into a compiler:
 * the intrinsics, and the table that says what is to be specialized.
 *
 * Each intrinsic is an import of the Wasm module "bactrian". The specializer interprets it. In code
 * that stays generic the linker writes a plain operation in its place, so an annotated interpreter
 * pays nothing for being annotated. Compile for wasm32.
 *
 * The header follows the Rust crate beside it, which is the ABI; a test compares the two. Each
 * intrinsic has what it means, what it promises (hints promise nothing: a wrong hint costs speed or
 * size, never correctness; a broken contract gives wrong results), an example, and the mistake that
 * one makes.
 *
 * Exactly one source file defines BACTRIAN_IMPLEMENTATION before it includes this header.
 */
#ifndef BACTRIAN_H
#define BACTRIAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BACTRIAN_IMPORT(name) __attribute__((import_module("bactrian"), import_name(name)))

/* ---- Where the interpreter is: hints ---- */

/* From here on, code runs for interpreter position `position`, usually the address of the next
 * instruction. One version of the code is made for each position. A hint.
 *   for (;;) { bactrian_context_update(pc); switch (*pc++) { … } }
 * Mistake: a position that comes from memory which is not constant. It is unknown to the
 * specializer, and code from there on is the generic loop again. */
BACTRIAN_IMPORT("context.update") void bactrian_context_update(const void *position);

/* Puts a position above the present one, for a loop within an instruction. A hint.
 *   bactrian_context_push(0);
 *   for (n = 0; n < COUNT(pc); n++) { bactrian_context_update((void *)n); … }
 *   bactrian_context_pop();
 * Mistake: leaving the loop by a way that has no pop. Positions are then piled up, and code is made
 * for each pile. */
BACTRIAN_IMPORT("context.push") void bactrian_context_push(const void *position);

/* Takes the topmost position away: the one below is the present one again. A hint.
 *   bactrian_context_push(0);
 *   for (n = 0; n < COUNT(pc); n++) {
 *       bactrian_context_update((void *)n);
 *       if (operand(pc, n) == 0) { bactrian_context_pop(); return n; }
 *   }
 *   bactrian_context_pop();
 * Mistake: a pop where nothing was pushed. It takes away the position of the interpreter itself. */
BACTRIAN_IMPORT("context.pop") void bactrian_context_pop(void);

/* Returns `value`; one version of what follows is made for each value from `low` up to, not with,
 * `high`, and one for all others, up to the next update of the context. A hint.
 *   switch (bactrian_specialize_value(count, 0, 4)) { … }
 * Mistake: wide bounds. Each value is a copy of all that follows. */
BACTRIAN_IMPORT("specialize.value")
uint32_t bactrian_specialize_value(uint32_t value, uint32_t low, uint32_t high);

/* The same for a value that is never outside of the bounds. A contract.
 *   kind = bactrian_specialize_range(object->kind, 0, KINDS);
 * Mistake: a value that lies outside after all. Generic code goes on with it, specialized code as
 * with another one. */
BACTRIAN_IMPORT("specialize.range")
uint32_t bactrian_specialize_range(uint32_t value, uint32_t low, uint32_t high);

/* Returns `value`; a version of what follows is made for the case that it equals `guess`, which is
 * tested at run time. A hint.
 *   code = bactrian_specialize_guess(closure->code, EXPECTED(pc));
 * Mistake: a guess that is not known while code is made. Then there is no version. Another one: to
 * conclude from a result that is not known that the value is not `guess`. Where guesses are switched
 * off nothing was compared. */
BACTRIAN_IMPORT("specialize.guess")
uint32_t bactrian_specialize_guess(uint32_t value, uint32_t guess);

/* The same for one guess of many: in that version a callee is evaluated in place no further than to
 * an early return, so there are not many copies of all that it does. A hint.
 *   for (i = 0; i < 8; i++) code = bactrian_specialize_guess_by_name(code, EXPECTED(pc, i));
 * Mistake: guessing one of few so. A call in place knows more. */
BACTRIAN_IMPORT("specialize.guess_by_name")
uint32_t bactrian_specialize_guess_by_name(uint32_t value, uint32_t guess);

/* 1 in specialized code, 0 in generic code: for what only one of them does. A hint.
 *   if (bactrian_specialize_active()) return call_compiled(function);
 * Mistake: a result of the program that depends on it. Generic and residual code then differ. */
BACTRIAN_IMPORT("specialize.active") uint32_t bactrian_specialize_active(void);

/* 1 in specialized code that runs within its caller's, where a call was; else 0. A hint.
 *   if (!bactrian_specialize_inlined()) check_depth();
 * Mistake: skipping what the callee's own frame needs later. */
BACTRIAN_IMPORT("specialize.inlined") uint32_t bactrian_specialize_inlined(void);

/* 1 in specialized code that its request's slot will hold; else 0: in versions for what a function
 * is given, and where it runs within its caller's. A hint.
 *   if (bactrian_specialize_in_slot()) return begin_slowly(function, argument);
 * Mistake: going on through the slot in a version. What it was given is lost from there. */
BACTRIAN_IMPORT("specialize.in_slot") uint32_t bactrian_specialize_in_slot(void);

/* 1 in specialized code where `value` is known while that is made; else 0. A hint.
 *   if (bactrian_specialize_known(size)) unrolled(size); else loop(size);
 * Mistake: using it as a test of the value. In generic code it is 0 for any. */
BACTRIAN_IMPORT("specialize.known") uint32_t bactrian_specialize_known(uint32_t value);

/* ---- What values are: contracts ---- */

/* Returns `value`, which is not 0. So later tests for 0 go. A contract.
 *   value = bactrian_nonzero(make_pair(a, b));
 * Mistake: using it for a value that is 0 after an error. */
BACTRIAN_IMPORT("value.nonzero") int64_t bactrian_nonzero(int64_t value);

/* Returns `value`, the address of a box of kind `kind`, a number of the table of boxes: that kind's
 * function has made it, or it is like one that it makes. A contract.
 *   value = bactrian_box_exists(constants[n], FLOAT);
 * Mistake: naming it for a word that may be a small integer; or asking where the box is, for a write
 * barrier say, and storing it after that. These may be two boxes of one number: a function that is
 * given the box does both with one. */
BACTRIAN_IMPORT("box.exists") int64_t bactrian_box_exists(int64_t value, uint32_t kind);

/* The same of a box whose payload is always the same: its bits are `payload`. A contract.
 *   value = bactrian_box_literal(constants[n], FLOAT, payloads[n]);
 * Mistake: a payload that is read from the box itself, or from other memory that is not constant:
 * compiled code is then as after bactrian_box_exists. */
BACTRIAN_IMPORT("box.literal")
int64_t bactrian_box_literal(int64_t value, uint32_t kind, int64_t payload);

/* In specialized code that knows `value` for the address of a box, 1 more than its kind; else 0. A
 * hint.
 *   if (bactrian_box_kind(a) == 1 + FLOAT) …
 * Mistake: taking 0 for "no box". It is "not known". */
BACTRIAN_IMPORT("box.kind") uint32_t bactrian_box_kind(int64_t value);

/* Returns `value`, which is odd and no address: while it is in a cell, nobody else changes that. A
 * contract.
 *   push(bactrian_immediate(tag(sum)));
 * Mistake: naming it for a sum whose operands were never tested. */
BACTRIAN_IMPORT("value.immediate") int64_t bactrian_immediate(int64_t value);

/* Returns `value`, the address of a block: it is even and not 0. A contract.
 *   closure = bactrian_block_address(closure);
 * Mistake: a word that is 0 after an error. */
BACTRIAN_IMPORT("value.address") int64_t bactrian_block_address(int64_t value);

/* Returns `value`, the address of a block that begins with the word `word`, for as long as anything
 * holds that address. So a call through it is a call of known code. A contract.
 *   closure = bactrian_points_to(make_closure(code), (uint32_t)code);
 * Mistake: a first word that the program can write. Another: a callee that exchanges cells which
 * hold such addresses. It may move the blocks, and has to leave each where it is. */
BACTRIAN_IMPORT("value.points_to") int64_t bactrian_points_to(int64_t value, uint32_t word);

/* Returns `address`, which lies within memory region `region`, 1 to 29: an access through it meets
 * none through an address within another region, and none at an address that is a constant in the
 * interpreter's code. If `address` is below 65,536, no sum or difference by which it is computed
 * wraps. A contract.
 *   *(double *)bactrian_address_within(element, FLOATS) = number;
 * Mistake: one object that is reached as both. A load then misses a store. */
BACTRIAN_IMPORT("address.within") void *bactrian_address_within(const void *address,
                                                                uint32_t region);

/* Nothing waits for a safepoint, and nothing will before code calls a function, makes a box or
 * stores to a constant address. A contract.
 *   if (limit == PENDING) collect(); bactrian_safepoint_passed();
 * Mistake: a flag that a store through a pointer can set. Another: saying so after a call that
 * takes a box, because nothing waited before it. The box may be made for the call. */
BACTRIAN_IMPORT("safepoint.passed") void bactrian_safepoint_passed(void);

/* 1 in specialized code where nothing can wait for a safepoint; else 0. A hint.
 *   if (!bactrian_safepoint_needless()) poll();
 * Mistake: asking without a bactrian_safepoint_passed before. The answer is always 0. */
BACTRIAN_IMPORT("safepoint.needless") uint32_t bactrian_safepoint_needless(void);

/* ---- Cells: contracts ----
 *
 * A cell is an aligned word of 8, 4 or 1 bytes above the first 64 KiB, a slot of the stack say, at
 * an address that is a parameter of the request plus a constant. Specialized code keeps its contents
 * in variables. Other code may look at one only after bactrian_cells_sync; where it may have
 * changed one, bactrian_cells_invalidate comes before the next read. Contents that are known while
 * code is made are never changed by other code, unless bactrian_cells_forget follows; nor does other
 * code put another value where a cell holds a box or what bactrian_points_to gave. What was not
 * synced when the function returns is lost.
 *
 * A cell has one name: no word is reached from two parameters of a request. Cells are those of the
 * function that a request names; in one that it calls, and that was not inlined, the intrinsics are
 * plain loads and stores. */

/* The cell's contents; in generic code, the word in memory. A contract.
 *   a = bactrian_cells_read(sp);
 * Mistake: reading the same word by a plain load. Memory may be stale. */
BACTRIAN_IMPORT("cells.read") int64_t bactrian_cells_read(const void *address);

/* Changes the cell; in generic code, the word in memory. A contract.
 *   bactrian_cells_write(--sp, a + b);
 * Mistake: writing one half of it by a plain store. */
BACTRIAN_IMPORT("cells.write") void bactrian_cells_write(void *address, int64_t value);

/* The same for a cell of one byte: 0 to 255. A contract.
 *   if (bactrian_cells_read8(&frame[n].tag) == INTEGER) …
 * Mistake: reading a part of a cell that was written as a whole. It goes through memory. */
BACTRIAN_IMPORT("cells.read8") uint32_t bactrian_cells_read8(const void *address);

/* The cell of one byte gets the low byte of `value`. A contract.
 *   bactrian_cells_write8(&frame[n].tag, INTEGER);
 * Mistake: writing a part of a cell that is read as a whole. It goes through memory. */
BACTRIAN_IMPORT("cells.write8") void bactrian_cells_write8(void *address, uint32_t value);

/* The same as bactrian_cells_read for a cell of four bytes. A contract.
 *   address = bactrian_cells_read32(--sp);
 * Mistake: reading a part of a cell that was written as a whole. It goes through memory. */
BACTRIAN_IMPORT("cells.read32") uint32_t bactrian_cells_read32(const void *address);

/* The same as bactrian_cells_write for a cell of four bytes. A contract.
 *   bactrian_cells_write32(sp++, address);
 * Mistake: writing a part of a cell that is read as a whole. It goes through memory. */
BACTRIAN_IMPORT("cells.write32") void bactrian_cells_write32(void *address, uint32_t value);

/* Cells below `address`, of the same stack, are dead: they need not reach memory. A contract.
 *   sp = frame + locals; bactrian_cells_drop_below(sp);
 * Mistake: dropping what an error handler still reads. Another is to return without having dropped
 * the activation's cells: where calls are evaluated in place, they meet those of the other returns,
 * and boxes that only they hold are made for that. */
BACTRIAN_IMPORT("cells.drop_below") void bactrian_cells_drop_below(const void *address);

/* Cells at `address` and above, of the same stack, are dead: it grows upwards. A contract.
 *   value = bactrian_cells_read(--sp); bactrian_cells_drop_above(sp);
 * Mistake: dropping what an error handler still reads. */
BACTRIAN_IMPORT("cells.drop_above") void bactrian_cells_drop_above(const void *address);

/* What is cached of the cells within the `len` bytes at `address` is forgotten, known contents as
 * well, and not stored. A contract: either they were synced; or other code has written all of them,
 * and address and length are known.
 *   bactrian_cells_sync(); read_line(&frame[n]);
 *   bactrian_cells_forget(&frame[n], sizeof *frame);
 * Mistake: bytes that other code writes only in part, without a sync before. Another: a length that
 * is not known, without a sync before. All cells are stored then, over what was written. */
BACTRIAN_IMPORT("cells.forget") void bactrian_cells_forget(const void *address, uint32_t len);

/* Memory gets what it lacks of all cells. A contract: it comes before each call whose callee may
 * look at a cell.
 *   bactrian_cells_sync(); result = call_runtime(sp); bactrian_cells_invalidate();
 * Mistake: a call without it whose callee, or collector, reads the stack. */
BACTRIAN_IMPORT("cells.sync") void bactrian_cells_sync(void);

/* The same for a collector, which only follows addresses: where a cell holds a box that is not made
 * yet, memory may get an odd word. A contract: what runs next reads no numbers out of cells.
 *   if (pending) { bactrian_cells_sync_roots(); collect(); bactrian_cells_invalidate(); }
 * Mistake: using it before code that reads numbers. */
BACTRIAN_IMPORT("cells.sync_roots") void bactrian_cells_sync_roots(void);

/* Contents of cells are forgotten, as other code may have changed them. A contract: every cell was
 * synced or dropped before.
 *   bactrian_cells_sync(); collect(); bactrian_cells_invalidate();
 * Mistake: leaving it out behind a call that moves blocks. Another: a callee that leaves its result
 * where an argument was. If that was a constant, code goes on with it: bactrian_cells_forget. */
BACTRIAN_IMPORT("cells.invalidate") void bactrian_cells_invalidate(void);

/* ---- Tools ---- */

/* The code that the call at `call` most often calls, if a profile knows it; else 0. Where code
 * counts for a profile, the host is told of `code`, which is about to be called. A hint.
 *   guess = bactrian_profile_callee((uint32_t)pc, (uint32_t)closure->code);
 * Mistake: calling the guess without comparing it. */
BACTRIAN_IMPORT("profile.callee") uint32_t bactrian_profile_callee(uint32_t call, uint32_t code);

/* An event for lockstep: a kind of the interpreter's own, its position, its stack pointer, a value.
 * Syncs all cells where events are compiled in; else nothing. A contract: generic and specialized
 * code report the same events.
 *   bactrian_lockstep_event(ENTRY, pc, sp, value);
 * Mistake: a value that differs between two runs, such as a time. */
BACTRIAN_IMPORT("lockstep.event")
void bactrian_lockstep_event(uint32_t kind, const void *position, const void *sp, int64_t value);

/* ---- What is to be specialized ---- */

#define BACTRIAN_MAGIC 0x54434142u
#define BACTRIAN_VERSION 5u
#define BACTRIAN_MAX_NAME 512u
#define BACTRIAN_MAX_PARAMS 16u
/* Of a request: its code calls itself and goes on after that; its code repeats itself; a short way
 * through its code leads to a return and has no effects. The last one promises that the cells which
 * the code writes before its first effect are of its own frame, where nobody looks who calls it. */
#define BACTRIAN_RECURSIVE 1u
#define BACTRIAN_LOOPS 2u
#define BACTRIAN_RETURNS_EARLY 4u
/* Of a parameter: it is the residual function's parameter of this number; it is this constant; it
 * points to this address within a region; it is the residual function's parameter of this number,
 * the address of a frame. */
#define BACTRIAN_PASS 0u
#define BACTRIAN_CONST 1u
#define BACTRIAN_POINTER 2u
#define BACTRIAN_FRAME 3u

/* Memory whose contents never change after the snapshot. Slots of requests in it the linker changes,
 * and nobody else: calls by name do not look at them again. */
struct bactrian_region {
    uint32_t base;
    uint32_t len;
};

/* `boxed` is for interpreters that list their kinds of boxed numbers; of others it is 0. */
struct bactrian_param {
    uint32_t kind;
    uint32_t boxed;
    uint64_t value;
};

/* One function to be specialized. The residual function has the type of the function that `*slot`
 * points to at the snapshot, and `*slot` will point to it. `params[anchor]` is a pointer to the
 * `code_len` bytes by which the request is known. `result` is like a parameter's `boxed`. */
struct bactrian_request {
    uint32_t function;
    uint32_t slot;
    uint32_t anchor;
    uint32_t code_len;
    uint32_t param_count;
    uint32_t flags;
    uint32_t result;
    uint32_t reserved;
    struct bactrian_param params[BACTRIAN_MAX_PARAMS];
};

struct bactrian_table {
    uint32_t magic;
    uint32_t version;
    uint32_t regions;
    uint32_t region_count;
    uint32_t requests;
    uint32_t request_count;
    uint32_t names;
    uint32_t names_len;
    uint32_t links;
    uint32_t link_count;
    uint32_t cells;
    uint32_t cell_count;
};

/* The table. Link with -Wl,--export=BACTRIAN_REQUESTS: that exports its address under this name.
 * Mistake: linking without. The module then has no requests. */
extern struct bactrian_table BACTRIAN_REQUESTS;

/* Declares constant memory, beside slots: code, and each table that the loop looks things up in,
 * that of labels for a computed goto among them (docs/tutorial/c.md).
 *   bactrian_add_region(function->code, function->size);
 * Mistake: memory that is freed, or written, later, such as an instruction that rewrites itself, a
 * counter, or the slot of a function that is defined anew; bytes that another region has too; or
 * more than 1,048,576 regions: neighbours can be one. */
void bactrian_add_region(const void *base, size_t len);

/* Declares that an aligned word of constant memory is a link: it holds an address in constant
 * memory, by which the interpreter gets at more code. A residual function then stays the same when
 * what the link leads to lies elsewhere.
 *   bactrian_add_link(&instruction->target);
 * Mistake: a word that is no address in a region. The table is malformed then. */
void bactrian_add_link(const void *word);

/* Declares the program's cells, once: `count` words that hold addresses in constant memory, or 0, and
 * that stay where they are. Residual code loads such an address from its cell, so that its machine
 * code stays the same when what lies there moves.
 *   bactrian_set_cells(cells, 64);
 * Mistake: writing a cell once the program runs. Residual code then goes there. */
void bactrian_set_cells(const void *cells, uint32_t count);

/* Asks for a function, whose code lies in a region: `slot` points to the pointer through which it
 * is called, and which points to a generic function of its type until then. `name` is for people,
 * and may be NULL, for all or for none. Parameters follow, in order; one of them is the anchor.
 *   bactrian_add_request((void *)interpret, &f->entry, f->name);
 *   bactrian_param_anchor(f->code, f->size);
 *   bactrian_param_pass(0);
 * Mistake: fewer parameters than the generic function has. The request is malformed. */
void bactrian_add_request(void *function, void *slot, const char *name);
void bactrian_param_pass(uint32_t residual_parameter);
/* The same for the address of a frame: plain loads and stores of 1, 4 or 8 bytes at a known distance
 * from it read and write cells. So an interpreter whose registers lie in memory need not change how
 * it gets at them. All that cells promise holds: a contract.
 * A pointer into the frame that comes from memory, or from a call, needs bactrian_cells_sync and
 * bactrian_cells_forget before it is used. One that is computed from the frame at a distance that is not known needs
 * neither, but all cells go to memory first.
 * Mistake: &frame[n] in a loop, where it could be done once for each n. It is right, and slow. */
void bactrian_param_frame(uint32_t residual_parameter);
void bactrian_param_const(uint64_t value);
void bactrian_param_pointer(const void *target);
void bactrian_param_anchor(const void *code, size_t len);
/* A sum of BACTRIAN_RECURSIVE, BACTRIAN_LOOPS and BACTRIAN_RETURNS_EARLY, of the last request. */
void bactrian_request_flags(uint32_t flags);

#ifdef BACTRIAN_IMPLEMENTATION
#include <stdlib.h>
#include <string.h>

struct bactrian_table BACTRIAN_REQUESTS = {
    .magic = BACTRIAN_MAGIC,
    .version = BACTRIAN_VERSION,
};

/* Room for `count` entries of `size` bytes, at an address that may have to change. */
static void *bactrian_room(uint32_t *place, uint32_t count, size_t size) {
    /* It grows when the number of entries is a power of two. */
    if ((count & (count - 1)) == 0) {
        size_t room = count == 0 ? 1 : (size_t)count * 2;
        void *grown = realloc((void *)(uintptr_t)*place, room * size);
        if (grown == NULL) abort();
        *place = (uint32_t)(uintptr_t)grown;
    }
    return (char *)(uintptr_t)*place + (size_t)count * size;
}

void bactrian_add_region(const void *base, size_t len) {
    struct bactrian_table *table = &BACTRIAN_REQUESTS;
    struct bactrian_region *region = (struct bactrian_region *)bactrian_room(
        &table->regions, table->region_count++, sizeof *region);
    region->base = (uint32_t)(uintptr_t)base;
    region->len = (uint32_t)len;
}

void bactrian_add_link(const void *word) {
    struct bactrian_table *table = &BACTRIAN_REQUESTS;
    uint32_t *link =
        (uint32_t *)bactrian_room(&table->links, table->link_count++, sizeof *link);
    *link = (uint32_t)(uintptr_t)word;
}

void bactrian_set_cells(const void *cells, uint32_t count) {
    BACTRIAN_REQUESTS.cells = (uint32_t)(uintptr_t)cells;
    BACTRIAN_REQUESTS.cell_count = count;
}

/* Adds a name to the others. Of a long one it takes whole characters. */
static void bactrian_name(const char *name) {
    struct bactrian_table *table = &BACTRIAN_REQUESTS;
    size_t len = 0;
    while (len < BACTRIAN_MAX_NAME && name[len] != '\0') len++;
    if (len == BACTRIAN_MAX_NAME)
        while (len > 0 && (name[len] & 0xC0) == 0x80) len--;
    for (size_t n = 0; n <= len; n++) {
        char *next = (char *)bactrian_room(&table->names, table->names_len++, 1);
        *next = n < len ? name[n] : '\0';
    }
}

void bactrian_add_request(void *function, void *slot, const char *name) {
    struct bactrian_table *table = &BACTRIAN_REQUESTS;
    struct bactrian_request *request = (struct bactrian_request *)bactrian_room(
        &table->requests, table->request_count++, sizeof *request);
    memset(request, 0, sizeof *request);
    request->function = (uint32_t)(uintptr_t)function;
    request->slot = (uint32_t)(uintptr_t)slot;
    request->anchor = BACTRIAN_MAX_PARAMS;
    if (name != NULL) bactrian_name(name);
}

static struct bactrian_request *bactrian_last(void) {
    struct bactrian_table *table = &BACTRIAN_REQUESTS;
    if (table->request_count == 0) abort();
    return (struct bactrian_request *)(uintptr_t)table->requests + (table->request_count - 1);
}

static void bactrian_param(uint32_t kind, uint64_t value) {
    struct bactrian_request *request = bactrian_last();
    if (request->param_count == BACTRIAN_MAX_PARAMS) abort();
    request->params[request->param_count].kind = kind;
    request->params[request->param_count++].value = value;
}

void bactrian_param_pass(uint32_t residual_parameter) {
    bactrian_param(BACTRIAN_PASS, residual_parameter);
}

void bactrian_param_frame(uint32_t residual_parameter) {
    bactrian_param(BACTRIAN_FRAME, residual_parameter);
}

void bactrian_param_const(uint64_t value) { bactrian_param(BACTRIAN_CONST, value); }

void bactrian_param_pointer(const void *target) {
    bactrian_param(BACTRIAN_POINTER, (uint32_t)(uintptr_t)target);
}

void bactrian_param_anchor(const void *code, size_t len) {
    struct bactrian_request *request = bactrian_last();
    request->anchor = request->param_count;
    request->code_len = (uint32_t)len;
    bactrian_param_pointer(code);
}

void bactrian_request_flags(uint32_t flags) { bactrian_last()->flags = flags; }
#endif

#ifdef __cplusplus
}
#endif
#endif
