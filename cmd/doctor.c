/*
 * `spangraph doctor`: what keeps the graph from being whole, and what to do.
 *
 * Each check prints one line, `ok`, `warn` or `bad`; what follows an arrow is
 * what helps.  Of every service it is asked what its spans lack: the accounts
 * that the graph keeps of what made no edge (graph/query.h, query_explain) and
 * its routes say it.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/ask.h"
#include "cmd/receives.h"
#include "cmd/session.h"
#include "graph/query_stats.h"
#include "store/sqlite.h"

enum { OK_LINE, WARN_LINE, BAD_LINE };

enum { FILES_LEAST = 4096, ORPHAN_PERCENT = 10 };

#define FREE_LEAST (UINT64_C(256) << 20)

struct doctor {
    struct ask ask;
    cJSON *rows; /* NULL: lines are printed */
    size_t count[3];
};

static void
say(struct doctor *doctor, int level, const char *what, const char *help,
    const char *format, ...) __attribute__((format(printf, 5, 6)));

static void
say(struct doctor *doctor, int level, const char *what, const char *help,
    const char *format, ...)
{
    static const char *const words[] = {"ok", "warn", "bad"};
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    doctor->count[level]++;
    if (doctor->rows) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "state", words[level]);
        cJSON_AddStringToObject(row, "check", what);
        cJSON_AddStringToObject(row, "finding", buf_cstr(&text));
        cJSON_AddStringToObject(row, "help", help ? help : "");
        cJSON_AddItemToArray(doctor->rows, row);
    } else {
        printf("%-4s %s: %s\n", words[level], what, buf_cstr(&text));
        if (help)
            printf("     -> %s\n", help);
    }
    buf_fini(&text);
}

/* ---- this machine ---- */

static void
check_port(struct doctor *doctor, const char *what,
           const struct config_listener *cfg)
{
    char host[256];
    uint16_t port = 0;
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd;

    if (!cfg->enabled ||
        config_split_endpoint(cfg->endpoint, host, sizeof(host), &port) ||
        port == 0 || inet_pton(AF_INET, host, &address.sin_addr) != 1)
        return;
    address.sin_port = htons(port);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 &&
        bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        say(doctor, OK_LINE, what, NULL, "%s is free: nobody serves it yet",
            cfg->endpoint);
    else
        say(doctor, OK_LINE, what, NULL,
            "%s is taken: by the service, or else it cannot start",
            cfg->endpoint);
    if (fd >= 0)
        close(fd);
}

/* No finding: here one connection writes.  What another program may do is not
 * for us to see. */
static void
check_sqlite(struct doctor *doctor)
{
    bool may_corrupt = sqlite_may_corrupt(sqlite_number());

    say(doctor, OK_LINE, "SQLite",
        may_corrupt
            ? "open no database of the data folder with another program while "
              "the service runs; 3.51.3 has this mended"
            : NULL,
        "%s%s", sqlite_version(),
        may_corrupt ? ": can corrupt a database that two programs write" : "");
}

static void
check_machine(struct doctor *doctor, const struct config *cfg)
{
    uint64_t now_s = clock_wall_ns() / NS_PER_S;
    struct rlimit files = {0};
    struct statvfs disk;

    check_port(doctor, "OTLP/gRPC", &cfg->grpc);
    check_port(doctor, "OTLP/HTTP", &cfg->http);
    check_port(doctor, "query", &cfg->query);
    check_port(doctor, "admin", &cfg->admin);
    check_sqlite(doctor);
    if (now_s < UINT64_C(1700000000))
        say(doctor, BAD_LINE, "clock", "set it: times of spans are held to it",
            "it is before 2023");
    else
        say(doctor, OK_LINE, "clock", NULL, "Unix time %llu",
            (unsigned long long)now_s);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        say(doctor, files.rlim_max < FILES_LEAST ? WARN_LINE : OK_LINE,
            "open files",
            files.rlim_max < FILES_LEAST
                ? "raise it (ulimit -Hn, LimitNOFILE): each connection is one"
                : NULL,
            "at most %llu", (unsigned long long)files.rlim_max);
    if (statvfs(doctor->ask.data, &disk) == 0) {
        uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;

        say(doctor, left < FREE_LEAST ? BAD_LINE : OK_LINE, "disk",
            left < FREE_LEAST ? "make room: a full disk refuses spans" : NULL,
            "%llu MiB free", (unsigned long long)(left >> 20));
    }
}

/* ---- what arrives ---- */

static const char *
help_of(uint8_t kind)
{
    switch (kind) {
    case EDGE_ORPHAN:
        return "the caller's spans do not arrive: instrument and export it, or "
               "switch off sampling that drops part of a trace";
    case EDGE_UNRESOLVED:
        return "outgoing calls name nobody: let the SDK set server.address "
               "(http.client) or peer.service, and instrument the callee";
    case EDGE_UNRESOLVED_LINK:
        return "messages whose sender is unknown: instrument the producer and "
               "let its propagator write the message's headers";
    case EDGE_EVICTED:
        return "raise pairing.max_spans: spans were forgotten before their "
               "other half came";
    case EDGE_DUPLICATE:
        return "two exporters send the same spans: keep one";
    default:
        return NULL;
    }
}

