/* Lua as a command: the script is loaded when the module is initialised, from standard input; when
 * the command starts, it runs. */
#define BACTRIAN_IMPLEMENTATION
#include "bactrian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>
#include <wasi/libc-environ.h>

#include "lua.h"

#include "lauxlib.h"
#include "lgc.h"
#include "lobject.h"
#include "lstate.h"
#include "lualib.h"

/* Registers that there is room for from the beginning: compiled code ends where the stack moves. */
#define BACTRIAN_STACK 16000

volatile int unwind_flag;
int bactrian_depth;

/* What others know as bactrian_throw. */
__attribute__((export_name("unwind.throw"))) void bactrian_set_flag(void) { unwind_flag = 1; }

void bactrian_run(lua_State *L, CallInfo *ci, StkId frame, const Instruction *code,
                  TValue *constants, uint32_t captured, uint32_t captured_count);

/* The state in which the script was loaded, and the script, or what is wrong with it. */
static lua_State *loaded;
static int status;

/* Asks for a function and those within it. The instruction that makes a variable number of
 * arguments its frame's is executed before compiled code begins. */
static void request(Proto *p) {
    char name[BACTRIAN_MAX_NAME];
    const Instruction *code = p->code + (p->is_vararg ? 1 : 0);
    size_t size = (char *)(p->code + p->sizecode) - (char *)code;
    snprintf(name, sizeof name, "%s:%d", getstr(p->source), p->linedefined);
    bactrian_add_region(p->code, p->sizecode * sizeof *p->code);
    if (p->sizek > 0) bactrian_add_region(p->k, p->sizek * sizeof *p->k);
    bactrian_add_request((void *)bactrian_run, &p->entry, name);
    bactrian_param_pass(0);
    bactrian_param_pass(1);
    bactrian_param_frame(2);
    bactrian_param_anchor(code, size);
    if (p->sizek > 0)
        bactrian_param_pointer(p->k);
    else
        bactrian_param_const(0);
    /* The registers that closures within it may write, from the first to the last. */
    uint32_t first = 256, end = 0;
    for (int n = 0; n < p->sizep; n++) {
        const Proto *inner = p->p[n];
        for (int m = 0; m < inner->sizeupvalues; m++) {
            if (!inner->upvalues[m].instack) continue;
            uint32_t captured = inner->upvalues[m].idx;
            if (captured < first) first = captured;
            if (captured >= end) end = captured + 1;
        }
    }
    bactrian_param_const(end > 0 ? first : 0);
    bactrian_param_const(end > 0 ? end - first : 0);
    for (int n = 0; n < p->sizep; n++) request(p->p[n]);
}

static char *standard_input(size_t *len) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    *len = 0;
    for (;;) {
        if (*len == room) text = realloc(text, room *= 2);
        if (text == NULL) abort();
        ssize_t count = read(0, text + *len, room - *len);
        if (count <= 0) return text;
        *len += count;
    }
}

__attribute__((export_name("wizer-initialize"))) void initialize(void) {
    size_t len;
    char *text = standard_input(&len);
    char *script = text;
    /* A first line for the system's loader of programs. */
    if (len > 0 && script[0] == '#')
        while (len > 0 && *script != '\n') script++, len--;
    loaded = luaL_newstate();
    if (loaded == NULL) abort();
    luaL_openlibs(loaded);
    status = luaL_loadbuffer(loaded, script, len, "@script.lua");
    free(text);
    if (status != LUA_OK) return;
    /* The functions live as long as the state: code that is constant is never freed. */
    lua_pushvalue(loaded, -1);
    lua_setfield(loaded, LUA_REGISTRYINDEX, "bactrian.script");
    request(getproto(s2v(loaded->top - 1)));
}

static int with_traceback(lua_State *L) {
    const char *message = lua_tostring(L, 1);
    if (message == NULL) {
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
        message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    }
    luaL_traceback(L, L, message, 1);
    return 1;
}

/* Functions were loaded from a script without a name; now it has one. */
static void name_source(lua_State *L, Proto *p, TString *source) {
    p->source = source;
    luaC_objbarrier(L, p, source);
    for (int n = 0; n < p->sizep; n++) name_source(L, p->p[n], source);
}

/* The script's name, the arguments' table, and a sequence of random numbers of this process's own. */
static int prepare(lua_State *L) {
    int count = lua_tointeger(L, 1);
    char **arguments = lua_touserdata(L, 2);
    if (count > 0) {
        lua_getfield(L, LUA_REGISTRYINDEX, "bactrian.script");
        lua_pushfstring(L, "@%s", arguments[0]);
        name_source(L, getproto(s2v(L->top - 2)), tsvalue(s2v(L->top - 1)));
        lua_pop(L, 2);
    }
    lua_createtable(L, count, 1);
    for (int n = 0; n < count; n++) {
        lua_pushstring(L, arguments[n]);
        lua_rawseti(L, -2, n);
    }
    lua_setglobal(L, "arg");
    uint64_t seed = 0;
    (void)__wasi_random_get((uint8_t *)&seed, sizeof seed);
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, (lua_Integer)seed);
    lua_call(L, 1, 0);
    return 0;
}

int main(int count, char **arguments) {
    lua_State *L = loaded;
    if (L == NULL) {
        fprintf(stderr, "lua: no script was loaded when the module was initialised\n");
        return 1;
    }
    __wasilibc_initialize_environ();
    if (status == LUA_OK) {
        lua_pushcfunction(L, prepare);
        lua_pushinteger(L, count);
        lua_pushlightuserdata(L, arguments);
        status = lua_pcall(L, 2, 0, 0);
    }
    if (status == LUA_OK) {
        lua_checkstack(L, BACTRIAN_STACK);
        lua_pushcfunction(L, with_traceback);
        lua_insert(L, 1);
        for (int n = 1; n < count; n++) lua_pushstring(L, arguments[n]);
        status = lua_pcall(L, count > 1 ? count - 1 : 0, 0, 1);
    }
    if (status != LUA_OK) fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return status == LUA_OK ? 0 : 1;
}

/* What the C library's file for commands does; a reactor has functions that run before it. */
void __wasm_call_ctors(void);
int __main_void(void);

__attribute__((export_name("_start"))) void start(void) {
    __wasm_call_ctors();
    exit(__main_void());
}
