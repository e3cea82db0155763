/* What wasi-libc has, and handlers of signals. */

#ifndef BACTRIAN_SIGNAL_H
#define BACTRIAN_SIGNAL_H

#include_next <signal.h>

#include <__typedef_sigset_t.h>

#define SA_NOCLDSTOP 1
#define SA_RESTART 0x10000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

/* No set of signals is ever looked at: nothing is blocked while a handler runs. */
struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};

extern int sigaction(int, const struct sigaction *, struct sigaction *);
extern int sigemptyset(sigset_t *);
extern int sigfillset(sigset_t *);

#endif
