/*
 * probe - is a span traffic, or somebody asking whether the service lives.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_PROBE_H
#define RUNTIME_PROBE_H

#include "runtime/lane.h"

/* probe_may_be: is there anything that probe_is would look at? */
static inline bool
probe_may_be(const struct attr_set *attrs)
{
    return lane_has_any(attrs, ATTR_SYNTHETIC_TYPE, ATTR_USER_AGENT_OLD);
}

/* probe_is: user_agent.synthetic.type is set, or the user agent fits one of
 * cfg->exclude_agents. */
bool probe_is(struct intake_lane *lane, const struct attr_set *attrs);

#endif
