/* The same for what has a name: files and directories. wasi-libc knows other directories. */

#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "system.h"

/* What is known of files. */

enum { DEVICE, INODE, KIND, LINKS, SIZE, READ, WRITTEN, CHANGED, PERMISSIONS, USER, GROUP, RAW };
enum { WORDS = 12 };

static struct timespec time_of(uint64_t nanoseconds)
{
    int64_t all = (int64_t)nanoseconds, rest = all % 1000000000;
    if (rest < 0) rest += 1000000000;
    return (struct timespec){(all - rest) / 1000000000, rest};
}

static int told(int known, const uint64_t *words, struct stat *status)
{
    static const mode_t kinds[] = {0,       S_IFBLK, S_IFCHR,  S_IFDIR, S_IFREG,
                                   S_IFREG, S_IFSOCK, S_IFLNK, S_IFIFO};
    if (known < 0) return result(known);
    memset(status, 0, sizeof *status);
    status->st_dev = words[DEVICE];
    status->st_ino = words[INODE];
    status->st_mode = kinds[words[KIND]] | words[PERMISSIONS];
    status->st_nlink = words[LINKS];
    status->st_uid = words[USER];
    status->st_gid = words[GROUP];
    status->st_rdev = words[RAW];
    status->st_size = words[SIZE];
    status->st_blksize = 4096;
    status->st_blocks = (words[SIZE] + 511) / 512;
    status->st_atim = time_of(words[READ]);
    status->st_mtim = time_of(words[WRITTEN]);
    status->st_ctim = time_of(words[CHANGED]);
    return 0;
}

int fstat(int file, struct stat *status)
{
    uint64_t words[WORDS];
    return told(bactrian_status_of(file, words), words, status);
}

static int status_at(const char *path, struct stat *status, int follow)
{
    uint64_t words[WORDS];
    return told(bactrian_status(path, follow, words), words, status);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    return status_at(path, status, 1);
}

int lstat(const char *restrict path, struct stat *restrict status)
{
    return status_at(path, status, 0);
}

int __wasilibc_stat(const char *restrict path, struct stat *restrict status, int flags)
{
    return status_at(path, status, !(flags & AT_SYMLINK_NOFOLLOW));
}

int access(const char *path, int wanted)
{
    return result(bactrian_access(path, (wanted & R_OK ? 4 : 0) | (wanted & W_OK ? 2 : 0) |
                                            (wanted & X_OK ? 1 : 0)));
}

int __wasilibc_access(const char *path, int wanted, int flags) { return access(path, wanted); }

static int64_t nanoseconds(struct timespec time)
{
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

static int set_times(const char *path, const struct timespec *times)
{
    if (times == NULL || (times[0].tv_nsec == UTIME_NOW && times[1].tv_nsec == UTIME_NOW))
        return result(bactrian_set_times_now(path));
    for (int index = 0; index < 2; index++)
        if (times[index].tv_nsec == UTIME_NOW || times[index].tv_nsec == UTIME_OMIT)
            return not_here();
    return result(bactrian_set_times(path, nanoseconds(times[0]), nanoseconds(times[1])));
}

int utimes(const char *path, const struct timeval times[2])
{
    if (times == NULL) return set_times(path, NULL);
    struct timespec both[2] = {{times[0].tv_sec, times[0].tv_usec * 1000},
                               {times[1].tv_sec, times[1].tv_usec * 1000}};
    return set_times(path, both);
}

int utime(const char *path, const struct utimbuf *times)
{
    if (times == NULL) return set_times(path, NULL);
    struct timespec both[2] = {{times->actime, 0}, {times->modtime, 0}};
    return set_times(path, both);
}

int __wasilibc_utimens(const char *path, const struct timespec times[2], int flags)
{
    return flags & AT_SYMLINK_NOFOLLOW ? not_here() : set_times(path, times);
}

int futimens(int file, const struct timespec times[2]) { return not_here(); }

/* Names. */

int unlink(const char *path) { return result(bactrian_unlink(path)); }
int rmdir(const char *path) { return result(bactrian_remove_directory(path)); }

int remove(const char *path)
{
    struct stat status;
    if (lstat(path, &status) < 0) return -1;
    return S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t permissions)
{
    return result(bactrian_create_directory(path, permissions));
}

int rename(const char *from, const char *to) { return result(bactrian_rename(from, to)); }
int link(const char *old, const char *new) { return result(bactrian_link(old, new)); }
int symlink(const char *target, const char *path)
{
    return result(bactrian_symbolic_link(target, path));
}

int __wasilibc_link(const char *old, const char *new, int flags) { return link(old, new); }

ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    char *text;
    int length = result(bactrian_read_link(path, &text));
    if (length < 0) return -1;
    if ((size_t)length > size) length = (int)size;
    memcpy(buffer, text, length);
    free(text);
    return length;
}

