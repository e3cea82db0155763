/* The part of what libraries use of the unix library that needs C's `errno` or its types. Each file
   of stubs has a copy. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "caml/alloc.h"
#include "caml/fail.h"
#include "caml/memory.h"
#include "caml/misc.h"
#include "caml/mlvalues.h"
#include "caml/socketaddr.h"
#include "caml/sys.h"
#include "caml/unixsupport.h"

int unix_cloexec_default = 0;

int unix_cloexec_p(value cloexec)
{
    return Is_some(cloexec) ? Bool_val(Some_val(cloexec)) : unix_cloexec_default;
}

/* The runtime's: says whether programs that are started get a descriptor. */
extern int bactrian_inherit(int descriptor, int inherit);

static void inherit(int descriptor, int inherited, char *function, value argument)
{
    int error = bactrian_inherit(descriptor, inherited);
    if (error != 0) unix_error(error, function, argument);
}

void unix_set_cloexec(int descriptor, char *function, value argument)
{
    inherit(descriptor, 0, function, argument);
}

void unix_clear_cloexec(int descriptor, char *function, value argument)
{
    inherit(descriptor, 1, function, argument);
}

void uerror(const char *function, value argument) { unix_error(errno, function, argument); }

void caml_unix_check_path(value path, const char *function)
{
    if (!caml_string_is_c_safe(path)) unix_error(ENOENT, function, path);
}

char **cstringvect(value strings, char *function)
{
    mlsize_t count = Wosize_val(strings);
    for (mlsize_t index = 0; index < count; index++)
        if (!caml_string_is_c_safe(Field(strings, index)))
            unix_error(EINVAL, function, Field(strings, index));
    char **all = caml_stat_alloc((count + 1) * sizeof *all);
    for (mlsize_t index = 0; index < count; index++)
        all[index] = caml_stat_strdup(String_val(Field(strings, index)));
    all[count] = NULL;
    return all;
}

void cstringvect_free(char **strings)
{
    for (char **string = strings; *string != NULL; string++) caml_stat_free(*string);
    caml_stat_free(strings);
}

/* The runtime's: raises `Sys_error` for an error of C's, about something or `NO_ARG`. */
extern void bactrian_sys_error(int error, value argument) __attribute__((noreturn));

void caml_sys_error(value argument) { bactrian_sys_error(errno, argument); }

void caml_sys_io_error(value argument)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK) caml_raise_sys_blocked_io();
    caml_sys_error(argument);
}

/* `Unix.sockaddr`: ADDR_UNIX of a path; ADDR_INET of an address of 4 or 16 bytes and a port. */
enum { ADDR_UNIX, ADDR_INET };

value alloc_inet_addr(struct in_addr *address)
{
    return caml_alloc_initialized_string(sizeof *address, (const char *)address);
}

value alloc_inet6_addr(struct in6_addr *address)
{
    return caml_alloc_initialized_string(sizeof *address, (const char *)address);
}

void get_sockaddr(value given, union sock_addr_union *address, socklen_param_type *length)
{
    memset(address, 0, sizeof *address);
    value first = Field(given, 0);
    mlsize_t size = caml_string_length(first);
    if (Tag_val(given) == ADDR_UNIX) {
        /* wasi-libc's has no room for a path. */
        unix_error(EAFNOSUPPORT, "", first);
    } else if (size == sizeof(struct in6_addr)) {
        address->s_inet6.sin6_family = AF_INET6;
        address->s_inet6.sin6_addr = GET_INET6_ADDR(first);
        address->s_inet6.sin6_port = htons(Int_val(Field(given, 1)));
        *length = sizeof address->s_inet6;
    } else {
        address->s_inet.sin_family = AF_INET;
        address->s_inet.sin_addr = GET_INET_ADDR(first);
        address->s_inet.sin_port = htons(Int_val(Field(given, 1)));
        *length = sizeof address->s_inet;
    }
}

value alloc_sockaddr(union sock_addr_union *address, socklen_param_type length, int close_on_error)
{
    (void)length, (void)close_on_error;
    CAMLparam0();
    CAMLlocal2(inner, result);
    int port;
    switch (address->s_gen.sa_family) {
    case AF_INET:
        inner = alloc_inet_addr(&address->s_inet.sin_addr);
        port = ntohs(address->s_inet.sin_port);
        break;
    case AF_INET6:
        inner = alloc_inet6_addr(&address->s_inet6.sin6_addr);
        port = ntohs(address->s_inet6.sin6_port);
        break;
    default: unix_error(EAFNOSUPPORT, "", Nothing);
    }
    result = caml_alloc_small(2, ADDR_INET);
    Field(result, 0) = inner;
    Field(result, 1) = Val_int(port);
    CAMLreturn(result);
}
