/*
 * An id is a hash of what makes an entity this one: its type, project, source,
 * category and title.  The same title in two projects is two entities, and an
 * id that is taken is never written over: a number is put behind and hashed
 * again.
 */
#include "knowledge/entity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { ID_HEX_BYTES = 8, CLASH_MAX = 1000, DESCRIPTION_CHARS = 200 };

const char *const entity_types[] = {
    "pattern",      "rule",          "template",  "topic",
    "episode",      "procedure",     "tool",      "language",
    "config_file",  "slash_command", "project",   "epic",
    "task",         "milestone",     "team",      "error_pattern",
    "note",         "decision",      "plan",      "idea",
    "claim",        "guide",         "artifact",  "skill",
    "moc",          "technique",     "framework", "exploration",
    "obligation",   "condition",     "concept",   "person",
    "organization", "event",         "location",  "date",
    "amount",       "source",        "document",  "community",
    NULL,
};

const char *
entity_type_of(str word)
{
    for (size_t i = 0; entity_types[i]; i++)
        if (text_same(str_of(entity_types[i]), word))
            return entity_types[i];
    return NULL;
}

enum object_world
entity_world(const char *type)
{
    if (strcmp(type, "source") == 0 || strcmp(type, "document") == 0)
        return WORLD_DOC;
    return strcmp(type, "community") == 0 ? WORLD_COMMUNITY : WORLD_KNOWLEDGE;
}

void
entity_fini(struct entity *entity)
{
    object_fini(&entity->object);
    buf_fini(&entity->description);
    buf_fini(&entity->content);
    buf_fini(&entity->category);
    cJSON_Delete(entity->metadata);
    *entity = (struct entity){0};
}

/* The columns of an entity begin at 9 (store/knowledge_sql.c). */
static enum err
read_entity(const struct ks_value *row, struct entity *out)
{
    out->object.oid = row[0].num;
    buf_add(&out->object.gid, row[1].text);
    out->object.world = (enum object_world)row[2].num;
    snprintf(out->object.type, sizeof(out->object.type), "%.*s",
             (int)row[3].text.len, row[3].text.ptr);
    buf_add(&out->object.name, row[4].text);
    buf_add(&out->object.domain, row[5].text);
    out->object.created_s = (uint32_t)row[6].num;
    out->object.updated_s = (uint32_t)row[7].num;
    out->object.is_gone = row[8].num != 0;
    buf_add(&out->description, row[9].text);
    buf_add(&out->content, row[10].text);
    buf_add(&out->category, row[11].text);
    out->project = row[12].num;
    out->source = row[13].num;
    out->valid_from = (uint32_t)row[14].num;
    out->valid_until = (uint32_t)row[15].num;
    out->revision = row[16].num;
    out->metadata = cJSON_ParseWithLength(row[18].text.ptr, row[18].text.len);
    return out->metadata && !out->content.failed && !out->object.name.failed &&
                   !out->object.gid.failed
               ? OK
               : ERR_NOMEM;
}

enum err
entity_get(struct moment *moment, int64_t oid, struct entity *out)
{
    const struct ks_value *row;
    enum err err = ERR_NOT_FOUND;

    *out = (struct entity){0};
    if (!moment->store)
        return err;
    ks_ask(moment->store, KS_ENTITY, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_ENTITY, &row))
        err = read_entity(row, out);
    enum err end = ks_end(moment->store, KS_ENTITY);
    return end ? end : err;
}

/* ---- checks ---- */

static enum err
check_text(struct moment *moment, const char *what, str text, size_t max)
{
    if (text_trim(text).len == 0)
        return moment_fail(moment, ERR_INVALID, "%s cannot be empty", what);
    if (text_chars(text) > max)
        return moment_fail(moment, ERR_INVALID, "%s exceeds %zu characters",
                           what, max);
    if (!utf8_valid(text))
        return moment_fail(moment, ERR_INVALID, "%s is not UTF-8", what);
    return OK;
}

static enum err
check_new(struct moment *moment, const struct entity_new *add)
{
    enum err err = check_text(moment, "Title", add->title, ENTITY_TITLE_MAX);

    if (!err)
        err = check_text(moment, "Content", add->content, ENTITY_CONTENT_MAX);
    if (!err && add->category.len > ENTITY_WORD_MAX)
        err = moment_fail(moment, ERR_INVALID, "category exceeds %d bytes",
                          ENTITY_WORD_MAX);
    if (!err && add->valid_until && add->valid_from > add->valid_until)
        err = moment_fail(moment, ERR_INVALID,
                          "valid_from is later than valid_until");
    return err;
}

/* ---- ids ---- */

static void
make_id(const struct entity_new *add, unsigned clash, struct buf *out)
{
    unsigned char hash[SHA256_LEN];
    char number[96];
    str end = {"", 1}; /* a NUL */

    snprintf(number, sizeof(number), "%lld %lld %u", (long long)add->project,
             (long long)add->source, clash);
    const str parts[] = {
        str_of(add->type),
        end,
        add->identity.len ? add->identity : add->title,
        end,
        add->identity.len ? STR("") : add->category,
        end,
        add->identity.len ? STR("") : str_of(number),
    };
    hash_sha256(parts, sizeof(parts) / sizeof(parts[0]), hash);
    buf_printf(out, "%s_", add->type);
    buf_add_hex(out, (str){(const char *)hash, ID_HEX_BYTES});
}

str
entity_id_tail(str gid)
{
    for (size_t i = gid.len; i > 0; i--)
        if (gid.ptr[i - 1] == '_' || gid.ptr[i - 1] == ':')
            return str_cut(gid, i, gid.len);
    return gid;
}

