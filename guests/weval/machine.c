/* A stack machine that is annotated for weval, with a stack and locals that its intrinsics keep:
 * what `make guests-bench` compares weval and Bactrian on. Its functions, and the requests for them,
 * are in program.h, which the benchmark writes; so the module need not be initialised. Compiled
 * natively, it is the interpreter alone. */
#include <stdint.h>
#include <stdio.h>

#ifdef __wasm__
#include "weval.h"
#endif

/* An instruction is a word: the opcode in its low byte, an operand above that. */
enum { PUSH, GET, SET, ADD, SUB, XOR, MUL, SHIFT, SKIP, LOOP, RETURN };

/* The compiler does not join what follows with the same code elsewhere: weval has to know the
 * position where it is announced. */
#define APART(name) __asm__ volatile("# " name)

#define LOCALS 8
#define DEPTH 16

/* The interpreter, with what gets at stack and locals, and what says where it is. Local 0 counts
 * down in LOOP; SKIP skips so many instructions if the top is even. */
#define INTERPRETER(name, BEGIN, AT, END, PUT, TAKE, READ, WRITE)                                  \
    static uint64_t name(const uint32_t *code, uint64_t count) {                                   \
        uint64_t stack[DEPTH], locals[LOCALS] = {count};                                           \
        uint64_t *sp = stack + DEPTH;                                                              \
        uint32_t pc = 0;                                                                           \
        BEGIN(pc);                                                                                 \
        WRITE(0, count);                                                                           \
        for (uint32_t n = 1; n < LOCALS; n++) WRITE(n, n);                                         \
        for (;;) {                                                                                 \
            uint32_t operand = code[pc] >> 8;                                                      \
            uint64_t a, b;                                                                         \
            switch (code[pc++] & 255) {                                                            \
            case PUSH: PUT(operand); break;                                                        \
            case GET: a = READ(operand); PUT(a); break;                                            \
            case SET: TAKE(a); WRITE(operand, a); break;                                           \
            case ADD: TAKE(b); TAKE(a); PUT(a + b); break;                                         \
            case SUB: TAKE(b); TAKE(a); PUT(a - b); break;                                         \
            case XOR: TAKE(b); TAKE(a); PUT(a ^ b); break;                                         \
            case MUL: TAKE(b); TAKE(a); PUT(a * b); break;                                         \
            case SHIFT: TAKE(a); PUT(a >> operand); break;                                         \
            case SKIP:                                                                             \
                TAKE(a);                                                                           \
                if ((a & 1) == 0) {                                                                \
                    pc += operand;                                                                 \
                    AT(pc);                                                                        \
                    APART("skip");                                                                 \
                    continue;                                                                      \
                }                                                                                  \
                break;                                                                             \
            case LOOP:                                                                             \
                a = READ(0) - 1;                                                                   \
                WRITE(0, a);                                                                       \
                if (a != 0) {                                                                      \
                    pc = operand;                                                                  \
                    AT(pc);                                                                        \
                    APART("loop");                                                                 \
                    continue;                                                                      \
                }                                                                                  \
                break;                                                                             \
            case RETURN: TAKE(a); END(); return a;                                                 \
            }                                                                                      \
            AT(pc);                                                                                \
        }                                                                                          \
    }

#define PLAIN_AT(pc) (void)(pc)
#define PLAIN_END() (void)0
#define PLAIN_PUT(value) (*--sp = (value))
#define PLAIN_TAKE(value) (value = *sp++)
#define PLAIN_READ(index) locals[index]
#define PLAIN_WRITE(index, value) (locals[index] = (value))

INTERPRETER(interpret, PLAIN_AT, PLAIN_AT, PLAIN_END, PLAIN_PUT, PLAIN_TAKE, PLAIN_READ,
            PLAIN_WRITE)

#ifdef __wasm__
#define KNOWN_AT(pc) weval_update_context(pc)
#define KNOWN_PUT(value) (--sp, weval_push_stack(sp, value))
#define KNOWN_TAKE(value) (value = weval_pop_stack(sp), sp++)
#define KNOWN_READ(index) weval_read_local(&locals[index], index)
#define KNOWN_WRITE(index, value) weval_write_local(&locals[index], index, value)

INTERPRETER(annotated, weval_push_context, KNOWN_AT, weval_pop_context, KNOWN_PUT, KNOWN_TAKE,
            KNOWN_READ, KNOWN_WRITE)
#endif

#include "program.h"

static int run_all(void) {
    uint64_t sum = 0;
    for (uint32_t n = 0; n < COUNT; n++) {
        uint64_t (*run)(const uint32_t *, uint64_t) = interpret;
#ifdef __wasm__
        if (compiled[n] != NULL) run = compiled[n];
#endif
        sum = sum * 31 + run(codes[n], ROUNDS);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}

#ifdef __wasm__
/* A reactor with a start of its own: a command's exports would be wrapped, and weval reads them. */
void __wasm_call_ctors(void);
__attribute__((export_name("_start"))) void start(void) {
    __wasm_call_ctors();
    exit(run_all());
}
#else
int main(void) { return run_all(); }
#endif
