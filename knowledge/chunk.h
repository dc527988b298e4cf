/*
 * chunk - a document cut where its headings stand.
 *
 * A chunk begins at a heading of the first three levels and has 50 to 800
 * words: less is joined with what follows, more is cut between paragraphs.  A
 * fence is never cut, however long; one that is not closed ends with the
 * document.
 *
 * Threads    Any; pure functions.
 */
#ifndef KNOWLEDGE_CHUNK_H
#define KNOWLEDGE_CHUNK_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { CHUNK_WORDS_MIN = 50, CHUNK_WORDS_MAX = 800 };

struct chunk {
    str body; /* of the document */
    size_t words;
    struct buf heading; /* `Guide > Setup > Database` */
};
struct chunk_list {
    struct chunk *items;
    size_t len;
    size_t cap;
};
void chunk_list_fini(struct chunk_list *list);

/* chunk_split cuts |text|; the chunks, one behind the other, are all of it but
 * blank ends.  ERR_NOMEM. */
enum err chunk_split(str text, struct chunk_list *out);

/* chunk_title is the first heading of |text|, or empty. */
str chunk_title(str text);

#endif
