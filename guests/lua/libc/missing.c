/* Functions of C that wasi-libc has not, which fail as where the system has no such thing; and those
 * that succeed there where they should fail, which the linker puts in their place. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *__real_fopen(const char *name, const char *mode);
char *__real_setlocale(int category, const char *locale);

/* A file without a name is none, where wasi-libc opens the directory. */
FILE *__wrap_fopen(const char *name, const char *mode) {
    if (*name != '\0') return __real_fopen(name, mode);
    errno = ENOENT;
    return NULL;
}

/* There is one locale, by three names; wasi-libc takes any other for it as well. */
char *__wrap_setlocale(int category, const char *locale) {
    if (locale != NULL && *locale != '\0' && strcmp(locale, "C") != 0 &&
        strcmp(locale, "POSIX") != 0)
        return NULL;
    return __real_setlocale(category, locale);
}

int system(const char *command) {
    if (command == NULL) return 0;
    errno = ENOSYS;
    return -1;
}

FILE *tmpfile(void) {
    errno = ENOSYS;
    return NULL;
}
