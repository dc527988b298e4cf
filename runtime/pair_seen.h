/*
 * pair_seen - that spans were seen, told of a run of them at once.
 *
 * Spans of one sender come in runs.  What is kept of the time of a span is its
 * hour, and the first and last.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_SEEN_H
#define RUNTIME_PAIR_SEEN_H

#include <stdint.h>

#include "base/clock.h"
#include "model/stub.h"
#include "runtime/pair_state.h"

/* pair_tell_seen, to be called after each batch, tells of the last run;
 * pair_see_first does, and begins another with |entry|. */
void pair_tell_seen(struct pair *pair);
void pair_see_first(struct pair *pair, const struct pair_entry *entry,
                    const struct pair_facts *facts);

/* pair_see adds |entry|, which is not synthetic, to the run it belongs to, or
 * begins another. */
static inline void
pair_see(struct pair *pair, const struct pair_entry *entry,
         const struct pair_facts *facts)
{
    struct edge_obs *seen = &pair->seen;
    uint32_t at_s = facts->start_s;
    uint32_t other = (seen->key.dst ^ entry->service) |
                     (seen->key.src ^ facts->scope) |
                     (seen->dst_version ^ facts->version);

    if (other || seen->count == 0 || seen->at_s / S_PER_H != at_s / S_PER_H ||
        seen->weight >= (int64_t)WEIGHT_MAX) {
        pair_see_first(pair, entry, facts);
        return;
    }
    seen->at_s = at_s < seen->at_s ? at_s : seen->at_s;
    seen->until_s = at_s > seen->until_s ? at_s : seen->until_s;
    seen->count++;
    seen->errors += (entry->flags & PAIR_FAILED) != 0;
    seen->weight_known += (entry->flags & PAIR_WEIGHTED) != 0;
    seen->weight += (int64_t)facts->weight;
}

#endif
