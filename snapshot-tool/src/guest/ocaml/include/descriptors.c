/* The functions of POSIX for open files, and the environment, on those of the runtime, so that C
   sees what OCaml sees. They stand for wasi-libc's, which number files on their own. Each file of
   stubs has a copy, as of files.c. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

/* Open files. */

int open(const char *path, int flags, ...)
{
    unsigned permissions = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        permissions = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    return result(bactrian_open(path, flags, permissions));
}

int __wasilibc_open_nomode(const char *path, int flags)
{
    return result(bactrian_open(path, flags, 0666));
}

int creat(const char *path, mode_t permissions)
{
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, permissions);
}

int close(int file) { return result(bactrian_close(file)); }

ssize_t read(int file, void *buffer, size_t size)
{
    return result(bactrian_read(file, buffer, size));
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return result(bactrian_write(file, bytes, size));
}

ssize_t readv(int file, const struct iovec *parts, int count)
{
    ssize_t all = 0;
    for (int index = 0; index < count; index++) {
        if (parts[index].iov_len == 0) continue;
        ssize_t part = read(file, parts[index].iov_base, parts[index].iov_len);
        if (part < 0) return all > 0 ? all : -1;
        all += part;
        if ((size_t)part < parts[index].iov_len) break;
    }
    return all;
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    ssize_t all = 0;
    for (int index = 0; index < count; index++) {
        if (parts[index].iov_len == 0) continue;
        ssize_t part = write(file, parts[index].iov_base, parts[index].iov_len);
        if (part < 0) return all > 0 ? all : -1;
        all += part;
        if ((size_t)part < parts[index].iov_len) break;
    }
    return all;
}

off_t __lseek(int file, off_t offset, int whence)
{
    int from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? 1 : whence == SEEK_END ? 2 : -1;
    int64_t position = bactrian_seek(file, offset, from);
    return position < 0 ? result((int)position) : position;
}

#undef lseek
off_t lseek(int file, off_t offset, int whence) { return __lseek(file, offset, whence); }

off_t __wasilibc_tell(int file) { return __lseek(file, 0, SEEK_CUR); }

/* Does something at a position, and goes back to where the file was. */
static ssize_t at(int file, off_t offset, const struct iovec *parts, int count, int writes)
{
    off_t before = __lseek(file, 0, SEEK_CUR);
    if (before < 0 || __lseek(file, offset, SEEK_SET) < 0) return -1;
    ssize_t done = writes ? writev(file, parts, count) : readv(file, parts, count);
    int error = errno;
    if (__lseek(file, before, SEEK_SET) < 0) return -1;
    errno = error;
    return done;
}

ssize_t pread(int file, void *buffer, size_t size, off_t offset)
{
    return at(file, offset, &(struct iovec){buffer, size}, 1, 0);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    return at(file, offset, &(struct iovec){(void *)bytes, size}, 1, 1);
}

ssize_t preadv(int file, const struct iovec *parts, int count, off_t offset)
{
    return at(file, offset, parts, count, 0);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset)
{
    return at(file, offset, parts, count, 1);
}

int ftruncate(int file, off_t size) { return result(bactrian_set_size(file, size)); }

int truncate(const char *path, off_t size) { return result(bactrian_truncate(path, size)); }

int fsync(int file) { return result(bactrian_synchronise(file)); }
int fdatasync(int file) { return fsync(file); }
int posix_fadvise(int file, off_t offset, off_t size, int advice) { return 0; }
int posix_fallocate(int file, off_t offset, off_t size) { return ENOSYS; }

int dup(int file) { return result(bactrian_duplicate(file)); }

int dup2(int file, int target)
{
    return result(bactrian_duplicate_to(file, target)) < 0 ? -1 : target;
}

int __wasilibc_fd_renumber(int file, int target)
{
    return dup2(file, target) < 0 || close(file) < 0 ? -1 : 0;
}

int pipe(int ends[2]) { return result(bactrian_pipe(ends)); }

int __isatty(int file)
{
    if (bactrian_is_terminal(file)) return 1;
    errno = ENOTTY;
    return 0;
}

int isatty(int file) { return __isatty(file); }

static int descriptor_flags(int file)
{
    int inherited = result(bactrian_is_inherited(file));
    return inherited < 0 ? -1 : inherited ? 0 : FD_CLOEXEC;
}

/* How a file was opened is not known: of its flags, only whether it waits can be set. */
int fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    int argument = va_arg(arguments, int);
    va_end(arguments);
    switch (command) {
    case F_GETFD: return descriptor_flags(file);
    case F_SETFD: return result(bactrian_inherit(file, !(argument & FD_CLOEXEC)));
    case F_SETFL: return result(bactrian_set_blocking(file, !(argument & O_NONBLOCK)));
    default: return not_here();
    }
}

int ioctl(int file, int request, ...) { return not_here(); }

/* Waiting. */

