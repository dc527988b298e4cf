/*
 * `spangraph openapi-diff`: what a document says of a service, held against
 * what was observed and what the code serves.
 *
 * Everything becomes rows of (canonical path, method) that say where they were
 * found; sorted, equal ones are one, and those of a path stand together, so
 * that a route under another method than the document's is seen by a look at
 * its neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "cmd/code_ask.h"
#include "graph/audit.h"
#include "graph/code_build.h"
#include "graph/query_named.h"
#include "graph/query_stats.h"
#include "graph/routes.h"
#include "index/openapi.h"

enum where { IN_DOCUMENT = 1, IN_TRAFFIC = 2, IN_CODE = 4 };

enum state {
    STATE_OK,
    STATE_UNDOCUMENTED,
    STATE_METHOD,
    STATE_NEVER_OBSERVED,
    STATE_NOT_IN_CODE, /* and observed */
    STATE_COUNT,
};

static const char *const state_names[STATE_COUNT] = {
    "ok", "undocumented", "method_mismatch", "never_observed", "not_in_code",
};

struct route {
    char *path; /* owned, NUL-terminated; an RPC's name */
    char method[16];
    unsigned where;
    enum state state;
    int64_t count;
    uint32_t last_s;
    str file; /* of the code */
    uint32_t line;
};

struct diff {
    struct code_ask code;
    const char *service;
    const char *env;
    const char *fail_on;
    uint64_t since_ns;
    struct route *routes;
    size_t len;
    size_t cap;
    size_t count[STATE_COUNT];
    bool has_code;
    bool is_short; /* the service was not observed all the window */
    bool is_seen;
};

static enum err
add(struct diff *diff, str method, str path, const struct route *facts)
{
    if (!grow_room(diff->routes, diff->len, diff->cap))
        return ERR_NOMEM;
    struct route *route = &diff->routes[diff->len];
    *route = *facts;
    (void)snprintf(route->method, sizeof(route->method), "%.*s",
                   (int)method.len, method.len ? method.ptr : "");
    route->path = strndup(path.len ? path.ptr : "", path.len);
    if (!route->path)
        return ERR_NOMEM;
    diff->len++;
    return OK;
}

/* ---- where routes come from ---- */

static enum err
take_document(void *ctx, str method, str pattern)
{
    struct diff *diff = ctx;
    const struct route facts = {.where = IN_DOCUMENT};
    struct buf path = {0};
    enum err err = OK;

    if (method.len == 0)
        return add(diff, method, pattern, &facts);
    for (unsigned variant = 0; variant < 2 && !err; variant++) {
        buf_reset(&path);
        if (route_canonical(pattern, variant, &path))
            err = add(diff, method, buf_str(&path), &facts);
    }
    buf_fini(&path);
    return err;
}

static enum err
take_traffic(struct diff *diff, const struct audit *audit)
{
    enum err err = OK;

    for (size_t i = 0; i < audit->len && !err; i++) {
        const struct audit_route *route = &audit->routes[i];
        const struct route facts = {.where = IN_TRAFFIC,
                                    .count = route->count,
                                    .last_s = route->last_s};

        if (route->count > 0)
            err = add(diff, route->method, route->pattern, &facts);
    }
    return err;
}

/* `shop/cart` is also known as cart: to code, and to who asks. */
static bool
is_also(str service, str name)
{
    size_t at = service.len - name.len;

    return service.len > name.len && service.ptr[at - 1] == '/' &&
           str_eq(str_cut(service, at, service.len), name);
}

static enum err
take_code(struct diff *diff)
{
    const struct code *code = diff->code.code;
    str asked = str_of(diff->service);
    enum err err = OK;

    for (uint32_t i = 0; i < code->route_len && !err; i++) {
        const struct code_route *row = &code->routes[i];
        str told = code_ask_service(&diff->code, row->file);
        const struct route facts = {.where = IN_CODE,
                                    .file = code->files[row->file].path,
                                    .line = row->line};

        if (row->flags & (ROUTE_IS_CLIENT | ROUTE_FROM_DOCUMENT |
                          ROUTE_PREFIX_UNKNOWN) ||
            !(str_eq(told, asked) || is_also(told, asked) ||
              is_also(asked, told)))
            continue;
        diff->has_code = true;
        err = add(diff, row->method, row->canonical, &facts);
    }
    return err;
}

