/*
 * clock - the only place that reads a clock.
 *
 * Everything else takes the time as a parameter, so that tests run a year in
 * milliseconds and a journal replays to the same state.
 *
 * Threads    Any thread.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define S_PER_H   UINT32_C(3600)
#define S_PER_DAY UINT32_C(86400)

/* clock_wall_ns is the time since the Unix epoch.  It may jump. */
uint64_t clock_wall_ns(void);

/* clock_mono_ns never goes back; use it for waits and measured durations. */
uint64_t clock_mono_ns(void);

/* clock_boot_ns is the same, and goes on while the machine is suspended. */
uint64_t clock_boot_ns(void);

/* clock_thread_ns is the CPU time that the calling thread has had. */
uint64_t clock_thread_ns(void);

#endif