static enum err
check_reasons(struct doctor *doctor, const struct query_node *node,
              int64_t spans)
{
    struct query_reasons reasons = {0};
    enum err err = query_explain(doctor->ask.view, node->id, &reasons);

    for (size_t i = 0; !err && i < reasons.len; i++) {
        const struct query_reason *reason = &reasons.rows[i];
        const char *help = help_of(reason->kind);

        if (help && reason->count * 100 >= spans * ORPHAN_PERCENT)
            say(doctor, WARN_LINE, "spans", help, "%.*s: %lld of %lld %s",
                (int)node->name.len, node->name.ptr, (long long)reason->count,
                (long long)spans, query_reason_str(reason->kind));
    }
    query_reasons_fini(&reasons);
    return err;
}

static enum err
check_routes(struct doctor *doctor, const struct query_node *node)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_ROUTE,
                                    .owner = node->id};
    struct ids routes = {0};
    size_t guessed = 0;
    enum err err = query_find(doctor->ask.view, &find, &routes);

    for (size_t i = 0; !err && i < routes.len; i++)
        guessed += query_node(doctor->ask.view, routes.ids[i])->source ==
                   ROUTE_SOURCE_HEURISTIC;
    if (guessed)
        say(doctor, WARN_LINE, "spans",
            "let the framework's instrumentation set http.route: a guessed "
            "route proves nothing dead",
            "%.*s: %zu of %zu routes are guessed from paths",
            (int)node->name.len, node->name.ptr, guessed, routes.len);
    ids_fini(&routes);
    return err;
}

static enum err
check_service(struct doctor *doctor, uint32_t id)
{
    const struct query_node *node = query_node(doctor->ask.view, id);
    uint32_t now_s = query_now_s(doctor->ask.view);
    struct query_seen seen;
    enum err err = query_seen(doctor->ask.view, id, &seen);

    if (err)
        return err;
    if (seen.spans == 0)
        say(doctor, WARN_LINE, "service",
            "it is declared or called only: export its spans",
            "%.*s sent no spans", (int)node->name.len, node->name.ptr);
    else if (seen.last_s + S_PER_DAY < now_s)
        say(doctor, WARN_LINE, "service", "is it down, or its exporter?",
            "%.*s was last heard of %u days ago", (int)node->name.len,
            node->name.ptr, (now_s - seen.last_s) / S_PER_DAY);
    else
        say(doctor, OK_LINE, "service", NULL, "%.*s: %lld spans",
            (int)node->name.len, node->name.ptr, (long long)seen.spans);
    if (str_eq(node->name, STR(NODE_NAME_UNKNOWN_SERVICE)))
        say(doctor, WARN_LINE, "spans",
            "set OTEL_SERVICE_NAME, or service.name of the resource",
            "some come without a service's name");
    if (seen.spans)
        err = check_reasons(doctor, node, seen.spans);
    return err ? err : check_routes(doctor, node);
}

static void
say_none(struct doctor *doctor, const struct config *cfg)
{
    struct buf help = {0};

    buf_add(&help, STR("point an exporter here: "));
    receives_exporter(cfg, &help);
    say(doctor, BAD_LINE, "spans", buf_cstr(&help), "none have arrived");
    buf_fini(&help);
}

static int
check_store(struct doctor *doctor, const struct config *cfg)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE};
    struct ids services = {0};
    int rc = ask_open(&doctor->ask);
    enum err err = OK;

    if (rc != EXIT_CLEAN) {
        say(doctor, BAD_LINE, "store", "start: spangraph serve",
            "%s cannot be read", doctor->ask.data);
        return EXIT_CLEAN;
    }
    say(doctor, OK_LINE, "store", NULL, "%s", doctor->ask.data);
    err = query_find(doctor->ask.view, &find, &services);
    for (size_t i = 0; i < services.len && !err; i++)
        err = check_service(doctor, services.ids[i]);
    if (!err && services.len == 0)
        say_none(doctor, cfg);
    ids_fini(&services);
    return err ? ask_fail(err) : EXIT_CLEAN;
}

static int
run(struct doctor *doctor, const struct config *cfg)
{
    cJSON *root = doctor->ask.json ? cJSON_CreateObject() : NULL;
    int rc;

    if (root)
        doctor->rows = cJSON_AddArrayToObject(root, "checks");
    check_machine(doctor, cfg);
    rc = check_store(doctor, cfg);
    ask_close(&doctor->ask);
    if (rc == EXIT_CLEAN && root) {
        rc = ask_print_json(root);
        root = NULL;
    }
    cJSON_Delete(root);
    if (rc != EXIT_CLEAN)
        return rc;
    return doctor->count[WARN_LINE] + doctor->count[BAD_LINE] ? EXIT_FINDINGS
                                                              : EXIT_CLEAN;
}

int
cmd_doctor(const struct command *self, int argc, char **argv)
{
    struct doctor doctor = {.ask = {0}};
    const char *file = NULL;
    const struct option_spec specs[] = {
        ASK_OPTIONS(doctor.ask),
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
    };
    struct config cfg;
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "usage: spangraph %s\n", self->usage);
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, file, doctor.ask.data))
        return EXIT_USAGE;
    doctor.ask.data = cfg.dir;
    int rc = run(&doctor, &cfg);
    config_fini(&cfg);
    return rc;
}
