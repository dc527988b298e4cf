/*
 * Rows.  Names of fields are knowing's; what it has no field for is added in
 * lower case.
 */
#include <string.h>

#include "base/hash.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

enum { BLOB_LEN = 20 };

const unsigned char *
place_hash(struct tool_run *run, const struct joined *joined, uint32_t place)
{
    uint32_t vertex = joined_vertex(joined, place);

    return vertex ? code_node(joined->code, vertex)->hash
                  : query_node(run->view, joined_node(joined, place))->hash;
}

uint64_t
hash_key(const unsigned char *hash)
{
    uint64_t key;

    memcpy(&key, hash, sizeof(key));
    return key;
}

void
place_name(struct tool_run *run, const struct joined *joined, uint32_t place,
           struct buf *out)
{
    uint32_t vertex = joined_vertex(joined, place);
    uint32_t node = joined_node(joined, place);

    if (vertex) {
        buf_add(out, code_node(joined->code, vertex)->qualified);
        return;
    }
    buf_printf(out, "%s:", node_kind_str(query_node(run->view, node)->kind));
    query_qualified(run->view, node, out);
}

void
put_place_name(struct tool_run *run, const struct joined *joined, cJSON *object,
               const char *name, uint32_t place)
{
    struct buf text = {0};

    place_name(run, joined, place, &text);
    put_str(object, name, buf_str(&text));
    buf_fini(&text);
}

void
file_hash(const struct code *code, uint32_t file, unsigned char *out)
{
    const struct code_file *row = &code->files[file];
    const str parts[] = {
        {(const char *)code->repos[row->repo].hash, SHA256_LEN},
        row->path,
        {(const char *)row->blob, BLOB_LEN},
    };

    hash_sha256(parts, sizeof(parts) / sizeof(parts[0]), out);
}

static void
put_file_hash(const struct code *code, cJSON *row, uint32_t file)
{
    unsigned char hash[SHA256_LEN];

    if (file == 0) {
        cJSON_AddStringToObject(row, "FileHash", "");
        return;
    }
    file_hash(code, file, hash);
    put_hash(row, "FileHash", hash);
}

void
put_at(const struct code *code, cJSON *object, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);

    if (node->file == 0)
        return;
    put_str(object, "file", code->files[node->file].path);
    if (node->line)
        put_num(object, "line", node->line);
}

cJSON *
vertex_row(const struct code *code, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);
    cJSON *row = cJSON_CreateObject();

    put_hash(row, "NodeHash", node->hash);
    put_file_hash(code, row, node->file);
    put_str(row, "QualifiedName", node->qualified);
    cJSON_AddStringToObject(row, "Kind", code_kind_str(node->kind));
    put_num(row, "Line", node->line);
    put_str(row, "Signature", node->signature);
    put_str(row, "file", code->files[node->file].path);
    return row;
}

void
put_node_id(struct tool_run *run, cJSON *object, uint32_t id)
{
    struct buf text = {0};

    buf_printf(&text, "%s:", node_kind_str(query_node(run->view, id)->kind));
    query_qualified(run->view, id, &text);
    put_str(object, "id", buf_str(&text));
    buf_fini(&text);
}

cJSON *
node_row(struct tool_run *run, uint32_t id)
{
    const struct query_node *node = query_node(run->view, id);
    cJSON *row = cJSON_CreateObject();

    put_hash(row, "NodeHash", node->hash);
    cJSON_AddStringToObject(row, "FileHash", "");
    put_qualified(run, row, "QualifiedName", id);
    cJSON_AddStringToObject(row, "Kind", node_kind_str(node->kind));
    put_num(row, "Line", 0);
    cJSON_AddStringToObject(row, "Signature", "");
    put_node_id(run, row, id);
    put_str(row, "service", node->service);
    put_str(row, "env", node->env);
    return row;
}

/* The routes that a function is observed to handle. */
static void
put_served(struct tool_run *run, const struct joined *joined, cJSON *row,
           uint32_t vertex)
{
    uint32_t len = 0;
    const uint32_t *nodes = join_served(joined->join, vertex, &len);
    cJSON *list = len ? cJSON_AddArrayToObject(row, "endpoints") : NULL;

    for (uint32_t i = 0; i < len; i++) {
        struct buf text = {0};

        query_qualified(run->view, nodes[i], &text);
        json_push(list, json_str(buf_str(&text)));
        buf_fini(&text);
    }
}

