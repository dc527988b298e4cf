/*
 * Packed: a magic, the texts with their lengths, then table by table the
 * number of rows and the rows, each field a varint (LEB128).
 *
 * Unpacking trusts nothing.  No table is made larger than the bytes that are
 * left could fill.  Texts that are not what a name may be (UTF-8 without
 * control bytes) are cleaned, and since a clean text may be one that is there
 * already, ids are mapped while rows are read.
 */
#include "graph/code_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { TEXT_LEN_MAX = 4096, VARINT_MAX = 10, LANG_MAX = 64 };

#define MAGIC "spancb1"

static void
put(struct buf *out, uint64_t value)
{
    char bytes[VARINT_MAX];
    size_t len = 0;

    while (value >= 0x80) {
        bytes[len++] = (char)(value | 0x80);
        value >>= 7;
    }
    bytes[len++] = (char)value;
    buf_add(out, (str){bytes, len});
}

static void
put_all(struct buf *out, const uint64_t *values, size_t len)
{
    for (size_t i = 0; i < len; i++)
        put(out, values[i]);
}

#define PUT(out, ...)                               \
    put_all((out), (const uint64_t[]){__VA_ARGS__}, \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void
pack_texts(const struct texts *texts, struct buf *out)
{
    put(out, texts->len);
    for (text_id id = 1; id < texts->len; id++) {
        str text = texts_get(texts, id);
        put(out, text.len);
        buf_add(out, text);
    }
}

static void
pack_graph(const struct code_build *b, struct buf *out)
{
    put(out, b->file_len);
    for (uint32_t i = 1; i < b->file_len; i++) {
        const struct build_file *row = &b->files[i];
        PUT(out, row->path, row->lang, row->flags, row->bytes, row->skipped);
        buf_add(out, (str){(const char *)row->blob, BLOB_ID_LEN});
    }
    put(out, b->node_len);
    for (uint32_t i = 1; i < b->node_len; i++) {
        const struct build_node *row = &b->nodes[i];
        PUT(out, row->kind, row->flags, row->file, row->line, row->col,
            row->end_line, row->package, row->name, row->signature);
    }
    put(out, b->site_len);
    for (uint32_t i = 0; i < b->site_len; i++)
        PUT(out, b->sites[i].line, b->sites[i].col);
    put(out, b->edge_len);
    for (uint32_t i = 0; i < b->edge_len; i++) {
        const struct build_edge *row = &b->edges[i];
        PUT(out, row->src, row->dst, row->type, row->provenance, row->permille,
            row->site_at, row->site_len);
    }
}

static void
pack_rest(const struct code_build *b, struct buf *out)
{
    put(out, b->route_len);
    for (uint32_t i = 0; i < b->route_len; i++) {
        const struct build_route *row = &b->routes[i];
        PUT(out, row->node, row->handler, row->flags, row->method, row->raw,
            row->canonical, row->framework, row->file, row->line);
    }
    put(out, b->service_len);
    for (uint32_t i = 0; i < b->service_len; i++) {
        const struct build_service *row = &b->services[i];
        PUT(out, row->name, row->directory, row->evidence, row->rank);
    }
    put(out, b->exposure_len);
    for (uint32_t i = 0; i < b->exposure_len; i++) {
        const struct build_exposure *row = &b->exposures[i];
        PUT(out, row->host, row->prefix, row->rewrite, row->service,
            row->evidence);
    }
    put(out, b->owner_len);
    for (uint32_t i = 0; i < b->owner_len; i++)
        PUT(out, b->owners[i].pattern, b->owners[i].owner, b->owners[i].line);
    put(out, b->literal_len);
    for (uint32_t i = 0; i < b->literal_len; i++)
        PUT(out, b->literals[i].text, b->literals[i].node, b->literals[i].kind);
    put(out, b->author_len);
    for (uint32_t i = 0; i < b->author_len; i++) {
        const struct build_author *row = &b->authors[i];
        PUT(out, row->file, row->author, row->commits, row->last_s);
    }
}

enum err
code_build_pack(const struct code_build *build, struct buf *out)
{
    if (build->failed || build->texts.failed)
        return ERR_NOMEM;
    buf_add(out, STR(MAGIC));
    pack_texts(&build->texts, out);
    PUT(out, build->repo_url, build->commit, build->commit_s, build->bytes,
        build->parsed, build->calls, build->calls_external,
        build->calls_unknown);
    pack_graph(build, out);
    pack_rest(build, out);
    return out->failed ? ERR_NOMEM : OK;
}

/* ---- and back ---- */

struct unpack {
    struct code_build *build;
    str in;
    size_t at;
    text_id *texts; /* by packed id */
    uint32_t text_len;
    bool bad;
};

/* A number of at most |max|. */
static uint64_t
take(struct unpack *u, uint64_t max)
{
    uint64_t value = 0;

    for (unsigned shift = 0; u->at < u->in.len && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)u->in.ptr[u->at++];
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            u->bad |= value > max;
            return u->bad ? 0 : value;
        }
    }
    u->bad = true;
    return 0;
}

