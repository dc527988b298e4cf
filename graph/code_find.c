/*
 * Names are looked up by their last part, in an open table of lists that
 * rise; whole names by halving, since ids are in their order.
 */
#include "graph/code_find.h"

#include <string.h>

#include "base/buf.h"
#include "base/match.h"
#include "graph/code_load.h"
#include "graph/code_write.h"

enum { NAME_LEN_MAX = 1024 };

uint32_t
code_by_hash(const struct code *code, const unsigned char *hash)
{
    const struct code_index *index = code->index;
    uint32_t at = code_hash_slot(index, hash);

    for (; index->by_hash[at]; at = (at + 1) & index->mask)
        if (memcmp(code->nodes[index->by_hash[at]].hash, hash, SHA256_LEN) == 0)
            return index->by_hash[at];
    return 0;
}

/* The first id whose qualified name is not before |name|; with |past|, not
 * before all that begin with it. */
static uint32_t
lower_bound(const struct code *code, str name, bool past)
{
    uint32_t low = 1;
    uint32_t high = code->node_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        str at = code->nodes[middle].qualified;
        size_t len = at.len < name.len ? at.len : name.len;
        int order = len ? memcmp(at.ptr, name.ptr, len) : 0;
        bool is_before = order < 0 || (order == 0 && at.len < name.len) ||
                         (order == 0 && past);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t
code_by_qualified(const struct code *code, str qualified)
{
    uint32_t id = lower_bound(code, qualified, false);

    return id < code->node_len && str_eq(code->nodes[id].qualified, qualified)
               ? id
               : 0;
}

void
code_prefix_range(const struct code *code, str prefix, uint32_t *first,
                  uint32_t *end)
{
    *first = lower_bound(code, prefix, false);
    *end = lower_bound(code, prefix, true);
}

/* ---- by the end of a name ---- */

static bool
is_of(uint32_t kinds, const struct code_vertex *node)
{
    return kinds == 0 || (kinds >> node->kind & 1);
}

static bool
ends_with(str text, str end)
{
    if (text.len < end.len || end.len == 0 ||
        memcmp(text.ptr + text.len - end.len, end.ptr, end.len) != 0)
        return false;
    return text.len == end.len ||
           code_is_separator(text.ptr[text.len - end.len - 1]);
}

static enum err
find_suffix(const struct code *code, str word, uint32_t kinds, struct ids *out)
{
    const struct code_index *index = code->index;
    str plain = code_name_plain(word);
    bool is_numbered = plain.len != word.len;
    enum err err = OK;

    if (plain.len == 0)
        return OK;
    uint32_t id = index->by_name[code_name_slot(index, code_name_last(plain))];
    for (; id && !err; id = index->next[id]) {
        const struct code_vertex *node = &code->nodes[id];
        str name =
            is_numbered ? node->qualified : code_name_plain(node->qualified);
        if (is_of(kinds, node) && ends_with(name, word))
            err = ids_add(out, id);
    }
    return err;
}

/* `Cart::Add`, `Cart#Add` and `Cart->Add` as `Cart.Add`; the empty text if
 * there is nothing to change. */
static str
dotted(str word, char *out)
{
    size_t len = 0;

    if (word.len > NAME_LEN_MAX)
        return (str){0};
    for (size_t i = 0; i < word.len; i++) {
        str pair = str_cut(word, i, i + 2);
        bool is_pair = str_eq(pair, STR("::")) || str_eq(pair, STR("->"));

        out[len] = word.ptr[i];
        if (is_pair || word.ptr[i] == '#')
            out[len] = '.';
        len++;
        i += is_pair;
    }
    return len == word.len && memcmp(out, word.ptr, len) == 0 ? (str){0}
                                                              : (str){out, len};
}

enum err
code_by_suffix(const struct code *code, str word, uint32_t kinds,
               struct ids *out)
{
    char text[NAME_LEN_MAX];
    size_t before = out->len;
    enum err err = find_suffix(code, word, kinds, out);

    if (err || out->len > before)
        return err;
    return find_suffix(code, dotted(word, text), kinds, out);
}

/* ---- by anything ---- */

/* `path:12`, and `path:12:3` as compilers write it. */
static bool
read_place(str word, str *path, uint32_t *line)
{
    for (size_t i = word.len; i-- > 1;) {
        if (word.ptr[i] != ':')
            continue;
        uint32_t number = 0;
        size_t at = i + 1;
        while (at < word.len && word.ptr[at] >= '0' && word.ptr[at] <= '9' &&
               number < UINT32_MAX / 16)
            number = number * 10 + (uint32_t)(word.ptr[at++] - '0');
        if (at == i + 1 || (at < word.len && word.ptr[at] != ':'))
            return *line != 0;
        *path = str_cut(word, 0, i);
        *line = number;
    }
    return *line != 0;
}

static enum err
find_place(const struct code *code, str word, uint32_t kinds, struct ids *out)
{
    struct ids files = {0};
    str path = {0};
    uint32_t line = 0;
    enum err err = OK;

    if (!read_place(word, &path, &line))
        return OK;
    err = code_file_by_path(code, 0, path, &files);
    for (size_t i = 0; i < files.len && !err; i++) {
        uint32_t id = code_by_line(code, files.ids[i], line);
        if (id && is_of(kinds, &code->nodes[id]))
            err = ids_add(out, id);
    }
    ids_fini(&files);
    return err;
}

enum err
code_resolve(const struct code *code, str word, uint32_t kinds, struct ids *out)
{
    unsigned char hash[SHA256_LEN];
    size_t before = out->len;
    enum err err = OK;

    if (str_read_hex(word, hash, SHA256_LEN)) {
        uint32_t id = code_by_hash(code, hash);
        return id ? ids_add(out, id) : ERR_NOT_FOUND;
    }
    for (uint32_t id = code_by_qualified(code, word);
         id && id < code->node_len && str_eq(code->nodes[id].qualified, word) &&
         !err;
         id++)
        if (is_of(kinds, &code->nodes[id]))
            err = ids_add(out, id);
    if (!err && out->len == before)
        err = find_place(code, word, kinds, out);
    if (!err && out->len == before)
        err = code_by_suffix(code, word, kinds, out);
    return err ? err : out->len == before ? ERR_NOT_FOUND : OK;
}

/* ---- files and lines ---- */

/* How much of the ends of two paths is equal, in whole parts, if one of them
 * is all of it. */
static size_t
common_end(str a, str b)
{
    str less = a.len < b.len ? a : b;
    str more = a.len < b.len ? b : a;

    if (less.len == 0 ||
        memcmp(more.ptr + more.len - less.len, less.ptr, less.len) != 0)
        return 0;
    return more.len == less.len || more.ptr[more.len - less.len - 1] == '/'
               ? less.len
               : 0;
}

enum err
code_file_by_path(const struct code *code, uint32_t repo, str path,
                  struct ids *out)
{
    size_t best = 1;
    size_t before = out->len;
    enum err err = OK;

    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    if (str_starts(path, STR("./")))
        path = str_cut(path, 2, path.len);
    for (uint32_t i = 1; i < code->file_len && !err; i++) {
        const struct code_file *file = &code->files[i];
        if (repo && file->repo != repo)
            continue;
        size_t len = common_end(path, file->path);
        /* One that is whole on both sides is better than any. */
        len += len && path.len == file->path.len;
        if (len < best)
            continue;
        if (len > best)
            out->len = before;
        best = len;
        err = ids_add(out, i);
    }
    return err;
}

const uint32_t *
code_file_nodes(const struct code *code, uint32_t file, uint32_t *len)
{
    const struct code_index *index = code->index;

    *len = 0;
    if (file == 0 || file >= code->file_len)
        return index->file_nodes;
    *len = index->file_at[file + 1] - index->file_at[file];
    return index->file_nodes + index->file_at[file];
}

uint32_t
code_by_line(const struct code *code, uint32_t file, uint32_t line)
{
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);
    uint32_t best = 0;

    /* By line, so of those that hold it the last is the innermost, unless a
     * longer one begins on the same line. */
    for (uint32_t i = 0; i < len; i++) {
        const struct code_vertex *node = &code->nodes[ids[i]];
        const struct code_vertex *held = &code->nodes[best];
        if (node->line > line)
            break;
        if ((node->kind != CODE_FUNCTION && node->kind != CODE_METHOD) ||
            node->end_line < line)
            continue;
        if (!best || node->line > held->line ||
            node->end_line <= held->end_line)
            best = ids[i];
    }
    return best;
}

