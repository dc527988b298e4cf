/*
 * The configuration file read again while the service runs.
 */
#include <string.h>

#include "cmd/config.h"
#include "cmd/config_keys.h"

/* What nothing but the main thread reads, and each time anew. */
static const char *const live[] = {
    "receivers.otlp.auth.tokens", "query.auth.tokens",
    "admin.auth.tokens",          "forward.headers",
    "forward.auth.tokens",        "forward.timeout",
    "service.log.level",
};

bool
config_is_live(const struct config_key *key)
{
    for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
        if (strcmp(live[i], key->path) == 0)
            return true;
    }
    return false;
}

static bool
is_same_list(const struct config_list *a, const struct config_list *b)
{
    bool same = a->len == b->len;

    for (size_t i = 0; same && i < a->len; i++)
        same = strcmp(a->item[i], b->item[i]) == 0;
    return same;
}

static bool
is_same(const struct config_key *key, const char *a, const char *b)
{
    const char *texts[2];

    switch (key->type) {
    case CONFIG_BOOL:
        return memcmp(a, b, sizeof(bool)) == 0;
    case CONFIG_UINT:
    case CONFIG_BYTES:
    case CONFIG_DURATION:
        return memcmp(a, b, sizeof(uint64_t)) == 0;
    case CONFIG_STR:
    case CONFIG_FILE:
    case CONFIG_CHOICE:
        memcpy(&texts[0], a, sizeof(texts[0]));
        memcpy(&texts[1], b, sizeof(texts[1]));
        return strcmp(texts[0], texts[1]) == 0;
    case CONFIG_LIST:
    case CONFIG_HEADERS:
        break;
    }
    return is_same_list((const struct config_list *)(const void *)a,
                        (const struct config_list *)(const void *)b);
}

/* Without its last token a listener would ask nobody for one: that is to be
 * meant, not to happen to a file that is being edited. */
static bool
is_emptied(const struct config_key *key, const char *to, const char *from)
{
    return (key->type == CONFIG_LIST || key->type == CONFIG_HEADERS) &&
           ((const struct config_list *)(const void *)to)->len > 0 &&
           ((const struct config_list *)(const void *)from)->len == 0;
}

static enum err
take(struct config *cfg, const struct config_key *key, const char *from)
{
    char *to = (char *)cfg + key->offset;
    struct buf why = {0};
    struct config_list list;
    const char *text;
    enum err err = OK;

    switch (key->type) {
    case CONFIG_BOOL:
        memcpy(to, from, sizeof(bool));
        break;
    case CONFIG_UINT:
    case CONFIG_BYTES:
    case CONFIG_DURATION:
        memcpy(to, from, sizeof(uint64_t));
        break;
    case CONFIG_STR:
    case CONFIG_FILE:
    case CONFIG_CHOICE:
        memcpy(&text, from, sizeof(text));
        err = config_set(cfg, key->path, text, &why);
        break;
    case CONFIG_LIST:
    case CONFIG_HEADERS:
        memcpy(&list, from, sizeof(list));
        memset(to, 0, sizeof(list));
        for (size_t i = 0; i < list.len && !err; i++)
            err = config_set(cfg, key->path, list.item[i], &why);
        break;
    }
    buf_fini(&why);
    return err;
}

enum err
config_take(struct config *cfg, const struct config *fresh, struct buf *waiting)
{
    enum err err = OK;

    for (size_t i = 0; i < config_key_len && !err; i++) {
        const struct config_key *key = &config_keys[i];
        const char *to = (const char *)cfg + key->offset;
        const char *from = (const char *)fresh + key->offset;

        if (is_same(key, to, from))
            continue;
        if (config_is_live(key) && !is_emptied(key, to, from))
            err = take(cfg, key, from);
        else
            buf_printf(waiting, "%s%s", waiting->len ? " " : "", key->path);
    }
    return err;
}
