/* An interpreter of ten opcodes, annotated with bactrian.h: what a test specializes. Its stack
 * grows down and is kept in cells. A call of another function of the program goes through that
 * function's slot. */
#define BACTRIAN_IMPLEMENTATION
#include "bactrian.h"

enum { CONST, ARGUMENT, ADD, SUBTRACT, LESS, JUMP, UNLESS, DUPLICATE, CALL, RETURN };

typedef int64_t (*entry)(int64_t argument, int64_t *sp);

struct function {
    entry entry;
    const int32_t *code;
    uint32_t size;
    const char *name;
};

/* fib: if n < 2 then n else fib (n - 1) + fib (n - 2) */
static const int32_t FIB[] = {
    ARGUMENT, CONST, 2, LESS, UNLESS, 8, ARGUMENT, RETURN,                /* 0 to 7 */
    ARGUMENT, CONST, 1, SUBTRACT, CALL, 0,                                /* 8 to 13 */
    ARGUMENT, CONST, 2, SUBTRACT, CALL, 0, ADD, RETURN,                   /* 14 to 21 */
};

/* count: counts its argument down on the stack until that is less than 1, and adds the argument. */
static const int32_t COUNT[] = {
    ARGUMENT,                                                             /* 0 */
    DUPLICATE, CONST, 1, LESS, UNLESS, 10, ARGUMENT, ADD, RETURN,         /* 1 to 9 */
    CONST, 1, SUBTRACT, JUMP, 1,                                          /* 10 to 14 */
};

static int64_t generic_fib(int64_t argument, int64_t *sp);
static int64_t generic_count(int64_t argument, int64_t *sp);

static struct function functions[] = {
    {generic_fib, FIB, sizeof FIB, "fib"},
    {generic_count, COUNT, sizeof COUNT, "count"},
};

static void push(int64_t **sp, int64_t value) { bactrian_cells_write(--*sp, value); }

static int64_t pop(int64_t **sp) {
    int64_t value = bactrian_cells_read((*sp)++);
    bactrian_cells_drop_below(*sp);
    return value;
}

int64_t interpret(const int32_t *code, int64_t argument, int64_t *sp) {
    const int32_t *pc = code;
    for (;;) {
        bactrian_context_update(pc);
        switch (*pc++) {
            case CONST: push(&sp, *pc++); break;
            case ARGUMENT: push(&sp, argument); break;
            case ADD: { int64_t b = pop(&sp), a = pop(&sp); push(&sp, a + b); break; }
            case SUBTRACT: { int64_t b = pop(&sp), a = pop(&sp); push(&sp, a - b); break; }
            case LESS: { int64_t b = pop(&sp), a = pop(&sp); push(&sp, a < b); break; }
            case JUMP: pc = code + *pc; break;
            case UNLESS: {
                /* Two updates, so that each way knows its position. */
                int32_t target = *pc++;
                if (pop(&sp) == 0) pc = code + target;
                break;
            }
            case DUPLICATE: { int64_t a = bactrian_cells_read(sp); push(&sp, a); break; }
            case CALL: {
                const struct function *callee = &functions[*pc++];
                int64_t argument = pop(&sp);
                bactrian_cells_sync();
                int64_t result = callee->entry(argument, sp);
                bactrian_cells_invalidate();
                push(&sp, result);
                break;
            }
            case RETURN: return pop(&sp);
            default: __builtin_trap();
        }
    }
}

static int64_t generic_fib(int64_t argument, int64_t *sp) { return interpret(FIB, argument, sp); }

static int64_t generic_count(int64_t argument, int64_t *sp) {
    return interpret(COUNT, argument, sp);
}

__attribute__((export_name("wizer-initialize"))) void initialize(void) {
    for (unsigned n = 0; n < 2; n++) {
        struct function *function = &functions[n];
        bactrian_add_region(function->code, function->size);
        bactrian_add_request((void *)interpret, &function->entry, function->name);
        bactrian_param_anchor(function->code, function->size);
        bactrian_param_pass(0);
        bactrian_param_pass(1);
        bactrian_request_flags(n == 0 ? BACTRIAN_RECURSIVE : BACTRIAN_LOOPS);
    }
}

static int64_t stack[4096];

/* fib of the argument, and the argument, counted. */
__attribute__((export_name("run"))) int64_t run(int64_t argument) {
    int64_t *sp = stack + 4096;
    return functions[0].entry(argument, sp) + functions[1].entry(argument, sp);
}
