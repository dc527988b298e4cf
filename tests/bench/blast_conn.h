/*
 * blast_conn - a connection of a load client: requests out, answers in.
 *
 * Frames HTTP/2 by hand, so that the client costs less than the server.  What
 * fails ends the program, and says so.
 *
 * Threads    A connection is one thread's; |how| may be shared.
 */
#ifndef TESTS_BENCH_BLAST_CONN_H
#define TESTS_BENCH_BLAST_CONN_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct blast_how {
    bool is_grpc; /* else HTTP/1.1 */
    bool is_json;
    bool is_gzip;
    struct sockaddr_in address;
    size_t frame_max; /* bytes of a frame of HTTP/2, if the server's is more */
    atomic_size_t failed; /* answers of HTTP/1.1 that are no 200 */
};

struct blast_conn;

/* |how| outlives it. */
struct blast_conn *blast_conn_open(struct blast_how *how);
void blast_conn_close(struct blast_conn *conn);

/* blast_conn_send returns when all of |body| is sent. */
void blast_conn_send(struct blast_conn *conn, str body);

/* blast_conn_receive waits for something to come, and takes it. */
void blast_conn_receive(struct blast_conn *conn);

/* blast_conn_outstanding is how many requests are not answered. */
size_t blast_conn_outstanding(const struct blast_conn *conn);

/* blast_die says what failed and why (errno), and ends the program. */
_Noreturn void blast_die(const char *what);

#endif
