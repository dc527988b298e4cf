/*
 * Types are one list of literals, so a type can be told by its address.
 */
#include "knowledge/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

const char *const link_types[] = {
    "RELATED_TO",     "APPLIES_TO",     "REQUIRES",     "CONFLICTS_WITH",
    "SUPERSEDES",     "DOCUMENTED_IN",  "ENABLES",      "BREAKS",
    "PART_OF",        "DERIVED_FROM",   "CONTAINS",     "DEPENDS_ON",
    "CRAWLED_FROM",   "REFERENCES",     "BELONGS_TO",   "CHILD_OF",
    "MENTIONS",       "TOUCHES",        "BLOCKS",       "ASSIGNED_TO",
    "ENCOUNTERED",    "USES_PROCEDURE", "CONTRADICTS",  "SUPPORTS",
    "DECIDES",        "DUPLICATES",     "RESOLVES",     "CAUSES",
    "IMPLEMENTS",     "EXTENDS",        "IMPORTS",      "CALLS",
    "DEFINES",        "HANDLES",        "TESTS",        "USES",
    "OWNS",           "CREATED_BY",     "PRECEDES",     "FOLLOWS",
    "SIMILAR_TO",     "EXAMPLE_OF",     "INSTANCE_OF",  "LINKS_TO",
    "CLUSTERS",       "OBLIGATED_TO",   "PERMITTED_TO", "PROHIBITED_FROM",
    "CONDITIONAL_ON", "LOCATED_IN",     "OCCURRED_ON",  "PARTY_TO",
    "WORKS_FOR",      "MITIGATES",      NULL,
};

const char *
link_type_of(str word)
{
    for (size_t i = 0; link_types[i]; i++)
        if (text_same(str_of(link_types[i]), word))
            return link_types[i];
    return NULL;
}

const char *
link_type_reverse(const char *type)
{
    static const char *const pairs[][2] = {
        {"BELONGS_TO", "CONTAINS"},
        {"PRECEDES", "FOLLOWS"},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(type, pairs[i][side]) == 0)
                return pairs[i][!side];
    return NULL;
}

void
link_list_fini(struct link_list *list)
{
    free(list->items);
    *list = (struct link_list){0};
}

static enum err
append(struct link_list *list, const struct ks_value *row, bool is_out)
{
    if (!grow_room(list->items, list->len, list->cap))
        return ERR_NOMEM;
    struct link *link = &list->items[list->len];
    const char *type = link_type_of(row[2].text);
    if (!type)
        return OK; /* of a newer version */
    *link = (struct link){
        .id = row[0].num,
        .other = row[1].num,
        .is_out = is_out,
        .type = type,
        .weight = row[3].real,
        .created_s = (uint32_t)row[6].num,
    };
    snprintf(link->provenance, sizeof(link->provenance), "%.*s",
             (int)row[4].text.len, row[4].text.ptr);
    list->len++;
    return OK;
}

enum err
links_of(struct moment *moment, int64_t oid, enum link_way way,
         const char *type, struct link_list *out)
{
    static const enum ks_sql sqls[] = {KS_LINKS_OUT, KS_LINKS_IN};
    const struct ks_value *row;
    enum err err = OK;

    for (int i = 0; i < 2 && !err && moment->store; i++) {
        enum err added = OK;

        if (!((unsigned)way >> i & 1))
            continue;
        ks_ask(moment->store, sqls[i],
               KS_ARGS(ks_int(oid), ks_cstr(type ? type : "")));
        while (!added && ks_next(moment->store, sqls[i], &row))
            added = append(out, row, i == 0);
        err = ks_end(moment->store, sqls[i]);
        err = err ? err : added;
    }
    return err;
}

enum err
link_add(struct moment *moment, struct link_ends ends, const char *type,
         double weight, const char *provenance, const char *metadata)
{
    return ks_run(moment->store, KS_LINK_ADD,
                  KS_ARGS(ks_int(ends.src), ks_int(ends.dst), ks_cstr(type),
                          ks_real(weight), ks_cstr(provenance),
                          ks_cstr(metadata ? metadata : "{}"),
                          ks_int(moment->now_s)));
}

enum err
link_broken(struct moment *moment, int64_t src, str target, const char *type)
{
    return ks_run(moment->store, KS_BROKEN_ADD,
                  KS_ARGS(ks_int(src), ks_text(target), ks_cstr(type)));
}

enum err
links_mention(struct moment *moment, int64_t src, str text, const char *type,
              size_t *count)
{
    static const char metadata[] =
        "{\"auto_linked\":true,\"method\":\"mention\",\"score\":1}";
    struct object_list found = {0};
    enum err err = mention_find(moment, text, &found);

    *count = 0;
    for (size_t i = 0; i < found.len && !err; i++) {
        struct object *object = &found.items[i];

        err = object_register(moment, object);
        if (err || object->oid == src)
            continue;
        err = link_add(moment, (struct link_ends){src, object->oid}, type, 1,
                       "mention", metadata);
        *count += !err;
    }
    object_list_fini(&found);
    return err;
}
