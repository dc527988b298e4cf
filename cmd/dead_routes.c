/*
 * `spangraph dead-routes`: the audit, for people and for CI.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ask.h"
#include "graph/audit.h"

enum { IGNORE_MAX = 64 };

struct dead_options {
    struct ask ask;
    long long stale_days;
    const char *service;
    const char *env;
    const char *ignore;
    bool assume_unsampled;
};

/* Three decimals are more than the evidence has; below 0 is not known. */
static void
add_share(cJSON *object, const char *name, double value)
{
    if (value < 0)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, round(value * 1e4) / 1e4);
}

static cJSON *
json_route(struct ask *ask, const struct audit_route *route)
{
    const struct query_node *service = query_node(ask->view, route->service);
    cJSON *row = cJSON_CreateObject();
    struct buf caller = {0};
    cJSON *reasons;

    ask_add_str(row, "service", service->name);
    ask_add_str(row, "env", service->env);
    ask_add_str(row, "method", route->method);
    ask_add_str(row, "route", route->pattern);
    cJSON_AddStringToObject(row, "verdict", verdict_str(route->verdict));
    cJSON_AddStringToObject(row, "confidence", trust_str(route->trust));
    reasons = cJSON_AddArrayToObject(row, "reasons");
    for (int i = 0; i < AUDIT_REASON_COUNT; i++) {
        if (route->reasons >> i & 1)
            cJSON_AddItemToArray(reasons, cJSON_CreateString(audit_reason_str(
                                              (enum audit_reason)i)));
    }
    cJSON_AddNumberToObject(row, "count", (double)route->count);
    ask_add_time(row, "first_observed", route->first_s);
    ask_add_time(row, "last_observed", route->last_s);
    add_share(row, "coverage", route->coverage);
    add_share(row, "keep_probability", route->keep);
    add_share(row, "hidden_calls_per_day", route->hidden_per_day);
    ask_add_time(row, "observed_from", route->observed_from_s);
    ask_add_time(row, "observed_to", route->observed_to_s);
    cJSON_AddBoolToObject(row, "declared", route->is_declared);
    ask_add_str(row, "last_version",
                query_node(ask->view, route->last_version)->name);
    query_qualified(ask->view, route->last_caller, &caller);
    cJSON_AddStringToObject(row, "last_caller", buf_cstr(&caller));
    buf_fini(&caller);
    cJSON_AddArrayToObject(row, "static_callers");
    return row;
}

static int
print_json(struct ask *ask, const struct audit *audit)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(object, "routes");
    cJSON *part;

    for (size_t i = 0; i < audit->len; i++)
        cJSON_AddItemToArray(array, json_route(ask, &audit->routes[i]));
    cJSON_AddNumberToObject(object, "total", (double)audit->len);
    part = cJSON_AddObjectToObject(object, "by_verdict");
    for (int i = 0; i < VERDICT_COUNT; i++)
        cJSON_AddNumberToObject(part, verdict_str((enum verdict)i),
                                (double)audit->by_verdict[i]);
    part = cJSON_AddObjectToObject(object, "window");
    cJSON_AddNumberToObject(part, "from", audit->from_s);
    cJSON_AddNumberToObject(part, "to", audit->to_s);
    cJSON_AddNumberToObject(object, "lost", (double)audit->lost);
    return ask_print_json(object);
}

static void
add_reasons(struct table *table, uint32_t reasons)
{
    struct buf text = {0};

    for (int i = 0; i < AUDIT_REASON_COUNT; i++) {
        if (reasons >> i & 1)
            buf_printf(&text, "%s%s", text.len ? ", " : "",
                       audit_reason_str((enum audit_reason)i));
    }
    table_add(table, "%s", buf_cstr(&text));
    buf_fini(&text);
}

