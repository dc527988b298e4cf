/*
 * Names of services and routes in arguments.  An unknown one is told the
 * nearest, and the call that was meant; a function of the code is no service,
 * but there is a tool to ask of it.
 */
#include <string.h>

#include "base/idset.h"
#include "graph/code_find.h"
#include "graph/joined.h"
#include "graph/query_named.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

enum { NEAREST = 3 };

/* Forgets what an argument is without being given. */
static void
drop_defaults(struct tool_run *run, cJSON *args)
{
    cJSON *schema = cJSON_Parse(run->tool->input_schema);
    const cJSON *properties =
        cJSON_GetObjectItemCaseSensitive(schema, "properties");

    for (const cJSON *p = properties ? properties->child : NULL; p;
         p = p->next) {
        if (cJSON_Compare(cJSON_GetObjectItemCaseSensitive(p, "default"),
                          cJSON_GetObjectItemCaseSensitive(args, p->string),
                          true))
            cJSON_DeleteItemFromObjectCaseSensitive(args, p->string);
    }
    cJSON_Delete(schema);
}

/* The call that was meant: the same, with the right name; without the argument
 * if |name| is empty. */
static void
add_example(struct tool_run *run, const char *argument, str name)
{
    cJSON *args = cJSON_Duplicate(run->args, true);
    char *text;

    drop_defaults(run, args);
    cJSON_DeleteItemFromObjectCaseSensitive(args, "cursor");
    cJSON_DeleteItemFromObjectCaseSensitive(args, argument);
    if (name.len)
        put_str(args, argument, name);
    text = cJSON_PrintUnformatted(args);
    buf_printf(run->why, ". Try %s%s", run->tool->name, text ? text : "");
    cJSON_free(text);
    cJSON_Delete(args);
}

/* What an error lists: each word once, though many nodes have it. */
struct words {
    str items[NEAREST];
    size_t len;
    bool is_cut; /* there were more */
};

static void
words_add(struct words *words, str word)
{
    for (size_t i = 0; i < words->len; i++)
        if (str_eq(words->items[i], word))
            return;
    if (words->len < NEAREST)
        words->items[words->len++] = word;
    else
        words->is_cut = true;
}

/* words_put appends them, each within |quote|. */
static void
words_put(const struct words *words, const char *quote, struct buf *to)
{
    for (size_t i = 0; i < words->len; i++)
        buf_printf(to, "%s%s%.*s%s", i ? ", " : "", quote,
                   (int)words->items[i].len, words->items[i].ptr, quote);
}

/* The functions of the code that |word| names, where code was read. */
static void
find_functions(struct tool_run *run, str word, struct ids *out)
{
    const uint32_t kinds = UINT32_C(1) << CODE_FUNCTION | UINT32_C(1)
                                                              << CODE_METHOD;
    enum err err;

    if (tool_has_code(run))
        tool_look_at_code(run);
    if (run->err || !run->joined)
        return;
    err = code_resolve(run->joined->code, word, kinds, out);
    if (err && err != ERR_NOT_FOUND)
        run->err = err;
}

/* Whether |word| is a function, and if so the run has failed. */
static bool
fail_function(struct tool_run *run, const char *argument, str word)
{
    struct ids found = {0};

    find_functions(run, word, &found);
    if (!run->err && found.len) {
        str name = code_node(run->joined->code, found.ids[0])->qualified;

        tool_fail(run, ERR_INVALID,
                  "%s '%.80s' is no service, but a function of the code. Try "
                  "graph_query{\"query\":\"who calls %.*s\"}",
                  argument, word.ptr, (int)name.len, name.ptr);
    }
    ids_fini(&found);
    return run->err != OK;
}