/* Whether the file is to be asked about: events of one that is not open are known. */
static int is_asked(const struct pollfd *wanted, short event)
{
    return wanted->fd >= 0 && wanted->revents == 0 && wanted->events & event;
}

int poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    int *files = malloc(2 * count * sizeof *files + 1);
    unsigned char *ways = malloc(4 * count + 1), *ready = ways + 2 * count;
    unsigned all = 0, closed = 0;
    int found = 0;
    if (files == NULL || ways == NULL) {
        found = -ENOMEM;
    } else {
        for (nfds_t index = 0; index < count; index++) {
            struct pollfd *one = &wanted[index];
            one->revents = one->fd >= 0 && bactrian_is_inherited(one->fd) < 0 ? POLLNVAL : 0;
            closed += one->revents != 0;
            if (is_asked(one, POLLIN)) files[all] = one->fd, ways[all++] = 0;
            if (is_asked(one, POLLOUT)) files[all] = one->fd, ways[all++] = 1;
        }
        int64_t time = milliseconds < 0 ? -1 : milliseconds * (int64_t)1000000;
        found = bactrian_poll(files, ways, ready, all, closed > 0 ? 0 : time);
    }
    for (nfds_t index = 0, next = 0; found >= 0 && index < count; index++) {
        struct pollfd *one = &wanted[index];
        int is_read = is_asked(one, POLLIN), is_written = is_asked(one, POLLOUT), events = 0;
        if (is_read && ready[next++]) events |= POLLIN;
        if (is_written && ready[next++]) events |= POLLOUT;
        one->revents |= events;
    }
    int some = 0;
    for (nfds_t index = 0; index < count; index++) some += wanted[index].revents != 0;
    free(files);
    free(ways);
    return found < 0 ? result(found) : some;
}

/* Nothing is ever exceptional. */
int pselect(int limit, fd_set *restrict reading, fd_set *restrict writing,
            fd_set *restrict exceptional, const struct timespec *restrict timeout,
            const sigset_t *restrict mask)
{
    int files[2 * FD_SETSIZE];
    unsigned char ways[2 * FD_SETSIZE], ready[2 * FD_SETSIZE];
    unsigned all = 0;
    if (limit < 0 || limit > FD_SETSIZE) return result(-EINVAL);
    for (int file = 0; file < limit; file++) {
        if (reading != NULL && FD_ISSET(file, reading)) files[all] = file, ways[all++] = 0;
        if (writing != NULL && FD_ISSET(file, writing)) files[all] = file, ways[all++] = 1;
    }
    int64_t time = timeout == NULL ? -1 : timeout->tv_sec * 1000000000 + timeout->tv_nsec;
    int found = bactrian_poll(files, ways, ready, all, time);
    if (found < 0) return result(found);
    if (reading != NULL) FD_ZERO(reading);
    if (writing != NULL) FD_ZERO(writing);
    if (exceptional != NULL) FD_ZERO(exceptional);
    for (unsigned index = 0; index < all; index++)
        if (ready[index]) FD_SET(files[index], ways[index] ? writing : reading);
    return found;
}

int select(int limit, fd_set *restrict reading, fd_set *restrict writing,
           fd_set *restrict exceptional, struct timeval *restrict timeout)
{
    struct timespec time;
    if (timeout != NULL) {
        time.tv_sec = timeout->tv_sec;
        time.tv_nsec = timeout->tv_usec * 1000;
    }
    return pselect(limit, reading, writing, exceptional, timeout == NULL ? NULL : &time, NULL);
}

/* The environment. */

char *getenv(const char *name)
{
    /* What was handed out stays, as C may keep it; a name has one value at a time. */
    struct variable {
        struct variable *next;
        char *value;
        char name[];
    };
    static struct variable *known = NULL;
    char *value = bactrian_variable(name);
    if (value == NULL) return NULL;
    for (struct variable *at = known; at != NULL; at = at->next) {
        if (strcmp(at->name, name) == 0 && strcmp(at->value, value) == 0) {
            free(value);
            return at->value;
        }
    }
    struct variable *new = malloc(sizeof *new + strlen(name) + 1);
    if (new == NULL) return value;
    strcpy(new->name, name);
    new->value = value;
    new->next = known;
    known = new;
    return value;
}

int setenv(const char *name, const char *value, int overwrite)
{
    if (*name == 0 || strchr(name, '=') != NULL) return result(-EINVAL);
    if (!overwrite && getenv(name) != NULL) return 0;
    char *entry = malloc(strlen(name) + strlen(value) + 2);
    if (entry == NULL) return result(-ENOMEM);
    stpcpy(stpcpy(stpcpy(entry, name), "="), value);
    bactrian_set_variable(entry);
    free(entry);
    return 0;
}

int unsetenv(const char *name)
{
    if (*name == 0 || strchr(name, '=') != NULL) return result(-EINVAL);
    bactrian_unset_variable(name);
    return 0;
}

int putenv(char *entry)
{
    if (strchr(entry, '=') == NULL) return unsetenv(entry);
    bactrian_set_variable(entry);
    return 0;
}
