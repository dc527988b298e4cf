/*
 * embed_query - questions as vectors, in no more than a given time.
 *
 * A thread of its own asks the endpoint, so that whatever holds it up - even
 * the name of the endpoint - holds up no question for longer than the time
 * allows.  What was asked lately is answered from memory.  An endpoint that
 * fails is left alone for a while, longer each time; meanwhile questions go
 * without, at once, and it is tried again beside one that does not wait for it.
 *
 *     embed_query_ask(query, text, &ticket);     does not wait
 *     ...
 *     embed_query_take(query, &ticket, &vector)  waits
 *
 * Bound      EMBED_QUERIES are remembered, each of 2 KiB of text at most.
 * Threads    Any.
 */
#ifndef KNOWLEDGE_EMBED_QUERY_H
#define KNOWLEDGE_EMBED_QUERY_H

#include <stdbool.h>

#include "base/hash.h"
#include "knowledge/embed.h"

enum { EMBED_QUERIES = 256, EMBED_QUERY_TEXT = 2048 };

struct embed_query;

struct embed_query_cfg {
    struct embed_ops ops;
    struct embed_model model; /* the name must outlive it */
    uint32_t timeout_ms;
    uint32_t rest_ms;      /* after a failure; doubles */
    uint32_t rest_most_ms; /* at most, also of what the endpoint asks for */
};

struct embed_query_status {
    uint64_t asked;  /* of the endpoint */
    uint64_t cached; /* answered from memory */
    uint64_t failed;
    uint64_t skipped; /* while the endpoint was left alone */
    bool is_resting;
    struct buf why; /* the last failure, empty after a success; buf_fini */
};

/* embed_query_start: ERR_NOMEM. */
enum err
embed_query_start(struct embed_query **out, const struct embed_query_cfg *cfg);
/* embed_query_stop waits for a request under way, which its ops should end. */
void embed_query_stop(struct embed_query *query);

struct embed_ticket {
    struct digest128 text;
    uint64_t until_ns;
    bool is_waited; /* else: not to be had now */
};
void embed_query_ask(struct embed_query *query, str text,
                     struct embed_ticket *ticket);

/* embed_query_take copies the vector to |out|, |dim| numbers.  ERR_BUSY: not in
 * time, or not to be had; ERR_CORRUPT: it has another length. */
enum err
embed_query_take(struct embed_query *query, const struct embed_ticket *ticket,
                 uint32_t dim, float *out);

void
embed_query_tell(struct embed_query *query, struct embed_query_status *out);

#endif
