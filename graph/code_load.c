/*
 * Rows are read table by table into lists (graph/code_load_rows.c).  Files and
 * vertices get their ids by sorting, and a table from their numbers in the
 * store to those; what names them is read after.
 */
#include "graph/code_load.h"

#include <stdlib.h>
#include <string.h>

#include "graph/code_load_impl.h"

/* As their vertices will stand: `a/b://` is before `a://`. */
static int
compare_repos(const void *a, const void *b)
{
    str x = ((const struct loaded_repo *)a)->repo.url;
    str y = ((const struct loaded_repo *)b)->repo.url;

    if (x.len < y.len && str_starts(y, x))
        return y.ptr[x.len] < ':' ? 1 : -1;
    if (y.len < x.len && str_starts(x, y))
        return x.ptr[y.len] < ':' ? -1 : 1;
    return str_order(x, y);
}

static int
compare_files(const void *a, const void *b)
{
    const struct loaded_file *x = a;
    const struct loaded_file *y = b;

    if (x->file.repo != y->file.repo)
        return x->file.repo < y->file.repo ? -1 : 1;
    int order = str_order(x->file.path, y->file.path);
    return order ? order : x->key < y->key ? -1 : x->key > y->key;
}

static int
compare_nodes(const void *a, const void *b, void *ctx)
{
    const struct code_vertex *x =
        &((const struct loaded_node *)ctx)[*(const uint32_t *)a].node;
    const struct code_vertex *y =
        &((const struct loaded_node *)ctx)[*(const uint32_t *)b].node;

    if (x->repo != y->repo)
        return x->repo < y->repo ? -1 : 1;
    int order = str_order(x->qualified, y->qualified);
    if (!order)
        order = (int)x->kind - (int)y->kind;
    return order ? order : memcmp(x->hash, y->hash, SHA256_LEN);
}

static enum err
settle_repos(struct load *load)
{
    uint32_t len = load->repos.len + 1;
    struct loaded_repo *rows = load->repos.rows;
    struct code_repo *repos =
        code_graph_alloc(load->graph, len, sizeof(*repos));

    load->repo_ids = calloc(len, sizeof(*load->repo_ids));
    if (!repos || !load->repo_ids)
        return ERR_NOMEM;
    if (load->repos.len)
        qsort(rows, load->repos.len, sizeof(*rows), compare_repos);
    for (uint32_t i = 1; i < len; i++) {
        repos[i] = rows[i - 1].repo;
        load->repo_ids[i] = rows[i - 1].id;
    }
    load->graph->repos = repos;
    load->graph->code.repos = repos;
    load->graph->code.repo_len = len;
    return OK;
}

static enum err
make_numbers(struct numbers *numbers, uint32_t len)
{
    uint32_t cap = 16;

    while (cap < 2 * len)
        cap *= 2;
    numbers->mask = cap - 1;
    numbers->slots = calloc(cap, sizeof(*numbers->slots));
    return numbers->slots ? OK : ERR_NOMEM;
}

/* ERR_CORRUPT: two rows have one number. */
static enum err
add_number(struct numbers *numbers, uint64_t key, uint32_t id)
{
    struct number *slot = load_number(numbers, key);

    if (slot->id)
        return ERR_CORRUPT;
    *slot = (struct number){.key = key, .id = id};
    return OK;
}

static enum err
settle_files(struct load *load)
{
    uint32_t len = load->files.len + 1;
    struct loaded_file *rows = load->files.rows;
    struct code_file *files =
        code_graph_alloc(load->graph, len, sizeof(*files));
    struct code_repo *repos = load->graph->repos;
    enum err err = make_numbers(&load->file_ids, len);

    if (err || !files)
        return ERR_NOMEM;
    if (load->files.len)
        qsort(rows, load->files.len, sizeof(*rows), compare_files);
    for (uint32_t i = 1; i < len && !err; i++) {
        struct code_repo *repo = &repos[rows[i - 1].file.repo];
        files[i] = rows[i - 1].file;
        if (repo->file_first == 0)
            repo->file_first = i;
        repo->file_last = i + 1;
        err = add_number(&load->file_ids, rows[i - 1].key, i);
    }
    load->graph->code.files = files;
    load->graph->code.file_len = len;
    return err;
}

/* Sorts numbers of rows, since rows are large. */
static enum err
settle_nodes(struct load *load)
{
    uint32_t len = load->nodes.len + 1;
    struct loaded_node *rows = load->nodes.rows;
    uint32_t *order = calloc(len, sizeof(*order));
    struct code_vertex *nodes =
        code_graph_alloc(load->graph, len, sizeof(*nodes));
    struct code_repo *repos = load->graph->repos;
    enum err err = make_numbers(&load->node_ids, len);

    if (err || !order || !nodes) {
        free(order);
        return ERR_NOMEM;
    }
    for (uint32_t i = 0; i + 1 < len; i++)
        order[i] = i;
    qsort_r(order, len - 1, sizeof(*order), compare_nodes, rows);
    for (uint32_t i = 1; i < len && !err; i++) {
        const struct loaded_node *row = &rows[order[i - 1]];
        struct code_repo *repo = &repos[row->node.repo];
        nodes[i] = row->node;
        if (repo->first == 0)
            repo->first = i;
        repo->last = i + 1;
        err = add_number(&load->node_ids, row->key, i);
    }
    free(order);
    load->graph->code.nodes = nodes;
    load->graph->code.node_len = len;
    return err;
}

