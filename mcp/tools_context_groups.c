/*
 * Communities.  They are found anew for each question: the graph may have
 * changed, and finding them costs a second on a large one.
 */
#include <stdlib.h>

#include "graph/communities.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_code_snapshot.h"
#include "mcp/tools_context.h"
#include "mcp/tools_reply.h"

enum { TOP_SYMBOLS = 5, NEIGHBORS_MAX = 10 };

struct asked {
    struct tool_run *run;
    const struct joined *joined;
    struct communities found;
};

static cJSON *
community_row(const struct asked *asked, size_t index)
{
    const struct community *row = &asked->found.rows[index];
    cJSON *object = cJSON_CreateObject();
    cJSON *top;

    put_num(object, "id", (double)row->id);
    put_num(object, "size", row->size);
    top = cJSON_AddArrayToObject(object, "top_symbols");
    for (uint32_t i = 0; i < row->size && i < TOP_SYMBOLS; i++) {
        struct buf name = {0};
        place_name(asked->run, asked->joined,
                   asked->found.members[row->member_at + i], &name);
        cJSON_AddItemToArray(top, json_str(buf_str(&name)));
        buf_fini(&name);
    }
    put_round(object, "cohesion", row->cohesion);
    put_str(object, "dominant_package", row->package);
    put_num(object, "packages", row->packages);
    put_num(object, "edges", row->edges);
    put_num(object, "observed_edges", row->observed);
    return object;
}

static uint64_t
row_key(const void *ctx, size_t i)
{
    return ((const struct asked *)ctx)->found.rows[i].id;
}

static void
list_all(struct asked *asked)
{
    struct tool_run *run = asked->run;
    const struct communities *found = &asked->found;
    struct tool_page page = {
        .run = run,
        .name = "communities",
        .key = row_key,
        .ctx = asked,
        .total = found->len,
    };

    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, community_row(asked, page.at));
    page_close(&page);
    reply_summary(run,
                  "%u communit%s of %u symbols, %u edges (%u observed), "
                  "modularity %.2f",
                  found->len, found->len == 1 ? "y" : "ies", found->member_len,
                  found->edges, found->observed, found->modularity);
}

struct near {
    uint32_t index;
    double weight;
};

static int
compare_near(const void *left, const void *right)
{
    const struct near *a = left;
    const struct near *b = right;

    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void
put_neighbors(struct asked *asked, uint32_t index, uint8_t evidence)
{
    struct tool_run *run = asked->run;
    struct near *near = calloc((size_t)asked->found.len + 1, sizeof(*near));
    cJSON *array = cJSON_AddArrayToObject(run->reply, "neighbors");
    double *weights = NULL;
    size_t len = 0;

    if (!near) {
        run->err = ERR_NOMEM;
        return;
    }
    run->err = communities_between(asked->joined, run->view, &asked->found,
                                   index, evidence, &weights);
    for (uint32_t i = 0; !run->err && i < asked->found.len; i++)
        if (weights[i] > 0)
            near[len++] = (struct near){i, weights[i]};
    if (len)
        qsort(near, len, sizeof(*near), compare_near);
    for (size_t i = 0; i < len && i < NEIGHBORS_MAX; i++) {
        cJSON *row = community_row(asked, near[i].index);
        put_round(row, "weight", near[i].weight);
        cJSON_AddItemToArray(array, row);
    }
    put_num(run->reply, "neighbor_count", (double)len);
    free(near);
    free(weights);
}

static void
show_one(struct asked *asked, uint8_t evidence)
{
    struct tool_run *run = asked->run;
    uint32_t place = tool_place(run, asked->joined, "symbol");
    uint32_t group =
        run->err || !asked->found.group_of ? 0 : asked->found.group_of[place];

    if (run->err)
        return;
    put_place_name(run, asked->joined, run->reply, "symbol", place);
    if (group == 0) {
        cJSON_AddNullToObject(run->reply, "community");
        cJSON_AddArrayToObject(run->reply, "neighbors");
        reply_summary(run, "it is in no community: nothing is known that it "
                           "calls or that calls it");
        return;
    }
    const struct community *row = &asked->found.rows[group - 1];
    cJSON_AddItemToObject(run->reply, "community",
                          community_row(asked, group - 1));
    put_neighbors(asked, group - 1, evidence);
    reply_summary(run, "in a community of %u symbols, most in %.*s", row->size,
                  (int)row->package.len, row->package.ptr);
}

/* The front of some repository's url, or one as people write it. */
static str
read_url(struct tool_run *run, const struct code *code)
{
    str word = tool_str(run, "repo_url");

    for (uint32_t i = 1; i < code->repo_len && word.len; i++)
        if (str_starts(code->repos[i].url, word))
            return word;
    if (run->err || word.len == 0)
        return word;
    return code->repos[tool_repo(run, code, "repo_url")].url;
}

void
tool_communities(struct tool_run *run)
{
    struct asked asked = {.run = run, .joined = tool_joined(run)};
    str action = tool_str(run, "action");
    struct communities_ask ask = {.evidence = tool_evidence(run)};

    if (!asked.joined)
        return;
    ask.repo_url = read_url(run, asked.joined->code);
    bool is_one = str_eq(action, STR("for_symbol")) ||
                  (!action.len && tool_str(run, "symbol").len);
    if (action.len && !is_one && !str_eq(action, STR("list")))
        tool_fail(run, ERR_INVALID, "action is \"list\" or \"for_symbol\"");
    if (is_one && !tool_str(run, "symbol").len)
        tool_fail(run, ERR_INVALID,
                  "for_symbol needs a symbol; try communities{\"action\":"
                  "\"for_symbol\",\"symbol\":\"Cart.Add\"}");
    if (!run->err)
        run->err =
            communities_make(asked.joined, run->view, &ask, &asked.found);
    if (run->err)
        return;
    if (is_one)
        show_one(&asked, ask.evidence);
    else
        list_all(&asked);
    if (!run->err) {
        put_num(run->reply, "node_count", asked.found.member_len);
        put_num(run->reply, "edge_count", asked.found.edges);
        put_num(run->reply, "observed_edge_count", asked.found.observed);
        put_round(run->reply, "modularity",
                  asked.found.modularity > 0 ? asked.found.modularity : 0);
        hint_no_code(run, asked.joined->code);
    }
    communities_fini(&asked.found);
}
