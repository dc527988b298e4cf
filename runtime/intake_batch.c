/*
 * Stubs are made where they are handed out: a batch is allocated with room for
 * as many as the larger requests of late held, grows by doubling, and gives
 * back what is left.  So a request costs one allocation, as a rule.
 */
#include "runtime/intake.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/lane.h"

enum {
    MAX_STUBS_DEFAULT = 1000000,
    FIRST_CAP = 64,
    SPARE_FEW = 4, /* and a fourth: room that may be handed out unused */
    DIGEST_PIECE = 128,
};

/* Twice |cap| or more, for |len| of at most |most|; 0 and why in lane->err if
 * there are more. */
static uint32_t
next_cap(struct intake_lane *lane, uint32_t cap, uint64_t len, uint64_t most)
{
    uint64_t more = 2 * (uint64_t)cap;

    if (len > most) {
        lane->err = ERR_TOO_LARGE;
        return 0;
    }
    if (more < FIRST_CAP)
        more = FIRST_CAP;
    while (more < len)
        more *= 2;
    return (uint32_t)(more < most ? more : most);
}

static uint64_t
most_stubs(const struct intake_lane *lane)
{
    return lane->cfg->max_stubs ? lane->cfg->max_stubs : MAX_STUBS_DEFAULT;
}

/* Moves the batch to where |cap| stubs and |links| behind them have room. */
static bool
resize(struct intake_lane *lane, uint32_t cap, uint32_t links)
{
    struct stub_batch *batch =
        realloc(lane->batch, sizeof(*batch) + cap * sizeof(*lane->stubs) +
                                 links * sizeof(*lane->links));

    if (!batch) {
        lane->err = ERR_NOMEM;
        return false;
    }
    lane->batch = batch;
    lane->stubs = (struct stub *)(batch + 1);
    lane->stub_cap = cap;
    return true;
}

static bool
grow_stubs(struct intake_lane *lane)
{
    uint32_t cap = next_cap(lane, lane->stub_cap, (uint64_t)lane->stub_len + 1,
                            most_stubs(lane));

    if (cap > 0 && lane->stub_len == 0 && lane->stub_usual > 0) {
        if (resize(lane, lane->stub_usual, 0))
            return true;
        /* What was usual may be more than there is, and more than is needed. */
        lane->err = OK;
        lane->stub_usual = 0;
    }
    return cap > 0 && resize(lane, cap, 0);
}

static bool
grow_links(struct intake_lane *lane, uint64_t len)
{
    uint32_t cap = next_cap(lane, lane->link_cap, len, 4 * most_stubs(lane));
    struct span_link *links =
        cap ? realloc(lane->links, cap * sizeof(*links)) : NULL;

    if (!links) {
        lane->err = lane->err ? lane->err : ERR_NOMEM;
        return false;
    }
    lane->links = links;
    lane->link_cap = cap;
    return true;
}

bool
lane_grow(struct intake_lane *lane, uint32_t links)
{
    uint64_t link_len = (uint64_t)lane->link_len + links;

    return (lane->stub_len < lane->stub_cap || grow_stubs(lane)) &&
           (link_len <= lane->link_cap || grow_links(lane, link_len));
}

/* The most of late, which fades when requests become smaller. */
static void
note_usual(struct intake_lane *lane)
{
    uint32_t usual = lane->stub_usual;

    if (lane->stub_len >= usual)
        lane->stub_usual = lane->stub_len;
    else
        lane->stub_usual = usual - (usual - lane->stub_len + 7) / 8;
}

/* Whether the batch has to be moved: for links, or since too much of it is
 * left. */
static bool
is_unfit(const struct intake_lane *lane)
{
    return !lane->batch || lane->link_len > 0 ||
           lane->stub_cap - lane->stub_len > lane->stub_len / 4 + SPARE_FEW;
}

enum err
intake_take(struct intake_lane *lane, struct stub_batch **out)
{
    *out = NULL;
    if (lane->err)
        return lane->err;
    note_usual(lane);
    if (is_unfit(lane) && !resize(lane, lane->stub_len, lane->link_len))
        return lane->err;
    struct stub_batch *batch = lane->batch;
    *batch = (struct stub_batch){
        .stubs = lane->stubs,
        .links = (struct span_link *)(lane->stubs + lane->stub_len),
        .stub_len = lane->stub_len,
        .link_len = lane->link_len,
        .clamped = lane->clamped,
        .backwards = lane->backwards,
        .received_ns = lane->now_ns,
    };
    if (lane->link_len > 0)
        memcpy(batch->links, lane->links,
               lane->link_len * sizeof(*lane->links));
    lane->batch = NULL;
    lane->stubs = NULL;
    lane->stub_cap = lane->stub_len = lane->link_len = 0;
    *out = batch;
    return OK;
}

void
stub_batch_free(struct stub_batch *batch)
{
    free(batch);
}

/* ---- digest ---- */

/* What tells a span from all others, but the halves that share an id: these
 * differ in kind. */
struct name {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id;
    uint64_t parent_id;
    uint64_t kind;
};

/* Spans are a fourth of the bytes, and near.  They are gathered by pieces, and
 * each begins with the digest of those before it. */
struct digest128
stub_batch_digest(const struct stub_batch *batch, str bytes)
{
    struct {
        struct digest128 before;
        struct name names[DIGEST_PIECE];
    } piece = {.before = {0}};
    uint32_t at = 0;

    if (batch->stub_len == 0)
        return hash_digest(bytes);
    while (at < batch->stub_len) {
        uint32_t len = 0;
        while (len < DIGEST_PIECE && at < batch->stub_len) {
            const struct stub *stub = &batch->stubs[at++];
            piece.names[len++] = (struct name){
                .trace_hi = stub->trace_hi,
                .trace_lo = stub->trace_lo,
                .span_id = stub->span_id,
                .parent_id = stub->parent_id,
                .kind = stub->kind,
            };
        }
        piece.before = hash_digest(
            (str){(const char *)&piece,
                  sizeof(piece.before) + len * sizeof(*piece.names)});
    }
    return piece.before;
}