static void
fail_unknown(struct tool_run *run, const char *argument, uint32_t kinds,
             str name)
{
    struct ids near = {0};
    struct ids all = {0};
    struct words names = {.len = 0};
    const struct query_find services = {.kinds = TOOL_SERVICE};
    enum err err = query_find(run->view, &services, &all);

    /* Without services, what else is there came with the store. */
    if (!err && all.len)
        err = query_nearest(run->view, kinds, name, NEAREST, &near);
    if (err) {
        tool_fail(run, err, "the graph cannot be read now; try again");
        goto out;
    }
    if (near.len == 0 && fail_function(run, argument, name))
        goto out;
    const struct ids *list = near.len ? &near : &all;
    if (list->len == 0)
        tool_fail(run, ERR_INVALID,
                  "%s '%.80s' unknown; no service has been seen yet: send OTLP "
                  "traces to %s",
                  argument, name.ptr, tool_receives(run));
    else
        tool_fail(run, ERR_INVALID, "%s '%.80s' unknown%s", argument, name.ptr,
                  near.len > 0 ? "; closest: " : "; known: ");
    for (size_t i = 0; i < list->len; i++)
        words_add(&names, query_node(run->view, list->ids[i])->name);
    words_put(&names, "", run->why);
    /* One of many that it may not be would lead to another question. */
    if (near.len == 0 && names.is_cut)
        buf_add(run->why, STR(", ...; service_map shows more"));
    else if (names.len)
        add_example(run, argument, names.items[0]);
out:
    ids_fini(&near);
    ids_fini(&all);
}

/* Of the nodes |ids|, which are not in the environment that was asked. */
static void
fail_elsewhere(struct tool_run *run, const char *name, const struct ids *ids)
{
    struct words envs = {.len = 0};
    bool is_unnamed = false;

    for (size_t i = 0; i < ids->len; i++) {
        str env = query_node(run->view, ids->ids[i])->env;

        if (env.len)
            words_add(&envs, env);
        else
            is_unnamed = true;
    }
    tool_fail(run, ERR_INVALID, "%s '%.80s' is not seen in env '%.40s'%s", name,
              tool_str(run, name).ptr, tool_str(run, "env").ptr,
              envs.len ? ", but in: " : ", but only without one");
    words_put(&envs, "'", run->why);
    if (envs.len && is_unnamed)
        buf_add(run->why, STR(", and without one"));
    add_example(run, "env", envs.items[0]);
}

void
tool_services(struct tool_run *run, const char *name, uint32_t kinds,
              struct ids *out)
{
    const struct query_find find = {
        .kinds = kinds,
        .name = tool_str(run, name),
        .env = tool_str(run, "env"),
    };
    const struct query_find any_env = {.kinds = find.kinds, .name = find.name};
    struct ids others = {0};

    if (run->err)
        return;
    if (find.name.len == 0) {
        tool_fail(run, ERR_INVALID, "%s is required; try %s%s", name,
                  run->tool->name, run->tool->example);
        return;
    }
    run->err = query_named(run->view, &find, out);
    if (run->err || out->len)
        return;
    if (find.env.len)
        run->err = query_named(run->view, &any_env, &others);
    if (!run->err && others.len)
        fail_elsewhere(run, name, &others);
    else if (!run->err)
        fail_unknown(run, name, kinds, find.name);
    ids_fini(&others);
}

static void
fail_env(struct tool_run *run, str env)
{
    const struct query_find any = {.kinds = TOOL_SERVICE};
    struct ids all = {0};
    struct buf known = {0};
    struct words envs = {.len = 0};

    if ((run->err = query_find(run->view, &any, &all)))
        goto out;
    for (size_t i = 0; i < all.len; i++) {
        str next = query_node(run->view, all.ids[i])->env;

        if (next.len > 0)
            words_add(&envs, next);
    }
    words_put(&envs, "'", &known);
    tool_fail(run, ERR_INVALID,
              "no service is seen in env '%.40s'%s%s; leave "
              "env out to ask about all",
              env.ptr,
              known.len ? "; seen in: " : ", nor in any that has a name",
              buf_cstr(&known));
out:
    buf_fini(&known);
    ids_fini(&all);
}

const struct ids *
tool_scope(struct tool_run *run, uint32_t kinds, struct ids *out)
{
    const struct query_find find = {.kinds = TOOL_SERVICE,
                                    .env = tool_str(run, "env")};

    if (tool_str(run, "service").len) {
        tool_services(run, "service", kinds, out);
        return out;
    }
    if (run->err || find.env.len == 0)
        return NULL;
    run->err = query_find(run->view, &find, out);
    if (!run->err && out->len == 0)
        fail_env(run, find.env);
    return out;
}

