/* How the interpreter's loop is annotated: macros of lvm.c that mean something else in compiled
 * code, and calls of compiled functions. Included where the loop begins.
 *
 * Compiled code is one activation. Its registers are cells of the frame, a word and a tag each.
 * Before anything that may look at the stack, Lua notes where it is (savepc): there, memory is
 * brought up to date, and registers are forgotten that closures of the program can write. What a
 * call writes is forgotten where its result goes. Nobody changes other registers: debug.setlocal
 * has the activation go on in the interpreter.
 *
 * All other state is in memory wherever something can look at it. So compiled code can leave an
 * activation to the interpreter at any instruction, and does where a hook is set or the stack has
 * moved. */
#ifndef BACTRIAN_LUA_COMPILED_H
#define BACTRIAN_LUA_COMPILED_H

#include "bactrian.h"

/* Native activations: beyond, the interpreter runs, which takes no native stack for calls. */
#define BACTRIAN_MAX_DEPTH 4000

/* More bytes than a frame has. */
#define BACTRIAN_REST (256 * sizeof(StackValue))

#define BACTRIAN_INLINE static inline __attribute__((always_inline))

void bactrian_run(lua_State *L, CallInfo *ci, StkId frame, const Instruction *code,
                  TValue *constants, uint32_t captured, uint32_t captured_count);

/* ---- Calls ---- */

/* Whether an activation that begins may run as compiled code. */
BACTRIAN_INLINE int bactrian_usable(lua_State *L, CallInfo *ci) {
    return clLvalue(s2v(ci->func))->p->entry != bactrian_generic && !L->hookmask &&
           bactrian_depth < BACTRIAN_MAX_DEPTH;
}

/* Where the first register of an activation is that begins in compiled code. The instruction that
 * moves a variable number of arguments away is executed here, as it moves the frame. */
BACTRIAN_INLINE StkId bactrian_frame(lua_State *L, CallInfo *ci) {
    const Proto *p = clLvalue(s2v(ci->func))->p;
    ci->u.l.trap = 0;
    if (p->is_vararg) {
        ci->u.l.savedpc = p->code + 1;
        luaT_adjustvarargs(L, p->numparams, ci, p);
    }
    return ci->func + 1;
}

/* Calls a compiled function that is not known: a dispatcher, whose call the linker makes a switch
 * over the functions that there are. */
__attribute__((noinline)) void bactrian_enter(lua_State *L, CallInfo *ci, StkId frame,
                                              bactrian_entry entry) {
    entry(L, ci, frame);
}

const struct {
    uint32_t count;
    void (*dispatchers[1])(lua_State *, CallInfo *, StkId, bactrian_entry);
} BACTRIAN_DISPATCHERS = {1, {bactrian_enter}};

/* Runs an activation to its end. */
BACTRIAN_INLINE void bactrian_call(lua_State *L, CallInfo *ci) {
    ci->callstatus |= CIST_FRESH;
    if (bactrian_usable(L, ci)) {
        bactrian_depth++;
        StkId frame = bactrian_frame(L, ci);
        bactrian_enter(L, ci, frame, clLvalue(s2v(ci->func))->p->entry);
        bactrian_depth--;
    } else {
        bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);
    }
}

/* The same for an activation that takes the place of the one that calls this. */
BACTRIAN_INLINE void bactrian_tail_call(lua_State *L, CallInfo *ci) {
    if (bactrian_usable(L, ci)) {
        StkId frame = bactrian_frame(L, ci);
        bactrian_enter(L, ci, frame, clLvalue(s2v(ci->func))->p->entry);
    } else {
        bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);
    }
}

void luaV_execute(lua_State *L, CallInfo *ci) {
    int begins = ci->u.l.savedpc == clLvalue(s2v(ci->func))->p->code;
    if (begins && (ci->callstatus & CIST_FRESH) && bactrian_usable(L, ci))
        bactrian_call(L, ci);
    else
        bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);
}