static int
compare_owners(const void *a, const void *b)
{
    const struct loaded_owner *x = a;
    const struct loaded_owner *y = b;

    if (x->owner.repo != y->owner.repo)
        return x->owner.repo < y->owner.repo ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static enum err
settle_owners(struct load *load)
{
    struct list *list = &load->rest[CODE_OWNERS];
    struct loaded_owner *rows = list->rows;
    struct code_owner *owners =
        code_graph_alloc(load->graph, list->len, sizeof(*owners));

    if (!owners)
        return ERR_NOMEM;
    if (list->len)
        qsort(rows, list->len, sizeof(*rows), compare_owners);
    for (uint32_t i = 0; i < list->len; i++)
        owners[i] = rows[i].owner;
    load->graph->code.owners = owners;
    load->graph->code.owner_len = list->len;
    return OK;
}

static int
compare_authors(const void *a, const void *b)
{
    const struct code_author *x = a;
    const struct code_author *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->commits != y->commits)
        return x->commits > y->commits ? -1 : 1;
    return str_order(x->author, y->author);
}

static int
compare_snapshots(const void *a, const void *b)
{
    const struct code_snapshot *x = a;
    const struct code_snapshot *y = b;

    if (x->repo != y->repo)
        return x->repo < y->repo ? -1 : 1;
    return x->generation > y->generation ? -1 : x->generation < y->generation;
}

/* Copies a list, sorted, into the graph. */
static const void *
settle(struct load *load, struct list *list, size_t size,
       int (*order)(const void *, const void *), uint32_t *len)
{
    void *rows = code_graph_alloc(load->graph, list->len, size);

    if (order && list->len)
        qsort(list->rows, list->len, size, order);
    if (rows && list->len)
        memcpy(rows, list->rows, list->len * size);
    if (!rows)
        load->err = ERR_NOMEM;
    *len = list->len;
    return rows;
}

static enum err
settle_rest(struct load *load)
{
    struct code *code = &load->graph->code;

    code->sites =
        settle(load, &load->sites, sizeof(*code->sites), NULL, &code->site_len);
    code->routes = settle(load, &load->rest[CODE_ROUTES], sizeof(*code->routes),
                          NULL, &code->route_len);
    code->services = settle(load, &load->rest[CODE_SERVICES],
                            sizeof(*code->services), NULL, &code->service_len);
    code->exposures =
        settle(load, &load->rest[CODE_EXPOSURES], sizeof(*code->exposures),
               NULL, &code->exposure_len);
    code->literals = settle(load, &load->rest[CODE_LITERALS],
                            sizeof(*code->literals), NULL, &code->literal_len);
    code->authors =
        settle(load, &load->rest[CODE_AUTHORS], sizeof(*code->authors),
               compare_authors, &code->author_len);
    code->snapshots = settle(load, &load->snapshots, sizeof(*code->snapshots),
                             compare_snapshots, &code->snapshot_len);
    return load->err ? load->err : settle_owners(load);
}

static enum err
read_table(struct load *load, enum code_table table)
{
    return load->store ? code_store_each(load->store, table, load->when,
                                         load_rows[table], load)
                       : OK;
}

static enum err
load_all(struct load *load)
{
    struct code_store *cs = load->store;
    enum err err;

    if ((cs && (err = code_store_each_repo(cs, load_repo, load))) ||
        (err = settle_repos(load)) || (err = read_table(load, CODE_FILES)) ||
        (err = settle_files(load)) || (err = read_table(load, CODE_NODES)) ||
        (err = settle_nodes(load)))
        return err;
    for (int table = CODE_EDGES; table < CODE_TABLES && !err; table++)
        err = read_table(load, (enum code_table)table);
    if (!err && cs)
        err =
            code_store_each_snapshot(cs, load->when.repo, load_snapshot, load);
    if (err || (err = settle_rest(load)) ||
        (err = code_graph_link(load->graph, load->arcs.rows, load->arcs.len)))
        return err;
    return code_graph_index(load->graph);
}

static void
free_load(struct load *load)
{
    free(load->repo_ids);
    free(load->file_ids.slots);
    free(load->node_ids.slots);
    free(load->repos.rows);
    free(load->files.rows);
    free(load->nodes.rows);
    free(load->arcs.rows);
    free(load->sites.rows);
    free(load->snapshots.rows);
    for (int table = 0; table < CODE_TABLES; table++)
        free(load->rest[table].rows);
}

enum err
code_graph_load(struct code_graph **out, struct code_store *cs,
                struct code_when when)
{
    struct load load = {.store = cs, .when = when};
    enum err err;

    *out = NULL;
    load.graph = calloc(1, sizeof(*load.graph));
    if (!load.graph)
        return ERR_NOMEM;
    load.graph->code.bytes = sizeof(*load.graph);
    atomic_init(&load.graph->holders, 1);
    if (!(err = load_all(&load))) {
        *out = load.graph;
        load.graph = NULL;
    }
    code_graph_free(load.graph);
    free_load(&load);
    return err;
}

void
code_graph_date(struct code_graph *graph, uint32_t generation)
{
    struct code_repo *repo = &graph->repos[1];

    for (uint32_t i = 0; i < graph->code.snapshot_len; i++) {
        const struct code_snapshot *it = &graph->code.snapshots[i];
        if (graph->code.repo_len < 2 || it->generation != generation)
            continue;
        repo->generation = generation;
        repo->commit = it->commit;
        repo->indexed_s = it->created_s;
    }
}
