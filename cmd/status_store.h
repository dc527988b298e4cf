/*
 * status_store - `status --data`: what a store holds, whoever serves it.
 *
 * Threads    The main thread.
 */
#ifndef CMD_STATUS_STORE_H
#define CMD_STATUS_STORE_H

#include <stdbool.h>

/* status_store_print prints it; an exit code: EXIT_FINDINGS if the traces
 * cannot be read as they are. */
int status_store_print(const char *dir, bool json);

#endif