void bactrian_generic(lua_State *L, CallInfo *ci, StkId frame) {
    (void)frame;
    bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);
}

/* Calls what a register has, from compiled code, which has noted where it is; `count` is how many
 * arguments there are. A function of Lua whose frame fits is entered here. */
BACTRIAN_INLINE void bactrian_apply(lua_State *L, StkId func, int results, int count) {
    CallInfo *ci = L->ci->next;
    if (ttisLclosure(s2v(func)) && ci != NULL) {
        const Proto *p = clLvalue(s2v(func))->p;
        StkId frame = func + 1;
        bactrian_cells_forget(func, BACTRIAN_REST);
        if (l_likely(L->stack_last - (frame + count) > p->maxstacksize)) {
            ci->func = func;
            ci->nresults = results;
            ci->callstatus = CIST_FRESH;
            ci->top = frame + p->maxstacksize;
            ci->u.l.savedpc = p->code;
            L->ci = ci;
            for (; count < p->numparams; count++) setnilvalue(s2v(L->top++));
            bactrian_cells_sync();
            if (l_likely(p->entry != bactrian_generic && !L->hookmask &&
                         bactrian_depth < BACTRIAN_MAX_DEPTH)) {
                bactrian_depth++;
                ci->u.l.trap = 0;
                if (p->is_vararg) frame = bactrian_frame(L, ci);
                bactrian_enter(L, ci, frame, p->entry);
                bactrian_depth--;
            } else {
                bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);
            }
            bactrian_cells_forget(func, BACTRIAN_REST);
            return;
        }
    }
    bactrian_cells_forget(func, BACTRIAN_REST);
    ci = luaD_precall(L, func, results);
    if (ci != NULL) bactrian_call(L, ci);
    bactrian_cells_forget(func, BACTRIAN_REST);
}

/* Calls in tail position what a register has, given how many values that and its arguments are: at
 * most three arguments move to where the frame begins. Returns 0, with nothing changed, where Lua has
 * to see to it. */
BACTRIAN_INLINE int bactrian_apply_last(lua_State *L, CallInfo *ci, StkId frame, StkId func,
                                        int count) {
    if (count > 4 || !ttisLclosure(s2v(func))) return 0;
    const Proto *p = clLvalue(s2v(func))->p;
    if (l_unlikely(p->entry == bactrian_generic || p->is_vararg || L->hookmask ||
                   L->stack_last - (frame + count) <= p->maxstacksize))
        return 0;
    setobjs2s(L, frame - 1, func);
    if (count > 1) setobjs2s(L, frame, func + 1);
    if (count > 2) setobjs2s(L, frame + 1, func + 2);
    if (count > 3) setobjs2s(L, frame + 2, func + 3);
    bactrian_cells_forget(frame + count - 1, BACTRIAN_REST);
    L->top = frame + count - 1;
    for (; count <= p->numparams; count++) setnilvalue(s2v(L->top++));
    ci->top = frame + p->maxstacksize;
    ci->u.l.savedpc = p->code;
    ci->u.l.trap = 0;
    ci->callstatus |= CIST_TAIL;
    bactrian_cells_sync();
    bactrian_enter(L, ci, frame, p->entry);
    return 1;
}

/* ---- What looks at the stack ---- */

#undef savepc
#define savepc(L)                                                                                  \
    (bactrian_cells_sync(),                                                                        \
     bactrian_cells_forget(base + captured, captured_count * sizeof(StackValue)),                  \
     ci->u.l.savedpc = pc)

/* What calls write: a register, or all from one on. */
#define bactrian_result(r) bactrian_cells_forget((r), sizeof(StackValue))
#define bactrian_results(r) bactrian_cells_forget((r), BACTRIAN_REST)

