/*
 * The lines of a function, from the folder it was indexed from.  The store does
 * not keep text; a file is shown only if its bytes are those that were indexed,
 * and only from the folders of query.index_paths.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/path.h"
#include "mcp/json.h"
#include "mcp/tools_code.h"
#include "mcp/tools_near.h"
#include "mcp/tools_reply.h"

enum { FILE_BYTES_MAX = 4 << 20, LINES_MAX = 200, SHOWN_BYTES_MAX = 8000 };

/* Reads |path|, which really lies in |root|; false: it cannot be. */
static bool
read_within(const char *root, const char *path, struct buf *out)
{
    char real[PATH_MAX];
    struct stat st;
    bool ok = false;

    if (!realpath(path, real) || !path_is_within(real, root))
        return false;
    int fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size <= FILE_BYTES_MAX) {
        char *to = buf_grow(out, (size_t)st.st_size + 1);
        ssize_t got = to ? read(fd, to, (size_t)st.st_size) : -1;

        ok = got == st.st_size;
        out->len += ok ? (size_t)got : 0;
    }
    close(fd);
    return ok;
}

static bool
is_same(const struct code_file *file, str bytes)
{
    unsigned char blob[GIT_BLOB_LEN];

    hash_git_blob(bytes, blob);
    return memcmp(blob, file->blob, sizeof(blob)) == 0;
}

/* The folder itself is the repository, or holds it by the last part of its
 * url. */
static bool
find_file(const struct near_run *n, const struct code_file *file,
          struct buf *out)
{
    const struct tools_cfg *cfg = &n->run->tools->cfg;
    str url = near_code(n)->repos[file->repo].url;
    const char *slash = url.len ? memrchr(url.ptr, '/', url.len) : NULL;
    str name =
        slash ? str_cut(url, (size_t)(slash + 1 - url.ptr), url.len) : url;

    for (size_t i = 0; i < cfg->index_path_len; i++)
        for (int deep = 0; deep < 2; deep++) {
            char path[PATH_MAX];
            int len = snprintf(path, sizeof(path), "%s/%.*s%s%.*s",
                               cfg->index_paths[i], deep ? (int)name.len : 0,
                               name.ptr, deep ? "/" : "", (int)file->path.len,
                               file->path.ptr);

            buf_reset(out);
            if (len > 0 && (size_t)len < sizeof(path) &&
                read_within(cfg->index_paths[i], path, out) &&
                is_same(file, buf_str(out)))
                return true;
        }
    return false;
}

/* Lines |first| to |last|, from 1, as far as they may be shown. */
static str
cut_lines(str text, uint32_t first, uint32_t last)
{
    size_t at = 0;
    size_t end;
    uint32_t line = 1;

    for (; line < first && at < text.len; at++)
        line += text.ptr[at] == '\n';
    last = last >= first + LINES_MAX ? first + LINES_MAX - 1 : last;
    for (end = at; end < text.len && line <= last; end++)
        line += text.ptr[end] == '\n';
    end = end - at > SHOWN_BYTES_MAX ? at + SHOWN_BYTES_MAX : end;
    return str_cut(text, at, end);
}

void
near_put_source(struct near_run *n, uint32_t vertex, cJSON *row)
{
    const struct code *code = near_code(n);
    const struct code_vertex *node = code_node(code, vertex);
    struct buf text = {0};

    if (!node->file || !node->line)
        return;
    cJSON *object = cJSON_AddObjectToObject(row, "source");
    put_num(object, "line", node->line);
    put_num(object, "end_line", node->end_line);
    if (find_file(n, &code->files[node->file], &text)) {
        struct buf lines = {0};

        buf_add(&lines, cut_lines(buf_str(&text), node->line,
                                  node->end_line > node->line ? node->end_line
                                                              : node->line));
        put_str(object, "text", buf_str(&lines));
        buf_fini(&lines);
    } else {
        cJSON_AddNullToObject(object, "text");
        cJSON_AddStringToObject(
            object, "why",
            "no folder of query.index_paths holds the file as it was indexed");
    }
    buf_fini(&text);
}
