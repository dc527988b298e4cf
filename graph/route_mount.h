/*
 * route_mount - the prefixes under which a service is mounted.
 *
 * A gateway or a servlet container adds a prefix to the paths a service sees,
 * or takes away one that its OpenAPI document has.  The prefixes are given, or
 * learnt from routes that are declared but for a prefix.
 *
 * Memory     At most ROUTE_MOUNTS_MAX short strings, and what finds the routes
 *            that are learnt from.
 * Threads    As route_table: many read, or one writes.
 */
#ifndef GRAPH_ROUTE_MOUNT_H
#define GRAPH_ROUTE_MOUNT_H

#include "graph/route_ends.h"
#include "graph/route_table.h"

enum { ROUTE_MOUNTS_MAX = 16, ROUTE_MOUNT_LEN_MAX = ROUTE_ENDS_FRONT_MAX };

/* Zero-initialise to start. */
struct route_mounts {
    char *prefix[ROUTE_MOUNTS_MAX];
    uint32_t len;
    struct route_ends ends; /* of the table that is learnt from */
};

void route_mounts_fini(struct route_mounts *mounts);

/* route_mounts_add: ERR_NOMEM; ERR_FULL: too many; ERR_INVALID: too long. */
enum err route_mounts_add(struct route_mounts *mounts, str prefix);

/* route_mounts_match is route_table_match with each prefix taken away from
 * |path|, then put before it. */
bool route_mounts_match(const struct route_mounts *mounts,
                        const struct route_table *table, str method, str path,
                        struct buf *out);

/*
 * route_mounts_learn: |pattern| was observed.  If it is not declared, but is
 * with some leading literal segments less, or more, these are a mount.
 */
void
route_mounts_learn(struct route_mounts *mounts, const struct route_table *table,
                   str method, str pattern);

#endif
