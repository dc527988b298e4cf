/*
 * `spangraph routes`: what is served.  First the routes of the code, in the
 * order of their places; then those that no code is known for, because they
 * were only observed, or only declared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/match.h"
#include "cmd/code_ask.h"
#include "graph/audit.h"
#include "graph/code_build.h"

struct routes_options {
    struct code_ask code;
    const char *service;
    bool clients;
    struct rows rows;
    struct audit audit;
    uint8_t *calls; /* by node below node_len: enum calls */
    bool *is_seen;  /* by route of the code */
    uint32_t node_len;
};

enum calls { CALLS_UNKNOWN, CALLS_NONE, CALLS_SOME };

struct shown {
    str service;
    str env; /* of what is not in the code */
    str method;
    str raw;
    str canonical;
    str framework;
    str handler;
    str file;
    str handler_file;
    const char *source; /* code, document, client, observed, declared */
    uint32_t line;
    uint32_t handler_line;
    bool is_partial;  /* a prefix is not known */
    bool is_observed; /* called, ever */
};

static bool
is_asked(const struct routes_options *o, str service)
{
    return !o->service || match_glob(str_of(o->service), service);
}

static void
add_or_null(cJSON *row, const char *name, str value)
{
    if (value.len)
        ask_add_str(row, name, value);
    else
        cJSON_AddNullToObject(row, name);
}

static void
add_line(cJSON *row, const char *name, uint32_t line)
{
    if (line)
        cJSON_AddNumberToObject(row, name, line);
    else
        cJSON_AddNullToObject(row, name);
}

static void
show_json(struct routes_options *o, const struct shown *s)
{
    cJSON *row = cJSON_CreateObject();

    ask_add_str(row, "service", s->service);
    ask_add_str(row, "env", s->env);
    ask_add_str(row, "method", s->method);
    ask_add_str(row, "raw", s->raw);
    ask_add_str(row, "canonical", s->canonical);
    add_or_null(row, "framework", s->framework);
    add_or_null(row, "handler", s->handler);
    add_or_null(row, "file", s->file);
    add_line(row, "line", s->line);
    add_or_null(row, "handler_file", s->handler_file);
    add_line(row, "handler_line", s->handler_line);
    cJSON_AddStringToObject(row, "source", s->source);
    cJSON_AddBoolToObject(row, "observed", s->is_observed);
    cJSON_AddBoolToObject(row, "prefix_unknown", s->is_partial);
    rows_add(&o->rows, row);
}

static void
show(struct routes_options *o, const struct shown *s)
{
    struct table *table = o->rows.table;

    if (!table) {
        show_json(o, s);
        return;
    }
    table_add(table, "%.*s%s%.*s", (int)s->service.len, s->service.ptr,
              s->env.len ? " @" : "", (int)s->env.len, s->env.ptr);
    table_add(table, "%.*s", (int)s->method.len, s->method.ptr);
    table_add(table, "%s%.*s", s->is_partial ? "..." : "", (int)s->raw.len,
              s->raw.ptr);
    table_add(table, "%.*s", (int)s->framework.len, s->framework.ptr);
    table_add(table, "%.*s", (int)s->handler.len, s->handler.ptr);
    if (s->file.len)
        table_add(table, "%.*s:%u", (int)s->file.len, s->file.ptr, s->line);
    else
        table_add(table, "%s", "");
    table_add(table, "%s%s", s->source,
              s->is_observed && strcmp(s->source, "observed") != 0
                  ? ", observed"
                  : "");
    o->rows.len++;
}

static enum err
note_calls(struct routes_options *o)
{
    const struct audit *audit = &o->audit;

    for (size_t i = 0; i < audit->len; i++)
        if (audit->routes[i].node >= o->node_len)
            o->node_len = audit->routes[i].node + 1;
    o->calls = calloc((size_t)o->node_len + 1, sizeof(*o->calls));
    if (!o->calls)
        return ERR_NOMEM;
    for (size_t i = audit->len; i-- > 0;) /* the first of a node says it */
        if (audit->routes[i].node)
            o->calls[audit->routes[i].node] =
                audit->routes[i].total > 0 ? CALLS_SOME : CALLS_NONE;
    return OK;
}

static bool
was_called(const struct routes_options *o, uint32_t node)
{
    if (node < o->node_len && o->calls[node] != CALLS_UNKNOWN)
        return o->calls[node] == CALLS_SOME;
    /* Consumers are not audited: they are only ever seen. */
    return node && query_node(o->code.ask.view, node)->kind == NODE_CONSUMER;
}

/* A route of the code may be several observed ones: of a service that it was
 * declared to, and of the one that sends its spans. */
