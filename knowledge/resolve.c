/*
 * Each reading appends what fits to a list; the first reading with one is the
 * answer, with several it is ambiguous.  Traces are walked whole for it: ten
 * thousand names take less than a statement does (graph/query_nodes.c).
 */
#include "knowledge/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "graph/code_find.h"
#include "knowledge/entity.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"
#include "store/node_rows.h"

enum { FOUND_MAX = 64 };

struct finder {
    struct moment *moment;
    str text;
    unsigned worlds;
    struct object_list *out;
    size_t total; /* also those beyond FOUND_MAX */
};

static bool
wants(const struct finder *finder, enum object_world world)
{
    return !finder->worlds || finder->worlds & IN_WORLD(world);
}

static enum err
take(struct finder *finder, struct object *object)
{
    enum err err = OK;

    if (object->world != WORLD_NONE) {
        finder->total++;
        if (finder->out->len < FOUND_MAX)
            err = object_list_add(finder->out, object);
    }
    object_fini(object);
    return err;
}

static enum err
take_node(struct finder *finder, uint32_t node)
{
    struct object object;
    enum err err = object_of_node(finder->moment, node, &object);

    return err ? err : take(finder, &object);
}

static enum err
take_vertex(struct finder *finder, uint32_t vertex)
{
    struct object object;
    enum err err = object_of_vertex(finder->moment, vertex, &object);

    return err ? err : take(finder, &object);
}

/* ---- what was added ---- */

static enum err
take_oids(struct finder *finder, enum ks_sql sql, str type)
{
    struct knowledge_store *store = finder->moment->store;
    const struct ks_value *row;
    int64_t oids[8];
    size_t len = 0;
    enum err err;

    ks_ask(store, sql, KS_ARGS(ks_text(finder->text)));
    while (ks_next(store, sql, &row)) {
        enum object_world world = (enum object_world)row[2].num;
        bool is_type = type.len == 0 || str_eq(row[3].text, type);

        if (len < 8 && world <= WORLD_COMMUNITY && wants(finder, world) &&
            is_type)
            oids[len++] = row[0].num;
    }
    err = ks_end(store, sql);
    for (size_t i = 0; i < len && !err; i++) {
        struct object object;

        err = object_of_oid(finder->moment, oids[i], &object);
        if (!err)
            err = take(finder, &object);
    }
    return err;
}

static enum err
find_added(struct finder *finder)
{
    return finder->moment->store ? take_oids(finder, KS_OBJECT_BY_GID, STR(""))
                                 : OK;
}

static enum err
find_name(struct finder *finder)
{
    return finder->moment->store ? take_oids(finder, KS_OBJECT_BY_NAME, STR(""))
                                 : OK;
}

/* ---- hashes ---- */

static enum err
find_hash(struct finder *finder)
{
    const struct joined *joined = finder->moment->joined;
    unsigned char hash[SHA256_LEN];
    const struct query_find find = {.hash = hash};
    struct ids ids = {0};
    struct object object = {0};
    enum err err = OK;

    if (!str_read_hex(finder->text, hash, SHA256_LEN))
        return OK;
    if (finder->moment->view && wants(finder, WORLD_RUNTIME))
        err = query_find(finder->moment->view, &find, &ids);
    for (size_t i = 0; i < ids.len && !err; i++)
        err = take_node(finder, ids.ids[i]);
    ids_fini(&ids);
    if (err || !joined || !wants(finder, WORLD_CODE) || finder->out->len)
        return err;
    uint32_t vertex = code_by_hash(joined->code, hash);
    if (vertex)
        return take_vertex(finder, vertex);
    err = object_of_repo(finder->moment,
                         code_repo_by(joined->code, finder->text), &object);
    return err ? err : take(finder, &object);
}

/* ---- traces ---- */

