/* What the runtime has for the C that stands for POSIX. A result below zero is the number of an error,
   negated. */

#ifndef BACTRIAN_SYSTEM_H
#define BACTRIAN_SYSTEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

extern int bactrian_open(const char *path, int flags, unsigned permissions);
extern int bactrian_close(int);
extern int bactrian_read(int, void *, size_t);
extern int bactrian_write(int, const void *, size_t);
extern int64_t bactrian_seek(int, int64_t, int);
extern int bactrian_status(const char *, int follow, uint64_t *);
extern int bactrian_status_of(int, uint64_t *);
extern int bactrian_access(const char *, int wanted);
extern int bactrian_set_size(int, int64_t);
extern int bactrian_truncate(const char *, int64_t);
extern int bactrian_synchronise(int);
extern int bactrian_set_times(const char *, int64_t read, int64_t written);
extern int bactrian_set_times_now(const char *);
extern int bactrian_unlink(const char *);
extern int bactrian_create_directory(const char *, unsigned permissions);
extern int bactrian_remove_directory(const char *);
extern int bactrian_rename(const char *, const char *);
extern int bactrian_link(const char *, const char *);
extern int bactrian_symbolic_link(const char *, const char *);
extern int bactrian_change_directory(const char *);
extern int bactrian_read_link(const char *, char **);
extern int bactrian_current_directory(char **);
extern int bactrian_read_directory(const char *, char **);
extern int bactrian_pipe(int *);
extern int bactrian_duplicate(int);
extern int bactrian_duplicate_to(int, int);
extern int bactrian_inherit(int, int);
extern int bactrian_is_inherited(int);
extern int bactrian_set_blocking(int, int);
extern int bactrian_is_terminal(int);
extern int bactrian_poll(const int *, const unsigned char *, unsigned char *, unsigned, int64_t);
extern int bactrian_wait(int process, int flags, int how[2]);
extern int bactrian_handle_signal(int signal, int what, void (*)(int));
extern int bactrian_raise_signal(int signal);
extern int64_t bactrian_clock(int kind);
extern int bactrian_random(void *, size_t);
extern int bactrian_local_time(int64_t, int *fields);
extern int bactrian_time_of_local(int *fields, int64_t *);
extern char *bactrian_variable(const char *);
extern void bactrian_set_variable(const char *);
extern void bactrian_unset_variable(const char *);

/* What POSIX makes of one. */
static inline int result(int known)
{
    if (known >= 0) return known;
    errno = -known;
    return -1;
}

static inline int not_here(void) { return result(-ENOSYS); }

#endif
