/*
 * From rows to parts.  Nothing is taken on trust: a number that is no file or
 * vertex, a kind that does not exist, a hash that is none end the load.
 */
#include <string.h>

#include "base/grow.h"
#include "graph/code_build.h"
#include "graph/code_load_impl.h"
#include "graph/code_sites.h"

void *
list_add(struct list *list, size_t size)
{
    if (list->len == list->cap && (list->len >= BUILD_ROWS_MAX ||
                                   !grow_narrow(&list->rows, &list->cap, size)))
        return NULL;
    void *row = (char *)list->rows + list->len++ * size;
    memset(row, 0, size);
    return row;
}

struct number *
load_number(const struct numbers *numbers, uint64_t key)
{
    uint32_t at = (uint32_t)hash_mix(key, 1) & numbers->mask;

    while (numbers->slots[at].id && numbers->slots[at].key != key)
        at = (at + 1) & numbers->mask;
    return &numbers->slots[at];
}

uint64_t
load_key(const struct code_row *row, int64_t num)
{
    return (uint64_t)code_row_repo(row) << 32 | (uint32_t)num;
}

static str
keep(struct load *load, str text)
{
    const char *kept = text.len ? code_graph_text(load->graph, &text, 1) : "";

    if (!kept)
        load->err = ERR_NOMEM;
    return (str){kept, kept ? text.len : 0};
}

static str
keep_column(struct load *load, const struct code_row *row, int column)
{
    return keep(load, row->texts[column]);
}

static uint32_t
number(struct load *load, const struct code_row *row, int column, int64_t max)
{
    int64_t value = row->ints[column];

    if (value < 0 || value > max) {
        load->err = ERR_CORRUPT;
        return 0;
    }
    return (uint32_t)value;
}

static uint32_t
repo_of(struct load *load, const struct code_row *row)
{
    uint32_t id = code_row_repo(row);

    /* Rows come by repository. */
    if (load->repo_at < load->graph->code.repo_len &&
        load->repo_ids[load->repo_at] == id)
        return load->repo_at;
    for (uint32_t i = 1; i < load->graph->code.repo_len; i++)
        if (load->repo_ids[i] == id)
            return load->repo_at = i;
    load->err = ERR_CORRUPT;
    return 0;
}

/* The id of the file or vertex that |column| names; 0 names none. */
static uint32_t
place(struct load *load, const struct numbers *numbers,
      const struct code_row *row, int column)
{
    uint32_t num = number(load, row, column, UINT32_MAX);

    if (num == 0)
        return 0;
    uint32_t id = load_number(numbers, load_key(row, num))->id;
    if (id == 0)
        load->err = ERR_CORRUPT;
    return id;
}

static enum err
load_file(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct loaded_file *file = list_add(&load->files, sizeof(*file));

    if (!file)
        return ERR_NOMEM;
    if (row->texts[FILE_BLOB].len != BLOB_ID_LEN)
        return ERR_CORRUPT;
    file->key = load_key(row, number(load, row, FILE_NUM, UINT32_MAX));
    file->file = (struct code_file){
        .repo = repo_of(load, row),
        .path = keep_column(load, row, FILE_PATH),
        .skipped = keep_column(load, row, FILE_SKIPPED),
        .blob = (const unsigned char *)keep_column(load, row, FILE_BLOB).ptr,
        .lang = (uint8_t)number(load, row, FILE_LANG, UINT8_MAX),
        .flags = number(load, row, FILE_FLAGS, UINT32_MAX),
        .bytes = number(load, row, FILE_BYTES, UINT32_MAX),
    };
    return load->err;
}

/* package and name are parts of the qualified name. */
static void
name_vertex(struct load *load, const struct code_row *row,
            struct code_vertex *node)
{
    str url = load->graph->code.repos[node->repo].url;
    str package = row->texts[SYMBOL_PACKAGE];
    str name = row->texts[SYMBOL_NAME];
    const str parts[] = {url, STR("://"), package,
                         package.len ? STR(".") : (str){0}, name};
    const char *text = code_graph_text(load->graph, parts, 5);
    size_t package_at = url.len + 3;
    size_t name_at = package_at + package.len + (package.len > 0);

    if (!text) {
        load->err = ERR_NOMEM;
        return;
    }
    node->qualified = (str){text, name_at + name.len};
    node->package = (str){text + package_at, package.len};
    node->name = (str){text + name_at, name.len};
}

