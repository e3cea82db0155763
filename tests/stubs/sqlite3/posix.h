/* What SQLite calls beyond the C library that is there: owners and permissions of files, which a
   sandbox does not have, and locks of parts of files. It is told to lock by a directory beside the
   file (`unix-dotfile`), so nothing calls the latter. */

#ifndef SQLITE3_POSIX_H
#define SQLITE3_POSIX_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_GETLK 5
#define F_SETLK 6

static inline int not_there(void)
{
    errno = ENOSYS;
    return -1;
}

static inline int fchmod(int file, mode_t mode) { return not_there(); }

static inline int fchown(int file, uid_t user, gid_t group) { return not_there(); }

/* Not root, so that it leaves owners alone. */
static inline uid_t geteuid(void) { return 1; }

#endif
