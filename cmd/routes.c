/*
 * `spangraph routes`: what is served.  First the routes of the code, in the
 * order of their places; then those that no code is known for, because they
 * were only observed, or only declared.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/code_ask.h"
#include "graph/code_build.h"
#include "store/store.h"

struct routes_options {
    struct code_ask code;
    const char *service;
    bool clients;
    struct rows rows;
};

struct shown {
    str service;
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
    return !o->service || str_eq(service, str_of(o->service));
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
    table_add(table, "%.*s", (int)s->service.len, s->service.ptr);
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

static void
show_code_route(struct routes_options *o, uint32_t i)
{
    const struct code *code = o->code.code;
    const struct code_route *route = &code->routes[i];
    const struct code_vertex *handler = code_node(code, route->handler);
    bool is_client = (route->flags & ROUTE_IS_CLIENT) != 0;
    struct shown s = {
        .service = code_ask_service(&o->code, route->file),
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
        .is_observed = o->code.joined->join->route_nodes[i] != 0,
    };

    if ((!is_client || o->clients) && is_asked(o, s.service))
        show(o, &s);
}

/* `GET /users/{}`: its two parts. */
static void
split_name(str name, str *method, str *path)
{
    const char *space = name.len ? memchr(name.ptr, ' ', name.len) : NULL;
    size_t at = space ? (size_t)(space - name.ptr) : 0;

    *method = str_cut(name, 0, at);
    *path = space ? str_cut(name, at + 1, name.len) : name;
}

static enum err
show_observed(struct routes_options *o)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_ROUTE |
                                             UINT32_C(1) << NODE_RPC |
                                             UINT32_C(1) << NODE_CONSUMER};
    const struct code *code = o->code.code;
    struct query_ids ids = {0};
    enum err err = query_find(o->code.ask.view, &find, &ids);

    for (size_t i = 0; !err && i < ids.len; i++) {
        const struct query_node *node =
            query_node(o->code.ask.view, ids.ids[i]);
        const struct join_row *join = join_of(o->code.joined->join, ids.ids[i]);
        const struct code_vertex *handler = code_node(code, join->vertex);
        struct shown s = {
            .service = node->service,
            .handler = join->vertex ? handler->qualified : (str){"", 0},
            .handler_file = code->files[handler->file].path,
            .handler_line = handler->line,
            .source = "observed",
            .is_observed = true,
        };

        if (join->route || !is_asked(o, s.service))
            continue;
        split_name(node->name, &s.method, &s.raw);
        s.canonical = s.raw;
        show(o, &s);
    }
    query_ids_fini(&ids);
    return err;
}

/* Those of documents and lists; what the code says was shown before. */
static enum err
show_declared(void *ctx, const struct route_row *row)
{
    struct routes_options *o = ctx;
    const struct query_node *service =
        query_node(o->code.ask.view, row->service);
    const struct shown s = {
        .service = service->name,
        .method = row->method,
        .raw = row->raw,
        .canonical = row->pattern,
        .framework = row->origin,
        .source = "declared",
    };

    if (!str_starts(row->origin, STR("code:")) && is_asked(o, s.service))
        show(o, &s);
    return OK;
}

static int
run(struct routes_options *o)
{
    static const char *const heads[] = {
        "SERVICE", "METHOD", "ROUTE", "FRAMEWORK", "HANDLER", "AT", "KNOWN BY"};
    int rc = code_ask_open(&o->code);

    if (rc == EXIT_CLEAN) {
        rows_begin(&o->rows, o->code.ask.json, "routes", heads, 7);
        for (uint32_t i = 0; i < o->code.code->route_len; i++)
            show_code_route(o, i);
        enum err err = show_observed(o);
        if (!err)
            err = query_each_route(o->code.ask.view, show_declared, o);
        rc = rows_end(&o->rows);
        if (err)
            rc = ask_fail(err);
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
        {"service", OPTION_STR, &options.service, "NAME", "one service"},
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
