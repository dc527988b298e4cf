/*
 * test_scope: the tests that what changed in some files can reach, and how to
 * run just those.
 *
 * Tests are what the indexer says a runner runs by its name, and files of tests
 * that call something outside of any function.  A runner's line is put together
 * from names of the code, so whatever a shell could read is quoted.
 */
#include "mcp/tools_code_tests.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/tools_args.h"
#include "mcp/tools_reply.h"

enum { DEPTH_MAX = 50 };

struct scope {
    struct tool_run *run;
    const struct joined *joined;
    struct ids files;
    struct ids tests; /* rising */
    cJSON *results;
};

static bool
is_test(const struct code *code, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);

    return (node->flags & CODE_IS_TEST_CASE) ||
           (node->kind == CODE_FILE && node->flags & CODE_TEST);
}

/* Everything in the files; a test among it is in scope by itself. */
static void
find_tests(struct scope *s, uint32_t depth)
{
    const struct code *code = s->joined->code;
    struct ids from = {0};
    struct joined_walk walk = {0};

    for (size_t k = 0; k < s->files.len && !s->run->err; k++) {
        uint32_t len = 0;
        const uint32_t *ids = code_file_nodes(code, s->files.ids[k], &len);

        for (uint32_t i = 0; i < len && !s->run->err; i++)
            s->run->err = ids_add(&from, ids[i]);
    }
    const struct joined_ask ask = {
        .from = from.ids,
        .from_len = from.len,
        .is_backward = true,
        .types = JOINED_CALLS | JOINED_BIT(CODE_TESTS) |
                 JOINED_BIT(CODE_REFERENCES) | JOINED_BIT(CODE_OVERRIDES),
        .evidence = tool_evidence(s->run),
        .max_depth = depth,
        .view = s->run->view,
    };
    if (!s->run->err)
        s->run->err = joined_reach(s->joined, &ask, &walk);
    for (size_t i = 0; i < walk.len && !s->run->err; i++) {
        uint32_t vertex = joined_vertex(s->joined, walk.steps[i].place);

        if (vertex && is_test(code, vertex))
            s->run->err = ids_add(&s->tests, vertex);
    }
    if (walk.has_more)
        tool_hint(s->run, "there are callers beyond depth %u", depth);
    joined_walk_fini(&walk);
    ids_fini(&from);
}

/* A file that calls by itself is no test where one of its own is. */
static void
drop_files(struct scope *s)
{
    const struct code *code = s->joined->code;
    size_t len = 0;

    for (size_t i = 0; i < s->tests.len; i++) {
        const struct code_vertex *node = code_node(code, s->tests.ids[i]);
        bool is_needless = false;

        for (size_t k = 0; node->kind == CODE_FILE && k < s->tests.len; k++)
            is_needless |=
                k != i && code_node(code, s->tests.ids[k])->file == node->file;
        if (!is_needless)
            s->tests.ids[len++] = s->tests.ids[i];
    }
    s->tests.len = len;
}

static int
compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void
add_result(struct scope *s, str text)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, s->results)
    {
        if (str_eq(str_of(item->valuestring), text))
            return;
    }
    json_push(s->results, json_str(text));
}

static void
add_package(struct scope *s, uint32_t id)
{
    const struct code *code = s->joined->code;
    struct buf text = {0};

    tests_package(code, id, &text);
    add_result(s, buf_str(&text));
    buf_fini(&text);
}

static void
add_lines(struct scope *s)
{
    struct tests_lines lines = {0};

    tests_lines_make(s->joined->code, s->tests.ids, s->tests.len, &lines);
    for (size_t i = 0; i < lines.len; i++)
        add_result(s, buf_str(&lines.lines[i]));
    if (lines.unknown)
        tool_hint(s->run,
                  "%zu tests have no runner that is known (C, C++): "
                  "output=functions names them",
                  lines.unknown);
    tests_lines_fini(&lines);
}

static void
show(struct scope *s, str mode)
{
    struct tool_run *run = s->run;
    cJSON *all = cJSON_CreateArray();
    size_t bytes = 0;
    size_t total;

    s->results = all;
    if (str_eq(mode, STR("run")))
        add_lines(s);
    for (size_t i = 0; i < s->tests.len && !str_eq(mode, STR("run")); i++)
        if (str_eq(mode, STR("packages")))
            add_package(s, s->tests.ids[i]);
        else
            add_result(s,
                       code_node(s->joined->code, s->tests.ids[i])->qualified);
    total = (size_t)cJSON_GetArraySize(all);
    put_str(run->reply, "mode", mode);
    cJSON *shown = cJSON_AddArrayToObject(run->reply, "results");
    while (all->child && bytes < TOOLS_REPLY_BYTES - 6000) {
        bytes += strlen(all->child->valuestring) + 3;
        if (bytes >= TOOLS_REPLY_BYTES - 6000 && shown->child)
            break;
        json_push(shown, cJSON_DetachItemFromArray(all, 0));
    }
    put_num(run->reply, "count", (double)total);
    cJSON_AddBoolToObject(run->reply, "truncated", all->child != NULL);
    if (all->child)
        tool_hint(run, "%d of %zu are shown: name fewer files",
                  cJSON_GetArraySize(shown), total);
    put_num(run->reply, "tests", (double)s->tests.len);
    cJSON_Delete(all);
    reply_summary(run, "%zu test%s can reach %zu file%s", s->tests.len,
                  s->tests.len == 1 ? "" : "s", s->files.len,
                  s->files.len == 1 ? "" : "s");
    if (s->tests.len == 0)
        tool_hint(run, "no test is known to reach these files within depth; "
                       "try a larger one");
}

void
tool_test_scope(struct tool_run *run)
{
    struct scope s = {.run = run, .joined = tool_joined(run)};
    str mode = tool_str(run, "output");
    int64_t depth = tool_int(run, "depth", 3, 1, DEPTH_MAX);

    if (mode.len == 0)
        mode = STR("packages");
    if (!run->err && !str_eq(mode, STR("packages")) &&
        !str_eq(mode, STR("functions")) && !str_eq(mode, STR("run")))
        tool_fail(run, ERR_INVALID,
                  "output \"%.40s\" is none of packages, functions, run",
                  mode.ptr);
    if (!run->err)
        tool_files(run, s.joined->code, &s.files);
    if (!run->err)
        find_tests(&s, (uint32_t)depth);
    if (!run->err) {
        drop_files(&s);
        if (s.tests.len)
            qsort(s.tests.ids, s.tests.len, sizeof(*s.tests.ids), compare_ids);
        show(&s, mode);
    }
    ids_fini(&s.files);
    ids_fini(&s.tests);
}