#define luaV_finishget(L, t, key, r, slot) (bactrian_result(r), luaV_finishget(L, t, key, r, slot))
#define luaT_trybinTM(L, a, b, r, tm) (bactrian_result(r), luaT_trybinTM(L, a, b, r, tm))
#define luaT_trybiniTM(L, a, i, flip, r, tm)                                                       \
    (bactrian_result(r), luaT_trybiniTM(L, a, i, flip, r, tm))
#define luaT_trybinassocTM(L, a, b, flip, r, tm)                                                   \
    (bactrian_result(r), luaT_trybinassocTM(L, a, b, flip, r, tm))
#define luaV_concat(L, n) (bactrian_results(ra), luaV_concat(L, n))
#define luaT_getvarargs(L, ci, r, n) (bactrian_results(r), luaT_getvarargs(L, ci, r, n))
#define luaD_call(L, r, n) (bactrian_results(r), luaD_call(L, r, n))

/* These read registers, or have the collector look, without that Lua notes where it is. */
#define luaH_get(t, key) (bactrian_cells_sync(), luaH_get(t, key))
#define luaH_new(L) (bactrian_cells_sync(), luaH_new(L))
#define luaH_resize(L, t, a, h) (bactrian_cells_sync(), luaH_resize(L, t, a, h))
#define luaH_realasize(t) (bactrian_cells_sync(), luaH_realasize(t))
#define luaV_tointegerns(o, i, mode) bactrian_integer(o, i, mode)

BACTRIAN_INLINE int bactrian_integer(const TValue *o, lua_Integer *i, F2Imod mode) {
    if (ttisfloat(o)) return luaV_flttointeger(fltvalue(o), i, mode);
    bactrian_cells_sync();
    return (luaV_tointegerns)(o, i, mode);
}

/* ---- What is done in place ---- */

/* Where one looks first for a string's field, and whether it is there. */
#define bactrian_place(t, key) gnode(t, lmod((key)->hash, sizenode(t)))
#define bactrian_is_of(n, key) (keyisshrstr(n) && eqshrstr(keystrval(n), key))

/* A string's field, where it is the first that one looks at. */
BACTRIAN_INLINE const TValue *bactrian_field(Table *t, TString *key) {
    Node *n = bactrian_place(t, key);
    if (l_likely(bactrian_is_of(n, key))) return gval(n);
    return luaH_getshortstr(t, key);
}
#define luaH_getshortstr(t, key) bactrian_field(t, key)

/* A string's field: luaH_getshortstr, to be a part of what looks in one table after the other. */
BACTRIAN_INLINE const TValue *bactrian_find(const Table *t, const TString *key) {
    static const TValue absent = {ABSTKEYCONSTANT};
    const Node *n = bactrian_place(t, key);
    while (!bactrian_is_of(n, key)) {
        int next = gnext(n);
        if (next == 0) return &absent;
        n += next;
    }
    return gval(n);
}

/* What `t` has, or one of the tables that metatables name; else what is empty. */
static __attribute__((noinline)) const TValue *bactrian_inherited(lua_State *L, const Table *t,
                                                                  const TString *key) {
    const TString *name = G(L)->tmname[TM_INDEX];
    const TValue *slot = bactrian_find(t, key);
    for (int depth = 0; depth < 8 && isempty(slot) && t->metatable != NULL; depth++) {
        const TValue *index = bactrian_find(t->metatable, name);
        if (!ttistable(index)) break;
        t = hvalue(index);
        slot = bactrian_find(t, key);
    }
    return slot;
}

/* A method. */
BACTRIAN_INLINE const TValue *bactrian_method(lua_State *L, Table *t, TString *key) {
    Node *n = bactrian_place(t, key);
    if (bactrian_is_of(n, key) && !isempty(gval(n))) return gval(n);
    return bactrian_inherited(L, t, key);
}
#define luaH_getstr(t, key)                                                                        \
    (bactrian_specialize_active() && (key)->tt == LUA_VSHRSTR ? bactrian_method(L, t, key)         \
                                                               : luaH_getstr(t, key))