/* ---- what is one, and what differs ---- */

static int
compare(const void *a, const void *b)
{
    const struct route *x = a;
    const struct route *y = b;
    int order = strcmp(x->path, y->path);

    return order ? order : strcmp(x->method, y->method);
}

static void
merge(struct diff *diff)
{
    size_t len = 0;

    if (diff->len)
        qsort(diff->routes, diff->len, sizeof(*diff->routes), compare);
    for (size_t i = 0; i < diff->len; i++) {
        struct route *row = &diff->routes[i];
        struct route *last = len ? &diff->routes[len - 1] : NULL;

        if (!last || compare(last, row) != 0) {
            diff->routes[len++] = *row;
            continue;
        }
        last->where |= row->where;
        last->count += row->count;
        last->last_s = last->last_s > row->last_s ? last->last_s : row->last_s;
        if (row->where & IN_CODE) {
            last->file = row->file;
            last->line = row->line;
        }
        free(row->path);
    }
    diff->len = len;
}

static bool
is_any(const struct route *route)
{
    return strcmp(route->method, "ANY") == 0;
}

/* Where the routes of one path are found; a row for any method is found where
 * one of the others is, and they where it is. */
static unsigned
spread_any(struct route *rows, size_t len)
{
    unsigned all = 0;
    unsigned any = 0;

    for (size_t i = 0; i < len; i++) {
        all |= rows[i].where;
        any |= is_any(&rows[i]) ? rows[i].where : 0;
    }
    for (size_t i = 0; i < len; i++)
        rows[i].where |= is_any(&rows[i]) ? all : any;
    return all;
}

static enum state
state_of(const struct diff *diff, const struct route *route, unsigned path)
{
    if (!(route->where & IN_DOCUMENT))
        return path & IN_DOCUMENT ? STATE_METHOD : STATE_UNDOCUMENTED;
    if (!(route->where & IN_TRAFFIC))
        return STATE_NEVER_OBSERVED;
    return diff->has_code && !(route->where & IN_CODE) ? STATE_NOT_IN_CODE
                                                       : STATE_OK;
}

static void
judge(struct diff *diff)
{
    for (size_t from = 0; from < diff->len;) {
        size_t to = from + 1;

        while (to < diff->len &&
               strcmp(diff->routes[from].path, diff->routes[to].path) == 0)
            to++;
        unsigned path = spread_any(&diff->routes[from], to - from);
        for (; from < to; from++) {
            struct route *route = &diff->routes[from];

            route->state = state_of(diff, route, path);
            diff->count[route->state]++;
        }
    }
}

/* ---- saying it ---- */

static cJSON *
route_json(const struct diff *diff, const struct route *route)
{
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "method", route->method);
    cJSON_AddStringToObject(row, "route", route->path);
    cJSON_AddStringToObject(row, "state", state_names[route->state]);
    cJSON_AddBoolToObject(row, "documented", (route->where & IN_DOCUMENT) != 0);
    cJSON_AddBoolToObject(row, "observed", (route->where & IN_TRAFFIC) != 0);
    if (diff->has_code)
        cJSON_AddBoolToObject(row, "in_code", (route->where & IN_CODE) != 0);
    else
        cJSON_AddNullToObject(row, "in_code");
    cJSON_AddNumberToObject(row, "count", (double)route->count);
    ask_add_time(row, "last_observed", route->last_s);
    if (route->line) {
        ask_add_str(row, "file", route->file);
        cJSON_AddNumberToObject(row, "line", route->line);
    }
    return row;
}