static int
print_table(struct ask *ask, const struct audit *audit)
{
    static const char *const heads[] = {"SERVICE",    "ROUTE",     "VERDICT",
                                        "CONFIDENCE", "LAST CALL", "COVERAGE",
                                        "REASONS"};
    struct table *table = table_new(heads, 7);

    for (size_t i = 0; i < audit->len; i++) {
        const struct audit_route *route = &audit->routes[i];
        const struct query_node *service =
            query_node(ask->view, route->service);

        table_add(table, "%.*s%s%.*s", (int)service->name.len,
                  service->name.ptr, service->env.len ? " @" : "",
                  (int)service->env.len, service->env.ptr);
        table_add(table, "%.*s%s%.*s", (int)route->method.len,
                  route->method.ptr, route->method.len ? " " : "",
                  (int)route->pattern.len, route->pattern.ptr);
        table_add(table, "%s", verdict_str(route->verdict));
        table_add(table, "%s", trust_str(route->trust));
        table_add_time(table, route->last_s);
        table_add(table, "%.0f %%", 100 * route->coverage);
        add_reasons(table, route->reasons);
    }
    table_print(table, stdout);
    if (audit->len == 0)
        fprintf(stderr,
                "no routes are known: declare them with `spangraph "
                "import-routes --service NAME FILE`, or send spans with "
                "http.route\n");
    return EXIT_CLEAN;
}

/* Findings; else, if nothing at all could be judged, that; else clean. */
static int
outcome(const struct audit *audit)
{
    size_t open = 0;

    for (int i = 0; i < VERDICT_COUNT; i++) {
        if (verdict_is_dead((enum verdict)i) && audit->by_verdict[i])
            return EXIT_FINDINGS;
        if (verdict_is_open((enum verdict)i))
            open += audit->by_verdict[i];
    }
    open += audit->by_verdict[VERDICT_SUPPRESSED];
    return open == audit->len ? EXIT_NO_EVIDENCE : EXIT_CLEAN;
}

/* Cuts |list| at its commas, in place. */
static size_t
split(char *list, const char **out, size_t max)
{
    char *save = NULL;
    size_t len = 0;

    for (char *word = strtok_r(list, ",", &save); word && len < max;
         word = strtok_r(NULL, ",", &save))
        out[len++] = word;
    return len;
}

static int
run(struct dead_options *options)
{
    const char *globs[IGNORE_MAX];
    char *ignore = options->ignore ? strdup(options->ignore) : NULL;
    struct audit_cfg cfg = audit_cfg_default;
    struct query_ids services = {0};
    struct audit audit = {0};
    int rc = ask_open(&options->ask);
    enum err err;

    cfg.stale_days = (uint32_t)options->stale_days;
    cfg.assume_unsampled = options->assume_unsampled;
    cfg.env = str_of(options->env);
    cfg.ignore = globs;
    cfg.ignore_len = ignore ? split(ignore, globs, IGNORE_MAX) : 0;
    if (rc == EXIT_CLEAN && options->service) {
        rc = ask_services(&options->ask, options->service,
                          UINT32_C(1) << NODE_SERVICE, &services);
        cfg.services = &services;
    }
    if (rc != EXIT_CLEAN)
        goto out;
    err = audit_run(options->ask.view, &cfg, &audit);
    if (err) {
        rc = ask_fail(err);
        goto out;
    }
    rc = options->ask.json ? print_json(&options->ask, &audit)
                           : print_table(&options->ask, &audit);
    if (rc == EXIT_CLEAN)
        rc = outcome(&audit);
out:
    audit_fini(&audit);
    query_ids_fini(&services);
    ask_close(&options->ask);
    free(ignore);
    return rc;
}

int
cmd_dead_routes(const struct command *self, int argc, char **argv)
{
    struct dead_options options = {.ask = ASK_DEFAULT, .stale_days = 30};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.ask),
        {"stale-days", OPTION_INT, &options.stale_days, "N",
         "days without calls that make a route a candidate"},
        {"service", OPTION_STR, &options.service, "NAME",
         "only this service; * fits any text"},
        {"env", OPTION_STR, &options.env, "ENV", "only this environment"},
        {"ignore", OPTION_STR, &options.ignore, "GLOBS",
         "routes to list as suppressed, parted by commas"},
        {"assume-unsampled", OPTION_FLAG, &options.assume_unsampled, NULL,
         "trust that senders without a sampling rate send all spans"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1 || options.stale_days < 1 ||
        options.stale_days > AUDIT_DAYS_MAX) {
        fprintf(stderr,
                "spangraph: dead-routes takes options only, and --stale-days "
                "from 1 to %d; see --help\n",
                AUDIT_DAYS_MAX);
        return EXIT_USAGE;
    }
    return run(&options);
}