/* `service@env:name` and `service name`, with and without the environment. */
static bool
is_node_called(const struct query_node *node, str rest, struct buf *form)
{
    bool is_owned = node->owner && node->kind != NODE_SERVICE;
    str owner = is_owned ? node->service : node->name;

    for (int i = 0; i < 4; i++) {
        buf_reset(form);
        buf_add(form, owner);
        if (i % 2 && node->env.len == 0)
            continue;
        if (i % 2)
            buf_printf(form, "@%.*s", (int)node->env.len, node->env.ptr);
        if (is_owned) {
            buf_add_char(form, i < 2 ? ':' : ' ');
            buf_add(form, node->name);
        }
        if (str_eq(buf_str(form), rest))
            return true;
    }
    return false;
}

/* Those of |ids| that are called |rest|; a name without a service only when
 * nothing is called so in full. */
static enum err
take_called(struct finder *finder, const struct ids *ids, str rest)
{
    struct query_view *view = finder->moment->view;
    struct buf form = {0};
    enum err err = OK;

    for (size_t i = 0; i < ids->len && !err; i++)
        if (is_node_called(query_node(view, ids->ids[i]), rest, &form))
            err = take_node(finder, ids->ids[i]);
    for (size_t i = 0; i < ids->len && !err && !finder->out->len; i++)
        if (str_eq(query_node(view, ids->ids[i])->name, rest))
            err = take_node(finder, ids->ids[i]);
    buf_fini(&form);
    return err;
}

/* As it is written before it is read as a route: the names of topics and
 * services may have braces. */
static enum err
find_nodes(struct finder *finder, uint32_t kinds, str rest)
{
    struct query_view *view = finder->moment->view;
    const struct query_find find = {.kinds = kinds};
    struct ids ids = {0};
    struct buf plain = {0};
    enum err err = OK;

    if (!view || !wants(finder, WORLD_RUNTIME))
        return OK;
    text_plain_route(rest, &plain);
    err = plain.failed ? ERR_NOMEM : query_find(view, &find, &ids);
    if (!err)
        err = take_called(finder, &ids, rest);
    if (!err && !finder->out->len)
        err = take_called(finder, &ids, buf_str(&plain));
    ids_fini(&ids);
    buf_fini(&plain);
    return err;
}

/* A route that a service declares and that was never seen is no node. */
struct declared {
    struct finder *finder;
    str rest;
};

static enum err
see_declared(void *ctx, const struct route_row *row)
{
    struct declared *asked = ctx;
    struct moment *moment = asked->finder->moment;
    struct query_node node = *query_node(moment->view, row->service);
    struct object object = {.world = WORLD_RUNTIME, .type = "route"};
    struct buf name = {0};
    struct buf form = {0};
    enum err err = OK;

    buf_printf(&name, "%.*s%s%.*s", (int)row->method.len, row->method.ptr,
               row->method.len ? " " : "", (int)row->pattern.len,
               row->pattern.ptr);
    node.kind = row->method.len ? NODE_ROUTE : NODE_RPC;
    node.service = node.name;
    node.owner = row->service;
    node.name = buf_str(&name);
    if (is_node_called(&node, asked->rest, &form) ||
        str_eq(node.name, asked->rest)) {
        snprintf(object.type, sizeof(object.type), "%s",
                 row->method.len ? "route" : "rpc");
        object.created_s = object.updated_s = row->created_s;
        buf_printf(&object.gid, "%s:%.*s%s%.*s:%s", object.type,
                   (int)node.service.len, node.service.ptr,
                   node.env.len ? "@" : "", (int)node.env.len, node.env.ptr,
                   buf_cstr(&name));
        buf_add(&object.name, buf_str(&name));
        buf_add(&object.domain, node.service);
        err = take(asked->finder, &object);
    }
    buf_fini(&name);
    buf_fini(&form);
    return err;
}

static enum err
find_declared(struct finder *finder, str rest)
{
    struct buf plain = {0};
    enum err err;

    if (!finder->moment->view || !wants(finder, WORLD_RUNTIME))
        return OK;
    text_plain_route(rest, &plain);
    struct declared asked = {finder, buf_str(&plain)};
    err = plain.failed
              ? ERR_NOMEM
              : query_each_route(finder->moment->view, see_declared, &asked);
    buf_fini(&plain);
    return err;
}