static int
print_json(const struct diff *diff)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *array;

    cJSON_AddStringToObject(root, "service", diff->service);
    cJSON_AddBoolToObject(root, "service_seen", diff->is_seen);
    cJSON_AddBoolToObject(root, "observed_all_the_window",
                          diff->is_seen && !diff->is_short);
    cJSON *counts = cJSON_AddObjectToObject(root, "counts");
    for (int i = 0; i < STATE_COUNT; i++)
        cJSON_AddNumberToObject(counts, state_names[i], (double)diff->count[i]);
    array = cJSON_AddArrayToObject(root, "routes");
    for (size_t i = 0; i < diff->len; i++)
        cJSON_AddItemToArray(array, route_json(diff, &diff->routes[i]));
    return ask_print_json(root);
}

static int
print_table(const struct diff *diff)
{
    static const char *const heads[] = {"STATE", "METHOD", "ROUTE",
                                        "CALLS", "LAST",   "AT"};
    struct table *table = table_new(heads, 6);

    for (size_t i = 0; i < diff->len; i++) {
        const struct route *route = &diff->routes[i];

        if (route->state == STATE_OK)
            continue;
        table_add(table, "%s", state_names[route->state]);
        table_add(table, "%s", route->method);
        table_add(table, "%s", route->path);
        table_add(table, "%lld", (long long)route->count);
        table_add_time(table, route->last_s);
        if (route->line)
            table_add(table, "%.*s:%u", (int)route->file.len, route->file.ptr,
                      route->line);
        else
            table_add(table, "%s", "");
    }
    table_print(table, stdout);
    return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_CANNOT_RUN;
}

/* A route that was not observed says little while the service itself was not,
 * or for a shorter time than was asked. */
static int
code_of(const struct diff *diff)
{
    size_t sure = diff->count[STATE_UNDOCUMENTED] + diff->count[STATE_METHOD];
    size_t silent = diff->count[STATE_NEVER_OBSERVED];
    bool is_weak = !diff->is_seen || diff->is_short;

    if (strcmp(diff->fail_on, "none") == 0)
        return EXIT_CLEAN;
    if (sure)
        return EXIT_FINDINGS;
    if (strcmp(diff->fail_on, "undocumented") == 0)
        return diff->is_seen || diff->has_code ? EXIT_CLEAN : EXIT_NO_EVIDENCE;
    if (diff->count[STATE_NOT_IN_CODE] || (silent && !is_weak))
        return EXIT_FINDINGS;
    return is_weak ? EXIT_NO_EVIDENCE : EXIT_CLEAN;
}

static void
print_summary(const struct diff *diff)
{
    fprintf(stderr,
            "spangraph openapi-diff: %s: %zu as documented, %zu undocumented, "
            "%zu under another method, %zu never observed, %zu not in the "
            "code%s\n",
            diff->service, diff->count[STATE_OK],
            diff->count[STATE_UNDOCUMENTED], diff->count[STATE_METHOD],
            diff->count[STATE_NEVER_OBSERVED], diff->count[STATE_NOT_IN_CODE],
            !diff->is_seen   ? "; the service sent no spans"
            : diff->is_short ? "; it was not observed all the window"
                             : "");
}

/* ---- the run ---- */

static int
read_document(struct diff *diff, const char *name)
{
    struct buf text = {0};
    struct buf why = {0};
    enum openapi_format format;
    enum err err =
        ask_read_file("openapi-diff", name, OPENAPI_BYTES_MAX, &text);
    int code = err ? EXIT_CANNOT_RUN : EXIT_CLEAN;

    if (!err)
        err = openapi_read(buf_str(&text), take_document, diff, &format, &why);
    if (code == EXIT_CLEAN && err) {
        fprintf(stderr, "spangraph openapi-diff: %s: %s\n", name,
                why.len ? buf_cstr(&why) : err_str(err));
        code = err == ERR_NOMEM ? EXIT_CANNOT_RUN : EXIT_USAGE;
    }
    buf_fini(&text);
    buf_fini(&why);
    return code;
}