/* The first id that is free; |taken| is the oid of who has it, where an
 * identity may be had only once. */
static enum err
choose_id(struct moment *moment, const struct entity_new *add, struct buf *out,
          int64_t *taken)
{
    enum err err = OK;

    *taken = 0;
    for (unsigned clash = 0; clash < CLASH_MAX && !err; clash++) {
        const struct ks_value *row;
        int64_t oid = 0;

        buf_reset(out);
        make_id(add, clash, out);
        ks_ask(moment->store, KS_OBJECT_BY_GID, KS_ARGS(ks_text(buf_str(out))));
        if (ks_next(moment->store, KS_OBJECT_BY_GID, &row))
            oid = row[0].num;
        err = ks_end(moment->store, KS_OBJECT_BY_GID);
        if (err || !oid)
            return err;
        if (add->identity.len) {
            *taken = oid;
            return OK;
        }
    }
    return err ? err
               : moment_fail(moment, ERR_INVALID,
                             "there are %d of that title already", CLASH_MAX);
}

/* ---- adding ---- */

static void
describe(const struct entity_new *add, struct buf *out)
{
    str from = add->description.len ? add->description : add->content;
    str text = text_cut(text_trim(from), DESCRIPTION_CHARS);
    size_t line = 0;

    while (line < text.len && text.ptr[line] != '\n')
        line++;
    utf8_clean(out, str_cut(text, 0, line), SIZE_MAX);
}

static enum err
insert(struct moment *moment, const struct entity_new *add, struct object *out)
{
    struct knowledge_store *store = moment->store;
    unsigned char hash[SHA256_LEN];
    struct buf description = {0};
    char *metadata =
        add->metadata ? cJSON_PrintUnformatted(add->metadata) : strdup("{}");
    enum err err = metadata ? OK : ERR_NOMEM;

    describe(add, &description);
    hash_sha256(&add->content, 1, hash);
    if (!err && strlen(metadata) > ENTITY_METADATA_MAX)
        err = moment_fail(moment, ERR_INVALID, "metadata exceeds %d bytes",
                          ENTITY_METADATA_MAX);
    if (!err && description.failed)
        err = ERR_NOMEM;
    if (!err)
        err = ks_run(store, KS_OBJECT_ADD,
                     KS_ARGS(ks_text(buf_str(&out->gid)), ks_int(out->world),
                             ks_cstr(add->type), ks_text(buf_str(&out->name)),
                             ks_text(add->category), ks_int(moment->now_s)));
    if (!err) {
        out->oid = ks_last_id(store);
        err = ks_run(store, KS_ENTITY_ADD,
                     KS_ARGS(ks_int(out->oid), ks_text(buf_str(&description)),
                             ks_text(add->content), ks_text(add->category),
                             ks_int(add->project), ks_int(add->source),
                             ks_int(add->valid_from), ks_int(add->valid_until),
                             ks_blob(hash, sizeof(hash)), ks_cstr(metadata)));
    }
    free(metadata);
    buf_fini(&description);
    return err;
}

enum err
entity_add(struct moment *moment, const struct entity_new *add,
           struct object *out, bool *is_new)
{
    int64_t taken = 0;
    enum err err = check_new(moment, add);

    *out = (struct object){.world = entity_world(add->type)};
    *is_new = false;
    if (!err)
        err = choose_id(moment, add, &out->gid, &taken);
    if (!err && taken) {
        object_fini(out);
        return object_of_oid(moment, taken, out);
    }
    snprintf(out->type, sizeof(out->type), "%s", add->type);
    out->created_s = out->updated_s = moment->now_s;
    utf8_clean(&out->name, text_trim(add->title), SIZE_MAX);
    if (!err && (out->name.failed || out->gid.failed))
        err = ERR_NOMEM;
    if (!err)
        err = insert(moment, add, out);
    if (!err)
        *is_new = true;
    else
        object_fini(out);
    return err;
}

enum err
entity_expire(struct moment *moment, int64_t oid, uint32_t until_s)
{
    return ks_run(moment->store, KS_ENTITY_EXPIRE,
                  KS_ARGS(ks_int(oid), ks_int(until_s)));
}

/* ---- facets ---- */

enum err
entity_facet(struct moment *moment, int64_t oid, const char *facet, str value)
{
    value = text_trim(value);
    if (value.len == 0 || value.len > ENTITY_WORD_MAX || !utf8_valid(value))
        return moment_fail(moment, ERR_INVALID,
                           "a %s must have 1 to %d bytes of text", facet,
                           ENTITY_WORD_MAX);
    return ks_run(moment->store, KS_FACET_ADD,
                  KS_ARGS(ks_int(oid), ks_cstr(facet), ks_text(value)));
}

enum err
entity_facets(struct moment *moment, int64_t oid, cJSON **out)
{
    const struct ks_value *row;

    *out = cJSON_CreateObject();
    if (!moment->store || !*out)
        return *out ? OK : ERR_NOMEM;
    ks_ask(moment->store, KS_FACETS, KS_ARGS(ks_int(oid)));
    while (ks_next(moment->store, KS_FACETS, &row)) {
        char facet[16];
        char value[ENTITY_WORD_MAX + 1];

        snprintf(facet, sizeof(facet), "%.*s", (int)row[0].text.len,
                 row[0].text.ptr);
        snprintf(value, sizeof(value), "%.*s", (int)row[1].text.len,
                 row[1].text.ptr);
        cJSON *array = cJSON_GetObjectItemCaseSensitive(*out, facet);
        if (!array)
            array = cJSON_AddArrayToObject(*out, facet);
        cJSON_AddItemToArray(array, cJSON_CreateString(value));
    }
    return ks_end(moment->store, KS_FACETS);
}
