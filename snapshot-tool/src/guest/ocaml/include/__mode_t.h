/* As in wasi-libc, but that pipes and sockets are told apart. */

#ifndef BACTRIAN_MODE_T_H
#define BACTRIAN_MODE_T_H

#include_next <__mode_t.h>

#undef S_IFIFO
#define S_IFIFO 0x1000

#endif