static enum err
load_node(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct loaded_node *node = list_add(&load->nodes, sizeof(*node));

    if (!node)
        return ERR_NOMEM;
    if (row->texts[SYMBOL_HASH].len != SHA256_LEN)
        return ERR_CORRUPT;
    node->key = load_key(row, number(load, row, SYMBOL_NUM, UINT32_MAX));
    node->node = (struct code_vertex){
        .repo = repo_of(load, row),
        .signature = keep_column(load, row, SYMBOL_SIGNATURE),
        .file = place(load, &load->file_ids, row, SYMBOL_FILE),
        .line = number(load, row, SYMBOL_LINE, UINT32_MAX),
        .col = number(load, row, SYMBOL_COL, UINT32_MAX),
        .end_line = number(load, row, SYMBOL_END_LINE, UINT32_MAX),
        .flags = number(load, row, SYMBOL_FLAGS, UINT32_MAX),
        .kind = (uint8_t)number(load, row, SYMBOL_KIND, CODE_KIND_END - 1),
    };
    memcpy(node->node.hash, row->texts[SYMBOL_HASH].ptr, SHA256_LEN);
    name_vertex(load, row, &node->node);
    return node->node.kind ? load->err : ERR_CORRUPT;
}

static enum err
load_sites(struct load *load, struct code_arc *arc, str packed)
{
    struct code_site site = {load->graph->code.nodes[arc->src].line, 0};

    arc->site_at = load->sites.len;
    while (packed.len > 0) {
        struct code_site *kept = list_add(&load->sites, sizeof(*kept));
        if (!kept)
            return ERR_NOMEM;
        if (!code_sites_next(&packed, &site))
            return ERR_CORRUPT;
        *kept = site;
    }
    arc->site_len = load->sites.len - arc->site_at;
    return load->err;
}

static enum err
load_edge(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_arc *arc = list_add(&load->arcs, sizeof(*arc));

    if (!arc)
        return ERR_NOMEM;
    arc->src = place(load, &load->node_ids, row, LINK_SRC);
    arc->dst = place(load, &load->node_ids, row, LINK_DST);
    arc->type = (uint8_t)number(load, row, LINK_TYPE, CODE_EDGE_END - 1);
    arc->provenance =
        (uint8_t)number(load, row, LINK_PROVENANCE, CODE_PROVENANCE_END - 1);
    arc->permille = (uint16_t)number(load, row, LINK_PERMILLE, 1000);
    if (load->err)
        return load->err;
    if (!arc->src || !arc->dst || !arc->type)
        return ERR_CORRUPT;
    return load_sites(load, arc, row->texts[LINK_SITES]);
}

static enum err
load_route(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_route *route =
        list_add(&load->rest[CODE_ROUTES], sizeof(*route));

    if (!route)
        return ERR_NOMEM;
    *route = (struct code_route){
        .node = place(load, &load->node_ids, row, PATH_NODE),
        .handler = place(load, &load->node_ids, row, PATH_HANDLER),
        .file = place(load, &load->file_ids, row, PATH_FILE),
        .line = number(load, row, PATH_LINE, UINT32_MAX),
        .flags = number(load, row, PATH_FLAGS, UINT32_MAX),
        .repo = repo_of(load, row),
        .method = keep_column(load, row, PATH_METHOD),
        .raw = keep_column(load, row, PATH_RAW),
        .canonical = keep_column(load, row, PATH_CANONICAL),
        .framework = keep_column(load, row, PATH_FRAMEWORK),
    };
    return load->err;
}

static enum err
load_service(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_service *service =
        list_add(&load->rest[CODE_SERVICES], sizeof(*service));

    if (!service)
        return ERR_NOMEM;
    *service = (struct code_service){
        .repo = repo_of(load, row),
        .rank = number(load, row, SERVED_RANK, UINT32_MAX),
        .name = keep_column(load, row, SERVED_NAME),
        .directory = keep_column(load, row, SERVED_DIRECTORY),
        .evidence = keep_column(load, row, SERVED_EVIDENCE),
    };
    return load->err;
}

