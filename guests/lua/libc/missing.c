/* Functions of C that wasi-libc has not: each fails as where the system has no such thing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int system(const char *command) {
    if (command == NULL) return 0;
    errno = ENOSYS;
    return -1;
}

FILE *tmpfile(void) {
    errno = ENOSYS;
    return NULL;
}
