/*
 * vectors_parts - what the files behind knowledge/vectors.h share.  Not for
 * others.
 *
 * Threads    Only the filler changes anything; what others read it changes
 *            under |lock|, and reads itself without.
 */
#ifndef KNOWLEDGE_VECTORS_PARTS_H
#define KNOWLEDGE_VECTORS_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "knowledge/vector_matrix.h"
#include "knowledge/vector_table.h"
#include "knowledge/vectors.h"

enum { VECTOR_LISTS = 3 };

/* A row of the matrix: a vector that is stored. */
struct vector_row {
    int64_t id; /* 0: the row is empty */
    struct digest128 hash;
    uint32_t text; /* one more than that in the index; 0: nobody has it */
};

/* A text, and the objects that have it. */
struct vector_text {
    struct digest128 hash;
    uint32_t row;   /* one more than its row; 0: none */
    uint32_t first; /* item */
    bool is_refused;
    bool is_skipped; /* it was another when it was to be sent */
};

/* What there is, at one moment. */
struct vector_index {
    struct vector_item *items;
    uint32_t *next; /* of an item: one more than the next with its text */
    size_t len;
    struct vector_text *texts;
    size_t text_len;
    struct vector_table by_hash;
    const struct code *code; /* held: that items of code are of */
};

struct vectors {
    struct vectors_cfg cfg;
    struct embed_query *query;
    atomic_bool is_poked;
    pthread_rwlock_t lock;

    /* Under the lock. */
    struct vector_matrix matrix; /* |dim| 0: nothing is known yet */
    struct vector_row *rows;
    size_t row_cap;
    struct vector_index *index; /* NULL: not looked yet */
    struct vectors_status status;

    /* The filler's. */
    struct vector_table by_row; /* from a hash to one more than the row */
    struct vector_items lists[VECTOR_LISTS];
    bool is_read[VECTOR_LISTS];
    int64_t revision;        /* of what was added, when it was read */
    const struct code *code; /* held: that the list of code is of */
    uint64_t traces_ms;      /* when those of the traces were read */
    int64_t last_id;         /* of the vectors that load has seen */
    bool is_whole;           /* all that is there was seen */
    bool may_write;
    bool has_foreign; /* vectors of another model may be stored */
    struct vector_table refused;
    size_t cursor;     /* texts before it need not be looked at */
    size_t batch;      /* texts of the next request */
    uint32_t refusals; /* of single texts, without a success between */
    uint32_t failures;
    uint64_t look_ms;
    uint64_t ask_ms;
};

void vectors_index_free(struct vector_index *index);

/* vectors_set_dim begins the matrix. */
void vectors_set_dim(struct vectors *vectors, uint32_t dim);
/* vectors_keep adds a row, and tells the index; ERR_FULL, ERR_NOMEM. */
enum err vectors_keep(struct vectors *vectors, int64_t id,
                      struct digest128 hash, const float *unit);
bool vectors_is_full(const struct vectors *vectors);
/* vectors_count tells how many there are of what. */
void vectors_count(struct vectors *vectors);
void vectors_fail(struct vectors *vectors, uint32_t now_s, str why);

/* vectors_look reads what has changed and removes what nobody has any more. */
enum err vectors_look(struct vectors *vectors, const struct vectors_host *host,
                      uint64_t now_ms, struct buf *why);

/* vectors_wrote: a writing moment was committed, in which the revision was
 * |revision|. */
static inline void
vectors_wrote(struct vectors *v, int64_t revision)
{
    if (v->revision == revision)
        v->revision++;
}

#endif
