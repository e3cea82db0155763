/* Clocks, local time and randomness are the program's own. */

#define _GNU_SOURCE

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

enum { REAL, MONOTONIC, PROCESS };
enum { SECOND = 1000000000 };

/* The monotonic clock of a system does not begin with a program: what it shows is never near zero,
   and code relies on that. */
static const int64_t BEGIN = (int64_t)86400 * SECOND;

#ifdef BACTRIAN_PROCESS_CLOCK
struct __clockid {
    int number;
};
const struct __clockid bactrian_process_clock = {PROCESS};
#endif

static struct timespec split(int64_t nanoseconds)
{
    return (struct timespec){nanoseconds / SECOND, nanoseconds % SECOND};
}

int __clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock == CLOCK_REALTIME) *time = split(bactrian_clock(REAL));
    else if (clock == CLOCK_MONOTONIC) *time = split(bactrian_clock(MONOTONIC) + BEGIN);
    else if (clock == CLOCK_PROCESS_CPUTIME_ID) *time = split(bactrian_clock(PROCESS));
    else return result(-EINVAL);
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) { return __clock_gettime(clock, time); }

/* How exact clocks are is not known. */
int clock_getres(clockid_t clock, struct timespec *resolution) { return not_here(); }

time_t time(time_t *stored)
{
    time_t now = bactrian_clock(REAL) / SECOND;
    if (stored != NULL) *stored = now;
    return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int64_t microseconds = bactrian_clock(REAL) / 1000;
    now->tv_sec = microseconds / 1000000;
    now->tv_usec = microseconds % 1000000;
    return 0;
}

/* In wasi-libc's units, of which a second has as many as nanoseconds. */
clock_t clock(void) { return bactrian_clock(PROCESS); }

static int wait(int64_t nanoseconds) { return bactrian_poll(NULL, NULL, NULL, 0, nanoseconds); }

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || wanted->tv_nsec >= SECOND)
        return result(-EINVAL);
    int64_t begin = bactrian_clock(MONOTONIC), time = wanted->tv_sec * SECOND + wanted->tv_nsec;
    int waited = wait(time);
    if (waited < 0 && left != NULL) {
        int64_t rest = begin + time - bactrian_clock(MONOTONIC);
        *left = split(rest < 0 ? 0 : rest);
    }
    return waited < 0 ? result(waited) : 0;
}

int usleep(useconds_t microseconds)
{
    return nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec left = {0, 0};
    return nanosleep(&(struct timespec){seconds, 0}, &left) < 0 ? left.tv_sec + 1 : 0;
}

/* The zone is that of the variable, whenever it is asked for. */
void tzset(void) {}

static void fill(struct tm *date, const int *fields)
{
    *date = (struct tm){fields[0], fields[1], fields[2], fields[3], fields[4],
                        fields[5], fields[6], fields[7], fields[8], fields[9]};
    date->__tm_zone = fields[9] == 0 ? "UTC" : "";
}

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict date)
{
    int fields[10];
    if (result(bactrian_local_time(*time, fields)) < 0) return NULL;
    fill(date, fields);
    return date;
}

struct tm *localtime(const time_t *time)
{
    static struct tm date;
    return localtime_r(time, &date);
}

time_t mktime(struct tm *date)
{
    int fields[10] = {date->tm_sec,  date->tm_min, date->tm_hour,
                      date->tm_mday, date->tm_mon, date->tm_year};
    int64_t time;
    if (result(bactrian_time_of_local(fields, &time)) < 0) return -1;
    fill(date, fields);
    return time;
}

int __getentropy(void *bytes, size_t count)
{
    if (count > 256) return result(-EIO);
    return result(bactrian_random(bytes, count));
}

int getentropy(void *bytes, size_t count) { return __getentropy(bytes, count); }
