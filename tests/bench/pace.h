/*
 * pace - requests at a given rate, and how long each took to be answered.
 *
 * Open loop: a request has a time at which it is due, and it is from then on
 * that it is late, whether it could be sent or not.  So a server that stalls
 * pays for all that would have come meanwhile.
 *
 * Threads    Any number, each with requests of its own.
 */
#ifndef TESTS_BENCH_PACE_H
#define TESTS_BENCH_PACE_H

#include <stddef.h>
#include <stdint.h>

struct pace {
    double rate; /* requests a second; 0: as fast as they are answered */
    uint64_t start_ns;
    uint64_t *took_ns;
    size_t len;
};

/* pace_start begins now, for |len| requests numbered from 0. */
void pace_start(struct pace *pace, double rate, size_t len);
/* pace_wait sleeps until request |number| is due. */
void pace_wait(const struct pace *pace, size_t number);
/* pace_answered says that it was answered just now. */
void pace_answered(struct pace *pace, size_t number);
/* pace_report prints "p50 p99 p99.9 max" in milliseconds and frees all. */
void pace_report(struct pace *pace);

#endif
