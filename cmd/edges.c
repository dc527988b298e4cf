/*
 * `spangraph edges`: the graph, as rows for scripts or for people.
 */
#include <string.h>

#include "base/clock.h"
#include "base/digits.h"
#include "cmd/ask.h"
#include "graph/query_edges.h"

struct edges_options {
    struct ask ask;
    const char *level;
    const char *kind;
    const char *service;
    const char *env;
    uint64_t since_ns;
};

static void
add_ms(cJSON *row, const char *name, uint64_t ns)
{
    if (ns)
        cJSON_AddNumberToObject(row, name, digits_three((double)ns / 1e6));
    else
        cJSON_AddNullToObject(row, name);
}

static enum err
add_json(struct ask *ask, const struct query_edges *edges, size_t i,
         cJSON *array)
{
    const struct query_edge *edge = &edges->rows[i];
    const struct query_node *source = query_node(ask->view, edge->source);
    const struct query_node *target = query_node(ask->view, edge->target);
    struct query_detail detail;
    enum err err = query_detail(ask->view, edges, i, &detail);
    cJSON *row = cJSON_CreateObject();

    ask_add_str(row, "source", source->name);
    ask_add_str(row, "target", target->name);
    cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
    cJSON_AddNumberToObject(row, "count", (double)edge->count);
    cJSON_AddNumberToObject(row, "weighted",
                            (double)edge->weighted / (double)WEIGHT_ONE);
    cJSON_AddNumberToObject(row, "errors", (double)edge->errors);
    cJSON_AddNumberToObject(row, "first_observed", edge->first_s);
    cJSON_AddNumberToObject(row, "last_observed", edge->last_s);
    ask_add_str(row, "source_service", source->service);
    ask_add_str(row, "target_service", target->service);
    cJSON_AddStringToObject(row, "source_kind", node_kind_str(source->kind));
    cJSON_AddStringToObject(row, "target_kind", node_kind_str(target->kind));
    ask_add_str(row, "source_env", source->env);
    ask_add_str(row, "target_env", target->env);
    add_ms(row, "p50_ms", detail.p50_ns);
    add_ms(row, "p95_ms", detail.p95_ns);
    add_ms(row, "p99_ms", detail.p99_ns);
    cJSON_AddNumberToObject(row, "confidence", digits_three(detail.confidence));
    cJSON_AddItemToArray(array, row);
    return err;
}

static int
print_json(struct ask *ask, const struct query_edges *edges)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(object, "edges");
    enum err err = OK;

    for (size_t i = 0; !err && i < edges->len; i++)
        err = add_json(ask, edges, i, array);
    cJSON_AddNumberToObject(object, "total", (double)edges->len);
    if (!err)
        return ask_print_json(object);
    cJSON_Delete(object);
    return ask_fail(err);
}

static void
add_name(struct ask *ask, struct table *table, uint32_t id)
{
    struct buf name = {0};

    str env = query_node(ask->view, id)->env;

    query_qualified(ask->view, id, &name);
    table_add(table, "%s%s%.*s", buf_cstr(&name), env.len ? " @" : "",
              (int)env.len, env.ptr);
    buf_fini(&name);
}

static int
print_table(struct ask *ask, const struct query_edges *edges)
{
    static const char *const heads[] = {"SOURCE", "TARGET", "KIND",
                                        "COUNT",  "ERRORS", "LAST OBSERVED"};
    struct table *table = table_new(heads, 6);

    for (size_t i = 0; i < edges->len; i++) {
        const struct query_edge *edge = &edges->rows[i];

        add_name(ask, table, edge->source);
        add_name(ask, table, edge->target);
        table_add(table, "%s", edge_kind_str(edge->kind));
        table_add(table, "%lld", (long long)edge->count);
        table_add(table, "%lld", (long long)edge->errors);
        table_add_time(table, edge->last_s);
    }
    table_print(table, stdout);
    if (edges->len == 0)
        fprintf(stderr, "no edges; is there data? see `spangraph stats`\n");
    return EXIT_CLEAN;
}

static int
read_filter(struct edges_options *options, struct query_filter *filter,
            struct ids *services)
{
    uint32_t now_s = query_now_s(options->ask.view);
    uint64_t since_s = options->since_ns / NS_PER_S;

    if (!query_level_of(str_of(options->level), &filter->level)) {
        fprintf(stderr,
                "spangraph: --level is service, endpoint or symbol, not "
                "'%s'\n",
                options->level);
        return EXIT_USAGE;
    }
    if (options->kind) {
        uint8_t kind = edge_kind_of(options->kind);

        if (kind == EDGE_NONE) {
            fprintf(stderr,
                    "spangraph: --kind is call, virtual_in, virtual_out, db, "
                    "msg, msg_pub or msg_sub, not '%s'\n",
                    options->kind);
            return EXIT_USAGE;
        }
        filter->kinds = UINT32_C(1) << kind;
    }
    filter->env = str_of(options->env);
    if (since_s)
        filter->since_s = since_s < now_s ? now_s - (uint32_t)since_s : 1;
    if (!options->service)
        return EXIT_CLEAN;
    filter->services = services;
    return ask_services(&options->ask, options->service,
                        UINT32_C(1) << NODE_SERVICE, services);
}

static int
run(struct edges_options *options)
{
    struct query_filter filter = {0};
    struct ids services = {0};
    struct query_edges edges = {0};
    int rc = ask_open(&options->ask);
    enum err err;

    if (rc == EXIT_CLEAN)
        rc = read_filter(options, &filter, &services);
    if (rc != EXIT_CLEAN)
        goto out;
    err = query_edges(options->ask.view, &filter, &edges);
    if (err)
        rc = ask_fail(err);
    else if (options->ask.json)
        rc = print_json(&options->ask, &edges);
    else
        rc = print_table(&options->ask, &edges);
out:
    query_edges_fini(&edges);
    ids_fini(&services);
    ask_close(&options->ask);
    return rc;
}

int
cmd_edges(const struct command *self, int argc, char **argv)
{
    struct edges_options options = {.ask = ASK_DEFAULT, .level = "service"};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.ask),
        {"level", OPTION_STR, &options.level, "LEVEL",
         "service, endpoint or symbol"},
        {"kind", OPTION_STR, &options.kind, "KIND",
         "call, virtual_in, virtual_out, db, msg, msg_pub or msg_sub"},
        {"service", OPTION_STR, &options.service, "NAME",
         "one end of the edge; * fits any text"},
        {"env", OPTION_STR, &options.env, "ENV", "environment of an end"},
        {"since", OPTION_DURATION, &options.since_ns, "DURATION",
         "only what was seen since then, e.g. 24h"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph edges: takes no '%s'; see --help\n",
                argv[1]);
        return EXIT_USAGE;
    }
    return run(&options);
}
