/*
 * `spangraph explain SERVICE [SERVICE]`: why an edge is or is not there.  The
 * tool of the same name answers; here it is printed for people.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/call.h"

static const struct wording words[] = {
    {"service_map{\"level\":\"endpoint\"} lists all edges, page by page",
     "`spangraph edges --level endpoint` lists all edges"},
    {"peer", "service"},
    {NULL, NULL},
};

static bool
has_env(const cJSON *rows)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        if (cJSON_HasObjectItem(row, "env"))
            return true;
    }
    return false;
}

static void
print_edges(const cJSON *out)
{
    static const char *const heads[] = {"SOURCE", "TARGET",        "KIND",
                                        "COUNT",  "LAST OBSERVED", "ENV"};
    const cJSON *edges = cJSON_GetObjectItem(out, "edges");
    bool with_env = has_env(edges);
    struct table *table = table_new(heads, with_env ? 6 : 5);
    const cJSON *row;

    cJSON_ArrayForEach(row, edges)
    {
        table_add(table, "%s", call_text(row, "source"));
        table_add(table, "%s", call_text(row, "target"));
        table_add(table, "%s", call_text(row, "kind"));
        table_add(table, "%.0f", call_number(row, "count"));
        table_add_time(table, (uint32_t)call_number(row, "last_observed"));
        if (with_env)
            table_add(table, "%s", call_text(row, "env"));
    }
    table_print(table, stdout);
}

static void
print_reasons(const cJSON *out)
{
    static const char *const heads[] = {"SERVICE", "REASON", "COUNT",
                                        "INSTRUMENTATION", "MEANING"};
    struct table *table = table_new(heads, 5);
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "reasons"))
    {
        const char *env = call_text(row, "env");

        table_add(table, "%s%s%s", call_text(row, "service"), *env ? " @" : "",
                  env);
        table_add(table, "%s", call_text(row, "reason"));
        table_add(table, "%.0f", call_number(row, "count"));
        table_add(table, "%s", call_text(row, "scope"));
        table_add(table, "%s", call_text(row, "meaning"));
    }
    table_print(table, stdout);
}

static void
print_text(const cJSON *out)
{
    const cJSON *hint;

    printf("%s\n\n", call_text(out, "summary"));
    print_edges(out);
    printf("\n");
    print_reasons(out);
    cJSON_ArrayForEach(hint, cJSON_GetObjectItem(out, "hints"))
    {
        if (cJSON_IsString(hint)) {
            putchar('\n');
            call_print(stdout, words, "explain", hint->valuestring);
        }
    }
}

int
cmd_explain(const struct command *self, int argc, char **argv)
{
    struct ask ask = ASK_DEFAULT;
    const char *env = NULL;
    const struct option_spec specs[] = {
        ASK_OPTIONS(ask),
        {"env", OPTION_STR, &env, "ENV", "only this environment"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    cJSON *args;
    cJSON *out = NULL;
    int rc;

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "spangraph: explain takes one service or two; see "
                        "`spangraph edges` for names\n");
        return EXIT_USAGE;
    }
    args = cJSON_CreateObject();
    cJSON_AddStringToObject(args, "service", argv[1]);
    if (argc == 3)
        cJSON_AddStringToObject(args, "peer", argv[2]);
    if (env)
        cJSON_AddStringToObject(args, "env", env);
    rc = call_tool(&ask, "explain", args, words, &out);
    cJSON_Delete(args);
    if (rc != EXIT_CLEAN)
        return rc;
    if (ask.json)
        return ask_print_json(out);
    print_text(out);
    cJSON_Delete(out);
    return EXIT_CLEAN;
}
