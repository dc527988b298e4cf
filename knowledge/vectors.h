/*
 * vectors - what search finds by meaning: a vector of each text, made by a
 * model outside, and those nearest to a question.
 *
 * Off unless an endpoint is configured.  The file of knowledge keeps vectors by
 * the hash of the text they are of (knowledge/vector_texts.h), so what is
 * deleted and comes again, or is in two places, is asked for once; what no
 * object has any more is removed.  In memory are all of them, a byte a number,
 * and which objects have which text.
 *
 * Nothing that adds or indexes waits for this: a filler comes behind, step by
 * step, and until it has come, what is new is found by the other lanes.
 *
 *     vectors_open(&vectors, &cfg);
 *     wait_ms = vectors_step(vectors, &host, now_ms);    the filler, again and
 *                                                        again
 *     vectors_ask(vectors, question, &ticket);
 *     vectors_find(vectors, moment, &ticket, &hits);     any, at the same time
 *
 * Memory     cfg.max_bytes for the rows; beyond, texts are left out, those of
 *            code first.
 * Threads    vectors_step: one.  The rest: any.
 */
#ifndef KNOWLEDGE_VECTORS_H
#define KNOWLEDGE_VECTORS_H

#include "knowledge/embed_query.h"
#include "knowledge/vector_texts.h"

struct vectors;

/* Strings must outlive it. */
struct vectors_cfg {
    const char *model;
    uint32_t dim;          /* asked for; 0: the model's own */
    unsigned worlds;       /* bits of enum vector_world */
    size_t max_bytes;      /* of rows in memory */
    size_t max_text;       /* bytes of a text that are sent */
    size_t batch;          /* texts of one request, to EMBED_BATCH_MAX */
    uint32_t pause_ms;     /* between two requests of the filler, at least */
    uint32_t timeout_ms;   /* of one of them */
    uint32_t query_ms;     /* a question waits for its vector */
    bool is_filling;       /* else only after vectors_poke */
    struct embed_ops fill; /* by the filler */
    struct embed_ops ask;  /* at the same time: questions */
};

/* vectors_open starts the thread of questions.  ERR_NOMEM. */
enum err vectors_open(struct vectors **out, const struct vectors_cfg *cfg);
void vectors_close(struct vectors *vectors);

/* ---- questions ---- */

struct vectors_hit {
    near_spot spot;
    int64_t chunk; /* of a document; 0: none */
    int64_t id;    /* of the vector */
    float share;   /* how far from what is usual (0) to the same (1) */
};
enum { VECTORS_HITS = 400, VECTORS_NEAREST = 200 };
struct vectors_hits {
    struct vectors_hit items[VECTORS_HITS]; /* nearest first */
    size_t len;
};

/* vectors_is_on: there are texts, or nobody has looked yet; whether they have
 * vectors by now or not.  NULL gives false. */
bool vectors_is_on(struct vectors *vectors);

/* vectors_ask sends |question| on its way, and does not wait. */
void
vectors_ask(struct vectors *vectors, str question, struct embed_ticket *ticket);

/* vectors_find waits for the vector of the question, and finds what is nearer
 * to it than usual.  ERR_BUSY, ERR_CORRUPT: there is no vector, of the question
 * or of any text; as the moment. */
enum err
vectors_find(struct vectors *vectors, struct moment *moment,
             const struct embed_ticket *ticket, struct vectors_hits *out);

/* ---- filling ---- */

struct vectors_host {
    void *ctx;
    /* As knowledge_read or _write, with a view of the traces where there is
     * one.  |code| (may be NULL) is the graph of the code, held. */
    enum err (*begin)(void *ctx, struct moment *moment, bool writes,
                      const struct code **code);
    enum err (*end)(void *ctx, struct moment *moment, enum err err);
};

/* vectors_step does what is due - looks for what has changed, asks for one
 * batch - and says after how long to come again. */
uint32_t vectors_step(struct vectors *vectors, const struct vectors_host *host,
                      uint64_t now_ms);

/* vectors_poke makes the next step look at everything anew, and try again what
 * was refused.  NULL is fine. */
void vectors_poke(struct vectors *vectors);

struct vectors_status {
    const char *model;
    uint32_t dim;    /* 0: not known yet */
    size_t vectors;  /* texts that have one */
    size_t pending;  /* that wait for one */
    size_t refused;  /* that the endpoint does not take */
    size_t left_out; /* for want of room */
    bool is_looked;  /* the numbers above are known */
    struct buf why;  /* the filler's last failure; empty after a success */
    uint32_t why_s;  /* when */
    struct embed_query_status query;
};
void vectors_tell(struct vectors *vectors, struct vectors_status *out);
void vectors_status_fini(struct vectors_status *status);

#endif
