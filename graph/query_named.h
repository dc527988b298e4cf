/*
 * query_named - the services that a person means by a name.
 *
 * A service is known by its name behind its namespace, `shop/cart`.  Code
 * declares it, and people ask for it, as `cart` alone.  Taken by the letter
 * that is another service, or one of the code alone, which was never heard of:
 * the answer would be that there is no telemetry, where there is.
 *
 * Errors     As query.h has them.
 * Threads    The view's.
 */
#ifndef GRAPH_QUERY_NAMED_H
#define GRAPH_QUERY_NAMED_H

#include "base/err.h"
#include "base/ids.h"
#include "graph/query.h"

/*
 * query_named appends what query_find does.  If |find| has a name without a
 * `*` and a namespace, may be of a service, and nothing of that name was
 * observed, it appends the services of that name in any namespace that were
 * observed instead; none of them leaves what query_find finds.
 */
enum err query_named(struct query_view *view, const struct query_find *find,
                     struct ids *out);

#endif
