/*
 * entity - what was added: its types, its fields, its limits.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_ENTITY_H
#define KNOWLEDGE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "knowledge/object.h"

enum {
    ENTITY_TITLE_MAX = 200,     /* characters */
    ENTITY_CONTENT_MAX = 50000, /* characters */
    ENTITY_LIST_MAX = 50,       /* tags, assignees, ... */
    ENTITY_WORD_MAX = 100,      /* bytes of one of them */
    ENTITY_METADATA_MAX = 20000,
};

/* entity_type_of reads a type in any case; NULL: none such. */
const char *entity_type_of(str word);
/* entity_types is all of them, ending with NULL. */
extern const char *const entity_types[];
enum object_world entity_world(const char *type);

struct entity {
    struct object object;
    struct buf description;
    struct buf content;
    struct buf category;
    int64_t project; /* oid; 0: none */
    int64_t source;
    uint32_t valid_from;
    uint32_t valid_until; /* 0: holds */
    int64_t revision;
    cJSON *metadata; /* an object; tags, languages, ... are facets */
};
void entity_fini(struct entity *entity);

/* entity_get: ERR_NOT_FOUND without a word; |oid| is no entity. */
enum err entity_get(struct moment *moment, int64_t oid, struct entity *out);

/* entity_expire ends its validity: search leaves it out, its id still names
 * it. */
enum err entity_expire(struct moment *moment, int64_t oid, uint32_t until_s);

/* What is added.  All text is checked and cleaned. */
struct entity_new {
    const char *type; /* entity_type_of */
    str title;
    str content;
    str description; /* empty: the beginning of the content */
    str category;
    int64_t project;
    int64_t source;
    uint32_t valid_from;
    uint32_t valid_until;
    const cJSON *metadata; /* an object, or NULL */
    str identity; /* the id is made of it instead of the title; for what is
                     derived and made only once */
};

/*
 * entity_add adds one, without facets and links; |out| is its object, the
 * caller's to free.  An id that is taken is never written over: the next free
 * one is given, but for |identity|, whose object is returned as it is, and
 * |is_new| is false.
 *
 * ERR_INVALID  `Title cannot be empty`, `Content cannot be empty`,
 *              `Title exceeds 200 characters`, ...
 */
enum err entity_add(struct moment *moment, const struct entity_new *add,
                    struct object *out, bool *is_new);

/* entity_facet adds |value| as tag, language, technology, assignee, alias or
 * key.  ERR_INVALID: too long, or empty. */
enum err
entity_facet(struct moment *moment, int64_t oid, const char *facet, str value);
/* entity_facets gives an object of arrays, by facet. */
enum err entity_facets(struct moment *moment, int64_t oid, cJSON **out);

/* entity_index puts what is stored of |oid| - an entity or a chunk - into the
 * tables of search; after each change of it. */
enum err entity_index(struct moment *moment, int64_t oid);
enum err entity_unindex(struct moment *moment, int64_t oid);

/* entity_id_tail is the part of |gid| behind the type. */
str entity_id_tail(str gid);

#endif
