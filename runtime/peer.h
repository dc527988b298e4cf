/*
 * peer - whom an egress calls when the callee sends no span of its own.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_PEER_H
#define RUNTIME_PEER_H

#include "model/span.h"
#include "runtime/lane.h"

/* peer_is_db says whether a span carries database attributes. */
bool peer_is_db(const struct attr_set *attrs);

/* peer_is_upkeep says whether a span with database attributes is no call of the
 * database, but of what a pool of connections, or a cursor, does around one. */
bool peer_is_upkeep(const struct intake_lane *lane, const struct span *span);

/* peer_is_above says whether a database's span is of a library that leaves its
 * spans beside those of the driver it calls (pair_beside.h). */
bool peer_is_above(const struct intake_lane *lane);

/* peer_database is the database an egress calls: by its peer name or its
 * address; by its namespace, its system, and then |flags| get STUB_UNPLACED; 0
 * if it has none of them. */
uint32_t peer_database(struct intake_lane *lane, const struct attr_set *attrs,
                       uint32_t *flags);

/* peer_external is the outside party named by service.peer.name, peer.service
 * or faas.invoked_name; 0 if none is. */
uint32_t peer_external(struct intake_lane *lane, const struct attr_set *attrs);

/* peer_host is the outside party by its host, which is never an address of
 * digits; 0 without one. */
uint32_t peer_host(struct intake_lane *lane, const struct attr_set *attrs);

#endif
