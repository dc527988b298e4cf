/*
 * What has changed between two snapshots: raw (snapshot_diff), and with names
 * (semantic_diff).  The lists of a reply are one list to its pages: nodes
 * before edges, added before removed.
 */
#include "mcp/tools_code_diff.h"

#include <string.h>

#include "mcp/tools_code_snapshot.h"
#include "mcp/tools_reply.h"

enum { EDGES_OF_NODE = 20, PARTS = 5 };

/* ---- the pair ---- */

void
tool_diff_open(struct tool_diff *d, struct tool_run *run)
{
    const struct joined *joined = tool_joined(run);

    *d = (struct tool_diff){.run = run};
    if (run->err)
        return;
    uint32_t before = tool_snapshot(run, joined->code, "old_snapshot");
    uint32_t after = tool_snapshot(run, joined->code, "new_snapshot");
    if (run->err)
        return;
    d->old_snapshot = &joined->code->snapshots[before];
    d->new_snapshot = &joined->code->snapshots[after];
    if (d->old_snapshot->repo != d->new_snapshot->repo) {
        tool_fail(run, ERR_INVALID,
                  "old_snapshot and new_snapshot are of different "
                  "repositories; say repo_url, or whole hashes of one");
        return;
    }
    d->old_code = tool_snapshot_load(run, joined->code, before);
    d->new_code = tool_snapshot_load(run, joined->code, after);
    if (!run->err)
        run->err = code_diff_make(d->old_code, d->new_code, &d->diff);
}

void
tool_diff_close(struct tool_diff *d)
{
    code_diff_fini(&d->diff);
    code_drop(d->old_code);
    code_drop(d->new_code);
}

const struct code_link *
tool_diff_link(const struct code *code, const struct code_edge_change *edge)
{
    uint32_t i = code->out_at[edge->src];

    while (i + 1 < code->out_at[edge->src + 1] &&
           (code->out[i].node != edge->dst || code->out[i].type != edge->type ||
            code->out[i].provenance != edge->provenance))
        i++;
    return &code->out[i];
}

void
put_symbol(const struct code *code, cJSON *row, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);

    put_str(row, "qualified_name", node->qualified);
    cJSON_AddStringToObject(row, "kind", code_kind_str(node->kind));
    put_str(row, "file", code->files[node->file].path);
    put_num(row, "line", node->line);
    put_str(row, "signature", node->signature);
    put_hash(row, "node_hash", node->hash);
}

cJSON *
edge_change_row(const struct code *code, const struct code_edge_change *edge)
{
    const struct code_link *link = tool_diff_link(code, edge);
    cJSON *row = cJSON_CreateObject();

    put_str(row, "source_name", code_node(code, edge->src)->qualified);
    put_str(row, "target_name", code_node(code, edge->dst)->qualified);
    cJSON_AddStringToObject(row, "edge_type", code_edge_str(edge->type));
    put_num(row, "confidence", link->permille / 1000.0);
    cJSON_AddStringToObject(row, "provenance",
                            code_provenance_str(edge->provenance));
    return row;
}

cJSON *
reply_counts(struct tool_run *run, const char *text)
{
    cJSON *counts = cJSON_CreateObject();

    cJSON_AddStringToObject(counts, "text", text);
    cJSON_ReplaceItemInObject(run->reply, "summary", counts);
    return counts;
}

/* ---- five lists as one ---- */

struct changes {
    const struct tool_diff *d;
    const char *names[PARTS];
    size_t lens[PARTS];
};
enum part { ADDED, REMOVED, MODIFIED, EDGES_ADDED, EDGES_REMOVED };

/* Which list row |i| is in; |i| becomes its place there. */
static enum part
part_of(const struct changes *c, size_t *i)
{
    enum part part = ADDED;

    while (part < EDGES_REMOVED && *i >= c->lens[part])
        *i -= c->lens[part++];
    return part;
}

static uint64_t
change_key(const void *ctx, size_t i)
{
    const struct changes *c = ctx;
    const struct code_diff *diff = &c->d->diff;
    enum part part = part_of(c, &i);

    switch (part) {
    case ADDED:
        return hash_key(
            code_node(c->d->new_code, diff->added[i].new_node)->hash);
    case REMOVED:
        return hash_key(
            code_node(c->d->old_code, diff->removed[i].old_node)->hash);
    case MODIFIED:
        return hash_key(
            code_node(c->d->new_code, diff->modified[i].new_node)->hash);
    case EDGES_ADDED:
        return hash_key(diff->edges_added[i].hash);
    default:
        return hash_key(diff->edges_removed[i].hash) + 1;
    }
}

