#include "index/yaml_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

enum { DEPTH_MAX = 64 };

/* What aliases may add to a stream, in values and in bytes of text: enough for
 * people, not for a bomb. */
enum { ANCHORS_MAX = 256, COPIED_MAX = 100000, COPIED_BYTES_MAX = 16 << 20 };

struct anchor {
    char *name;
    const cJSON *item;
};

struct builder {
    struct anchor anchors[ANCHORS_MAX];
    size_t anchor_len;
    size_t copied; /* values */
    size_t copied_bytes;
    bool takes_aliases;
    cJSON *root;
    cJSON *open[DEPTH_MAX]; /* mappings and sequences not yet closed */
    char *key[DEPTH_MAX];   /* of the value to come, in a mapping */
    size_t depth;
};

/* Puts |item|, which it takes, where the next value goes. */
static enum err
attach(struct builder *builder, cJSON *item)
{
    cJSON_bool added;

    if (!item)
        return ERR_NOMEM;
    if (builder->depth == 0) {
        builder->root = item;
        return OK;
    }
    cJSON *parent = builder->open[builder->depth - 1];
    char **key = &builder->key[builder->depth - 1];
    if (cJSON_IsArray(parent))
        added = cJSON_AddItemToArray(parent, item);
    else
        added = *key && cJSON_AddItemToObject(parent, *key, item);
    free(*key);
    *key = NULL;
    if (!added)
        cJSON_Delete(item);
    return added ? OK : ERR_INVALID;
}

static bool
is_bomb(const struct builder *builder)
{
    return builder->copied > COPIED_MAX ||
           builder->copied_bytes > COPIED_BYTES_MAX;
}

/* Counts |item| and all in it; its own key stays where it is. */
static void
count_copy(struct builder *builder, const cJSON *item)
{
    const cJSON *child;

    builder->copied++;
    if (cJSON_IsString(item))
        builder->copied_bytes += strlen(item->valuestring);
    cJSON_ArrayForEach(child, item)
    {
        if (is_bomb(builder))
            break;
        if (child->string)
            builder->copied_bytes += strlen(child->string);
        count_copy(builder, child);
    }
}

/* The item is complete only when it is closed; an alias within itself finds a
 * part of it, which the count bounds too. */
static enum err
keep_anchor(struct builder *builder, const yaml_char_t *name, const cJSON *item)
{
    if (!name || !builder->takes_aliases || builder->anchor_len == ANCHORS_MAX)
        return OK;
    char *copy = strdup((const char *)name);
    if (!copy)
        return ERR_NOMEM;
    builder->anchors[builder->anchor_len++] = (struct anchor){copy, item};
    return OK;
}

static enum err
take_alias(struct builder *builder, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const cJSON *item = NULL;

    if (!builder->takes_aliases ||
        (builder->depth && cJSON_IsObject(builder->open[builder->depth - 1]) &&
         !builder->key[builder->depth - 1]))
        return ERR_INVALID;
    for (size_t i = builder->anchor_len; i-- > 0 && !item;)
        if (strcmp(builder->anchors[i].name, name) == 0)
            item = builder->anchors[i].item;
    for (size_t i = 0; i < builder->depth && item; i++)
        if (builder->open[i] == item)
            item = NULL; /* within itself */
    if (!item)
        return ERR_INVALID;
    count_copy(builder, item);
    return is_bomb(builder) ? ERR_INVALID
                            : attach(builder, cJSON_Duplicate(item, true));
}

/* CloudFormation's `!Ref Name` is not that name but what it stands for: it is
 * given as the same is written within `!Sub`, `${Name}`. */
static cJSON *
scalar_item(const yaml_event_t *event)
{
    static const char *const references[] = {"!Ref", "!GetAtt", "!ImportValue"};
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    bool is_reference = false;

    for (size_t i = 0; tag && i < sizeof(references) / sizeof(*references); i++)
        is_reference |= strcmp(tag, references[i]) == 0;
    if (!is_reference)
        return cJSON_CreateString(text);
    struct buf variable = {0};
    buf_printf(&variable, "${%s}", text);
    cJSON *item =
        variable.failed ? NULL : cJSON_CreateString(buf_cstr(&variable));
    buf_fini(&variable);
    return item;
}

