/* Threads of C where there is one. */

#include <errno.h>
#include <stddef.h>

#include "pthread.h"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    return EAGAIN;
}

int pthread_join(pthread_t thread, void **result) { return ESRCH; }

int pthread_detach(pthread_t thread) { return ESRCH; }

pthread_t pthread_self(void)
{
    static char self;
    return (pthread_t)&self;
}

int pthread_equal(pthread_t one, pthread_t other) { return one == other; }

int pthread_once(pthread_once_t *done, void (*run)(void))
{
    if (*done) return 0;
    *done = 1;
    run();
    return 0;
}

int pthread_sigmask(int how, const sigset_t *wanted, sigset_t *former) { return ENOSYS; }

/* Nothing forks. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) { return 0; }

/* All are detached, in so far as they cannot be started. */
int pthread_attr_init(pthread_attr_t *attributes) { return 0; }

int pthread_attr_destroy(pthread_attr_t *attributes) { return 0; }

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) { return 0; }

int pthread_mutexattr_init(pthread_mutexattr_t *attributes) { return attributes->__attr = 0; }

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) { return 0; }

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type)
{
    attributes->__attr = type;
    return 0;
}

/* How often a mutex is held, and whether it can be more than once. */
#define HELD __u.__i[0]
#define IS_RECURSIVE __u.__i[1]

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    mutex->HELD = 0;
    mutex->IS_RECURSIVE = attributes != NULL && attributes->__attr == PTHREAD_MUTEX_RECURSIVE;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return mutex->HELD ? EBUSY : 0; }

/* Who holds it would be waited for, and is waiting itself. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (mutex->HELD && !mutex->IS_RECURSIVE) return EDEADLK;
    mutex->HELD++;
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return pthread_mutex_lock(mutex) == 0 ? 0 : EBUSY;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (mutex->HELD == 0) return EPERM;
    mutex->HELD--;
    return 0;
}

/* Nobody can signal one, and nobody waits for it. */
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) { return 0; }

int pthread_cond_destroy(pthread_cond_t *condition) { return 0; }

int pthread_cond_signal(pthread_cond_t *condition) { return 0; }

int pthread_cond_broadcast(pthread_cond_t *condition) { return 0; }

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { return EDEADLK; }

/* Each file of stubs has keys of its own. */
enum { KEYS = 64 };

static const void *specific[KEYS];
static unsigned char is_used[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    for (pthread_key_t free = 0; free < KEYS; free++) {
        if (is_used[free]) continue;
        is_used[free] = 1;
        specific[free] = NULL;
        *key = free;
        return 0;
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
    if (key >= KEYS || !is_used[key]) return EINVAL;
    is_used[key] = 0;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) { return key < KEYS ? (void *)specific[key] : NULL; }

int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= KEYS || !is_used[key]) return EINVAL;
    specific[key] = value;
    return 0;
}
