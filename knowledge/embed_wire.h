/*
 * embed_wire - what is said to an endpoint of embeddings, and what it answers,
 * in the format of OpenAI's `POST /embeddings`.
 *
 * The answer is read as it stands, number by number, so a hostile one costs no
 * more memory than the vectors that were asked for.
 *
 * Threads    Any; pure functions.
 */
#ifndef KNOWLEDGE_EMBED_WIRE_H
#define KNOWLEDGE_EMBED_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    EMBED_DIM_MAX = 8192,
    EMBED_BATCH_MAX = 2000, /* texts of one request */
    EMBED_SAID_MAX = 200,   /* bytes that are told of what an endpoint says */
};

/* Vectors of length 1, one after another. */
struct embed_vectors {
    float *values;
    size_t len;
    uint32_t dim;
};
void embed_vectors_fini(struct embed_vectors *vectors);

/* embed_wire_cut is |text|, or the first |max| bytes up to a character. */
str embed_wire_cut(str text, size_t max);

/* embed_wire_ask appends the request; |dim| 0: the model's own. */
void embed_wire_ask(const char *model, uint32_t dim, const str *texts,
                    size_t len, struct buf *out);

/*
 * embed_wire_read reads the answer to |len| texts, in their order whatever
 * the answer's.  |dim| 0: any, the same of all.  The byte behind |body| is 0.
 *
 * ERR_CORRUPT  not that many vectors of that many numbers; |why| says what is
 *              wrong
 * ERR_NOMEM
 */
enum err embed_wire_read(str body, size_t len, uint32_t dim,
                         struct embed_vectors *out, struct buf *why);

/* embed_wire_said appends what |body|, of a refusal, says in its own words, fit
 * to be shown; nothing if it says nothing. */
void embed_wire_said(str body, struct buf *out);

#endif
