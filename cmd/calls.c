/*
 * `spangraph calls`: every static call, one row a place where it stands.
 * Guesses, which are no calls, only if asked for, and with their own type.
 * Calls of a file that did not parse cleanly, or is generated, say so.
 */
#include "cmd/code_ask.h"

struct calls_options {
    struct code_ask code;
    bool guesses;
    struct rows rows;
};

/* What holds for all that its file says: errors in it may have torn a call out
 * of its scope, and generated code is nobody's work. */
static const char *
remarks_of(uint32_t flags)
{
    if (flags & CODE_PARTIAL)
        return flags & CODE_GENERATED ? " partial generated" : " partial";
    return flags & CODE_GENERATED ? " generated" : "";
}

static void
show(struct calls_options *o, uint32_t caller, const struct code_link *link,
     const struct code_site *site)
{
    const struct code *code = o->code.code;
    const struct code_vertex *from = code_node(code, caller);
    const struct code_vertex *to = code_node(code, link->node);
    str file = code->files[from->file].path;
    uint32_t flags = code->files[from->file].flags;
    struct table *table = o->rows.table;
    cJSON *row;

    if (table) {
        table_add(table, "%.*s", (int)from->qualified.len, from->qualified.ptr);
        table_add(table, "%.*s", (int)to->qualified.len, to->qualified.ptr);
        table_add(table, "%.*s:%u:%u", (int)file.len, file.ptr, site->line,
                  site->col);
        table_add(table, "%s", code_edge_str(link->type));
        table_add(table, "%s %.2f%s", code_provenance_str(link->provenance),
                  link->permille / 1000.0, remarks_of(flags));
        o->rows.len++;
        return;
    }
    row = cJSON_CreateObject();
    ask_add_str(row, "caller", from->qualified);
    ask_add_str(row, "callee", to->qualified);
    ask_add_str(row, "file", file);
    cJSON_AddNumberToObject(row, "line", site->line);
    cJSON_AddNumberToObject(row, "column", site->col);
    cJSON_AddStringToObject(row, "type", code_edge_str(link->type));
    cJSON_AddStringToObject(row, "provenance",
                            code_provenance_str(link->provenance));
    cJSON_AddNumberToObject(row, "confidence", link->permille / 1000.0);
    if (flags & CODE_PARTIAL)
        cJSON_AddTrueToObject(row, "partial");
    if (flags & CODE_GENERATED)
        cJSON_AddTrueToObject(row, "generated");
    rows_add(&o->rows, row);
}

static bool
is_wanted(const struct calls_options *o, uint8_t type)
{
    return type == CODE_CALLS ||
           (o->guesses && (type == CODE_MAY_CALL || type == CODE_MAY_DISPATCH));
}

/* An edge without a place stands where its source does. */
static void
show_edge(struct calls_options *o, uint32_t caller,
          const struct code_link *link)
{
    const struct code *code = o->code.code;
    const struct code_vertex *from = code_node(code, caller);
    const struct code_site whole = {from->line, from->col};

    if (!is_wanted(o, link->type))
        return;
    if (link->site_len == 0)
        show(o, caller, link, &whole);
    for (uint32_t k = 0; k < link->site_len; k++)
        show(o, caller, link, &code->sites[link->site_at + k]);
}

static int
run(struct calls_options *o)
{
    static const char *const heads[] = {"CALLER", "CALLEE", "AT", "TYPE",
                                        "KNOWN BY"};
    int rc = code_ask_open(&o->code);

    if (rc == EXIT_CLEAN) {
        const struct code *code = o->code.code;

        rows_begin(&o->rows, o->code.ask.json, "calls", heads, 5);
        for (uint32_t v = 1; v < code->node_len && !o->rows.failed; v++)
            for (uint32_t i = code->out_at[v]; i < code->out_at[v + 1]; i++)
                show_edge(o, v, &code->out[i]);
        rc = rows_end(&o->rows);
    }
    code_ask_close(&o->code);
    return rc;
}

int
cmd_calls(const struct command *self, int argc, char **argv)
{
    struct calls_options options = {.code = {.ask = ASK_DEFAULT}};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.code.ask),
        {"guesses", OPTION_FLAG, &options.guesses, NULL,
         "also may_call and may_dispatch, which are guesses"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph calls: takes no '%s'; see --help\n",
                argv[1]);
        return EXIT_USAGE;
    }
    return run(&options);
}
