/*
 * links - typed links between any two objects, and those found in text.
 *
 * A link is opinion: it never enters a Merkle root.  Its type is one of a
 * closed list, written in capitals; a target that names nothing is kept as a
 * broken link, to be told and to be mended.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_LINKS_H
#define KNOWLEDGE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knowledge/object.h"

/* link_type_of reads a type in any case; NULL: there is none such. */
const char *link_type_of(str word);
/* link_types is all of them, ending with NULL. */
extern const char *const link_types[];
/* link_type_reverse is the type that says the same the other way round
 * (BELONGS_TO, CONTAINS); NULL: none does. */
const char *link_type_reverse(const char *type);

struct link {
    int64_t id;
    int64_t other; /* oid */
    bool is_out;
    const char *type;
    double weight;
    char provenance[16]; /* declared, mention, lexical, inherited, derived */
    uint32_t created_s;
};
struct link_list {
    struct link *items;
    size_t len;
    size_t cap;
};
void link_list_fini(struct link_list *list);

enum link_way { LINK_OUT = 1, LINK_IN = 2, LINK_BOTH = 3 };
/* links_of appends those of |oid|, of |type| or NULL. */
enum err links_of(struct moment *moment, int64_t oid, enum link_way way,
                  const char *type, struct link_list *out);

/* link_add joins |src| and |dst|; again is no error, and keeps the stronger.
 * |metadata|: JSON text, or NULL. */
struct link_ends {
    int64_t src;
    int64_t dst;
};
enum err
link_add(struct moment *moment, struct link_ends ends, const char *type,
         double weight, const char *provenance, const char *metadata);
/* link_broken keeps what names nothing. */
enum err
link_broken(struct moment *moment, int64_t src, str target, const char *type);

/*
 * links_mention finds what |text| names by itself - `GET /pay`, services,
 * qualified or unique symbols, files, ids - and links |src| to each
 * by |type|; |count| is how many.  LINKS_MENTION_MAX at most.
 */
enum { LINKS_MENTION_MAX = 50 };
enum err links_mention(struct moment *moment, int64_t src, str text,
                       const char *type, size_t *count);

/* mention_find is the finding alone: objects, each once, in order. */
enum err mention_find(struct moment *moment, str text, struct object_list *out);

#endif