static uint32_t
take_u32(struct unpack *u, uint32_t max)
{
    return (uint32_t)take(u, max);
}

static str
take_bytes(struct unpack *u, size_t len)
{
    if (u->bad || len > u->in.len - u->at) {
        u->bad = true;
        return (str){0};
    }
    u->at += len;
    return (str){u->in.ptr + u->at - len, len};
}

/* How many rows follow, when each takes |least| bytes. */
static uint32_t
take_len(struct unpack *u, size_t least)
{
    uint32_t len = take_u32(u, BUILD_ROWS_MAX);

    if (len > (u->in.len - u->at) / least + 1)
        u->bad = true;
    return u->bad ? 0 : len;
}

static text_id
take_text(struct unpack *u)
{
    uint32_t id = take_u32(u, u->text_len ? u->text_len - 1 : 0);

    return u->bad ? 0 : u->texts[id];
}

static uint32_t
take_node(struct unpack *u)
{
    return take_u32(u, u->build->node_len - 1);
}

static uint32_t
take_file(struct unpack *u)
{
    return take_u32(u, u->build->file_len - 1);
}

/* Nearly all texts are; the others go through utf8_clean, which may leave them
 * as they are. */
static bool
is_plain(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < ' ' || text.ptr[i] > '~')
            return false;
    return text.len <= TEXT_LEN_MAX;
}

static enum err
unpack_texts(struct unpack *u)
{
    struct buf clean = {0};
    enum err err = OK;

    u->text_len = take_len(u, 1);
    if (u->bad || u->text_len == 0)
        return ERR_CORRUPT;
    u->texts = calloc(u->text_len, sizeof(*u->texts));
    if (!u->texts)
        return ERR_NOMEM;
    for (uint32_t id = 1; id < u->text_len && !u->bad; id++) {
        str text = take_bytes(u, take(u, UINT32_MAX));
        buf_reset(&clean);
        if (!is_plain(text)) {
            utf8_clean(&clean, text, TEXT_LEN_MAX);
            text = buf_str(&clean);
        }
        u->texts[id] = texts_add(&u->build->texts, text);
    }
    err = u->bad                                   ? ERR_CORRUPT
          : clean.failed || u->build->texts.failed ? ERR_NOMEM
                                                   : OK;
    buf_fini(&clean);
    return err;
}

static void
unpack_head(struct unpack *u)
{
    struct code_build *b = u->build;

    b->repo_url = take_text(u);
    b->commit = take_text(u);
    b->commit_s = take(u, UINT64_MAX >> 1);
    b->bytes = take(u, UINT64_MAX >> 1);
    b->parsed = take_u32(u, UINT32_MAX);
    b->calls = take_u32(u, UINT32_MAX);
    b->calls_external = take_u32(u, UINT32_MAX);
    b->calls_unknown = take_u32(u, UINT32_MAX);
}

static void
unpack_files(struct unpack *u)
{
    uint32_t len = take_len(u, 5 + BLOB_ID_LEN);

    for (uint32_t i = 1; i < len && !u->bad; i++) {
        struct build_file row = {0};
        row.path = take_text(u);
        row.lang = (uint8_t)take(u, LANG_MAX);
        row.flags = take_u32(u, UINT32_MAX);
        row.bytes = take_u32(u, UINT32_MAX);
        row.skipped = take_text(u);
        str blob = take_bytes(u, BLOB_ID_LEN);
        if (u->bad || row.path == 0)
            u->bad = true;
        else
            memcpy(row.blob, blob.ptr, BLOB_ID_LEN);
        code_build_file(u->build, &row);
    }
}