static enum err
take_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;

    if (builder->depth && cJSON_IsObject(builder->open[builder->depth - 1]) &&
        !builder->key[builder->depth - 1]) {
        builder->key[builder->depth - 1] = strdup(text);
        return builder->key[builder->depth - 1] ? OK : ERR_NOMEM;
    }
    cJSON *item = scalar_item(event);
    enum err err = attach(builder, item);
    return err ? err : keep_anchor(builder, event->data.scalar.anchor, item);
}

static enum err
open_item(struct builder *builder, cJSON *item, const yaml_char_t *anchor)
{
    if (builder->depth == DEPTH_MAX) {
        cJSON_Delete(item);
        return ERR_INVALID;
    }
    enum err err = attach(builder, item);
    if (err)
        return err;
    builder->open[builder->depth++] = item;
    return keep_anchor(builder, anchor, item);
}

static enum err
take_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(builder, event);
    case YAML_MAPPING_START_EVENT:
        return open_item(builder, cJSON_CreateObject(),
                         event->data.mapping_start.anchor);
    case YAML_SEQUENCE_START_EVENT:
        return open_item(builder, cJSON_CreateArray(),
                         event->data.sequence_start.anchor);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        builder->depth--;
        free(builder->key[builder->depth]);
        builder->key[builder->depth] = NULL;
        return OK; // NOLINT(clang-analyzer-unix.Malloc): freed just above
    case YAML_ALIAS_EVENT:
        return take_alias(builder, event);
    default:
        return OK;
    }
}

/* Reads up to the end of a document; |is_over| at the end of the stream. */
static enum err
build(struct builder *builder, yaml_parser_t *parser, bool *is_over,
      struct buf *why)
{
    bool ended = false;
    enum err err = OK;

    while (!err && !ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            buf_printf(why, "line %zu: %s", parser->problem_mark.line + 1,
                       parser->problem ? parser->problem : "not YAML");
            return ERR_INVALID;
        }
        err = take_event(builder, &event);
        if (err == ERR_INVALID)
            buf_printf(why,
                       "line %zu: an alias, a key that is no text, or too "
                       "deep",
                       event.start_mark.line + 1);
        *is_over = event.type == YAML_STREAM_END_EVENT;
        ended = *is_over || event.type == YAML_DOCUMENT_END_EVENT;
        yaml_event_delete(&event);
    }
    return err;
}

/* Between documents, and at the end: nothing is kept. */
static void
clear(struct builder *builder)
{
    for (size_t i = 0; i < DEPTH_MAX; i++) {
        free(builder->key[i]);
        builder->key[i] = NULL;
    }
    for (size_t i = 0; i < builder->anchor_len; i++)
        free(builder->anchors[i].name);
    builder->anchor_len = 0;
    builder->depth = 0;
    cJSON_Delete(builder->root);
    builder->root = NULL;
}

enum err
yaml_tree(str text, cJSON **out, struct buf *why)
{
    struct builder builder = {0};
    yaml_parser_t parser;
    bool is_over;

    *out = NULL;
    if (!yaml_parser_initialize(&parser))
        return ERR_NOMEM;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr,
                                 text.len);
    enum err err = build(&builder, &parser, &is_over, why);
    yaml_parser_delete(&parser);
    if (!err) {
        *out = builder.root;
        builder.root = NULL;
    }
    clear(&builder);
    return err;
}

enum err
yaml_documents(str text, yaml_document_fn *fn, void *ctx, struct buf *why)
{
    struct builder *builder = calloc(1, sizeof(*builder));
    yaml_parser_t parser;
    bool is_over = false;
    enum err err = OK;

    if (!builder)
        return ERR_NOMEM;
    if (!yaml_parser_initialize(&parser)) {
        free(builder);
        return ERR_NOMEM;
    }
    builder->takes_aliases = true;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr,
                                 text.len);
    while (!err && !is_over) {
        err = build(builder, &parser, &is_over, why);
        if (!err && builder->root)
            err = fn(ctx, builder->root);
        clear(builder);
    }
    yaml_parser_delete(&parser);
    free(builder);
    return err;
}

bool
yaml_is_named(str path)
{
    return str_ends(path, STR(".yml")) || str_ends(path, STR(".yaml"));
}
