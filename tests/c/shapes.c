/* Interpreters and programs of other shapes than a stack machine with one loop over a switch: a
 * register machine, a machine that dispatches by computed gotos, one with two dispatch loops; a
 * program that switches, and one whose loop has two entries. A test specializes all of them. */
#define BACTRIAN_IMPLEMENTATION
#include "bactrian.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef int64_t (*entry)(int64_t argument, int64_t *frame);
typedef int64_t (*interpreter)(const int32_t *code, int64_t argument, int64_t *frame);

/* ---- Registers: words at constant offsets from the frame. Register 0 is the argument. ---- */

enum { SET, SUM, DIFFERENCE, PRODUCT, UNTIL_ZERO, GIVE };

static int64_t get(int64_t *frame, int32_t n) { return bactrian_cells_read(frame + n); }
static void put(int64_t *frame, int32_t n, int64_t value) { bactrian_cells_write(frame + n, value); }

int64_t registers(const int32_t *code, int64_t argument, int64_t *frame) {
    put(frame, 0, argument);
    for (const int32_t *pc = code;;) {
        bactrian_context_update(pc);
        int32_t op = pc[0], a = pc[1], b = pc[2], c = pc[3];
        pc += 4;
        switch (op) {
            case SET: put(frame, a, b); break;
            case SUM: put(frame, a, get(frame, b) + get(frame, c)); break;
            case DIFFERENCE: put(frame, a, get(frame, b) - get(frame, c)); break;
            case PRODUCT: put(frame, a, get(frame, b) * get(frame, c)); break;
            case UNTIL_ZERO: if (get(frame, a) != 0) pc = code + b; break;
            case GIVE: {
                int64_t result = get(frame, a);
                bactrian_cells_drop_below(frame + 4);
                return result;
            }
            default: __builtin_trap();
        }
    }
}

/* The factorial of the argument, modulo 2 to the 64, for arguments from 1 on. */
static const int32_t FACTORIAL[] = {
    SET, 1, 1, 0, SET, 2, 1, 0,
    PRODUCT, 1, 1, 0, DIFFERENCE, 0, 0, 2, UNTIL_ZERO, 0, 8, 0, GIVE, 1, 0, 0,
};

/* ---- An accumulator machine, whose SWITCH has a table of targets; two programs ---- */

enum { ADD, STEP, JUMP, IF_ODD, SWITCH, LOOP, END };

int64_t accumulator(const int32_t *code, int64_t argument, int64_t *frame) {
    int64_t value = argument, sum = 0;
    (void)frame;
    for (const int32_t *pc = code;;) {
        bactrian_context_update(pc);
        switch (*pc++) {
            case ADD: sum += *pc++; break;
            case STEP: value--; break;
            case JUMP: pc = code + *pc; break;
            case IF_ODD: {
                int32_t target = *pc++;
                if (value & 1) pc = code + target;
                break;
            }
            case SWITCH: {
                /* A count, a target for each number below it, and one for others. Those are one
                 * number before the versions are made: else in theirs the target is not known. */
                int64_t count = *pc++;
                uint32_t number = value >= 0 && value < count ? value : count;
                pc = code + pc[bactrian_specialize_range(number, 0, count + 1)];
                break;
            }
            case LOOP: {
                int32_t target = *pc++;
                if (value > 0) pc = code + target;
                break;
            }
            case END: return sum;
            default: __builtin_trap();
        }
    }
}

/* 10 for 0, 20 for 1, 30 for 2, 10 for 3, 20 for 4, else 99. */
static const int32_t SWITCHES[] = {
    SWITCH, 8, 11, 14, 17, 11, 20, 14, 23, 26, 29,
    ADD, 10, END, ADD, 20, END, ADD, 30, END, ADD, 40, END, ADD, 50, END, ADD, 60, END, ADD, 99, END,
};

/* A loop of two halves, which begins in the second one where the argument is odd. */
static const int32_t TWO_ENTRIES[] = {
    IF_ODD, 5, ADD, 1, STEP, ADD, 100, STEP, LOOP, 2, END,
};

/* ---- Computed gotos: the table of labels is constant memory as well ---- */

int64_t gotos(const int32_t *code, int64_t argument, int64_t *frame) {
    static const void *const LABELS[] = {&&add, &&twice, &&until, &&end};
    if (code == NULL) {
        bactrian_add_region(LABELS, sizeof LABELS);
        return 0;
    }
    (void)frame;
    const int32_t *pc = code;
    int64_t sum = 0;
#define NEXT() do { bactrian_context_update(pc); goto *LABELS[*pc++]; } while (0)
    NEXT();
add: sum += *pc++; NEXT();
twice: sum *= 2; argument--; NEXT();
until: {
    int32_t target = *pc++;
    if (argument > 0) pc = code + target;
    NEXT();
}
end: return sum;
}

/* Doubles and adds 1, as often as the argument says, but once at least. */
static const int32_t DOUBLES[] = {1, 0, 1, 2, 0, 3};

/* ---- Two dispatch loops: between LIST and STOP, words are opcodes of another kind ---- */

enum { LIST, AGAIN, DONE };
enum { ONE, TEN, STOP };

int64_t loops(const int32_t *code, int64_t argument, int64_t *frame) {
    int64_t sum = 0;
    (void)frame;
    for (const int32_t *pc = code;;) {
        bactrian_context_update(pc);
        switch (*pc++) {
            case LIST:
                for (int more = 1; more;) {
                    bactrian_context_update(pc);
                    switch (*pc++) {
                        case ONE: sum += 1; break;
                        case TEN: sum += 10; break;
                        default: more = 0;
                    }
                }
                break;
            case AGAIN: if (--argument > 0) pc = code; break;
            default: return sum;
        }
    }
}

/* 12 times the argument. */
static const int32_t LISTS[] = {LIST, ONE, TEN, ONE, STOP, AGAIN, DONE};

/* ---- All of them ---- */

struct function {
    const char *name;
    interpreter interpret;
    const int32_t *code;
    uint32_t size;
};

static const struct function FUNCTIONS[] = {
    {"factorial", registers, FACTORIAL, sizeof FACTORIAL},
    {"switches", accumulator, SWITCHES, sizeof SWITCHES},
    {"two_entries", accumulator, TWO_ENTRIES, sizeof TWO_ENTRIES},
    {"doubles", gotos, DOUBLES, sizeof DOUBLES},
    {"lists", loops, LISTS, sizeof LISTS},
};

#define GENERIC(n) \
    static int64_t generic_##n(int64_t argument, int64_t *frame) { \
        return FUNCTIONS[n].interpret(FUNCTIONS[n].code, argument, frame); \
    }
GENERIC(0) GENERIC(1) GENERIC(2) GENERIC(3) GENERIC(4)

static entry entries[] = {generic_0, generic_1, generic_2, generic_3, generic_4};

__attribute__((export_name("wizer-initialize"))) void initialize(void) {
    gotos(NULL, 0, NULL);
    for (unsigned n = 0; n < LENGTH(FUNCTIONS); n++) {
        const struct function *function = &FUNCTIONS[n];
        bactrian_add_region(function->code, function->size);
        bactrian_add_request((void *)function->interpret, &entries[n], function->name);
        bactrian_param_anchor(function->code, function->size);
        bactrian_param_pass(0);
        bactrian_param_pass(1);
    }
}

static int64_t frame[16];

/* Function `argument % 16` of `argument / 16`. */
__attribute__((export_name("run"))) int64_t run(int64_t argument) {
    return entries[argument % 16](argument / 16, frame);
}