static void
unpack_nodes(struct unpack *u)
{
    uint32_t len = take_len(u, 9);

    for (uint32_t i = 1; i < len && !u->bad; i++) {
        struct build_node row = {0};
        row.kind = (uint8_t)take(u, CODE_KIND_END - 1);
        row.flags = take_u32(u, UINT32_MAX);
        row.file = take_file(u);
        row.line = take_u32(u, INT32_MAX);
        row.col = take_u32(u, INT32_MAX);
        row.end_line = take_u32(u, INT32_MAX);
        row.package = take_text(u);
        row.name = take_text(u);
        row.signature = take_text(u);
        u->bad |= row.kind == CODE_NONE;
        code_build_node(u->build, &row);
    }
}

static void
unpack_edges(struct unpack *u)
{
    struct code_build *b = u->build;
    uint32_t len = take_len(u, 2);

    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct code_site site = {0};
        site.line = take_u32(u, INT32_MAX);
        site.col = take_u32(u, INT32_MAX);
        code_build_site(b, site);
    }
    len = take_len(u, 7);
    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_edge row = {0};
        row.src = take_node(u);
        row.dst = take_node(u);
        row.type = (uint8_t)take(u, CODE_EDGE_END - 1);
        row.provenance = (uint8_t)take(u, CODE_PROVENANCE_END - 1);
        row.permille = (uint16_t)take(u, 1000);
        row.site_at = take_u32(u, b->site_len);
        row.site_len = take_u32(u, b->site_len - row.site_at);
        u->bad |= !row.src || !row.dst || !row.type || !row.provenance;
        code_build_edge(b, &row);
    }
}

static void
unpack_routes(struct unpack *u)
{
    uint32_t len = take_len(u, 9);

    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_route row = {0};
        row.node = take_node(u);
        row.handler = take_node(u);
        row.flags = take_u32(u, UINT32_MAX);
        row.method = take_text(u);
        row.raw = take_text(u);
        row.canonical = take_text(u);
        row.framework = take_text(u);
        row.file = take_file(u);
        row.line = take_u32(u, INT32_MAX);
        u->bad |= !row.node;
        code_build_route(u->build, &row);
    }
}

static void
unpack_services(struct unpack *u)
{
    uint32_t len = take_len(u, 4);

    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_service row = {0};
        row.name = take_text(u);
        row.directory = take_text(u);
        row.evidence = take_text(u);
        row.rank = take_u32(u, INT32_MAX);
        code_build_service(u->build, &row);
    }
    len = take_len(u, 5);
    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_exposure row = {0};
        row.host = take_text(u);
        row.prefix = take_text(u);
        row.rewrite = take_text(u);
        row.service = take_text(u);
        row.evidence = take_text(u);
        code_build_exposure(u->build, &row);
    }
}

static void
unpack_people(struct unpack *u)
{
    uint32_t len = take_len(u, 3);

    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_owner row = {0};
        row.pattern = take_text(u);
        row.owner = take_text(u);
        row.line = take_u32(u, INT32_MAX);
        code_build_owner(u->build, &row);
    }
    len = take_len(u, 3);
    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_literal row = {0};
        row.text = take_text(u);
        row.node = take_node(u);
        row.kind = (uint8_t)take_u32(u, LITERAL_BODY);
        u->bad |= !row.node;
        code_build_literal(u->build, &row);
    }
    len = take_len(u, 4);
    for (uint32_t i = 0; i < len && !u->bad; i++) {
        struct build_author row = {0};
        row.file = take_file(u);
        row.author = take_text(u);
        row.commits = take_u32(u, UINT32_MAX);
        row.last_s = take(u, UINT64_MAX >> 1);
        u->bad |= !row.file;
        code_build_author(u->build, &row);
    }
}

enum err
code_build_unpack(struct code_build *build, str packed)
{
    struct unpack u = {.build = build, .in = packed};
    enum err err = code_build_init(build);

    if (err)
        return err;
    if (!str_eq(take_bytes(&u, STR(MAGIC).len), STR(MAGIC)))
        u.bad = true;
    err = u.bad ? ERR_CORRUPT : unpack_texts(&u);
    if (err)
        goto out;
    unpack_head(&u);
    unpack_files(&u);
    unpack_nodes(&u);
    unpack_edges(&u);
    unpack_routes(&u);
    unpack_services(&u);
    unpack_people(&u);
    if (u.bad || u.at != packed.len)
        err = ERR_CORRUPT;
    else if (build->failed)
        err = ERR_NOMEM;
out:
    free(u.texts);
    if (err)
        code_build_fini(build);
    return err;
}
