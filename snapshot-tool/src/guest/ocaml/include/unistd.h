/* What wasi-libc has, and what the runtime can do beyond it. */

#ifndef BACTRIAN_UNISTD_H
#define BACTRIAN_UNISTD_H

#include_next <unistd.h>

extern int dup(int);
extern int dup2(int, int);
extern int pipe(int ends[2]);

#endif
