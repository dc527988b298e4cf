/*
 * confine_calls - a filter of the calls that a process makes of the kernel.
 *
 * Part of cmd/confine.h, which says what for.
 *
 * Threads    The main thread, while it is the only one.
 */
#ifndef CMD_CONFINE_CALLS_H
#define CMD_CONFINE_CALLS_H

#include <stdbool.h>

/* confine_calls refuses from here on what a service never calls, and with
 * |may_start| false to start another program.  False: this kernel or processor
 * has no such filter.  There is no way back. */
bool confine_calls(bool may_start);

#endif
