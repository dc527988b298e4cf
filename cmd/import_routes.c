/*
 * Declares what a service says it serves, so that what nobody calls can be
 * told before any code is indexed.  Importing again renews: what the document
 * no longer declares, and an earlier import of the same origin did, is marked
 * removed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "cmd/ask.h"
#include "cmd/link.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "index/openapi.h"
#include "store/node_rows.h"

struct declared {
    uint32_t node;
    uint32_t raw_at; /* in texts */
    uint32_t raw_len;
    uint32_t method_len; /* the name of |node| begins with it; 0: RPC */
};

struct import {
    struct session session;
    const char *service_name;
    const char *env;
    const char *file;
    uint64_t now_ns;
    uint32_t service;
    struct buf texts;
    struct declared *routes;
    size_t len;
    size_t cap;
    struct buf origin;
    size_t removed_len;
};

static enum err
keep(struct import *import, uint32_t node, str method, str raw)
{
    if (!grow_room(import->routes, import->len, import->cap))
        return ERR_NOMEM;
    import->routes[import->len++] = (struct declared){
        .node = node,
        .raw_at = (uint32_t)import->texts.len,
        .raw_len = (uint32_t)raw.len,
        .method_len = (uint32_t)method.len,
    };
    buf_add(&import->texts, raw);
    if (import->texts.failed)
        return ERR_NOMEM;
    /* The overflow node stands for no route that could be told apart. */
    return nodes_get(import->session.nodes, node).source ==
                   ROUTE_SOURCE_OVERFLOW
               ? ERR_FULL
               : OK;
}

static enum err
keep_route(struct import *import, str method, str raw, str pattern)
{
    struct nodes *nodes = import->session.nodes;
    struct buf name = {0};
    enum err err = ERR_NOMEM;

    buf_add(&name, method);
    buf_add_char(&name, ' ');
    buf_add(&name, pattern);
    if (!name.failed)
        err = keep(import,
                   nodes_intern_route(nodes, import->service, buf_str(&name),
                                      ROUTE_SOURCE_STATIC),
                   method, raw);
    buf_fini(&name);
    return err;
}

/* Observed RPC methods have no METHOD before their name, so these have none. */
static enum err
keep_rpc(struct import *import, str name)
{
    uint32_t node = nodes_intern(import->session.nodes, NODE_RPC,
                                 import->service, name, (str){NULL, 0});

    return keep(import, node, (str){"", 0}, name);
}

static enum err
take_route(void *ctx, str method, str raw)
{
    struct import *import = ctx;
    struct buf pattern = {0};
    enum err err = OK;

    if (method.len == 0)
        return keep_rpc(import, raw);
    for (unsigned variant = 0; variant < 2 && !err; variant++) {
        buf_reset(&pattern);
        if (route_canonical(raw, variant, &pattern))
            err = keep_route(import, method, raw, buf_str(&pattern));
    }
    buf_fini(&pattern);
    return err;
}

/* What is stored of the service, and of it what the document no longer has. */
struct renewal {
    struct import *import;
    bool *is_declared; /* by node id */
    bool *is_mounted;  /* the code says so, which the document does not know */
    uint32_t rows[OPENAPI_ROUTES_MAX];
    size_t len;
};

static enum err
put_routes(const struct renewal *renewal, struct store *store)
{
    const struct import *import = renewal->import;
    enum err err = OK;

    for (size_t i = 0; i < import->len && !err; i++) {
        const struct declared *route = &import->routes[i];
        if (renewal->is_mounted[route->node])
            continue;
        str name = nodes_get(import->session.nodes, route->node).name;
        const struct route_row row = {
            .service = import->service,
            .node = route->node,
            .created_s = (uint32_t)(import->now_ns / NS_PER_S),
            .method = str_cut(name, 0, route->method_len),
            .pattern = route->method_len
                           ? str_cut(name, route->method_len + 1, name.len)
                           : name,
            .raw = {import->texts.ptr + route->raw_at, route->raw_len},
            .origin = buf_str(&import->origin),
        };
        err = store_put_route(store, &row);
    }
    return err;
}

/* Notes one stored route of this service. */
static enum err
find_removed(void *ctx, const struct route_row *row)
{
    struct renewal *renewal = ctx;
    const struct import *import = renewal->import;

    if (row->service != import->service || row->removed_s != 0)
        return OK;
    renewal->is_mounted[row->node] |= str_starts(row->origin, ROUTES_OF_MOUNT);
    if (str_eq(row->origin, buf_str(&import->origin)) &&
        !renewal->is_declared[row->node] && renewal->len < OPENAPI_ROUTES_MAX)
        renewal->rows[renewal->len++] = row->id;
    return OK;
}

