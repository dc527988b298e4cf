/*
 * inside_process - what Linux says of this process in /proc, as JSON.
 *
 * What a kernel does not tell, or a sandbox does not let be read, is left out.
 *
 * Threads    Any.
 */
#ifndef CMD_INSIDE_PROCESS_H
#define CMD_INSIDE_PROCESS_H

#include "base/buf.h"

/* inside_process_memory appends the member "process" of an open object. */
void inside_process_memory(struct buf *out);

/* inside_process_threads appends the member "threads" of an open object: those
 * that have had most time first. */
void inside_process_threads(struct buf *out);

#endif
