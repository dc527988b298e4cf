#include "tests/bench/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

static uint64_t
due_ns(const struct pace *pace, size_t number)
{
    return pace->start_ns +
           (uint64_t)((double)number / pace->rate * (double)NS_PER_S);
}

void
pace_start(struct pace *pace, double rate, size_t len)
{
    *pace = (struct pace){.rate = rate, .len = len};
    pace->took_ns = calloc(len, sizeof(*pace->took_ns));
    if (!pace->took_ns)
        abort();
    pace->start_ns = clock_mono_ns();
}

void
pace_wait(const struct pace *pace, size_t number)
{
    uint64_t due = due_ns(pace, number);
    const struct timespec at = {.tv_sec = (time_t)(due / NS_PER_S),
                                .tv_nsec = (long)(due % NS_PER_S)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
        ;
}

void
pace_answered(struct pace *pace, size_t number)
{
    pace->took_ns[number] = clock_mono_ns() - due_ns(pace, number);
}

static int
by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double
ms_at(const struct pace *pace, double part)
{
    size_t i = (size_t)(part * (double)(pace->len - 1));

    return (double)pace->took_ns[i] / (double)NS_PER_MS;
}

void
pace_report(struct pace *pace)
{
    qsort(pace->took_ns, pace->len, sizeof(*pace->took_ns), by_value);
    printf("%.1f %.1f %.1f %.1f\n", ms_at(pace, 0.5), ms_at(pace, 0.99),
           ms_at(pace, 0.999), ms_at(pace, 1));
    free(pace->took_ns);
}
