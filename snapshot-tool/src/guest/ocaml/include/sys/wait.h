/* Waiting for programs that were started. */

#ifndef BACTRIAN_SYS_WAIT_H
#define BACTRIAN_SYS_WAIT_H

#include <sys/types.h>

#define WNOHANG 1
#define WUNTRACED 2

#define WTERMSIG(status) ((status) & 0x7f)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSTOPPED(status) (((status) & 0xff) == 0x7f)
#define WIFSIGNALED(status) (!WIFEXITED(status) && !WIFSTOPPED(status))

extern pid_t waitpid(pid_t, int *, int flags);
extern pid_t wait(int *);

#endif
