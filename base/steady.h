/*
 * steady - waiting with a deadline on the clock that never goes back.
 *
 *     steady_init(&cond);
 *     while (!done && steady_wait(&cond, &lock, until_ns))
 *         continue;
 *
 * Threads    As pthread_cond_timedwait.
 */
#ifndef BASE_STEADY_H
#define BASE_STEADY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

/* steady_init is pthread_cond_init, for steady_wait. */
static inline void
steady_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* steady_wait waits for |cond| until |until_ns|, as clock_mono_ns counts;
 * false: that has come. */
static inline bool
steady_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                   .tv_nsec = (long)(until_ns % NS_PER_S)};

    return pthread_cond_timedwait(cond, lock, &until) == 0;
}

#endif