/* ---- repositories, owners, authors ---- */

static uint32_t
repo_called(const struct code *code, str word)
{
    unsigned char hash[SHA256_LEN];
    bool is_hash = str_read_hex(word, hash, SHA256_LEN);
    uint32_t found = 0;

    for (uint32_t i = 1; i < code->repo_len; i++) {
        const struct code_repo *repo = &code->repos[i];
        if (str_eq(repo->url, word) ||
            (is_hash && memcmp(repo->hash, hash, SHA256_LEN) == 0))
            return i;
        if (word.len < repo->url.len && common_end(repo->url, word)) {
            if (found)
                return 0;
            found = i;
        }
    }
    return found;
}

/* A url is often known as one clones it, and is held as code_repo_url has it.
 */
uint32_t
code_repo_by(const struct code *code, str word)
{
    uint32_t found = repo_called(code, word);
    struct buf url = {0};

    if (!found && word.len) {
        code_repo_url(word, &url);
        if (url.len && !url.failed)
            found = repo_called(code, buf_str(&url));
    }
    buf_fini(&url);
    return found;
}

bool
code_owners_of(const struct code *code, uint32_t repo, str path,
               uint32_t *first, uint32_t *end)
{
    uint32_t at = code->owner_len;

    *first = *end = 0;
    while (at-- > 0)
        if (code->owners[at].repo == repo &&
            match_path(code->owners[at].pattern, path))
            break;
    if (at == UINT32_MAX)
        return false;
    *end = at + 1;
    /* One row an owner: those of one line belong together. */
    while (at > 0 && code->owners[at - 1].repo == repo &&
           code->owners[at - 1].line == code->owners[at].line &&
           str_eq(code->owners[at - 1].pattern, code->owners[at].pattern))
        at--;
    *first = at;
    return code->owners[at].owner.len > 0;
}

void
code_authors_of(const struct code *code, uint32_t file, uint32_t *first,
                uint32_t *end)
{
    uint32_t low = 0;
    uint32_t high = code->author_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (code->authors[middle].file < file)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < code->author_len && code->authors[low].file == file)
        low++;
    *end = low;
}
