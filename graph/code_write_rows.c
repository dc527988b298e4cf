/*
 * Each table has one function that makes a row of it.  Places of the build are
 * numbers of the store here: files and nodes are numbered before any row that
 * names them is made.
 */
#include <string.h>

#include "graph/code_sites.h"
#include "graph/code_write_impl.h"

typedef void make_fn(struct code_writer *w, uint32_t i, struct code_row *out);

static str
text(const struct code_writer *w, text_id id)
{
    return texts_get(&w->build->texts, id);
}

static str
bytes(const unsigned char *ptr, size_t len)
{
    return (str){(const char *)ptr, len};
}

static void
make_file(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_file *file = &w->build->files[i + 1];

    out->ints[FILE_NUM] = w->file_num[i + 1];
    out->ints[FILE_LANG] = file->lang;
    out->ints[FILE_FLAGS] = file->flags;
    out->ints[FILE_BYTES] = file->bytes;
    out->texts[FILE_PATH] = text(w, file->path);
    out->texts[FILE_BLOB] = bytes(file->blob, BLOB_ID_LEN);
    out->texts[FILE_SKIPPED] = text(w, file->skipped);
}

static void
make_node(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_node *node = &w->build->nodes[i + 1];
    text_id other = w->other_name[i + 1];

    out->ints[SYMBOL_NUM] = w->node_num[i + 1];
    out->ints[SYMBOL_KIND] = node->kind;
    out->ints[SYMBOL_FLAGS] = node->flags;
    out->ints[SYMBOL_FILE] = w->file_num[node->file];
    out->ints[SYMBOL_LINE] = node->line;
    out->ints[SYMBOL_COL] = node->col;
    out->ints[SYMBOL_END_LINE] = node->end_line;
    out->texts[SYMBOL_HASH] =
        bytes(w->node_hash + (size_t)(i + 1) * SHA256_LEN, SHA256_LEN);
    out->texts[SYMBOL_PACKAGE] = text(w, node->package);
    out->texts[SYMBOL_NAME] =
        other ? texts_get(&w->names, other) : text(w, node->name);
    out->texts[SYMBOL_SIGNATURE] = text(w, node->signature);
}

static void
make_edge(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_edge *edge = &w->edges[i];

    buf_reset(&w->scratch);
    code_sites_pack(w->sites + edge->site_at, edge->site_len,
                    w->build->nodes[edge->src].line, &w->scratch);
    out->ints[LINK_SRC] = w->node_num[edge->src];
    out->ints[LINK_DST] = w->node_num[edge->dst];
    out->ints[LINK_TYPE] = edge->type;
    out->ints[LINK_PROVENANCE] = edge->provenance;
    out->ints[LINK_PERMILLE] = edge->permille;
    out->texts[LINK_HASH] =
        bytes(w->edge_hash + (size_t)i * SHA256_LEN, SHA256_LEN);
    out->texts[LINK_SITES] = buf_str(&w->scratch);
}

static void
make_route(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_route *route = &w->build->routes[i];

    out->ints[PATH_NODE] = w->node_num[route->node];
    out->ints[PATH_HANDLER] = w->node_num[route->handler];
    out->ints[PATH_FILE] = w->file_num[route->file];
    out->ints[PATH_FLAGS] = route->flags;
    out->ints[PATH_LINE] = route->line;
    out->texts[PATH_METHOD] = text(w, route->method);
    out->texts[PATH_RAW] = text(w, route->raw);
    out->texts[PATH_CANONICAL] = text(w, route->canonical);
    out->texts[PATH_FRAMEWORK] = text(w, route->framework);
}

static void
make_service(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_service *service = &w->build->services[i];

    out->ints[SERVED_RANK] = service->rank;
    out->texts[SERVED_NAME] = text(w, service->name);
    out->texts[SERVED_DIRECTORY] = text(w, service->directory);
    out->texts[SERVED_EVIDENCE] = text(w, service->evidence);
}

static void
make_exposure(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_exposure *exposure = &w->build->exposures[i];

    out->texts[EXPOSED_HOST] = text(w, exposure->host);
    out->texts[EXPOSED_PREFIX] = text(w, exposure->prefix);
    out->texts[EXPOSED_REWRITE] = text(w, exposure->rewrite);
    out->texts[EXPOSED_SERVICE] = text(w, exposure->service);
    out->texts[EXPOSED_EVIDENCE] = text(w, exposure->evidence);
}

static void
make_owner(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_owner *owner = &w->build->owners[i];

    out->ints[OWNER_POSITION] = i;
    out->ints[OWNER_LINE] = owner->line;
    out->texts[OWNER_PATTERN] = text(w, owner->pattern);
    out->texts[OWNER_NAME] = text(w, owner->owner);
}

static void
make_literal(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_literal *literal = &w->build->literals[i];

    out->ints[LITERAL_NODE] = w->node_num[literal->node];
    out->ints[LITERAL_KIND] = literal->kind;
    out->texts[LITERAL_TEXT] = text(w, literal->text);
}

static void
make_author(struct code_writer *w, uint32_t i, struct code_row *out)
{
    const struct build_author *author = &w->build->authors[i];

    out->ints[AUTHOR_FILE] = w->file_num[author->file];
    out->ints[AUTHOR_COMMITS] = author->commits;
    out->ints[AUTHOR_LAST_S] = (int64_t)author->last_s;
    out->texts[AUTHOR_NAME] = text(w, author->author);
}

static make_fn *const makers[CODE_TABLES] = {
    [CODE_FILES] = make_file,       [CODE_NODES] = make_node,
    [CODE_EDGES] = make_edge,       [CODE_ROUTES] = make_route,
    [CODE_SERVICES] = make_service, [CODE_EXPOSURES] = make_exposure,
    [CODE_OWNERS] = make_owner,     [CODE_LITERALS] = make_literal,
    [CODE_AUTHORS] = make_author,
};

void
code_make_row(struct code_writer *w, enum code_table table, uint32_t i,
              struct code_row *out)
{
    makers[table](w, i, out);
}
