/* Names of POSIX that wasi-libc leaves out, for what passes them on. */

#ifndef LWT_POSIX_H
#define LWT_POSIX_H

#include <sys/socket.h>

#define MSG_OOB 1
#define MSG_DONTROUTE 4
#define PF_INET AF_INET
#define PF_INET6 AF_INET6
#define SOMAXCONN 4096

/* Not there: owners and permissions of files, terminals, addresses in the file system,
   datagrams, options of sockets. A call raises `Failure`. */

#include <signal.h>
#include <sys/types.h>

extern int chmod(const char *, mode_t);
extern int fchmod(int, mode_t);
extern int chown(const char *, uid_t, gid_t);
extern int fchown(int, uid_t, gid_t);
extern int chroot(const char *);
extern int mkfifo(const char *, mode_t);
extern int lockf(int, int, off_t);
extern int tcdrain(int);
extern int tcsendbreak(int, int);

struct msghdr;

extern int bind(int, const struct sockaddr *, socklen_t);
extern int getsockname(int, struct sockaddr *, socklen_t *);
extern int setsockopt(int, int, int, const void *, socklen_t);
extern ssize_t recvfrom(int, void *, size_t, int, struct sockaddr *, socklen_t *);
extern ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
extern ssize_t recvmsg(int, struct msghdr *, int);
extern ssize_t sendmsg(int, const struct msghdr *, int);

/* libev asks whether the program runs with somebody else's rights: it does not. */
static inline uid_t getuid(void) { return 1; }
static inline uid_t geteuid(void) { return 1; }
static inline gid_t getgid(void) { return 1; }
static inline gid_t getegid(void) { return 1; }

/* libev would block signals for itself, which it is not asked for. */
extern int sigaddset(sigset_t *, int);
extern int sigprocmask(int, const sigset_t *, sigset_t *);

/* In `absent.c`. */
struct rusage;
extern pid_t wait4(pid_t, int *, int, struct rusage *);

/* lwt's own, which one of its files does not declare. */
extern void lwt_unix_not_available(const char *) __attribute__((noreturn));

#endif