/* Deals the rows of the page to the lists that they belong to. */
static void
deal(const struct changes *c, struct tool_page *page)
{
    cJSON *rows = cJSON_DetachItemFromObject(page->run->reply, page->name);

    for (size_t part = 0; part < PARTS; part++)
        if (c->names[part])
            cJSON_AddArrayToObject(page->run->reply, c->names[part]);
    for (size_t k = page->first; rows && k < page->at; k++) {
        size_t i = k;
        cJSON *list = cJSON_GetObjectItemCaseSensitive(
            page->run->reply, c->names[part_of(c, &i)]);
        json_push(list, cJSON_DetachItemFromArray(rows, 0));
    }
    cJSON_Delete(rows);
}

static void
show_changes(const struct changes *c,
             cJSON *(*row)(const struct changes *c, enum part part, size_t i))
{
    struct tool_page page = {.run = c->d->run,
                             .name = "rows",
                             .key = change_key,
                             .ctx = c,
                             .bytes = 500};

    for (size_t part = 0; part < PARTS; part++)
        page.total += c->lens[part];
    page_open(&page, 50);
    while (page_more(&page)) {
        size_t i = page.at;
        enum part part = part_of(c, &i);

        page_add(&page, row(c, part, i));
    }
    deal(c, &page);
    page_close(&page);
}

/* ---- snapshot_diff ---- */

static cJSON *
raw_edge(const struct code *code, const struct code_edge_change *edge)
{
    return edge_row(code, edge->src, tool_diff_link(code, edge));
}

static cJSON *
raw_row(const struct changes *c, enum part part, size_t i)
{
    const struct tool_diff *d = c->d;

    switch (part) {
    case ADDED:
        return vertex_row(d->new_code, d->diff.added[i].new_node);
    case REMOVED:
        return vertex_row(d->old_code, d->diff.removed[i].old_node);
    case EDGES_ADDED:
        return raw_edge(d->new_code, &d->diff.edges_added[i]);
    default:
        return raw_edge(d->old_code, &d->diff.edges_removed[i]);
    }
}

void
tool_snapshot_diff(struct tool_run *run)
{
    struct tool_diff d;

    tool_diff_open(&d, run);
    if (!run->err) {
        const struct changes changes = {
            .d = &d,
            .names = {"NodesAdded", "NodesRemoved", NULL, "EdgesAdded",
                      "EdgesRemoved"},
            .lens = {d.diff.added_len, d.diff.removed_len, 0,
                     d.diff.edges_added_len, d.diff.edges_removed_len},
        };

        put_hash(run->reply, "OldSnapshot", d.old_snapshot->hash);
        put_hash(run->reply, "NewSnapshot", d.new_snapshot->hash);
        show_changes(&changes, raw_row);
        reply_summary(run,
                      "%zu nodes and %zu edges added, %zu nodes and %zu edges "
                      "removed",
                      d.diff.added_len, d.diff.edges_added_len,
                      d.diff.removed_len, d.diff.edges_removed_len);
        tool_hint(run, "semantic_diff names what was modified, too");
    }
    tool_diff_close(&d);
}

/* ---- semantic_diff ---- */

static void
put_node_edges(cJSON *row, const char *name, const struct code *code,
               const struct code_edge_change *edges, size_t len, uint32_t src)
{
    cJSON *list = cJSON_AddArrayToObject(row, name);
    int shown = 0;

    for (size_t i = 0; i < len && shown < EDGES_OF_NODE; i++)
        if (edges[i].src == src) {
            json_push(list, edge_change_row(code, &edges[i]));
            shown++;
        }
}

static cJSON *
modified_row(const struct tool_diff *d, const struct code_change *change)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {{CODE_MOD_SIGNATURE, "signature"},
                 {CODE_MOD_EDGES, "edges"},
                 {CODE_MOD_BODY, "body"}};
    cJSON *row = cJSON_CreateObject();

    put_symbol(d->new_code, row, change->new_node);
    cJSON *why = cJSON_AddArrayToObject(row, "changed");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (change->mod & words[i].bit)
            json_push(why, cJSON_CreateString(words[i].word));
    put_node_edges(row, "edges_added", d->new_code, d->diff.edges_added,
                   d->diff.edges_added_len, change->new_node);
    put_node_edges(row, "edges_removed", d->old_code, d->diff.edges_removed,
                   d->diff.edges_removed_len, change->old_node);
    return row;
}

static cJSON *
named_row(const struct changes *c, enum part part, size_t i)
{
    const struct tool_diff *d = c->d;
    cJSON *row;

    if (part == MODIFIED)
        return modified_row(d, &d->diff.modified[i]);
    if (part == EDGES_ADDED)
        return edge_change_row(d->new_code, &d->diff.edges_added[i]);
    if (part == EDGES_REMOVED)
        return edge_change_row(d->old_code, &d->diff.edges_removed[i]);
    row = cJSON_CreateObject();
    if (part == ADDED)
        put_symbol(d->new_code, row, d->diff.added[i].new_node);
    else
        put_symbol(d->old_code, row, d->diff.removed[i].old_node);
    return row;
}

