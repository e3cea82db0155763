/* What every file of Lua is compiled with. */
#ifndef BACTRIAN_LUA_CONFIG_H
#define BACTRIAN_LUA_CONFIG_H

struct lua_State;
struct CallInfo;
union StackValue;

/* Runs an activation to its end: what a function of the program is compiled to, or the interpreter
 * (bactrian_generic). `frame` is its first register. */
typedef void (*bactrian_entry)(struct lua_State *L, struct CallInfo *ci, union StackValue *frame);
void bactrian_generic(struct lua_State *L, struct CallInfo *ci, union StackValue *frame);

/* How many activations of compiled code are on the native stack. */
extern int bactrian_depth;

/* Errors, in place of longjmp. bactrian_throw sets the flag and returns, which the compiler must
 * not know; behind each call that may come back so, the build puts a test that returns as well. */
extern volatile int unwind_flag;
_Noreturn void bactrian_throw(void) __asm__("bactrian_set_flag");
#define luai_jmpbuf int
#define LUAI_THROW(L, c) bactrian_throw()
#define LUAI_TRY(L, c, a)                                                                          \
    {                                                                                              \
        int depth = bactrian_depth;                                                                \
        a unwind_flag = 0;                                                                         \
        bactrian_depth = depth;                                                                    \
    }

/* Snapshots of one script are equal. */
#define luai_makeseed(L) 0u

/* The name of a new file that is empty (libc/missing.c). */
int bactrian_temporary(char *name);
#define LUA_TMPNAMBUFSIZE 32
#define lua_tmpnam(b, e)                                                                           \
    { e = bactrian_temporary(b); }

/* One switch, by which the specializer knows the instruction. */
#define LUA_USE_JUMPTABLE 0

#endif
