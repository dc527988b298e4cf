/*
 * query_ways - messages that are told twice: to and from their topic, and from
 * end to end.
 *
 * Threads    None.
 */
#ifndef GRAPH_QUERY_WAYS_H
#define GRAPH_QUERY_WAYS_H

#include <stdbool.h>

#include "base/idset.h"
#include "graph/query_edges.h"

struct query_ways {
    struct idset taken;     /* who takes messages from a topic */
    struct idset published; /* who publishes to one */
    struct idset ended;     /* whose messages' producers are known */
};

/* query_ways_make looks at all of |edges| once.  ERR_NOMEM, and |out| is empty.
 */
enum err
query_ways_make(const struct query_edges *edges, struct query_ways *out);
void query_ways_fini(struct query_ways *ways);

/* query_ways_is_twice: |edge| is of messages from end to end, which others have
 * as taken from a topic by its target (|is_in|) or published by its source.
 * Where no topic is known, it is all there is of them. */
bool query_ways_is_twice(const struct query_ways *ways,
                         const struct query_edge *edge, bool is_in);

/* query_ways_is_way: |edge| is of messages out of a topic whose producer is
 * known, so the topic is a way and no caller. */
bool
query_ways_is_way(const struct query_ways *ways, const struct query_edge *edge);

#endif
