/*
 * graph_query: observed nodes first, then symbols of the code, each by name.
 */
#include <string.h>

#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_near.h"
#include "mcp/tools_reply.h"

enum { NEAREST = 3 };

struct found {
    struct ids nodes;        /* observed */
    struct ids symbols;      /* of |code| */
    const struct code *code; /* NULL: none */
    struct query_view *view;
};

static uint64_t
row_key(const void *ctx, size_t i)
{
    const struct found *found = ctx;

    return hash_key(
        i < found->nodes.len
            ? query_node(found->view, found->nodes.ids[i])->hash
            : code_node(found->code, found->symbols.ids[i - found->nodes.len])
                  ->hash);
}

/* Names that begin so; where none does, those that end so. */
static void
find_symbols(struct tool_run *run, str prefix, struct found *found)
{
    uint32_t first = 0;
    uint32_t end = 0;

    code_prefix_range(found->code, prefix, &first, &end);
    for (; first < end && !run->err; first++)
        run->err = ids_add(&found->symbols, first);
    if (run->err || found->symbols.len || found->nodes.len)
        return;
    run->err = code_by_suffix(found->code, prefix, 0, &found->symbols);
    if (found->symbols.len)
        tool_hint(run, "no qualified name begins so: these end so");
}

/* Several nodes have one name: a route of each service that serves it. */
static void
add_near(struct buf *names, str name)
{
    struct buf quoted = {0};

    buf_printf(&quoted, "'%.*s'", (int)name.len, name.ptr);
    if (!strstr(buf_cstr(names), buf_cstr(&quoted)))
        buf_printf(names, "%s%s", names->len ? ", " : "", buf_cstr(&quoted));
    buf_fini(&quoted);
}

static void
hint_nearest(struct tool_run *run, const struct found *found, str prefix)
{
    struct ids near = {0};
    struct ids symbols = {0};
    struct buf names = {0};

    run->err = query_nearest(run->view, 0, prefix, NEAREST, &near);
    if (!run->err && found->code)
        run->err = code_nearest(found->code, 0, prefix, NEAREST, &symbols);
    for (size_t i = 0; i < near.len; i++)
        add_near(&names, query_node(run->view, near.ids[i])->name);
    for (size_t i = 0; i < symbols.len; i++)
        add_near(&names, code_node(found->code, symbols.ids[i])->qualified);
    if (names.len)
        tool_hint(run, "closest: %s", buf_cstr(&names));
    buf_fini(&names);
    ids_fini(&near);
    ids_fini(&symbols);
    reply_silence(run, NULL);
    tool_hint(run, "graph_query{\"prefix\":\"\"} lists all nodes");
}

static void
list_prefix(struct tool_run *run)
{
    const struct query_find find = {.prefix = tool_str(run, "prefix")};
    struct found found = {.view = run->view};
    struct tool_page page = {
        .run = run, .name = "nodes", .key = row_key, .ctx = &found};

    if (!run->err)
        run->err = query_find(run->view, &find, &found.nodes);
    if (!run->err && run->tools->cfg.world && tool_joined(run)) {
        found.code = run->joined->code;
        find_symbols(run, find.prefix, &found);
    }
    if (run->err)
        goto out;
    page.total = found.nodes.len + found.symbols.len;
    page_open(&page, 50);
    while (page_more(&page))
        page_add(
            &page,
            page.at < found.nodes.len
                ? node_row(run, found.nodes.ids[page.at])
                : vertex_row(found.code,
                             found.symbols.ids[page.at - found.nodes.len]));
    page_close(&page);
    reply_summary(run, "%zu node%s with '%.100s'", page.total,
                  page.total == 1 ? " begins" : "s begin", find.prefix.ptr);
    if (page.total == 0)
        hint_nearest(run, &found, find.prefix);
    else if (found.symbols.len == 0)
        (void)reply_last(run);
    if (found.nodes.len)
        tool_hint(run, "graph_node tells of one node, by its id");
    if (found.symbols.len)
        tool_hint(run, "blast_radius tells who reaches a symbol");
out:
    ids_fini(&found.nodes);
    ids_fini(&found.symbols);
}

/* Two tools of one name: knowing's lists by prefix, Xplor's answers words. */
void
tool_graph_query(struct tool_run *run)
{
    str query = text_trim(tool_str(run, "query"));

    if (query.len)
        tool_graph_ask(run, query);
    else if (!run->err && !json_member(run->args, "prefix"))
        tool_fail(run, ERR_INVALID,
                  "missing required argument: prefix (or query); try %s%s",
                  run->tool->name, run->tool->example);
    else if (!run->err)
        list_prefix(run);
}