static enum err
look_at_service(struct diff *diff, const struct ids *services)
{
    uint32_t now_s = query_now_s(diff->code.ask.view);
    uint64_t since_s = diff->since_ns / NS_PER_S;
    uint32_t first_s = UINT32_MAX;
    enum err err = OK;

    for (size_t i = 0; i < services->len && !err; i++) {
        struct query_seen seen;

        err = query_seen(diff->code.ask.view, services->ids[i], &seen);
        if (!err && seen.spans > 0 && seen.first_s < first_s)
            first_s = seen.first_s;
    }
    diff->is_seen = first_s != UINT32_MAX;
    diff->is_short = diff->is_seen && first_s + since_s > now_s + S_PER_DAY;
    return err;
}

static int
compare_all(struct diff *diff, const char *file)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE,
                                    .name = str_of(diff->service),
                                    .env = str_of(diff->env)};
    struct audit_cfg cfg = audit_cfg_default;
    struct ids services = {0};
    struct audit audit = {0};
    int rc = read_document(diff, file);

    if (rc == EXIT_CLEAN)
        rc = code_ask_open(&diff->code);
    if (rc != EXIT_CLEAN)
        goto out;
    cfg.stale_days = (uint32_t)(diff->since_ns / (S_PER_DAY * NS_PER_S));
    cfg.services = &services;
    cfg.env = str_of(diff->env);
    enum err err = query_named(diff->code.ask.view, &find, &services);
    if (!err)
        err = look_at_service(diff, &services);
    if (!err && services.len)
        err = audit_run(diff->code.ask.view, &cfg, &audit);
    if (!err)
        err = take_traffic(diff, &audit);
    if (!err)
        err = take_code(diff);
    if (err) {
        rc = ask_fail(err);
        goto out;
    }
    merge(diff);
    judge(diff);
    rc = diff->code.ask.json ? print_json(diff) : print_table(diff);
    if (rc == EXIT_CLEAN) {
        print_summary(diff);
        rc = code_of(diff);
    }
out:
    audit_fini(&audit);
    ids_fini(&services);
    return rc;
}

static bool
is_sensible(const struct diff *diff)
{
    const uint64_t day_ns = S_PER_DAY * NS_PER_S;

    if (diff->since_ns < day_ns || diff->since_ns % day_ns ||
        diff->since_ns / day_ns > AUDIT_DAYS_MAX) {
        fprintf(stderr, "spangraph openapi-diff: --since takes whole days, "
                        "from 1d to 400d\n");
        return false;
    }
    if (strcmp(diff->fail_on, "any") != 0 &&
        strcmp(diff->fail_on, "undocumented") != 0 &&
        strcmp(diff->fail_on, "none") != 0) {
        fprintf(stderr, "spangraph openapi-diff: --fail-on is any, "
                        "undocumented or none\n");
        return false;
    }
    return true;
}

int
cmd_openapi_diff(const struct command *self, int argc, char **argv)
{
    struct diff diff = {.code = {.ask = ASK_DEFAULT},
                        .env = "",
                        .fail_on = "any",
                        .since_ns = (uint64_t)30 * S_PER_DAY * NS_PER_S};
    const struct option_spec specs[] = {
        ASK_OPTIONS(diff.code.ask),
        {"service", OPTION_STR, &diff.service, "NAME", "whose document it is"},
        {"env", OPTION_STR, &diff.env, "ENV", "only this environment"},
        {"since", OPTION_DURATION, &diff.since_ns, "DAYS",
         "calls of so many days count"},
        {"fail-on", OPTION_STR, &diff.fail_on, "CLASS",
         "any, undocumented (and other methods) or none"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    int rc;

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc != 2 || !diff.service || !*diff.service) {
        fprintf(stderr,
                "spangraph openapi-diff: name a service and one file\n"
                "usage: spangraph %s\n",
                self->usage);
        return EXIT_USAGE;
    }
    if (!is_sensible(&diff))
        return EXIT_USAGE;
    rc = compare_all(&diff, argv[1]);
    for (size_t i = 0; i < diff.len; i++)
        free(diff.routes[i].path);
    free(diff.routes);
    code_ask_close(&diff.code);
    return rc;
}