/* Whether two values are equal without that a metamethod is asked: 2 if that is not known. */
BACTRIAN_INLINE int bactrian_equal(const TValue *a, const TValue *b) {
    if (ttisinteger(a) && ttisinteger(b)) return ivalue(a) == ivalue(b);
    if (ttisfloat(a) && ttisfloat(b)) return luai_numeq(fltvalue(a), fltvalue(b));
    if (ttypetag(a) != ttypetag(b)) return ttisnumber(a) && ttisnumber(b) ? 2 : 0;
    if (ttisshrstring(a)) return eqshrstr(tsvalue(a), tsvalue(b));
    if (ttisnil(a) || ttisboolean(a)) return 1;
    return iscollectable(a) && gcvalue(a) == gcvalue(b) ? 1 : 2;
}

/* The instruction that compares two registers. */
#define bactrian_compare(a, b)                                                                     \
    {                                                                                              \
        cond = bactrian_equal(a, b);                                                               \
        if (l_unlikely(cond == 2)) Protect(cond = luaV_equalobj(L, a, b));                         \
    }

/* The same with a constant, which has no metamethods. */
BACTRIAN_INLINE int bactrian_is(const TValue *a, const TValue *constant) {
    int equal = bactrian_equal(a, constant);
    if (l_likely(equal != 2)) return equal;
    bactrian_cells_sync();
    return luaV_equalobj(NULL, a, constant);
}

/* The length of a table without a metatable. */
#define bactrian_length(r, b)                                                                      \
    {                                                                                              \
        if (ttistable(b) && hvalue(b)->metatable == NULL) {                                        \
            lua_Integer length = luaH_getn(hvalue(b));                                             \
            setivalue(s2v(r), length);                                                             \
        } else {                                                                                   \
            Protect((bactrian_result(r), luaV_objlen(L, r, b)));                                   \
        }                                                                                          \
    }

/* Registers without a value, from number `first` on. A loop gets at them by an address that comes
 * from memory: in its first round the frame's would be a cell's. */
BACTRIAN_INLINE void bactrian_nils(CallInfo *ci, StkId r, int first, int count) {
    if (count == 1) {
        setnilvalue(s2v(r));
        return;
    }
    bactrian_cells_forget(r, count * sizeof(StackValue));
    for (StkId at = ci->func + 1 + first; count > 0; count--, at++) setnilvalue(s2v(at));
}

/* ---- From one instruction to the next ---- */

#undef vmfetch
#define vmfetch()                                                                                  \
    {                                                                                              \
        if (l_unlikely(trap)) {                                                                    \
            if (bactrian_specialize_active()) {                                                    \
                savepc(L);                                                                         \
                bactrian_run(L, ci, NULL, NULL, NULL, 0, 0);                                       \
                return;                                                                            \
            }                                                                                      \
            trap = luaG_traceexec(L, pc);                                                          \
            updatebase(ci);                                                                        \
        }                                                                                          \
        if (bactrian_specialize_active()) trap = 0;                                                \
        bactrian_context_update(pc);                                                               \
        i = *(pc++);                                                                               \
        ra = RA(i);                                                                                \
    }

/* Nothing sets a hook in a loop that calls nothing. */
#undef dojump
#define dojump(ci, i, e)                                                                           \
    {                                                                                              \
        pc += GETARG_sJ(i) + e;                                                                    \
        if (!bactrian_specialize_active()) updatetrap(ci);                                         \
    }

/* Compiled code ends before the next instruction where the stack has moved. */
#undef updatestack
#define updatestack(ci)                                                                            \
    {                                                                                              \
        if (l_unlikely(trap) && !bactrian_specialize_active()) {                                   \
            updatebase(ci);                                                                        \
            ra = RA(i);                                                                            \
        }                                                                                          \
    }

#endif
