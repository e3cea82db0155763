/* Functions of C that wasi-libc has not: temporary files, and what fails as where the system has no
 * such thing; and those that succeed there where they should fail, which the linker puts in their
 * place. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>

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

/* Makes a file of a new name, in the system's directory for such, or where that is not open to the
 * sandbox, in the current one. Gives 0, or an error as a number that is none. `name` has room for
 * LUA_TMPNAMBUFSIZE. */
int bactrian_temporary(char *name) {
    static const char *const places[] = {"/tmp/", ""};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        for (int attempt = 0; attempt < 100; attempt++) {
            uint64_t number;
            if (__wasi_random_get((uint8_t *)&number, sizeof number) != 0) return -1;
            snprintf(name, LUA_TMPNAMBUFSIZE, "%slua_%016llx", places[n],
                     (unsigned long long)number);
            int file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
            if (file >= 0) return close(file);
            if (errno != EEXIST) break;
        }
    }
    return -1;
}

/* As long as it is open, the file is there without its name. */
FILE *tmpfile(void) {
    char name[LUA_TMPNAMBUFSIZE];
    if (bactrian_temporary(name) != 0) return NULL;
    FILE *file = fopen(name, "w+b");
    remove(name);
    return file;
}
