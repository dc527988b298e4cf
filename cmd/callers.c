/*
 * `spangraph callers`, `callees`, `path`, `query`, `diff`: what the tools of
 * the code say, for people and scripts.  One page after another is asked until
 * all is printed.
 */
#include <string.h>

#include "cmd/call.h"
#include "cmd/code_ask.h"
#include "cmd/session.h"

static const struct wording words[] = {
    {"target_hash", "NAME"},
    {"source_hash", "NAME"},
    {"source_symbol", "FROM"},
    {"target_symbol", "TO"},
    {"old_snapshot", "OLD"},
    {"new_snapshot", "NEW"},
    {"repo_url", "--repo"},
    {"max_depth", "--depth"},
    {"graph_query{\"prefix\":\"\"}", "`spangraph query`"},
    {"graph_query", "`spangraph query PREFIX`"},
    {NULL, NULL},
};

struct lister {
    struct ask ask;
    const char *evidence;
    long long depth;
    const char *depth_help;
};

static int
run_tool(struct lister *l, const char *tool, const cJSON *args, cJSON **out)
{
    *out = NULL;
    if (session_ensure(l->ask.data))
        return EXIT_CANNOT_RUN;
    return call_tool(&l->ask, tool, args, words, out);
}

/* Where |row| stands in the code: `file:line`, or nothing. */
static void
add_place(struct table *table, const cJSON *row, const char *line)
{
    const char *file = call_text(row, "file");

    if (*file)
        table_add(table, "%s:%.0f", file, call_number(row, line));
    else
        table_add(table, "%s", "");
}

static void
print_place(const cJSON *row)
{
    const char *file = call_text(row, "file");

    if (*file)
        printf("  %s:%.0f", file, call_number(row, "line"));
}

