/* What differs between operating systems. */

#ifndef CAML_OSDEPS_H
#define CAML_OSDEPS_H

#include "misc.h"
#include "mlvalues.h"

/* A variable of the environment: programs here never run with more rights than who runs them. */
extern char *caml_secure_getenv(const char *);

#define access_os access
#define chdir_os chdir
#define execv_os execv
#define execve_os execve
#define execvp_os execvp
#define fopen_os fopen
#define getcwd_os getcwd
#define mkdir_os mkdir
#define open_os open
#define putenv_os putenv
#define rename_os rename
#define rmdir_os rmdir
#define stat_os stat
#define strcmp_os strcmp
#define strcpy_os strcpy
#define strlen_os strlen
#define unlink_os unlink

#endif
