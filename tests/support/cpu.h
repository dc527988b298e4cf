/*
 * cpu - what a test or a benchmark costs, whatever else the machine does.
 *
 * Threads    Any.
 */
#ifndef TESTS_SUPPORT_CPU_H
#define TESTS_SUPPORT_CPU_H

/* cpu_seconds is the processor time that the calling thread has had. */
double cpu_seconds(void);

#endif
