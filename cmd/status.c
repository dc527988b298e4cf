/*
 * `spangraph status`: is the service there, is it well, what has it taken in.
 * It is asked over HTTP; a store that nobody serves is looked at itself.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/ask.h"
#include "cmd/remote.h"
#include "cmd/status_store.h"

enum { TIMEOUT_MS = 5000 };

/* The metrics that are told, in this order. */
static const char *const told[] = {
    "spangraph_spans_total{result=\"accepted\"}",
    "spangraph_spans_total{result=\"duplicate\"}",
    "spangraph_spans_total{result=\"rejected\"}",
    "spangraph_live_spans",
    "spangraph_nodes",
    "spangraph_edges",
    "spangraph_store_bytes",
    "spangraph_connections",
};

struct status {
    const char *url;
    bool json;
    bool is_ready;
    struct buf metrics;
};

static enum err
fetch(const struct status *status, const char *path, int *code,
      struct buf *body)
{
    const struct remote remote = {
        .server = status->url, .token = "", .timeout_ms = TIMEOUT_MS};
    struct buf why = {0};
    enum err err = remote_get(&remote, path, code, body, &why);

    if (err)
        fprintf(stderr, "spangraph status: %s%s\n", buf_cstr(&why),
                err == ERR_INVALID
                    ? ""
                    : "; is it running there? --server URL names another "
                      "place, --data DIR its folder");
    buf_fini(&why);
    return err;
}

/* The value of a metric; false: it is not told. */
static bool
read_metric(const char *text, const char *name, double *out)
{
    size_t len = strlen(name);

    for (const char *at = text; at && *at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, len) == 0 && at[len] == ' ') {
            *out = strtod(at + len + 1, NULL);
            return true;
        }
        if (*at == '\0')
            break;
    }
    return false;
}

static int
print(struct status *status)
{
    cJSON *root = cJSON_CreateObject();
    const char *text = buf_cstr(&status->metrics);

    cJSON_AddBoolToObject(root, "ready", status->is_ready);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    if (!status->json)
        printf("%s: %s\n", status->url,
               status->is_ready ? "ready" : "not ready");
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        double value = 0;

        if (!read_metric(text, told[i], &value))
            continue;
        cJSON_AddNumberToObject(metrics, told[i], value);
        if (!status->json)
            printf("  %-46s %.0f\n", told[i], value);
    }
    if (status->json)
        return ask_print_json(root);
    cJSON_Delete(root);
    return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_CANNOT_RUN;
}

static int
run(struct status *status)
{
    struct buf ready = {0};
    int code = 0;
    enum err err = fetch(status, "/readyz", &code, &ready);
    int rc;

    status->is_ready = code == 200;
    if (!err)
        err = fetch(status, "/metrics", &code, &status->metrics);
    rc = err == ERR_INVALID ? EXIT_USAGE
         : err              ? EXIT_CANNOT_RUN
                            : print(status);
    if (rc == EXIT_CLEAN && !status->is_ready)
        rc = EXIT_FINDINGS;
    buf_fini(&ready);
    buf_fini(&status->metrics);
    return rc;
}

int
cmd_status(const struct command *self, int argc, char **argv)
{
    struct status status = {0};
    const char *data = NULL;
    const struct option_spec specs[] = {
        {"server", OPTION_STR, &status.url, "URL",
         "where the service answers (http://localhost:8080)"},
        {"data", OPTION_STR, &data, "DIR",
         "look at a store instead, whether or not it is served"},
        {"json", OPTION_FLAG, &status.json, NULL, "print JSON"},
    };
    enum err err = options_parse(self, specs, 3, &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1 || (data && status.url)) {
        fprintf(stderr, "usage: spangraph %s%s\n", self->usage,
                argc > 1 ? "" : ", with either --server or --data");
        return EXIT_USAGE;
    }
    if (data)
        return status_store_print(data, status.json);
    if (!status.url)
        status.url = "http://localhost:8080";
    return run(&status);
}