/* Appends what |more| lists under |name| to |all|. */
static void
take_rows(cJSON *all, cJSON *more, const char *name)
{
    cJSON *to = cJSON_GetObjectItemCaseSensitive(all, name);
    cJSON *from = cJSON_GetObjectItemCaseSensitive(more, name);

    while (to && from && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

/* All pages as one reply; |lists| are the names of what is paged. */
static int
ask_all(struct lister *l, const char *tool, cJSON *args,
        const char *const *lists, cJSON **out)
{
    int rc;

    cJSON_AddNumberToObject(args, "limit", 500);
    rc = run_tool(l, tool, args, out);
    while (rc == EXIT_CLEAN) {
        cJSON *more = NULL;
        cJSON *cursor = cJSON_DetachItemFromObject(*out, "next_cursor");

        if (!cJSON_IsString(cursor)) {
            cJSON_Delete(cursor);
            break;
        }
        cJSON_DeleteItemFromObject(args, "cursor");
        cJSON_AddItemToObject(args, "cursor", cursor);
        rc = run_tool(l, tool, args, &more);
        for (size_t i = 0; lists[i] && rc == EXIT_CLEAN; i++)
            take_rows(*out, more, lists[i]);
        if (rc == EXIT_CLEAN)
            cJSON_AddItemToObject(
                *out, "next_cursor",
                cJSON_DetachItemFromObject(more, "next_cursor"));
        cJSON_Delete(more);
    }
    if (rc == EXIT_CLEAN) {
        cJSON_DeleteItemFromObject(*out, "truncated");
        cJSON_DeleteItemFromObject(*out, "returned");
    } else {
        cJSON_Delete(*out);
        *out = NULL;
    }
    return rc;
}

static void
print_hints(const char *tool, const cJSON *out)
{
    const cJSON *hint;

    cJSON_ArrayForEach(hint, cJSON_GetObjectItemCaseSensitive(out, "hints"))
    {
        call_print(stderr, words, tool, hint->valuestring);
    }
}

/* ---- callers, callees ---- */

static int
print_reached(const char *tool, cJSON *out, const char *list)
{
    static const char *const heads[] = {"DEPTH", "SYMBOL", "AT", "EVIDENCE",
                                        "CONFIDENCE"};
    struct table *table = table_new(heads, 5);
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(out, list))
    {
        const cJSON *node = cJSON_GetObjectItemCaseSensitive(row, "Node");
        const cJSON *sure = cJSON_GetObjectItemCaseSensitive(row, "Confidence");

        table_add(table, "%.0f", call_number(row, "Depth"));
        table_add(table, "%s", call_text(node, "QualifiedName"));
        add_place(table, node, "Line");
        table_add(table, "%s", call_text(row, "evidence"));
        table_add(table, "%.2f", cJSON_IsNumber(sure) ? sure->valuedouble : 0);
    }
    table_print(table, stdout);
    print_hints(tool, out);
    cJSON_Delete(out);
    return EXIT_CLEAN;
}

static int
complain(const struct command *self)
{
    fprintf(stderr, "usage: spangraph %s; see --help\n", self->usage);
    return EXIT_USAGE;
}

/* Reads the options into |l| and begins |args| of a tool with them; |words_len|
 * words are to be left.  An exit code; |args| is NULL where that is all. */
static int
read_words(struct lister *l, const struct command *self, int *argc, char **argv,
           int words_len, cJSON **args)
{
    const struct option_spec specs[] = {
        ASK_OPTIONS(l->ask),
        {"depth", OPTION_INT, &l->depth, "N", l->depth_help},
        {"evidence", OPTION_STR, &l->evidence, "WORD",
         "only calls of the code (static) or of traces (observed)"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 argc, argv);

    *args = NULL;
    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (*argc != 1 + words_len)
        return complain(self);
    *args = cJSON_CreateObject();
    cJSON_AddNumberToObject(*args, "max_depth", (double)l->depth);
    if (l->evidence)
        cJSON_AddStringToObject(*args, "evidence", l->evidence);
    return EXIT_CLEAN;
}

static int
list_reached(const struct command *self, int argc, char **argv,
             const char *tool, const char *argument, const char *list)
{
    struct lister l = {.ask = ASK_DEFAULT,
                       .depth = 1,
                       .depth_help = "calls away, at most 100"};
    const char *const lists[] = {list, NULL};
    cJSON *args;
    cJSON *out = NULL;
    int rc = read_words(&l, self, &argc, argv, 1, &args);

    if (!args)
        return rc;
    cJSON_AddStringToObject(args, argument, argv[1]);
    rc = ask_all(&l, tool, args, lists, &out);
    if (rc == EXIT_CLEAN)
        rc = l.ask.json ? ask_print_json(out) : print_reached(tool, out, list);
    cJSON_Delete(args);
    return rc;
}

int
cmd_callers(const struct command *self, int argc, char **argv)
{
    return list_reached(self, argc, argv, "cross_repo_callers", "target_hash",
                        "callers");
}

int
cmd_callees(const struct command *self, int argc, char **argv)
{
    return list_reached(self, argc, argv, "trace_dataflow", "source_hash",
                        "callees");
}

/* ---- path ---- */

static int
print_paths(cJSON *out)
{
    const cJSON *path;

    cJSON_ArrayForEach(path, cJSON_GetObjectItemCaseSensitive(out, "paths"))
    {
        const cJSON *step;
        const char *before = "";

        cJSON_ArrayForEach(step,
                           cJSON_GetObjectItemCaseSensitive(path, "steps"))
        {
            printf("%s%s%s%s", *before ? "  -> " : "",
                   call_text(step, "symbol"), *before ? "  by " : "", before);
            before = call_text(step, "edge_type");
            print_place(step);
            putchar('\n');
        }
        putchar('\n');
    }
    printf("%s\n", call_text(out, "summary"));
    print_hints("flow_between", out);
    cJSON_Delete(out);
    return EXIT_CLEAN;
}

int
cmd_path(const struct command *self, int argc, char **argv)
{
    struct lister l = {.ask = ASK_DEFAULT,
                       .depth = 5,
                       .depth_help = "calls at most, up to 20"};
    cJSON *args;
    cJSON *out = NULL;
    int rc = read_words(&l, self, &argc, argv, 2, &args);

    if (!args)
        return rc;
    cJSON_AddStringToObject(args, "source_symbol", argv[1]);
    cJSON_AddStringToObject(args, "target_symbol", argv[2]);
    rc = run_tool(&l, "flow_between", args, &out);
    if (rc == EXIT_CLEAN && call_number(out, "path_count") == 0)
        rc = EXIT_FINDINGS;
    if (out) {
        int printed = l.ask.json ? ask_print_json(out) : print_paths(out);
        rc = printed ? printed : rc;
    }
    cJSON_Delete(args);
    return rc;
}

/* ---- query ---- */

static int
print_nodes(cJSON *out)
{
    static const char *const heads[] = {"KIND", "NAME", "AT", "SIGNATURE"};
    struct table *table = table_new(heads, 4);
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(out, "nodes"))
    {
        table_add(table, "%s", call_text(row, "Kind"));
        table_add(table, "%s", call_text(row, "QualifiedName"));
        add_place(table, row, "Line");
        table_add(table, "%s", call_text(row, "Signature"));
    }
    table_print(table, stdout);
    cJSON_Delete(out);
    return EXIT_CLEAN;
}

int
cmd_query(const struct command *self, int argc, char **argv)
{
    static const char *const lists[] = {"nodes", NULL};
    struct lister l = {.ask = ASK_DEFAULT};
    const struct option_spec specs[] = {ASK_OPTIONS(l.ask)};
    cJSON *out = NULL;
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 2)
        return complain(self);
    cJSON *args = cJSON_CreateObject();
    cJSON_AddStringToObject(args, "prefix", argc == 2 ? argv[1] : "");
    int rc = ask_all(&l, "graph_query", args, lists, &out);
    if (rc == EXIT_CLEAN && call_number(out, "total") == 0)
        print_hints("graph_query", out);
    if (rc == EXIT_CLEAN)
        rc = l.ask.json ? ask_print_json(out) : print_nodes(out);
    cJSON_Delete(args);
    return rc;
}

