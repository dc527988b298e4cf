/*
 * thread - what a thread is called.
 *
 * `top -H`, `perf` and /debug/threads (docs/troubleshooting.md) show the name
 * that the kernel has for a thread, and a service of twenty threads of one name
 * tells nobody which of them is busy.
 *
 * Threads    Any; it is the calling thread that gets the name.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

enum { THREAD_NAME_CAP = 16 }; /* of the kernel, with its end */

/* thread_set_name names the calling thread; what does not fit is cut off.  A
 * thread that is started later by it has the name until it gets another. */
void thread_set_name(const char *name);

#endif