/* ---- code ---- */

static enum err
find_code(struct finder *finder, uint32_t kinds, str rest)
{
    const struct joined *joined = finder->moment->joined;
    struct ids ids = {0};
    enum err err;

    if (!joined || !wants(finder, WORLD_CODE) || rest.len == 0)
        return OK;
    err = code_resolve(joined->code, rest, kinds, &ids);
    if (err == ERR_NOT_FOUND)
        err = OK;
    for (size_t i = 0; i < ids.len && !err; i++)
        err = take_vertex(finder, ids.ids[i]);
    ids_fini(&ids);
    return err;
}

static enum err
find_file(struct finder *finder, str rest)
{
    const struct joined *joined = finder->moment->joined;
    const struct code *code = joined ? joined->code : NULL;
    struct ids files = {0};
    enum err err = find_code(finder, UINT32_C(1) << CODE_FILE, rest);

    if (err || finder->out->len || !code || !wants(finder, WORLD_CODE))
        return err;
    err = code_file_by_path(code, 0, rest, &files);
    for (size_t i = 0; i < files.len && !err; i++) {
        uint32_t len;
        const uint32_t *nodes = code_file_nodes(code, files.ids[i], &len);

        for (uint32_t k = 0; k < len && !err; k++)
            if (code->nodes[nodes[k]].kind == CODE_FILE)
                err = take_vertex(finder, nodes[k]);
    }
    ids_fini(&files);
    return err;
}

static enum err
find_repo(struct finder *finder, str rest)
{
    const struct joined *joined = finder->moment->joined;
    struct object object;
    enum err err;

    if (!joined || !wants(finder, WORLD_CODE))
        return OK;
    err = object_of_repo(finder->moment, code_repo_by(joined->code, rest),
                         &object);
    return err ? err : take(finder, &object);
}

/* ---- type:rest ---- */

#define CODE_BIT(kind) (UINT32_C(1) << (kind))
#define NODE_BIT(kind) (UINT32_C(1) << (kind))

static const struct prefix {
    const char *word;
    uint32_t nodes; /* bits of node kinds */
    uint32_t codes; /* bits of code kinds; UINT32_MAX: all */
} prefixes[] = {
    {"service", NODE_BIT(NODE_SERVICE), 0},
    {"route", NODE_BIT(NODE_ROUTE) | NODE_BIT(NODE_RPC), 0},
    {"endpoint", NODE_BIT(NODE_ROUTE) | NODE_BIT(NODE_RPC), 0},
    {"runtime_endpoint", NODE_BIT(NODE_ROUTE) | NODE_BIT(NODE_RPC), 0},
    {"rpc", NODE_BIT(NODE_RPC), 0},
    {"consumer", NODE_BIT(NODE_CONSUMER), 0},
    {"symbol", NODE_BIT(NODE_SYMBOL), 0},
    {"topic", NODE_BIT(NODE_TOPIC), 0},
    {"queue", NODE_BIT(NODE_TOPIC), 0},
    {"database", NODE_BIT(NODE_DATABASE), 0},
    {"external", NODE_BIT(NODE_EXTERNAL), 0},
    {"func", 0, CODE_BIT(CODE_FUNCTION) | CODE_BIT(CODE_METHOD)},
    {"function", 0, CODE_BIT(CODE_FUNCTION) | CODE_BIT(CODE_METHOD)},
    {"method", 0, CODE_BIT(CODE_METHOD)},
    {"class", 0, CODE_BIT(CODE_TYPE) | CODE_BIT(CODE_INTERFACE)},
    {"type", 0, CODE_BIT(CODE_TYPE) | CODE_BIT(CODE_INTERFACE)},
    {"interface", 0, CODE_BIT(CODE_INTERFACE)},
    {"const", 0, CODE_BIT(CODE_CONST)},
    {"var", 0, CODE_BIT(CODE_VAR)},
    {"variable", 0, CODE_BIT(CODE_VAR)},
    {"field", 0, CODE_BIT(CODE_FIELD)},
    {"package", 0, CODE_BIT(CODE_PACKAGE)},
    {"code", 0, UINT32_MAX},
};