/* The first of |ids| that |services| have; once what several of them have. */
static void
add_routes(struct tool_run *run, const struct idset *services,
           const struct ids *ids, struct buf *out)
{
    enum { SHOWN = 5 };
    uint32_t shown[SHOWN];
    size_t len = 0;

    for (size_t i = 0; i < ids->len && len < SHOWN; i++) {
        const struct query_node *node = query_node(run->view, ids->ids[i]);
        bool skip = !idset_has(services, node->owner);

        for (size_t k = 0; k < len && !skip; k++)
            skip = str_eq(query_node(run->view, shown[k])->name, node->name);
        if (skip)
            continue;
        buf_printf(out, "%s '%.*s'", len ? "," : "", (int)node->name.len,
                   node->name.ptr);
        shown[len++] = ids->ids[i];
    }
}

/* Leaves of |ids| those whose name ends with the path that was asked: a router
 * may be mounted below another. */
static void
keep_ending(struct tool_run *run, struct ids *ids)
{
    struct buf text = {0};
    str asked = tool_route(run, "route", &text);
    const char *slash = asked.len ? memchr(asked.ptr, '/', asked.len) : NULL;
    size_t len = 0;

    if (slash)
        asked = str_cut(asked, (size_t)(slash - asked.ptr), asked.len);
    for (size_t i = 0; slash && i < ids->len; i++) {
        str name = query_node(run->view, ids->ids[i])->name;

        if (name.len > asked.len &&
            str_eq(str_cut(name, name.len - asked.len, name.len), asked))
            ids->ids[len++] = ids->ids[i];
    }
    ids->len = len;
    buf_fini(&text);
}

/* What to say instead of a route: the nearest, those that end so, or some. */
static bool
add_instead(struct tool_run *run, const struct idset *owners, struct buf *out)
{
    const struct query_find all = {0};
    struct ids ids = {0};

    run->err =
        query_nearest(run->view, 0, tool_str(run, "route"), SIZE_MAX, &ids);
    add_routes(run, owners, &ids, out);
    if (!run->err && out->len == 0) {
        ids.len = 0;
        run->err = query_find(run->view, &all, &ids);
        keep_ending(run, &ids);
        add_routes(run, owners, &ids, out);
    }
    bool is_near = out->len > 0;
    if (!run->err && !is_near) {
        ids.len = 0;
        run->err = query_find(run->view, &all, &ids);
        add_routes(run, owners, &ids, out);
    }
    ids_fini(&ids);
    return is_near;
}

void
tool_fail_route(struct tool_run *run, const struct ids *services)
{
    struct idset owners = {0};
    struct buf names = {0};
    bool is_near = false;

    run->err = idset_add_all(&owners, services);
    if (!run->err)
        is_near = add_instead(run, &owners, &names);
    if (!run->err && names.len == 0) {
        tool_fail(run, ERR_INVALID,
                  "no route of '%.80s' was seen; ask without route",
                  tool_str(run, "service").ptr);
        add_example(run, "route", STR(""));
    } else if (!run->err) {
        tool_fail(run, ERR_INVALID, "no route '%.100s' is known there; %s:%s",
                  tool_str(run, "route").ptr, is_near ? "closest" : "known",
                  buf_cstr(&names));
    }
    buf_fini(&names);
    idset_fini(&owners);
}

void
tool_handled(struct tool_run *run, const struct ids *services, str function,
             struct ids *out)
{
    struct ids functions = {0};

    find_functions(run, function, &functions);
    for (size_t i = 0; functions.len && i < services->len; i++) {
        const struct query_find find = {.owner = services->ids[i]};
        struct ids routes = {0};

        if (!run->err)
            run->err = query_find(run->view, &find, &routes);
        for (size_t k = 0; !run->err && k < routes.len; k++)
            if (ids_has(&functions,
                        join_of(run->joined->join, routes.ids[k])->vertex))
                run->err = ids_add(out, routes.ids[k]);
        ids_fini(&routes);
    }
    ids_fini(&functions);
}