static enum err
load_exposure(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_exposure *exposure =
        list_add(&load->rest[CODE_EXPOSURES], sizeof(*exposure));

    if (!exposure)
        return ERR_NOMEM;
    *exposure = (struct code_exposure){
        .repo = repo_of(load, row),
        .host = keep_column(load, row, EXPOSED_HOST),
        .prefix = keep_column(load, row, EXPOSED_PREFIX),
        .rewrite = keep_column(load, row, EXPOSED_REWRITE),
        .service = keep_column(load, row, EXPOSED_SERVICE),
        .evidence = keep_column(load, row, EXPOSED_EVIDENCE),
    };
    return load->err;
}

static enum err
load_owner(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct loaded_owner *owner =
        list_add(&load->rest[CODE_OWNERS], sizeof(*owner));

    if (!owner)
        return ERR_NOMEM;
    owner->position = number(load, row, OWNER_POSITION, UINT32_MAX);
    owner->owner = (struct code_owner){
        .repo = repo_of(load, row),
        .line = number(load, row, OWNER_LINE, UINT32_MAX),
        .pattern = keep_column(load, row, OWNER_PATTERN),
        .owner = keep_column(load, row, OWNER_NAME),
    };
    return load->err;
}

static enum err
load_literal(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_literal *literal =
        list_add(&load->rest[CODE_LITERALS], sizeof(*literal));

    if (!literal)
        return ERR_NOMEM;
    literal->node = place(load, &load->node_ids, row, LITERAL_NODE);
    literal->kind = (uint8_t)number(load, row, LITERAL_KIND, UINT8_MAX);
    literal->text = keep_column(load, row, LITERAL_TEXT);
    return load->err;
}

static enum err
load_author(void *ctx, const struct code_row *row)
{
    struct load *load = ctx;
    struct code_author *author =
        list_add(&load->rest[CODE_AUTHORS], sizeof(*author));

    if (!author)
        return ERR_NOMEM;
    author->file = place(load, &load->file_ids, row, AUTHOR_FILE);
    author->commits = number(load, row, AUTHOR_COMMITS, UINT32_MAX);
    author->last_s = (uint64_t)row->ints[AUTHOR_LAST_S];
    author->author = keep_column(load, row, AUTHOR_NAME);
    return load->err;
}

code_row_fn *const load_rows[CODE_TABLES] = {
    [CODE_FILES] = load_file,       [CODE_NODES] = load_node,
    [CODE_EDGES] = load_edge,       [CODE_ROUTES] = load_route,
    [CODE_SERVICES] = load_service, [CODE_EXPOSURES] = load_exposure,
    [CODE_OWNERS] = load_owner,     [CODE_LITERALS] = load_literal,
    [CODE_AUTHORS] = load_author,
};

enum err
load_repo(void *ctx, const struct repo_row *row)
{
    struct load *load = ctx;

    if (load->when.repo && load->when.repo != row->id)
        return OK;
    struct loaded_repo *repo = list_add(&load->repos, sizeof(*repo));
    if (!repo)
        return ERR_NOMEM;
    repo->id = row->id;
    repo->repo = (struct code_repo){
        .url = keep(load, row->url),
        .commit = keep(load, row->commit),
        .generation = row->generation,
        .indexed_s = row->indexed_s,
    };
    hash_sha256(&repo->repo.url, 1, repo->repo.hash);
    return load->err;
}

enum err
load_snapshot(void *ctx, const struct snapshot_row *row)
{
    struct load *load = ctx;
    struct code_snapshot *it = list_add(&load->snapshots, sizeof(*it));

    if (!it)
        return ERR_NOMEM;
    for (uint32_t i = 1; i < load->graph->code.repo_len; i++)
        if (load->repo_ids[i] == row->repo)
            it->repo = i;
    it->generation = row->generation;
    memcpy(it->hash, row->hash, SHA256_LEN);
    memcpy(it->root, row->root, SHA256_LEN);
    memcpy(it->parent, row->parent, SHA256_LEN);
    it->commit = keep(load, row->commit);
    it->commit_s = row->commit_s;
    it->created_s = row->created_s;
    it->files = row->files;
    it->nodes = row->nodes;
    it->edges = row->edges;
    it->guesses = row->guesses;
    it->bytes = row->bytes;
    it->calls = row->calls;
    it->calls_external = row->calls_external;
    it->calls_unknown = row->calls_unknown;
    return it->repo ? load->err : ERR_CORRUPT;
}
