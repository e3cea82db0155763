/* As wasi-libc has it, but with 64 bits for nanoseconds, as on other 64-bit machines: code multiplies
   them. What fills one is `clock.c` and `files.c`; what wasi-libc reads of one is the lower half. */

#ifndef __wasilibc___struct_timespec_h
#define __wasilibc___struct_timespec_h

#include <__typedef_time_t.h>

struct timespec {
    time_t tv_sec;
    long long tv_nsec;
};

#endif
