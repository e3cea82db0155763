/* What the unix library has for the C of other libraries: its exception, and its errors. */

#ifndef CAML_UNIXSUPPORT_H
#define CAML_UNIXSUPPORT_H

#include <unistd.h>

#include "misc.h"
#include "mlvalues.h"

/* For an error that is about nothing. */
#define Nothing ((value)0)

/* C's number of an error as `Unix.error`, and back. */
extern value unix_error_of_code(int);
extern int code_of_unix_error(value);

/* `uerror` takes the number from `errno`. */
extern void unix_error(int, const char *function, value argument) __attribute__((noreturn));
extern void uerror(const char *function, value argument) __attribute__((noreturn));

/* Raises for a path with a NUL in it. */
extern void caml_unix_check_path(value path, const char *function);

#define UNIX_BUFFER_SIZE 65536

#define DIR_Val(v) (*(DIR **)&Field(v, 0))

/* An array of strings as C has it. */
extern char **cstringvect(value, char *function);
extern void cstringvect_free(char **);

/* Whether programs that are started get a descriptor: what `?cloexec` asks for. */
extern int unix_cloexec_default;
extern int unix_cloexec_p(value);
extern void unix_set_cloexec(int, char *function, value argument);
extern void unix_clear_cloexec(int, char *function, value argument);

/* The function behind `Unix.accept`. */
extern value unix_accept(value cloexec, value socket);

#define EXECV_CAST

#endif
