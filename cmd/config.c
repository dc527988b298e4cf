/*
 * Values are set through config_keys: a path leads to a type and an offset.
 * Strings live in a chain of blocks hanging at cfg->owned, released together.
 */
#include "cmd/config.h"
#include "cmd/config_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "cmd/duration.h"

enum { SECTION_CAP = 128 };

struct block {
    struct block *next;
    char bytes[];
};

static void *
own(struct config *cfg, size_t len)
{
    struct block *block = calloc(1, sizeof(*block) + len);

    if (!block)
        return NULL;
    block->next = cfg->owned;
    cfg->owned = block;
    return block->bytes;
}

static const char *
own_text(struct config *cfg, str text)
{
    char *copy = own(cfg, text.len + 1);

    if (copy && text.len)
        memcpy(copy, text.ptr, text.len);
    return copy;
}

void
config_fini(struct config *cfg)
{
    for (struct block *block = cfg->owned; block;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    *cfg = (struct config){0};
}

static enum err
parse_bytes(str text, uint64_t *out)
{
    static const struct {
        str suffix;
        unsigned shift;
    } units[] = {{STR_INIT("GiB"), 30}, {STR_INIT("MiB"), 20},
                 {STR_INIT("KiB"), 10}, {STR_INIT("G"), 30},
                 {STR_INIT("M"), 20},   {STR_INIT("K"), 10}};
    unsigned shift = 0;
    size_t digits = 0;
    uint64_t number = 0;

    while (digits < text.len && text.ptr[digits] >= '0' &&
           text.ptr[digits] <= '9' && digits < 15)
        number = number * 10 + (uint64_t)(text.ptr[digits++] - '0');
    str rest = str_cut(text, digits, text.len);
    for (size_t i = 0; rest.len && i < sizeof(units) / sizeof(units[0]); i++) {
        if (str_eq(rest, units[i].suffix))
            shift = units[i].shift;
    }
    if (digits == 0 || (rest.len && shift == 0) || number >> (63 - shift))
        return ERR_INVALID;
    *out = number << shift;
    return OK;
}

static enum err
parse_bool(str text, bool *out)
{
    *out = str_eq(text, STR("true"));
    return *out || str_eq(text, STR("false")) ? OK : ERR_INVALID;
}

static bool
is_choice(const char *choices, str text)
{
    for (const char *at = choices; *at;) {
        size_t len = strcspn(at, " ");
        if (str_eq(text, (str){at, len}))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

static enum err
parse_number(const struct config_key *key, str text, uint64_t *out)
{
    enum err err;

    if (key->type == CONFIG_DURATION)
        err = duration_parse(text, out);
    else
        err = parse_bytes(text, out);
    if (!err && key->type == CONFIG_UINT &&
        (text.ptr[text.len - 1] < '0' || text.ptr[text.len - 1] > '9'))
        err = ERR_INVALID;
    if (!err && (*out < key->least || *out > key->most))
        err = ERR_INVALID;
    return err;
}

static enum err
append_item(struct config *cfg, struct config_list *list, str text)
{
    const char **item = own(cfg, (list->len + 1) * sizeof(*item));

    if (!item)
        return ERR_NOMEM;
    if (list->len)
        memcpy(item, list->item, list->len * sizeof(*item));
    item[list->len] = own_text(cfg, text);
    if (!item[list->len])
        return ERR_NOMEM;
    list->item = item;
    list->len++;
    return OK;
}

static const char *
takes(const struct config_key *key, char *text, size_t cap)
{
    char least[DURATION_TEXT_CAP];
    char most[DURATION_TEXT_CAP];

    switch (key->type) {
    case CONFIG_BOOL:
        return "true or false";
    case CONFIG_CHOICE:
        (void)snprintf(text, cap, "one of: %s", key->choices);
        return text;
    case CONFIG_DURATION:
        (void)snprintf(text, cap, "a duration from %s to %s",
                       duration_text(key->least, least),
                       duration_text(key->most, most));
        return text;
    case CONFIG_BYTES:
    case CONFIG_UINT:
        (void)snprintf(text, cap, "%s from %llu to %llu",
                       key->type == CONFIG_UINT ? "a whole number"
                                                : "a size such as 64MiB,",
                       (unsigned long long)key->least,
                       (unsigned long long)key->most);
        return text;
    case CONFIG_STR:
    case CONFIG_FILE:
    case CONFIG_LIST:
    case CONFIG_HEADERS:
        break;
    }
    return "text";
}

static enum err
set_key(struct config *cfg, const struct config_key *key, str text,
        struct buf *why)
{
    char *at = (char *)cfg + key->offset;
    enum err err = OK;

    switch (key->type) {
    case CONFIG_BOOL: {
        bool yes;
        if (!(err = parse_bool(text, &yes)))
            memcpy(at, &yes, sizeof(yes));
        break;
    }
    case CONFIG_UINT:
    case CONFIG_BYTES:
    case CONFIG_DURATION: {
        uint64_t number = 0;
        if (!(err = text.len ? parse_number(key, text, &number) : ERR_INVALID))
            memcpy(at, &number, sizeof(number));
        break;
    }
    case CONFIG_CHOICE:
        err = is_choice(key->choices, text) ? OK : ERR_INVALID;
        /* fall through */
    case CONFIG_STR:
    case CONFIG_FILE: {
        const char *copy = err ? NULL : own_text(cfg, text);
        if (copy)
            memcpy(at, &copy, sizeof(copy));
        else if (!err)
            err = ERR_NOMEM;
        break;
    }
    case CONFIG_LIST:
    case CONFIG_HEADERS: {
        struct config_list list;
        memcpy(&list, at, sizeof(list));
        if (!(err = append_item(cfg, &list, text)))
            memcpy(at, &list, sizeof(list));
        break;
    }
    }
    if (err == ERR_INVALID) {
        char text_cap[256];
        buf_printf(why, "%s takes %s, not \"", key->path,
                   takes(key, text_cap, sizeof(text_cap)));
        utf8_clean(why, text, CONFIG_QUOTED_MAX);
        buf_add(why, STR("\""));
        /* {key: ${env:X}} is a mapping after a "$". */
        if (str_eq(text, STR("$")))
            buf_add(why, STR("; inside braces, quote it: \"${env:NAME}\""));
    }
    return err;
}

/* The section as deep as |path| whose name is nearest to it, if one is near. */
static void
nearest_section(const char *path, char out[SECTION_CAP])
{
    size_t depth = 0;

    for (const char *at = path; *at; at++)
        depth += *at == '.';
    for (size_t i = 0; i < config_key_len && !*out; i++) {
        const char *whole = config_keys[i].path;
        size_t len = 0;
        char cut[SECTION_CAP];
        const char *name = cut;

        for (size_t dots = 0; whole[len]; len++)
            if (whole[len] == '.' && dots++ == depth)
                break;
        (void)snprintf(cut, sizeof(cut), "%.*s", (int)len, whole);
        if (whole[len] == '.' && nearest_name(&name, 1, str_of(path)))
            memcpy(out, cut, sizeof(cut));
    }
}

/* Says that |path| is no key, and which one was probably meant. */
static void
complain(const char *path, struct buf *why)
{
    const char **names = calloc(config_key_len, sizeof(*names));
    size_t len = names ? config_key_len : 0;
    char section[SECTION_CAP] = "";

    for (size_t i = 0; i < len; i++)
        names[i] = config_keys[i].path;
    const char *near = nearest_name(names, len, str_of(path));
    free(names);

    if (!near)
        nearest_section(path, section);
    buf_add(why, STR("unknown key "));
    utf8_clean(why, str_of(path), CONFIG_QUOTED_MAX);
    if (near || *section)
        buf_printf(why, "; did you mean %s?", near ? near : section);
}

static const struct config_alias *
find_alias(const char *path)
{
    for (size_t i = 0; i < config_alias_len; i++) {
        if (strcmp(config_aliases[i].path, path) == 0)
            return &config_aliases[i];
    }
    return NULL;
}

const struct config_key *
config_find(const char *path)
{
    const struct config_alias *alias = find_alias(path);

    path = alias ? alias->key : path;
    for (size_t i = 0; i < config_key_len; i++) {
        if (strcmp(config_keys[i].path, path) == 0)
            return &config_keys[i];
    }
    return NULL;
}

enum err
config_set(struct config *cfg, const char *path, const char *value,
           struct buf *why)
{
    const struct config_key *key = config_find(path);
    const struct config_alias *alias = find_alias(path);
    struct buf text = {0};
    enum err err = ERR_INVALID;

    buf_printf(&text, "%s%s", value, alias ? alias->unit : "");
    if (!key)
        complain(path, why);
    else
        err = text.failed ? ERR_NOMEM : set_key(cfg, key, buf_str(&text), why);
    buf_fini(&text);
    return err;
}

/* A name without a slash is more likely the address of before than a socket in
 * the folder where the service happens to be started. */
static enum err
settle_listener(struct config *cfg, struct config_listener *listener,
                const char *key, struct buf *why)
{
    struct buf text = {0};

    if (strncmp(listener->endpoint, "unix:", 5) == 0) {
        listener->transport = "unix";
        return OK;
    }
    if (strcmp(listener->transport, "unix") != 0)
        return OK;
    if (!strchr(listener->endpoint, '/')) {
        buf_printf(why,
                   "%s: with transport unix the endpoint is the socket's path, "
                   "as /run/spangraph/otlp.sock, not \"%s\"",
                   key, listener->endpoint);
        return ERR_INVALID;
    }
    buf_printf(&text, "unix:%s", listener->endpoint);
    listener->endpoint = text.failed ? NULL : own_text(cfg, buf_str(&text));
    buf_fini(&text);
    return listener->endpoint ? OK : ERR_NOMEM;
}

enum err
config_settle(struct config *cfg, struct buf *why)
{
    enum err err =
        settle_listener(cfg, &cfg->grpc, "receivers.otlp.protocols.grpc", why);

    if (!err)
        err = settle_listener(cfg, &cfg->http, "receivers.otlp.protocols.http",
                              why);
    return err ? err : settle_listener(cfg, &cfg->query, "query", why);
}

enum err
config_init(struct config *cfg)
{
    struct buf why = {0};
    enum err err = OK;

    *cfg = (struct config){0};
    for (size_t i = 0; !err && i < config_key_len; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->type != CONFIG_LIST && key->type != CONFIG_HEADERS)
            err = set_key(cfg, key, str_of(key->fallback), &why);
    }
    buf_fini(&why);
    return err;
}

enum err
config_split_endpoint(const char *endpoint, char *host, size_t cap,
                      uint16_t *port)
{
    const char *colon = strrchr(endpoint, ':');
    size_t len;
    char *end = NULL;

    if (strncmp(endpoint, "unix:", 5) == 0) {
        *port = 0;
        len = strlen(endpoint);
        if (len == 5 || len >= cap)
            return ERR_INVALID;
        memcpy(host, endpoint, len + 1);
        return OK;
    }
    if (!colon || colon[1] == '\0')
        return ERR_INVALID;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (*end || number > UINT16_MAX)
        return ERR_INVALID;
    len = (size_t)(colon - endpoint);
    if (len >= 2 && endpoint[0] == '[' && endpoint[len - 1] == ']') {
        endpoint++;
        len -= 2;
    }
    str name = {endpoint, len};
    if (str_eq(name, STR("localhost")))
        name = STR("127.0.0.1");
    if (name.len == 0)
        name = STR("0.0.0.0");
    if (name.len >= cap)
        return ERR_INVALID;
    memcpy(host, name.ptr, name.len);
    host[name.len] = '\0';
    *port = (uint16_t)number;
    return OK;
}