static enum err
write_all(void *ctx, struct store *store)
{
    struct import *import = ctx;
    size_t nodes = (size_t)nodes_len(import->session.nodes) + 1;
    struct renewal *renewal = calloc(1, sizeof(*renewal));
    enum err err = ERR_NOMEM;

    if (!renewal)
        return ERR_NOMEM;
    renewal->import = import;
    renewal->is_declared = calloc(nodes, sizeof(bool));
    renewal->is_mounted = calloc(nodes, sizeof(bool));
    if (!renewal->is_declared || !renewal->is_mounted)
        goto out;
    for (size_t i = 0; i < import->len; i++)
        renewal->is_declared[import->routes[i].node] = true;
    if ((err = store_each_route(store, find_removed, renewal)) ||
        (err = put_routes(renewal, store)))
        goto out;
    for (size_t i = 0; i < renewal->len && !err; i++)
        err = store_remove_route(store, renewal->rows[i],
                                 (uint32_t)(import->now_ns / NS_PER_S));
    import->removed_len = renewal->len;
out:
    free(renewal->is_declared);
    free(renewal->is_mounted);
    free(renewal);
    return err;
}

static enum err
import_text(struct import *import, str text)
{
    enum openapi_format format;
    struct buf why = {0};
    const char *slash = strrchr(import->file, '/');
    enum err err;

    import->service =
        nodes_intern(import->session.nodes, NODE_SERVICE, 0,
                     str_of(import->service_name), str_of(import->env));
    err = openapi_read(text, take_route, import, &format, &why);
    if (err) {
        fprintf(stderr, "spangraph import-routes: %s: %s\n", import->file,
                why.len           ? buf_cstr(&why)
                : err == ERR_FULL ? "there are graph.max_nodes names already"
                                  : err_str(err));
        buf_fini(&why);
        return err;
    }
    buf_printf(&import->origin, "%s:%s",
               format == OPENAPI_LIST ? "list" : "openapi",
               slash ? slash + 1 : import->file);
    err = engine_write(import->session.engine, write_all, import);
    if (err)
        fprintf(stderr, "spangraph import-routes: the store failed: %s\n",
                err_str(err));
    buf_fini(&why);
    return err;
}

static enum err
run(struct import *import, const struct config *cfg)
{
    struct buf why = {0};
    struct buf text = {0};
    enum err err =
        ask_read_file("import-routes", import->file, OPENAPI_BYTES_MAX, &text);

    if (!err) {
        err = session_open(&import->session, cfg, import->now_ns, &why);
        if (err)
            fprintf(stderr, "spangraph import-routes: %s\n", buf_cstr(&why));
    }
    if (!err) {
        err = import_text(import, buf_str(&text));
        session_close(&import->session);
    }
    free(import->routes);
    buf_fini(&import->texts);
    buf_fini(&import->origin);
    buf_fini(&text);
    buf_fini(&why);
    return err;
}

static int
print_summary(const struct import *import, bool is_json)
{
    if (!is_json) {
        printf("%s: %zu routes declared, %zu removed\n", import->service_name,
               import->len, import->removed_len);
        return EXIT_CLEAN;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "service", import->service_name);
    cJSON_AddNumberToObject(object, "declared", (double)import->len);
    cJSON_AddNumberToObject(object, "removed", (double)import->removed_len);
    return ask_print_json(object);
}

int
cmd_import_routes(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    const char *file = NULL;
    bool json = false;
    struct import import = {.now_ns = clock_wall_ns(), .env = ""};
    const struct option_spec specs[] = {
        {"service", OPTION_STR, &import.service_name, "NAME",
         "service that declares them: name, or namespace/name"},
        {"env", OPTION_STR, &import.env, "ENV", "its environment"},
        {"data", OPTION_STR, &dir, "DIR", "folder of the database"},
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
        {"json", OPTION_FLAG, &json, NULL, "print the summary as JSON"},
    };
    struct config cfg;

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc != 2 || !import.service_name || !*import.service_name) {
        fprintf(stderr,
                "spangraph import-routes: name a service and one file\n"
                "usage: spangraph %s\n",
                self->usage);
        return EXIT_USAGE;
    }
    import.file = argv[1];
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    err = run(&import, &cfg);
    /* What the document does not have any more may be in the code. */
    if (!err)
        link_now(&cfg, self->name);
    config_fini(&cfg);
    if (err)
        return err == ERR_INVALID || err == ERR_TOO_LARGE ? EXIT_USAGE
                                                          : EXIT_CANNOT_RUN;
    return print_summary(&import, json);
}
