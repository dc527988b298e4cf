#include "base/clock.h"

#include <time.h>

static uint64_t
read_clock(clockid_t id)
{
    struct timespec now;

    (void)clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t
clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t
clock_mono_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t
clock_boot_ns(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

uint64_t
clock_thread_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
