#include "knowledge/groups_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/query_edges.h"
#include "knowledge/links.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { KEPT_MAX = 512, DESCRIBED = 200, MADE_OF_LEN = 16 };

static enum err
read_one(struct moment *moment, int64_t oid, struct groups_kept *out)
{
    struct entity entity = {0};
    struct link_list links = {0};
    struct group_kept *group = &out->items[out->len];
    enum err err = entity_get(moment, oid, &entity);
    const cJSON *level = NULL;

    if (!err && cJSON_GetObjectItemCaseSensitive(entity.metadata, "algo")) {
        level = cJSON_GetObjectItemCaseSensitive(entity.metadata,
                                                 "community_level");
        *group = (struct group_kept){.oid = oid,
                                     .level = level ? level->valueint : 0};
        err = links_of(moment, oid, LINK_OUT, "CONTAINS", &links);
        for (size_t i = 0; i < links.len && group->len < GROUPS_MAX; i++)
            if (strcmp(links.items[i].provenance, "derived") == 0)
                group->members[group->len++] = links.items[i].other;
        out->len += !err;
    }
    link_list_fini(&links);
    entity_fini(&entity);
    return err == ERR_NOT_FOUND ? OK : err;
}

enum err
groups_kept_read(struct moment *moment, struct groups_kept *out)
{
    const struct ks_value *row;
    int64_t oids[KEPT_MAX];
    size_t len = 0;

    *out = (struct groups_kept){0};
    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_OBJECTS, KS_ARGS(ks_cstr("community")));
    while (len < KEPT_MAX && ks_next(moment->store, KS_OBJECTS, &row))
        oids[len++] = row[0].num;
    enum err err = ks_end(moment->store, KS_OBJECTS);
    if (err)
        return err;
    out->items = calloc(len + 1, sizeof(*out->items));
    if (!out->items)
        return ERR_NOMEM;
    for (size_t i = 0; i < len && !err; i++)
        err = read_one(moment, oids[i], out);
    return err;
}

void
groups_kept_fini(struct groups_kept *kept)
{
    free(kept->items);
    *kept = (struct groups_kept){0};
}

static size_t
count_common(const struct group_kept *group, const int64_t *members, size_t len)
{
    size_t common = 0;

    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; k < group->len; k++)
            common += group->members[k] == members[i];
    return common;
}

int64_t
groups_kept_take(struct groups_kept *kept, int level, const int64_t *members,
                 size_t len)
{
    struct group_kept *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < kept->len; i++) {
        struct group_kept *group = &kept->items[i];
        size_t least = group->len < len ? group->len : len;

        if (group->is_taken || group->level != level)
            continue;
        size_t common = count_common(group, members, len);
        if (2 * common < least || common <= most)
            continue;
        best = group;
        most = common;
    }
    if (!best)
        return 0;
    best->is_taken = true;
    return best->oid;
}

enum err
groups_kept_write(struct moment *moment, int64_t oid,
                  const struct entity_new *add)
{
    static const unsigned char none[1];
    struct knowledge_store *store = moment->store;
    char *metadata = cJSON_PrintUnformatted(add->metadata);
    enum err err = metadata ? OK : ERR_NOMEM;

    if (!err)
        err = ks_run(store, KS_OBJECT_RENAME,
                     KS_ARGS(ks_int(oid), ks_text(text_trim(add->title)),
                             ks_int(moment->now_s)));
    if (!err)
        err = ks_run(store, KS_ENTITY_EDIT,
                     KS_ARGS(ks_int(oid),
                             ks_text(text_cut(add->content, DESCRIBED)),
                             ks_text(add->content), ks_text(add->category),
                             ks_blob(none, sizeof(none)), ks_int(0)));
    if (!err)
        err = ks_run(store, KS_ENTITY_METADATA,
                     KS_ARGS(ks_int(oid), ks_cstr(metadata)));
    if (!err)
        err = ks_run(store, KS_LINK_CLEAR,
                     KS_ARGS(ks_int(oid), ks_cstr("derived")));
    if (!err)
        err = entity_index(moment, oid);
    free(metadata);
    return err;
}

enum err
groups_kept_drop(struct moment *moment, const struct groups_kept *kept,
                 const int64_t *but, size_t len)
{
    enum err err = OK;

    for (size_t i = 0; i < kept->len && !err; i++) {
        int64_t oid = kept->items[i].oid;
        bool stays = false;

        for (size_t k = 0; k < len; k++)
            stays |= but[k] == oid;
        if (stays)
            continue;
        err = entity_unindex(moment, oid);
        if (!err)
            err = ks_run(moment->store, KS_OBJECT_DELETE, KS_ARGS(ks_int(oid)));
    }
    return err;
}

/* ---- what they are made of ---- */

struct made_of {
    char code[MADE_OF_LEN + 1];
    uint64_t edge; /* the last there is */
};

static enum err
read_made_of(const struct moment *moment, const struct code *code,
             struct made_of *out)
{
    uint64_t sum = 1;

    for (uint32_t i = 1; i < code->repo_len; i++)
        sum = hash_mix(sum ^ hash_bytes(code->repos[i].url, 0),
                       code->repos[i].generation);
    snprintf(out->code, sizeof(out->code), "%016llx", (unsigned long long)sum);
    return query_edge_last(moment->view, &out->edge);
}

enum err
groups_put_made(struct moment *moment, cJSON *metadata)
{
    struct made_of of;
    enum err err = read_made_of(moment, moment->joined->code, &of);

    if (err)
        return err;
    cJSON_AddStringToObject(metadata, "made_of", of.code);
    cJSON_AddNumberToObject(metadata, "made_of_edge", (double)of.edge);
    cJSON_AddNumberToObject(metadata, "made_at", moment->now_s);
    return OK;
}

static void
compare_made(const cJSON *metadata, const struct made_of *now,
             struct groups_age *out)
{
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(metadata, "made_of");
    const cJSON *edge =
        cJSON_GetObjectItemCaseSensitive(metadata, "made_of_edge");
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(metadata, "made_at");

    out->is_code_old =
        !cJSON_IsString(code) || strcmp(code->valuestring, now->code) != 0;
    out->is_traffic_old =
        !cJSON_IsNumber(edge) || edge->valuedouble != (double)now->edge;
    if (cJSON_IsNumber(at) && at->valuedouble > 0 &&
        at->valuedouble <= UINT32_MAX)
        out->made_s = (uint32_t)at->valuedouble;
}

enum err
groups_age_of(struct moment *moment, const struct code *code,
              struct groups_age *out)
{
    struct made_of of;
    struct groups_kept kept = {0};
    struct entity entity = {0};
    enum err err = OK;

    *out = (struct groups_age){0};
    if (!moment->view || !moment->store)
        return OK;
    err = read_made_of(moment, code, &of);
    if (!err)
        err = groups_kept_read(moment, &kept);
    if (!err && kept.len)
        err = entity_get(moment, kept.items[0].oid, &entity);
    if (!err && kept.len)
        compare_made(entity.metadata, &of, out);
    entity_fini(&entity);
    groups_kept_fini(&kept);
    return err;
}
