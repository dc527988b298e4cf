/*
 * resolve - from what somebody wrote to the one object it names.
 *
 * The readings are tried in this order, and the first that fits something
 * decides: 64 hex letters (node, vertex, repository); an id of what was added;
 * `type:rest` (knowledge/object.h; `code:` and `doc:` for any of that world,
 * `org:` and other words for what was added with that type and name); a
 * qualified name of traces (`checkout POST /buy`), of code; the end of one; the
 * name of what was added.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_RESOLVE_H
#define KNOWLEDGE_RESOLVE_H

#include "knowledge/object.h"

enum { RESOLVE_CANDIDATES = 5 };

/* Bits of worlds. */
#define IN_WORLD(world) (1U << (world))
#define IN_ANY_WORLD    0U
#define IN_KNOWLEDGE                                   \
    (IN_WORLD(WORLD_KNOWLEDGE) | IN_WORLD(WORLD_DOC) | \
     IN_WORLD(WORLD_COMMUNITY))

/*
 * object_resolve: what |text| names in |worlds|.
 *
 * ERR_NOT_FOUND  moment->why: `Entity not found: <text>` and its type, if it
 *                is of another world, or what is near in these
 * ERR_AMBIGUOUS  moment->why: `ambiguous: N candidates` and at most five ids
 */
enum err object_resolve(struct moment *moment, str text, unsigned worlds,
                        struct object *out);

/* object_find is the same without a word when there is none: ERR_NOT_FOUND and
 * ERR_AMBIGUOUS leave moment->why alone, and |candidates|, unless NULL, is what
 * |text| could be. */
enum err object_find(struct moment *moment, str text, unsigned worlds,
                     struct object *out, struct object_list *candidates);

#endif
