/*
 * intent - what a question in plain words asks of the graph.
 *
 * A closed grammar of phrases, in any case; what fits none is to be searched.
 *
 * Threads    Any; a pure function.
 */
#ifndef KNOWLEDGE_INTENT_H
#define KNOWLEDGE_INTENT_H

#include "base/str.h"

enum intent_kind {
    INTENT_SEARCH,
    INTENT_CALLERS,
    INTENT_CALLEES,
    INTENT_PATH,
    INTENT_BLAST,
    INTENT_DEPENDS,
    INTENT_DEAD,
    INTENT_OVERVIEW,
    INTENT_WHAT_IS,
    INTENT_COUNT,
};
const char *intent_str(enum intent_kind kind);

struct intent {
    enum intent_kind kind;
    str first;  /* what it is about; of |query|; empty: nothing */
    str second; /* of a path, where to */
};
struct intent intent_of(str query);

/* intent_without_kind is |name| without a word for what it is, before or behind
 * it: `orders` of `orders service`.  A name may hold such a word itself, so the
 * whole is looked for first. */
str intent_without_kind(str name);

#endif