int chdir(const char *path) { return result(bactrian_change_directory(path)); }

char *getcwd(char *buffer, size_t size)
{
    char *text;
    int length = result(bactrian_current_directory(&text));
    if (length < 0 || buffer == NULL) return length < 0 ? NULL : text;
    if ((size_t)length >= size) {
        free(text);
        errno = ERANGE;
        return NULL;
    }
    memcpy(buffer, text, length + 1);
    free(text);
    return buffer;
}

/* Relative to a directory's descriptor: only to the current one's. */

#define AT(directory, path, done) \
    ((directory) == AT_FDCWD || *(path) == '/' ? (done) : not_here())

int openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned permissions = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return AT(directory, path, open(path, flags, permissions));
}

int fstatat(int directory, const char *restrict path, struct stat *restrict status, int flags)
{
    return AT(directory, path, status_at(path, status, !(flags & AT_SYMLINK_NOFOLLOW)));
}

int faccessat(int directory, const char *path, int wanted, int flags)
{
    return AT(directory, path, access(path, wanted));
}

int mkdirat(int directory, const char *path, mode_t permissions)
{
    return AT(directory, path, mkdir(path, permissions));
}

int unlinkat(int directory, const char *path, int flags)
{
    return AT(directory, path, flags & AT_REMOVEDIR ? rmdir(path) : unlink(path));
}

int __wasilibc_unlinkat(int directory, const char *path) { return unlinkat(directory, path, 0); }

int __wasilibc_rmdirat(int directory, const char *path)
{
    return unlinkat(directory, path, AT_REMOVEDIR);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return AT(from_directory, from, AT(to_directory, to, rename(from, to)));
}

int linkat(int old_directory, const char *old, int new_directory, const char *new, int flags)
{
    return AT(old_directory, old, AT(new_directory, new, link(old, new)));
}

int symlinkat(const char *target, int directory, const char *path)
{
    return AT(directory, path, symlink(target, path));
}

ssize_t readlinkat(int directory, const char *restrict path, char *restrict buffer, size_t size)
{
    return AT(directory, path, readlink(path, buffer, size));
}

int utimensat(int directory, const char *path, const struct timespec times[2], int flags)
{
    return AT(directory, path, __wasilibc_utimens(path, times, flags));
}

/* Directories: all names are read when one is opened. */

struct _DIR {
    char *path;
    char *names, *next, *end;
    struct dirent *entry;
};

static int list(DIR *directory)
{
    int length = result(bactrian_read_directory(directory->path, &directory->names));
    if (length < 0) return -1;
    directory->next = directory->names;
    directory->end = directory->names + length;
    return 0;
}

DIR *opendir(const char *path)
{
    DIR *directory = calloc(1, sizeof *directory);
    if (directory == NULL) return NULL;
    directory->path = strdup(path);
    directory->entry = malloc(sizeof *directory->entry + NAME_MAX + 1);
    if (directory->path == NULL || directory->entry == NULL || list(directory) < 0) {
        int error = directory->path == NULL || directory->entry == NULL ? ENOMEM : errno;
        closedir(directory);
        errno = error;
        return NULL;
    }
    return directory;
}

struct dirent *readdir(DIR *directory)
{
    while (directory->next < directory->end) {
        const char *name = directory->next;
        size_t length = strlen(name);
        directory->next += length + 1;
        if (length > NAME_MAX) continue;
        memset(directory->entry, 0, sizeof *directory->entry);
        directory->entry->d_type = DT_UNKNOWN;
        memcpy(directory->entry->d_name, name, length + 1);
        return directory->entry;
    }
    return NULL;
}

void rewinddir(DIR *directory)
{
    free(directory->names);
    directory->names = directory->next = directory->end = NULL;
    list(directory);
}

int closedir(DIR *directory)
{
    free(directory->path);
    free(directory->names);
    free(directory->entry);
    free(directory);
    return 0;
}

DIR *fdopendir(int file)
{
    not_here();
    return NULL;
}

int dirfd(DIR *directory) { return not_here(); }
