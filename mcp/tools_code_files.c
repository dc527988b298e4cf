/*
 * repo_graph and ownership: the files of a repository and what stands in them,
 * without and with those who own it.
 */
#include "mcp/tools_code.h"
#include "mcp/tools_code_snapshot.h"
#include "mcp/tools_reply.h"

enum { NODES_OF_FILE = 40, AUTHORS_OF_FILE = 5 };

struct files {
    const struct code *code;
    uint32_t first;
};

static uint64_t
file_key(const void *ctx, size_t i)
{
    const struct files *files = ctx;
    unsigned char hash[SHA256_LEN];

    file_hash(files->code, files->first + (uint32_t)i, hash);
    return hash_key(hash);
}

static cJSON *
short_row(const struct code *code, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);
    cJSON *row = cJSON_CreateObject();

    put_hash(row, "NodeHash", node->hash);
    put_str(row, "QualifiedName", node->qualified);
    cJSON_AddStringToObject(row, "Kind", code_kind_str(node->kind));
    put_num(row, "Line", node->line);
    put_str(row, "Signature", node->signature);
    return row;
}

/* A symbol within another is told with it. */
static bool
is_top_level(const struct code *code, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);

    if (node->kind == CODE_FILE || node->kind == CODE_PACKAGE ||
        node->kind == CODE_FIELD || node->kind == CODE_METHOD ||
        node->flags & CODE_ANONYMOUS)
        return false;
    return true;
}

static void
put_nodes(const struct code *code, cJSON *row, uint32_t file, bool is_all)
{
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);
    cJSON *list = cJSON_AddArrayToObject(row, "nodes");
    uint32_t fitting = 0;

    for (uint32_t i = 0; i < len; i++) {
        if (code_node(code, ids[i])->kind == CODE_FILE ||
            (!is_all && !is_top_level(code, ids[i])))
            continue;
        if (fitting++ < NODES_OF_FILE)
            json_push(list, short_row(code, ids[i]));
    }
    if (fitting > NODES_OF_FILE)
        put_num(row, "nodes_total", fitting);
}

static void
put_owners(const struct code *code, cJSON *row, uint32_t file)
{
    const struct code_file *f = &code->files[file];
    cJSON *list = cJSON_AddArrayToObject(row, "owners");
    uint32_t first;
    uint32_t end;

    if (!code_owners_of(code, f->repo, f->path, &first, &end))
        return;
    for (; first < end; first++)
        json_push(list, json_str(code->owners[first].owner));
}

static void
put_authors(const struct code *code, cJSON *row, uint32_t file)
{
    cJSON *list = cJSON_AddArrayToObject(row, "authors");
    uint32_t first;
    uint32_t end;

    code_authors_of(code, file, &first, &end);
    for (int i = 0; first < end && i < AUTHORS_OF_FILE; first++, i++) {
        cJSON *author = cJSON_CreateObject();

        put_str(author, "name", code->authors[first].author);
        put_num(author, "commits", code->authors[first].commits);
        put_time(author, "last", (uint32_t)code->authors[first].last_s);
        json_push(list, author);
    }
}

/* repo_graph gives the file itself as the row, ownership beside the nodes. */
static cJSON *
graph_row(const struct code *code, uint32_t file)
{
    cJSON *row = file_row(code, file);

    put_nodes(code, row, file, true);
    return row;
}

static cJSON *
owned_row(const struct code *code, uint32_t file)
{
    cJSON *row = cJSON_CreateObject();

    json_give(row, "file", file_row(code, file));
    put_nodes(code, row, file, false);
    put_owners(code, row, file);
    put_authors(code, row, file);
    return row;
}

static void
list_files(struct tool_run *run,
           cJSON *(*row)(const struct code *code, uint32_t file))
{
    const struct joined *joined = tool_joined(run);
    struct files files = {0};
    struct tool_page page = {.run = run,
                             .name = "files",
                             .key = file_key,
                             .ctx = &files,
                             .bytes = 500};

    if (run->err)
        return;
    uint32_t repo = tool_repo(run, joined->code, "repo_hash");
    if (run->err)
        return;
    const struct code_repo *r = &joined->code->repos[repo];
    files = (struct files){joined->code, r->file_first};
    put_str(run->reply, "repo_url", r->url);
    put_hash(run->reply, "repo_hash", r->hash);
    put_str(run->reply, "commit", r->commit);
    page.total = r->file_last - r->file_first;
    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, row(joined->code, files.first + (uint32_t)page.at));
    page_close(&page);
    reply_summary(run, "%zu file%s of %.*s, %u symbol%s", page.total,
                  page.total == 1 ? "" : "s", (int)r->url.len, r->url.ptr,
                  r->last - r->first, r->last - r->first == 1 ? "" : "s");
}

void
tool_repo_graph(struct tool_run *run)
{
    list_files(run, graph_row);
}

void
tool_ownership(struct tool_run *run)
{
    list_files(run, owned_row);
    if (!run->err && tool_joined(run)->code->owner_len == 0)
        tool_hint(run, "no CODEOWNERS was found; authors are those of git");
}