/* ---- diff ---- */

static void
print_symbols(const cJSON *out, const char *list, const char *sign)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(out, list))
    {
        const cJSON *why;
        const char *before = "  (";

        printf("%s %s %s", sign, call_text(row, "kind"),
               call_text(row, "qualified_name"));
        print_place(row);
        cJSON_ArrayForEach(why,
                           cJSON_GetObjectItemCaseSensitive(row, "changed"))
        {
            printf("%s%s", before, why->valuestring);
            before = ", ";
        }
        printf("%s\n", *before == ',' ? ")" : "");
    }
}

static void
print_edges(const cJSON *out, const char *list, const char *sign)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(out, list))
    {
        printf("%s %s %s %s\n", sign, call_text(row, "source_name"),
               call_text(row, "edge_type"), call_text(row, "target_name"));
    }
}

static int
print_diff(cJSON *out)
{
    print_symbols(out, "nodes_removed", "-");
    print_symbols(out, "nodes_added", "+");
    print_symbols(out, "nodes_modified", "~");
    print_edges(out, "edges_removed", "-");
    print_edges(out, "edges_added", "+");
    printf("%s\n",
           call_text(cJSON_GetObjectItemCaseSensitive(out, "summary"), "text"));
    cJSON_Delete(out);
    return EXIT_CLEAN;
}

int
cmd_diff(const struct command *self, int argc, char **argv)
{
    static const char *const lists[] = {"nodes_added",    "nodes_removed",
                                        "nodes_modified", "edges_added",
                                        "edges_removed",  NULL};
    struct lister l = {.ask = ASK_DEFAULT};
    const char *repo = NULL;
    const struct option_spec specs[] = {
        ASK_OPTIONS(l.ask),
        {"repo", OPTION_STR, &repo, "URL", "one of several repositories"},
    };
    cJSON *out = NULL;
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc != 3)
        return complain(self);
    cJSON *args = cJSON_CreateObject();
    cJSON_AddStringToObject(args, "old_snapshot", argv[1]);
    cJSON_AddStringToObject(args, "new_snapshot", argv[2]);
    if (repo)
        cJSON_AddStringToObject(args, "repo_url", repo);
    int rc = ask_all(&l, "semantic_diff", args, lists, &out);
    if (rc == EXIT_CLEAN)
        rc = l.ask.json ? ask_print_json(out) : print_diff(out);
    cJSON_Delete(args);
    return rc;
}
