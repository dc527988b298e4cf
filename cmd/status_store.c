/*
 * The files are looked at from outside first, so that something is said of a
 * store that does not open, too; then it is asked what it holds.
 */
#include "cmd/status_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/ask.h"
#include "graph/query_stats.h"
#include "store/look.h"

static const char *
state_of(const struct look *look)
{
    if (!look->is_there)
        return "absent";
    if (!look->is_readable)
        return "unreadable";
    if (look->schema > look->schema_known)
        return "newer";
    if (look->schema < look->schema_known)
        return "older";
    return look->is_suspect ? "suspect" : "good";
}

static const char *
help_of(const char *state)
{
    static const char *const helps[][2] = {
        {"unreadable", "it is damaged or locked, or another user's: start "
                       "`spangraph serve`, which sets what is damaged aside"},
        {"newer", "use the newer program that wrote it"},
        {"older", "start `spangraph serve` once to bring it up to date"},
        {"suspect", "damage was met: the next start checks all of it"},
    };

    for (size_t i = 0; i < sizeof(helps) / sizeof(helps[0]); i++) {
        if (strcmp(helps[i][0], state) == 0)
            return helps[i][1];
    }
    return NULL;
}

static void
add_file(cJSON *files, const struct look *look)
{
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "file", look->file);
    cJSON_AddStringToObject(row, "state", state_of(look));
    cJSON_AddNumberToObject(row, "bytes", (double)look->bytes);
    cJSON_AddNumberToObject(row, "wal_bytes", (double)look->wal_bytes);
    cJSON_AddNumberToObject(row, "schema", (double)look->schema);
    cJSON_AddNumberToObject(row, "schema_of_program",
                            (double)look->schema_known);
    cJSON_AddBoolToObject(row, "locked", look->is_locked);
    if (look->is_locked && look->holder)
        cJSON_AddNumberToObject(row, "locked_by", (double)look->holder);
    cJSON_AddItemToArray(files, row);
}

static void
print_file(const struct look *look)
{
    const char *state = state_of(look);
    const char *help = help_of(state);

    printf("  %-13s %-10s", look->file, state);
    if (look->is_there)
        printf(" %" PRId64 " bytes and %" PRId64 " in its log, schema %" PRId64
               " of %" PRId64,
               look->bytes, look->wal_bytes, look->schema, look->schema_known);
    if (look->is_locked && look->holder)
        printf(", written by process %ld", look->holder);
    else if (look->is_locked)
        printf(", written by another process");
    printf("\n");
    if (help)
        printf("     -> %s\n", help);
}

static void
add_held(cJSON *root, const struct query_stats *stats, uint32_t as_of_s)
{
    cJSON *held = cJSON_AddObjectToObject(root, "held");

    cJSON_AddNumberToObject(held, "services", (double)stats->services);
    cJSON_AddNumberToObject(held, "nodes", (double)stats->nodes);
    cJSON_AddNumberToObject(held, "edges", (double)stats->edges);
    ask_add_time(held, "first_span", stats->first_s);
    ask_add_time(held, "last_span", stats->last_s);
    ask_add_time(held, "data_as_of", as_of_s);
}

static void
add_cells(struct table *table, const char *what, int64_t count)
{
    table_add(table, "  %s", what);
    table_add(table, "%" PRId64, count);
}

static void
add_instant(struct table *table, const char *what, uint32_t at_s)
{
    table_add(table, "  %s", what);
    table_add_time(table, at_s);
}

static void
print_held(const struct query_stats *stats, uint32_t as_of_s)
{
    static const char *const heads[] = {"  HELD", ""};
    struct table *table = table_new(heads, 2);

    add_cells(table, "services", stats->services);
    add_cells(table, "nodes", stats->nodes);
    add_cells(table, "edges", stats->edges);
    add_instant(table, "first span", stats->first_s);
    add_instant(table, "last span", stats->last_s);
    add_instant(table, "data as of", as_of_s);
    table_print(table, stdout);
}

/* What is held, if the traces are there and of this program's version. */
static int
tell_held(const char *dir, cJSON *root)
{
    struct ask ask = {.data = dir};
    struct query_stats stats;
    int rc = ask_open(&ask);

    if (rc == EXIT_CLEAN) {
        enum err err = query_stats(ask.view, NULL, &stats);
        uint32_t as_of_s = err ? 0 : query_as_of_s(ask.view);

        if (err)
            rc = ask_fail(err);
        else if (root)
            add_held(root, &stats, as_of_s);
        else
            print_held(&stats, as_of_s);
    }
    ask_close(&ask);
    return rc;
}

static int
tell(const char *dir, const struct look *looks, cJSON *root)
{
    cJSON *files = root ? cJSON_AddArrayToObject(root, "files") : NULL;
    bool is_whole = true;
    int rc = EXIT_CLEAN;

    for (size_t i = 0; i < LOOK_FILES; i++) {
        const char *state = state_of(&looks[i]);

        is_whole &= strcmp(state, "absent") == 0 || strcmp(state, "good") == 0;
        if (root)
            add_file(files, &looks[i]);
        else
            print_file(&looks[i]);
    }
    if (looks[0].is_readable && looks[0].schema == looks[0].schema_known)
        rc = tell_held(dir, root);
    return rc == EXIT_CLEAN && !is_whole ? EXIT_FINDINGS : rc;
}

int
status_store_print(const char *dir, bool json)
{
    struct look looks[LOOK_FILES];
    struct buf why = {0};
    enum err err = look_at(dir, looks, &why);
    cJSON *root = json && !err ? cJSON_CreateObject() : NULL;
    int rc = EXIT_CANNOT_RUN;

    if (err) {
        fprintf(stderr, "spangraph status: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    } else {
        bool is_served = looks[0].is_locked;

        if (root) {
            cJSON_AddStringToObject(root, "data", dir);
            cJSON_AddBoolToObject(root, "served", is_served);
        } else {
            printf("%s: %s\n", dir,
                   is_served ? "a process writes it" : "nobody writes it");
        }
        rc = tell(dir, looks, root);
    }
    if (root && (rc == EXIT_CLEAN || rc == EXIT_FINDINGS)) {
        int printed = ask_print_json(root);

        rc = printed == EXIT_CLEAN ? rc : printed;
    } else {
        cJSON_Delete(root);
    }
    buf_fini(&why);
    return rc;
}