cJSON *
place_row(struct tool_run *run, const struct joined *joined, uint32_t place)
{
    uint32_t vertex = joined_vertex(joined, place);

    if (!vertex)
        return node_row(run, joined_node(joined, place));
    cJSON *row = vertex_row(joined->code, vertex);
    put_served(run, joined, row, vertex);
    return row;
}

cJSON *
file_row(const struct code *code, uint32_t file)
{
    const struct code_file *f = &code->files[file];
    cJSON *row = cJSON_CreateObject();
    struct buf hex = {0};

    put_file_hash(code, row, file);
    put_hash(row, "RepoHash", code->repos[f->repo].hash);
    put_str(row, "Path", f->path);
    buf_add_hex(&hex, (str){(const char *)f->blob, BLOB_LEN});
    cJSON_AddStringToObject(row, "ContentHash", buf_cstr(&hex));
    if (f->skipped.len)
        put_str(row, "skipped", f->skipped);
    buf_fini(&hex);
    return row;
}

cJSON *
edge_row(const struct code *code, uint32_t src, const struct code_link *link)
{
    unsigned char hash[SHA256_LEN];
    cJSON *row = cJSON_CreateObject();

    code_edge_hash(code, src, link, hash);
    put_hash(row, "EdgeHash", hash);
    put_hash(row, "SourceHash", code_node(code, src)->hash);
    put_hash(row, "TargetHash", code_node(code, link->node)->hash);
    cJSON_AddStringToObject(row, "EdgeType", code_edge_str(link->type));
    put_num(row, "Confidence", link->permille / 1000.0);
    cJSON_AddStringToObject(row, "Provenance",
                            code_provenance_str(link->provenance));
    put_str(row, "source", code_node(code, src)->qualified);
    put_str(row, "target", code_node(code, link->node)->qualified);
    return row;
}

const struct code_link *
arc_link(const struct joined *joined, uint32_t from,
         const struct joined_arc *arc)
{
    const struct code *code = joined->code;
    uint8_t type = arc->type == JOINED_HANDS_ON ? CODE_REFERENCES : arc->type;

    if (from >= code->node_len || type >= CODE_EDGE_END ||
        arc->link < code->out_at[from] || arc->link >= code->out_at[from + 1] ||
        code->out[arc->link].type != type)
        return NULL;
    return &code->out[arc->link];
}

const char *
evidence_str(uint8_t evidence)
{
    return evidence == BY_BOTH       ? "both"
           : evidence == BY_OBSERVED ? "observed"
                                     : "static";
}

/* Where that cannot be known there may be some: who wants it will be told why
 * he cannot have it. */
bool
tool_has_code(struct tool_run *run)
{
    const struct code *code = NULL;
    struct buf why = {0};

    if (!run->tools->cfg.world)
        return false;
    if (!run->joined && !run->is_code_known) {
        run->is_code_known = true;
        run->has_code =
            code_db_hold(world_code(run->tools->cfg.world), &code, &why) ||
            code->node_len > 1;
    }
    code_drop(code);
    buf_fini(&why);
    return run->joined ? run->joined->code->node_len > 1 : run->has_code;
}

void
put_code(struct tool_run *run, cJSON *object, const char *name, uint32_t node)
{
    if (!tool_has_code(run) || !tool_joined(run))
        return;
    const struct join_row *join = join_of(run->joined->join, node);
    if (join->vertex == 0)
        return;
    cJSON *row = cJSON_AddObjectToObject(object, name);
    put_str(row, "function",
            code_node(run->joined->code, join->vertex)->qualified);
    put_at(run->joined->code, row, join->vertex);
    cJSON_AddStringToObject(row, "how", join_how_str(join->how));
    put_num(row, "confidence", join->permille / 1000.0);
}

void
hint_no_code(struct tool_run *run, const struct code *code)
{
    if (code->repo_len <= 1)
        tool_hint(run, "no code was indexed yet: run `spangraph index FOLDER` "
                       "on the same data directory");
}