static enum err
note_seen(struct routes_options *o)
{
    const struct join *join = o->code.joined->join;

    o->is_seen = calloc((size_t)o->code.code->route_len + 1, sizeof(bool));
    if (!o->is_seen)
        return ERR_NOMEM;
    for (uint32_t id = 1; id < join->len; id++)
        if (join->rows[id].route && was_called(o, id))
            o->is_seen[join->rows[id].route - 1] = true;
    return OK;
}

static void
show_code_route(struct routes_options *o, uint32_t i)
{
    const struct code *code = o->code.code;
    const struct code_route *route = &code->routes[i];
    const struct code_vertex *handler = code_node(code, route->handler);
    bool is_client = (route->flags & ROUTE_IS_CLIENT) != 0;
    struct shown s = {
        .service = code_ask_service(&o->code, route->file),
        .env = {"", 0},
        .method = route->method,
        .raw = route->raw,
        .canonical = route->canonical,
        .framework = route->framework,
        .handler = route->handler ? handler->qualified : (str){"", 0},
        .file = code->files[route->file].path,
        .line = route->line,
        .handler_file = code->files[handler->file].path,
        .handler_line = handler->line,
        .source = is_client                            ? "client"
                  : route->flags & ROUTE_FROM_DOCUMENT ? "document"
                                                       : "code",
        .is_partial = (route->flags & ROUTE_PREFIX_UNKNOWN) != 0,
        .is_observed = o->is_seen[i],
    };

    if ((!is_client || o->clients) && is_asked(o, s.service))
        show(o, &s);
}

static void
show_endpoint(struct routes_options *o, uint32_t node, struct shown *s)
{
    const struct code *code = o->code.code;
    const struct join_row *join = join_of(o->code.joined->join, node);
    const struct code_vertex *handler = code_node(code, join->vertex);

    s->service = query_node(o->code.ask.view, node)->service;
    s->handler = join->vertex ? handler->qualified : (str){"", 0};
    s->handler_file = code->files[handler->file].path;
    s->handler_line = handler->line;
    s->canonical = s->raw;
    s->source = s->is_observed ? "observed" : "declared";
    if (join->route == 0 && is_asked(o, s->service))
        show(o, s);
}

/* What no route of the code is: seen, or declared by a document or a list. */
static enum err
show_others(struct routes_options *o)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_CONSUMER};
    const struct query_view *view = o->code.ask.view;
    struct ids ids = {0};

    for (size_t i = 0; i < o->audit.len; i++) {
        const struct audit_route *route = &o->audit.routes[i];

        /* What was declared once, and never called, is nothing now. */
        if (!route->is_declared && route->total == 0)
            continue;
        show_endpoint(
            o, route->node,
            &(struct shown){.env = query_node(view, route->service)->env,
                            .method = route->method,
                            .raw = route->pattern,
                            .is_observed = route->total > 0});
    }
    enum err err = query_find(o->code.ask.view, &find, &ids);
    for (size_t i = 0; !err && i < ids.len; i++)
        show_endpoint(o, ids.ids[i],
                      &(struct shown){.env = query_node(view, ids.ids[i])->env,
                                      .raw = query_node(view, ids.ids[i])->name,
                                      .is_observed = true});
    ids_fini(&ids);
    return err;
}

static int
run(struct routes_options *o)
{
    static const char *const heads[] = {
        "SERVICE", "METHOD", "ROUTE", "FRAMEWORK", "HANDLER", "AT", "KNOWN BY"};
    int rc = code_ask_open(&o->code);

    if (rc == EXIT_CLEAN) {
        rows_begin(&o->rows, o->code.ask.json, "routes", heads, 7);
        enum err err =
            audit_run(o->code.ask.view, &audit_cfg_default, &o->audit);
        if (!err)
            err = note_calls(o);
        if (!err)
            err = note_seen(o);
        for (uint32_t i = 0; !err && i < o->code.code->route_len; i++)
            show_code_route(o, i);
        if (!err)
            err = show_others(o);
        if (!err && o->rows.len == 0)
            fprintf(stderr, "no routes%s%s are known; see `spangraph index`\n",
                    o->service ? " of " : "", o->service ? o->service : "");
        rc = rows_end(&o->rows);
        if (err)
            rc = ask_fail(err);
        audit_fini(&o->audit);
        free(o->calls);
        free(o->is_seen);
    }
    code_ask_close(&o->code);
    return rc;
}

int
cmd_routes(const struct command *self, int argc, char **argv)
{
    struct routes_options options = {.code = {.ask = ASK_DEFAULT}};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.code.ask),
        {"service", OPTION_STR, &options.service, "NAME",
         "only this service; * fits any text"},
        {"clients", OPTION_FLAG, &options.clients, NULL,
         "also the routes that the code asks of others"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph routes: takes no '%s'; see --help\n",
                argv[1]);
        return EXIT_USAGE;
    }
    return run(&options);
}
