/*
 * `spangraph stats`: totals, ages, and what became of the spans.
 */
#include <string.h>

#include "cmd/ask.h"
#include "graph/query_stats.h"

static enum err
add_counter(void *ctx, str name, int64_t value)
{
    struct buf key = {0};

    buf_add(&key, name);
    cJSON_AddNumberToObject(ctx, buf_cstr(&key), (double)value);
    buf_fini(&key);
    return OK;
}

static enum err
add_line(void *ctx, str name, int64_t value)
{
    table_add(ctx, "%.*s", (int)name.len, name.ptr);
    table_add(ctx, "%lld", (long long)value);
    return OK;
}

struct overflow_list {
    struct ask *ask;
    cJSON *rows;         /* of JSON, or */
    struct table *table; /* lines */
};

static enum err
add_overflow(void *ctx, uint32_t node, uint64_t estimate)
{
    const struct overflow_list *list = ctx;
    const struct query_node *known = query_node(list->ask->view, node);
    cJSON *row = cJSON_CreateObject();

    ask_add_str(row, "service", known->service);
    ask_add_str(row, "name", known->name);
    cJSON_AddNumberToObject(row, "distinct_estimate", (double)estimate);
    cJSON_AddItemToArray(list->rows, row);
    return OK;
}

static enum err
add_overflow_line(void *ctx, uint32_t node, uint64_t estimate)
{
    const struct overflow_list *list = ctx;
    struct buf name = {0};

    query_qualified(list->ask->view, node, &name);
    table_add(list->table, "distinct in %s", buf_cstr(&name));
    table_add(list->table, "~%llu", (unsigned long long)estimate);
    buf_fini(&name);
    return OK;
}

static int
print_json(struct ask *ask, const struct query_stats *stats)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *part = cJSON_AddObjectToObject(object, "counters");
    struct overflow_list list = {
        .ask = ask, .rows = cJSON_AddArrayToObject(object, "overflow")};
    enum err err = query_counters(ask->view, add_counter, part);

    if (!err)
        err = query_overflow(ask->view, add_overflow, &list);
    if (err) {
        cJSON_Delete(object);
        return ask_fail(err);
    }
    part = cJSON_AddObjectToObject(object, "edges");
    cJSON_AddNumberToObject(part, "total", (double)stats->edges);
    for (int age = AGE_ACTIVE; age <= AGE_ELIGIBLE; age++)
        cJSON_AddNumberToObject(part, edge_age_str((enum edge_age)age),
                                (double)stats->by_age[age]);
    part = cJSON_AddObjectToObject(object, "edges_by_kind");
    for (int kind = EDGE_CALL; kind < EDGE_KIND_SHOWN_END; kind++)
        cJSON_AddNumberToObject(part, edge_kind_str((uint8_t)kind),
                                (double)stats->by_kind[kind]);
    cJSON_AddNumberToObject(object, "nodes", (double)stats->nodes);
    cJSON_AddNumberToObject(object, "services", (double)stats->services);
    ask_add_time(object, "first_observed", stats->first_s);
    ask_add_time(object, "last_observed", stats->last_s);
    ask_add_time(object, "data_as_of", query_as_of_s(ask->view));
    return ask_print_json(object);
}

static int
print_table(struct ask *ask, const struct query_stats *stats)
{
    static const char *const heads[] = {"WHAT", "COUNT"};
    struct table *table = table_new(heads, 2);
    struct overflow_list list = {.ask = ask, .table = table};
    enum err err;

    (void)add_line(table, STR("services"), stats->services);
    (void)add_line(table, STR("nodes"), stats->nodes);
    (void)add_line(table, STR("edges"), stats->edges);
    for (int age = AGE_ACTIVE; age <= AGE_ELIGIBLE; age++) {
        table_add(table, "  %s", edge_age_str((enum edge_age)age));
        table_add(table, "%lld", (long long)stats->by_age[age]);
    }
    err = query_counters(ask->view, add_line, table);
    if (!err)
        err = query_overflow(ask->view, add_overflow_line, &list);
    table_add(table, "first observed");
    table_add_time(table, stats->first_s);
    table_add(table, "last observed");
    table_add_time(table, stats->last_s);
    table_print(table, stdout);
    return err ? ask_fail(err) : EXIT_CLEAN;
}

int
cmd_stats(const struct command *self, int argc, char **argv)
{
    struct ask ask = ASK_DEFAULT;
    const struct option_spec specs[] = {ASK_OPTIONS(ask)};
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    struct query_stats stats;
    int rc;

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph stats: takes no '%s'; see --help\n",
                argv[1]);
        return EXIT_USAGE;
    }
    rc = ask_open(&ask);
    if (rc == EXIT_CLEAN) {
        err = query_stats(ask.view, NULL, &stats);
        rc = err        ? ask_fail(err)
             : ask.json ? print_json(&ask, &stats)
                        : print_table(&ask, &stats);
    }
    ask_close(&ask);
    return rc;
}
