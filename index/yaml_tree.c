#include "index/yaml_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

enum { DEPTH_MAX = 64 };

struct builder {
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

static enum err
take_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;

    if (builder->depth && cJSON_IsObject(builder->open[builder->depth - 1]) &&
        !builder->key[builder->depth - 1]) {
        builder->key[builder->depth - 1] = strdup(text);
        return builder->key[builder->depth - 1] ? OK : ERR_NOMEM;
    }
    return attach(builder, cJSON_CreateString(text));
}

static enum err
open_item(struct builder *builder, cJSON *item)
{
    if (builder->depth == DEPTH_MAX) {
        cJSON_Delete(item);
        return ERR_INVALID;
    }
    enum err err = attach(builder, item);
    if (!err)
        builder->open[builder->depth++] = item;
    return err;
}

static enum err
take_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(builder, event);
    case YAML_MAPPING_START_EVENT:
        return open_item(builder, cJSON_CreateObject());
    case YAML_SEQUENCE_START_EVENT:
        return open_item(builder, cJSON_CreateArray());
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        builder->depth--;
        free(builder->key[builder->depth]);
        builder->key[builder->depth] = NULL;
        return OK;
    case YAML_ALIAS_EVENT:
        return ERR_INVALID;
    default:
        return OK;
    }
}

static enum err
build(struct builder *builder, yaml_parser_t *parser, struct buf *why)
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
        ended = event.type == YAML_DOCUMENT_END_EVENT ||
                event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return err;
}

enum err
yaml_tree(str text, cJSON **out, struct buf *why)
{
    struct builder builder = {0};
    yaml_parser_t parser;

    *out = NULL;
    if (!yaml_parser_initialize(&parser))
        return ERR_NOMEM;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr,
                                 text.len);
    enum err err = build(&builder, &parser, why);
    yaml_parser_delete(&parser);
    for (size_t i = 0; i < DEPTH_MAX; i++)
        free(builder.key[i]);
    if (!err) {
        *out = builder.root;
        builder.root = NULL;
    }
    cJSON_Delete(builder.root);
    return err;
}
