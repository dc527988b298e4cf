/*
 * lane - the inside of an intake lane, shared by the files that fill a stub.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_LANE_H
#define RUNTIME_LANE_H

#include "base/buf.h"
#include "base/redact.h"
#include "runtime/intake.h"
#include "runtime/memo.h"

struct intake_lane {
    const struct intake_cfg *cfg;
    struct nodes *nodes;
    struct routes *routes;
    struct memo *memo;
    uint64_t generation;   /* of |routes|, when the memo was empty */
    uint32_t environments; /* names of them that were numbered */
    enum attr rate_key;    /* cfg->sample_rate_key, or ATTR_COUNT */
    struct buf text;       /* scratch: a name being made ... */
    struct buf more;       /* ... and what it is made of */

    /* Of the resource and scope at hand. */
    const struct attr_set *resource; /* NULL: none came yet */
    str scope_name;
    uint32_t service; /* 0: not known before its first span ... */
    uint32_t version; /* ... nor this */
    uint32_t scope;   /* 0: the same */

    /* The batch. */
    uint64_t now_ns;
    uint64_t low_ns; /* accepted start times */
    uint64_t high_ns;
    struct stub_batch *batch; /* with room for |stub_cap|; NULL: none yet */
    struct stub *stubs;       /* in it */
    struct span_link *links;
    uint32_t stub_len, stub_cap;
    uint32_t stub_usual; /* so many come in the larger requests of late */
    uint32_t backwards;  /* stubs with STUB_BACKWARDS */
    uint32_t link_len, link_cap;
    uint64_t first_ns; /* an earlier time is none */
    uint32_t clamped;
    enum err err; /* why the batch is not whole */
};

/* lane_grow makes room for one more stub and |links| more links; false, and why
 * in lane->err, if there is none. */
bool lane_grow(struct intake_lane *lane, uint32_t links);

/* lane_remember keeps what |key| means, unless it was made without memory. */
static inline void
lane_remember(struct intake_lane *lane, const struct memo_key *key,
              struct memo_value value)
{
    if (!lane->err)
        memo_put(lane->memo, key, value);
}

/* lane_join puts |space|/|name|, or |name| where there is no space, into |out|
 * as they may be kept, and gives a view of that. */
static inline str
lane_join(struct intake_lane *lane, struct buf *out, str space, str name)
{
    buf_reset(out);
    redact_add(out, space);
    if (space.len > 0)
        buf_add_char(out, '/');
    redact_add(out, name);
    if (out->failed)
        lane->err = ERR_NOMEM;
    return buf_str(out);
}

/* The first of |ids|, which end with ATTR_COUNT, that is a string with
 * something in it; else the empty view. */
static inline str
lane_first(const struct attr_set *attrs, const enum attr *ids)
{
    for (; *ids != ATTR_COUNT; ids++) {
        str value = attr_str(attrs, *ids);
        if (value.len > 0)
            return value;
    }
    return (str){NULL, 0};
}

/* The same for two. */
static inline str
lane_either(const struct attr_set *attrs, enum attr first, enum attr second)
{
    str value = attr_str(attrs, first);

    return value.len > 0 ? value : attr_str(attrs, second);
}

/* Is any of the attributes |from| to |to| there?  They stand together. */
static inline bool
lane_has_any(const struct attr_set *attrs, enum attr from, enum attr to)
{
    uint64_t any = 0;

    for (unsigned word = 0; word < 2; word++) {
        unsigned first = 64 * word;
        if (to < first || from >= first + 64)
            continue;
        uint64_t mask = UINT64_MAX;
        if (from > first)
            mask <<= from - first;
        if (to < first + 63)
            mask &= UINT64_MAX >> (first + 63 - to);
        any |= attrs->mask[word] & mask;
    }
    return any != 0;
}

#endif
