/*
 * inside - what a running service tells of its inside, as JSON: who is
 * connected, where its memory is, what lies on its disk, what its threads do.
 *
 * For an operator whose service is slow, full or large, when /metrics says that
 * it is and not why.  Nothing of what was received is told: no spans, names,
 * headers or tokens; of senders their addresses.
 *
 * Threads    Any; inside_connections not a loop that it asks.
 */
#ifndef CMD_INSIDE_H
#define CMD_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cmd/config.h"
#include "net/server.h"

/* Where connections are. */
struct inside_door {
    const char *key;       /* "query" */
    struct server *server; /* NULL: it cannot tell (net/grpc.h) */
    bool is_open;
};

/*
 * inside_connections appends those of each door, |most| of one at most, the
 * newest first.  A loop that does not answer within a second is told as such.
 */
void inside_connections(const struct inside_door *doors, size_t len,
                        size_t most, struct buf *out);

/* inside_memory appends what the process, its allocator and SQLite hold, and
 * how full the tables are that |cfg| bounds. */
void inside_memory(const struct config *cfg, struct buf *out);

/* inside_store appends what lies in the folder of |cfg|, on what disk, and how
 * writing goes; |is_writable| is of the last transaction. */
void inside_store(const struct config *cfg, bool is_writable, struct buf *out);

/* inside_threads appends each thread of the process: what it is called, whether
 * it runs, and the time it has had. */
void inside_threads(struct buf *out);

#endif