/* Two types go by a shorter word, too. */
static const char *
type_of_word(str word)
{
    if (str_eq(word, STR("doc")))
        return "document";
    return str_eq(word, STR("org")) ? "organization" : entity_type_of(word);
}

static enum err
find_by_type(struct finder *finder, str word, str rest)
{
    struct finder inner = *finder;
    const char *type = type_of_word(word);
    enum err err;

    if (!finder->moment->store)
        return OK;
    inner.text = rest;
    err = take_oids(&inner, KS_OBJECT_BY_GID, str_of(type));
    if (!err && !inner.out->len)
        err = take_oids(&inner, KS_OBJECT_BY_NAME, str_of(type));
    finder->total = inner.total;
    return err;
}

static enum err
find_prefixed(struct finder *finder)
{
    const char *colon = finder->text.len
                            ? memchr(finder->text.ptr, ':', finder->text.len)
                            : NULL;
    enum err err = OK;

    if (!colon || colon == finder->text.ptr)
        return OK;
    size_t at = (size_t)(colon - finder->text.ptr);
    str word = str_cut(finder->text, 0, at);
    str rest = str_cut(finder->text, at + 1, finder->text.len);

    if (str_eq(word, STR("file")))
        return find_file(finder, rest);
    if (str_eq(word, STR("repo")) || str_eq(word, STR("repository")))
        return find_repo(finder, rest);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const struct prefix *prefix = &prefixes[i];

        if (!str_eq(word, str_of(prefix->word)))
            continue;
        if (prefix->nodes)
            err = find_nodes(finder, prefix->nodes, rest);
        if (!err && !finder->out->len && prefix->nodes & NODE_BIT(NODE_RPC))
            err = find_declared(finder, rest);
        if (!err && prefix->codes)
            err = find_code(
                finder, prefix->codes == UINT32_MAX ? 0 : prefix->codes, rest);
        return err;
    }
    return type_of_word(word) ? find_by_type(finder, word, rest) : OK;
}

static enum err
find_plain_node(struct finder *finder)
{
    return find_nodes(finder, 0, finder->text);
}

static enum err
find_plain_route(struct finder *finder)
{
    return find_declared(finder, finder->text);
}

static enum err
find_plain_code(struct finder *finder)
{
    return find_code(finder, 0, finder->text);
}

static enum err
find_plain_file(struct finder *finder)
{
    bool has_path =
        finder->text.len && memchr(finder->text.ptr, '/', finder->text.len);

    return has_path ? find_file(finder, finder->text) : OK;
}

enum err
object_find(struct moment *moment, str text, unsigned worlds,
            struct object *out, struct object_list *candidates)
{
    typedef enum err reading(struct finder * finder);
    static reading *const readings[] = {
        find_hash,       find_added,       find_prefixed,   find_plain_node,
        find_plain_code, find_plain_route, find_plain_file, find_name,
    };
    struct object_list found = {0};
    struct finder finder = {moment, text_trim(text), worlds, &found, 0};
    enum err err = OK;

    *out = (struct object){.world = WORLD_NONE};
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
        if (!err && !found.len && finder.text.len)
            err = readings[i](&finder);
    if (!err && found.len == 1) {
        *out = found.items[0];
        found.items[0] = (struct object){0};
        err = object_look(moment, out);
    } else if (!err) {
        err = found.len ? ERR_AMBIGUOUS : ERR_NOT_FOUND;
    }
    if (err == ERR_AMBIGUOUS && candidates) {
        *candidates = found;
        found = (struct object_list){0};
    }
    object_list_fini(&found);
    return err;
}
