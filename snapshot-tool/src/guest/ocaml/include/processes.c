/* Other programs, signals, and sockets as far as they are like files. */

#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caml/signals.h"
#include "system.h"

pid_t waitpid(pid_t process, int *status, int flags)
{
    int how[2];
    int found = result(bactrian_wait(process, flags, how));
    if (found <= 0 || status == NULL) return found;
    int signal = caml_convert_signal_number(how[1]);
    *status = how[0] == 0 ? how[1] << 8 : how[0] == 1 ? signal : signal << 8 | 0x7f;
    return found;
}

pid_t wait(int *status) { return waitpid(-1, status, 0); }

/* Addresses that stand for something else than a handler; nobody calls them. */
void __SIG_ERR(int number) { (void)number; }
void __SIG_IGN(int number) { (void)number; }

/* A signal has one handler, and C's numbers of signals are not OCaml's. */
static struct sigaction actions[_NSIG];

static void handle(int number)
{
    int signal = caml_convert_signal_number(number);
    actions[signal].sa_handler(signal);
}

int sigaction(int signal, const struct sigaction *wanted, struct sigaction *former)
{
    if (signal <= 0 || signal >= _NSIG) return result(-EINVAL);
    if (former != NULL) *former = actions[signal];
    if (wanted == NULL) return 0;
    int what = wanted->sa_handler == SIG_DFL ? 0 : wanted->sa_handler == SIG_IGN ? 1 : 2;
    int done = bactrian_handle_signal(caml_rev_convert_signal_number(signal), what, handle);
    if (done == 0) actions[signal] = *wanted;
    return result(done);
}

void (*signal(int number, void (*handler)(int)))(int)
{
    struct sigaction wanted = {.sa_handler = handler}, former;
    return sigaction(number, &wanted, &former) == 0 ? former.sa_handler : SIG_ERR;
}

int raise(int number)
{
    if (number <= 0 || number >= _NSIG) return result(-EINVAL);
    return result(bactrian_raise_signal(caml_rev_convert_signal_number(number)));
}

int sigemptyset(sigset_t *set) { return *set = 0; }

int sigfillset(sigset_t *set)
{
    *set = -1;
    return 0;
}

/* Of a socket, only what a file can do as well. */
ssize_t recv(int file, void *restrict buffer, size_t size, int flags)
{
    return flags == 0 ? read(file, buffer, size) : result(-EOPNOTSUPP);
}

ssize_t send(int file, const void *bytes, size_t size, int flags)
{
    return flags == 0 ? write(file, bytes, size) : result(-EOPNOTSUPP);
}
