#include "cmd/code_ask.h"

#include <string.h>

#include "cmd/session.h"

int
code_ask_open(struct code_ask *ask)
{
    struct buf why = {0};
    int rc = session_ensure(ask->ask.data) ? EXIT_CANNOT_RUN : EXIT_CLEAN;

    if (rc == EXIT_CLEAN)
        rc = ask_open(&ask->ask);
    if (rc != EXIT_CLEAN)
        return rc;
    enum err err = world_open(&ask->world, ask->ask.data);
    if (!err)
        err = world_hold(ask->world, ask->ask.view, &ask->joined, &why);
    if (err) {
        fprintf(stderr, "spangraph: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
        rc = EXIT_CANNOT_RUN;
    } else {
        ask->code = ask->joined->code;
    }
    buf_fini(&why);
    return rc;
}

void
code_ask_close(struct code_ask *ask)
{
    world_drop(ask->joined);
    world_close(ask->world);
    ask_close(&ask->ask);
}

str
code_ask_service(const struct code_ask *ask, uint32_t file)
{
    const struct join *join = ask->joined->join;
    const struct code *code = ask->code;
    const struct code_service *best = NULL;

    for (uint32_t i = 0; i < join->folder_len; i++)
        if (join_holds(join, join->folders[i].service, file))
            return query_node(ask->ask.view, join->folders[i].service)->name;
    for (uint32_t i = 0; i < code->service_len; i++) {
        const struct code_service *service = &code->services[i];

        if (service->repo != code->files[file].repo ||
            !join_is_below(code->files[file].path, service->directory))
            continue;
        if (!best || service->directory.len > best->directory.len ||
            (service->directory.len == best->directory.len &&
             service->rank < best->rank))
            best = service;
    }
    return best ? best->name : (str){"", 0};
}

/* ---- rows ---- */

void
rows_begin(struct rows *rows, bool json, const char *name,
           const char *const *heads, size_t columns)
{
    *rows = (struct rows){.name = name};
    if (!json)
        rows->table = table_new(heads, columns);
    rows->failed = json ? printf("{\"%s\":[", name) < 0 : !rows->table;
}

void
rows_add(struct rows *rows, cJSON *row)
{
    char *text = cJSON_PrintUnformatted(row);

    rows->failed |= !text || printf("%s\n%s", rows->len ? "," : "", text) < 0;
    rows->len++;
    cJSON_free(text);
    cJSON_Delete(row);
}

int
rows_end(struct rows *rows)
{
    if (rows->table)
        table_print(rows->table, stdout);
    else
        rows->failed |= printf("\n],\"total\":%zu}\n", rows->len) < 0;
    rows->failed |= fflush(stdout) != 0;
    if (rows->failed)
        fprintf(stderr, "spangraph: cannot print the answer\n");
    return rows->failed ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}
