/* What wasi-libc has, and what it leaves out for want of time zones. */

#ifndef BACTRIAN_TIME_H
#define BACTRIAN_TIME_H

#include_next <time.h>

extern void tzset(void);

#endif
