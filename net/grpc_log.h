/*
 * grpc_log - what gRPC core says, and the calls it ended for want of memory.
 *
 * Past the quota of its memory core ends calls of its own accord, and its API
 * has no word for that: to us it looks as if the peer had gone.  But the trace
 * of the quota names each.  So it is on and read here: each is counted as
 * refused for want of room, and logged.
 *
 * Threads    grpc_log_start: the owner of a listener.  Lines come from any.
 */
#ifndef NET_GRPC_LOG_H
#define NET_GRPC_LOG_H

/* grpc_log_start sends what core says to our log from now on, and counts.  For
 * the whole process, after grpc_init; again is harmless. */
void grpc_log_start(void);

#endif
