/* Of lwt's jobs, those for which the C library has no functions: names of hosts, services and users,
   and terminals. They raise what the unix library raises for what a system does not have. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/unixsupport.h>

#define ABSENT(job, function, ...)               \
    value lwt_unix_##job##_job(__VA_ARGS__)      \
    {                                            \
        unix_error(ENOSYS, function, Nothing);   \
    }

ABSENT(getaddrinfo, "getaddrinfo", value node, value service, value options)
ABSENT(getgrgid, "getgrgid", value group)
ABSENT(getgrnam, "getgrnam", value name)
ABSENT(gethostbyaddr, "gethostbyaddr", value address)
ABSENT(gethostbyname, "gethostbyname", value name)
ABSENT(getnameinfo, "getnameinfo", value address, value options)
ABSENT(getprotobyname, "getprotobyname", value name)
ABSENT(getprotobynumber, "getprotobynumber", value number)
ABSENT(getpwnam, "getpwnam", value name)
ABSENT(getpwuid, "getpwuid", value user)
ABSENT(getservbyname, "getservbyname", value name, value protocol)
ABSENT(getservbyport, "getservbyport", value port, value protocol)
ABSENT(tcflow, "tcflow", value terminal, value action)
ABSENT(tcflush, "tcflush", value terminal, value queue)
ABSENT(tcgetattr, "tcgetattr", value terminal)
ABSENT(tcsetattr, "tcsetattr", value terminal, value when, value attributes)

/* Where a system has no `accept4`, it is two steps. */
value lwt_unix_accept4(value cloexec, value nonblock, value socket)
{
    CAMLparam3(cloexec, nonblock, socket);
    CAMLlocal1(accepted);
    accepted = unix_accept(cloexec, socket);
    if (Bool_val(nonblock)) fcntl(Int_val(Field(accepted, 0)), F_SETFL, O_NONBLOCK);
    CAMLreturn(accepted);
}

/* The times of programs that were started are not known: zero. */
pid_t wait4(pid_t process, int *status, int flags, struct rusage *usage)
{
    memset(usage, 0, sizeof *usage);
    return waitpid(process, status, flags);
}
