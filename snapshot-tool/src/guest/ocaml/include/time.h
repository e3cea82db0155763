/* What wasi-libc has, and what it leaves out for want of time zones. */

#ifndef BACTRIAN_TIME_H
#define BACTRIAN_TIME_H

#include_next <time.h>

extern void tzset(void);

/* Newer ones leave this clock out, too. */
#ifndef CLOCK_PROCESS_CPUTIME_ID
#define BACTRIAN_PROCESS_CLOCK
extern const struct __clockid bactrian_process_clock;
#define CLOCK_PROCESS_CPUTIME_ID (&bactrian_process_clock)
#endif

#endif
