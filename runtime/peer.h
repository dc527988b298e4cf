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

/* peer_is_above says whether a span of a database or a model is of a library
 * that leaves its spans beside those of the driver it calls (pair_beside.h). */
bool peer_is_above(const struct intake_lane *lane);

/* peer_database is the database an egress calls: by its peer name or its
 * address; by its namespace, its system, and then |flags| get STUB_UNPLACED; 0
 * if it has none of them. */
uint32_t peer_database(struct intake_lane *lane, const struct attr_set *attrs,
                       uint32_t *flags);

/* peer_external is the outside party named by service.peer.name, peer.service
 * or faas.invoked_name; 0 if none is. */
uint32_t peer_external(struct intake_lane *lane, const struct attr_set *attrs);

/* peer_may_be_outside says whether peer_outside may have something to say. */
static inline bool
peer_may_be_outside(const struct intake_lane *lane,
                    const struct attr_set *attrs)
{
    return lane_has_any(attrs, ATTR_GEN_AI_OPERATION, ATTR_GEN_AI_SYSTEM) ||
           lane->cfg->external_by_address;
}

/* peer_outside sets |stub|, an egress that is no database's and names no peer,
 * to whom it calls: by its host if cfg->external_by_address, else by the
 * provider of the model that is asked, as gen_ai.provider.name has it; none by
 * none of them.  One of an agent, or of a tool that one uses, calls nobody
 * itself and is no egress any more. */
void peer_outside(struct intake_lane *lane, const struct attr_set *attrs,
                  struct stub *stub);

#endif