void
tool_semantic_diff(struct tool_run *run)
{
    struct tool_diff d;
    struct buf text = {0};

    tool_diff_open(&d, run);
    if (!run->err) {
        const struct changes changes = {
            .d = &d,
            .names = {"nodes_added", "nodes_removed", "nodes_modified",
                      "edges_added", "edges_removed"},
            .lens = {d.diff.added_len, d.diff.removed_len, d.diff.modified_len,
                     d.diff.edges_added_len, d.diff.edges_removed_len},
        };

        put_hash(run->reply, "old_snapshot", d.old_snapshot->hash);
        put_hash(run->reply, "new_snapshot", d.new_snapshot->hash);
        show_changes(&changes, named_row);
        buf_printf(&text,
                   "%zu symbols added, %zu removed, %zu modified; %zu edges "
                   "added, %zu removed",
                   changes.lens[0], changes.lens[1], changes.lens[2],
                   changes.lens[3], changes.lens[4]);
        cJSON *counts = reply_counts(run, buf_cstr(&text));
        for (size_t part = 0; part < PARTS; part++)
            put_num(counts, changes.names[part], (double)changes.lens[part]);
        tool_hint(run, "pr_impact tells who is affected");
    }
    buf_fini(&text);
    tool_diff_close(&d);
}

/* ---- stale_edges ---- */

static uint64_t
stale_key(const void *ctx, size_t i)
{
    const struct code_stales *stales = ctx;

    return hash_key(stales->rows[i].hash);
}

static const struct code_snapshot *
snapshot_of(const struct code *code, uint32_t repo, uint32_t generation)
{
    for (uint32_t i = 0; i < code->snapshot_len; i++)
        if (code->snapshots[i].repo == repo &&
            code->snapshots[i].generation == generation)
            return &code->snapshots[i];
    return NULL;
}

static void
put_end_hash(cJSON *row, const char *name, const struct code *code, str url,
             str end)
{
    struct buf qualified = {0};
    uint32_t id;

    buf_printf(&qualified, "%.*s://%.*s", (int)url.len, url.ptr, (int)end.len,
               end.ptr);
    id = code_by_qualified(code, buf_str(&qualified));
    if (id)
        put_hash(row, name, code_node(code, id)->hash);
    else
        cJSON_AddStringToObject(row, name, "");
    buf_fini(&qualified);
}

static cJSON *
stale_row(const struct code *code, uint32_t repo, const struct code_stale *edge)
{
    const struct code_snapshot *last =
        snapshot_of(code, repo, edge->last_generation);
    str url = code->repos[repo].url;
    cJSON *row = cJSON_CreateObject();

    put_hash(row, "EdgeHash", edge->hash);
    put_end_hash(row, "SourceHash", code, url, edge->src);
    put_end_hash(row, "TargetHash", code, url, edge->dst);
    cJSON_AddStringToObject(row, "EdgeType", code_edge_str(edge->type));
    put_num(row, "Confidence", code_provenance_confidence(edge->provenance));
    cJSON_AddStringToObject(row, "Provenance",
                            code_provenance_str(edge->provenance));
    put_str(row, "source", edge->src);
    put_str(row, "target", edge->dst);
    put_str(row, "file", edge->src_path);
    put_num(row, "line", edge->src_line);
    if (last)
        put_hash(row, "last_snapshot", last->hash);
    if (last)
        put_str(row, "last_commit", last->commit);
    return row;
}

void
tool_stale_edges(struct tool_run *run)
{
    const struct joined *joined = tool_joined(run);
    struct code_stales stales = {0};
    struct buf why = {0};
    struct tool_page page = {
        .run = run, .name = "edges", .key = stale_key, .ctx = &stales};

    if (run->err)
        return;
    uint32_t index = tool_snapshot(run, joined->code, "snapshot_hash");
    if (run->err)
        return;
    enum err err = code_stale_edges(world_code(run->tools->cfg.world),
                                    joined->code, index, &stales, &why);
    if (err) {
        tool_fail(run, err, "%s", buf_cstr(&why));
        buf_fini(&why);
        return;
    }
    uint32_t repo = joined->code->snapshots[index].repo;
    page.total = stales.len;
    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, stale_row(joined->code, repo, &stales.rows[page.at]));
    page_close(&page);
    reply_summary(run,
                  "%zu edge%s of older snapshots %s not in the one that was "
                  "asked",
                  page.total, page.total == 1 ? "" : "s",
                  page.total == 1 ? "is" : "are");
    code_stales_fini(&stales);
    buf_fini(&why);
}
