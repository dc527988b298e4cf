/*
 * embed - texts as vectors, by an endpoint outside (knowledge/embed_wire.h).
 *
 * How bytes get there is the caller's (struct embed_ops); what an answer means,
 * and whether to ask again, is said here once for all who ask.
 *
 * Threads    Any; one post at a time on one embed_ops.
 */
#ifndef KNOWLEDGE_EMBED_H
#define KNOWLEDGE_EMBED_H

#include "knowledge/embed_wire.h"

/* Zero-initialise; buf_fini |body|. */
struct embed_answer {
    int status;
    uint32_t retry_s; /* Retry-After; 0: none */
    struct buf body;
};

struct embed_ops {
    void *ctx;
    /* post: ERR_IO, no whole answer in time; ERR_TOO_LARGE; ERR_CANCELLED;
     * ERR_NOMEM; |why| never holds the key. */
    enum err (*post)(void *ctx, str body, uint32_t timeout_ms,
                     struct embed_answer *answer, struct buf *why);
};

struct embed_model {
    const char *name;
    uint32_t ask_dim; /* asked for; 0: not */
    uint32_t dim;     /* that must come; 0: any */
};

struct embed_ask {
    const str *texts;
    size_t len;
    uint32_t timeout_ms;
};

struct embed_reply {
    struct embed_vectors vectors; /* embed_vectors_fini */
    uint32_t retry_s; /* it wants to be left alone for; 0: it does not say */
};

/*
 * embed_texts asks once.
 *
 * ERR_BUSY       not now: no answer in time, 408, 429, 5xx
 * ERR_INVALID    it refuses these texts: 400, 413, 422; fewer may do
 * ERR_DENIED     it refuses whatever is asked: 401, 403, 404 and the rest
 * ERR_CORRUPT    what it answered is none; no vector of it counts
 * ERR_CANCELLED, ERR_NOMEM
 */
enum err
embed_texts(const struct embed_ops *ops, const struct embed_model *model,
            const struct embed_ask *ask, struct embed_reply *out,
            struct buf *why);

#endif
