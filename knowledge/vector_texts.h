/*
 * vector_texts - what a vector is made of: one text for each object that search
 * finds, in plain words.
 *
 * Of what was added: its name, kind and text, of a document each chunk with
 * heading and title.  Of code: kind, name, signature, where it stands and what
 * it says.  Of traces: kind, name and service.  Nothing of what calls what, so
 * that a change of one function changes one text.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_VECTOR_TEXTS_H
#define KNOWLEDGE_VECTOR_TEXTS_H

#include "base/hash.h"
#include "knowledge/near.h"

/* Bits, in the order in which they are served. */
enum vector_world {
    VECTOR_KNOWLEDGE = 1,
    VECTOR_TRACES = 2,
    VECTOR_CODE = 4,
    VECTOR_WORLDS = 7,
};

struct vector_item {
    uint64_t number;  /* oid of the text, vertex or node */
    int64_t document; /* of a chunk; 0: none */
    struct digest128 hash;
    uint8_t world;
};
struct vector_items {
    struct vector_item *items;
    size_t len;
    size_t cap;
};
void vector_items_fini(struct vector_items *items);

/* Where texts are read.  The joined graph is not needed, which costs reading
 * all edges. */
struct vector_place {
    struct moment *moment;
    const struct code *code; /* NULL: none */
    size_t max;              /* bytes of a text that count */
};

/* vector_texts_read appends an item for each text of |world|.  As the moment;
 * ERR_NOMEM. */
enum err vector_texts_read(const struct vector_place *place,
                           enum vector_world world, struct vector_items *out);

/* vector_texts_of fills the empty |out| with the text of |item| as it is now;
 * nothing if it is no more. */
enum err vector_texts_of(const struct vector_place *place,
                         const struct vector_item *item, struct buf *out);

/* vector_item_spot is where search finds it; |chunk| is filled, 0: none. */
near_spot vector_item_spot(const struct vector_item *item, int64_t *chunk);

#endif
