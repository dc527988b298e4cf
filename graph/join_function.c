/*
 * The function that a span names.  Spans name functions of libraries as well,
 * and those are not ours: of a name with a class or package before it more must
 * be the same than the last word, and a file is not ours that lies where
 * packages are installed.
 */
#include <string.h>

#include "graph/join_impl.h"
#include "graph/join_name.h"
#include "graph/route_text.h"

enum { FUNCTIONS = 1 << CODE_FUNCTION | 1 << CODE_METHOD };

static bool
ends_with(str s, str end)
{
    return end.len > 0 && s.len >= end.len &&
           memcmp(s.ptr + s.len - end.len, end.ptr, end.len) == 0;
}

/* Whether |name| is the whole name of |vertex| inside of its file: Ruby's
 * `Items.show` is not `Admin::Items.show`. */
static bool
is_whole(const struct code *code, uint32_t vertex, str name)
{
    const struct code_vertex *node = code_node(code, vertex);

    if (node->qualified.len <= name.len)
        return false;
    size_t before = node->qualified.len - name.len - 1;
    return ends_with(str_cut(node->qualified, 0, before),
                     join_stem(code->files[node->file].path));
}

/* The only one of those found that lies in the service's folders; where it has
 * none, the only one.  Of several the only one that |name| names as a whole. */
static uint32_t
only_one(struct joining *j, uint32_t service, str name)
{
    bool has_folder = join_has_folder(j->join, service);
    uint32_t found = 0;
    uint32_t whole = 0;
    size_t found_len = 0;
    size_t whole_len = 0;

    for (size_t i = 0; i < j->scratch.len; i++) {
        uint32_t id = j->scratch.ids[i];
        if (has_folder &&
            !join_holds(j->join, service, code_node(j->code, id)->file))
            continue;
        found = id;
        found_len++;
        if (!is_whole(j->code, id, name))
            continue;
        whole = id;
        whole_len++;
    }
    return found_len == 1 ? found : whole_len == 1 ? whole : 0;
}

/* ---- by place ---- */

/* Whether a file whose end one of ours has too is one of a package that is
 * installed: by what it has before that.  Some have such folders themselves. */
static bool
is_installed(str before)
{
    return join_name_installed(before) > 0 ||
           join_name_passes(before, STR("vendor/")) ||
           join_name_passes(before, STR("gems/"));
}

static bool
ends_with_path(str path, str end)
{
    return ends_with(path, end) &&
           (path.len == end.len || path.ptr[path.len - end.len - 1] == '/');
}

/* How much of their ends |path| and |own| have in common, if one of them is all
 * of it; whole on both sides is best. */
static size_t
common_path(str path, str own)
{
    if (ends_with_path(own, path))
        return 2 * path.len + (own.len == path.len);
    if (!ends_with_path(path, own) ||
        is_installed(str_cut(path, 0, path.len - own.len)))
        return 0;
    return 2 * own.len;
}

/* Of a file of the service also what is behind its folder, which need not be
 * deployed with it. */
static size_t
fit_file(const struct joining *j, uint32_t service, uint32_t id, str path)
{
    const struct join *join = j->join;
    const struct code_file *file = &j->code->files[id];
    size_t best = common_path(path, file->path);

    for (uint32_t i = 0; i < join->folder_len; i++) {
        const struct join_folder *folder = &join->folders[i];
        size_t len = folder->directory.len;
        if (folder->service != service || folder->repo != file->repo ||
            len == 0 || file->path.len <= len ||
            !join_is_below(file->path, folder->directory))
            continue;
        size_t fit =
            common_path(path, str_cut(file->path, len + 1, file->path.len));
        best = fit > best ? fit : best;
    }
    return best;
}

static bool
same_base(str a, str b)
{
    size_t len = 0;

    while (len < a.len && len < b.len &&
           a.ptr[a.len - 1 - len] == b.ptr[b.len - 1 - len]) {
        if (a.ptr[a.len - 1 - len] == '/')
            return true;
        len++;
    }
    return len == a.len || len == b.len;
}

/* Puts the files that |path| may be into j->scratch: those that fit best. */
static enum err
find_files(struct joining *j, uint32_t service, str path)
{
    bool has_folder = join_has_folder(j->join, service);
    enum err err = OK;
    size_t best = 1;

    j->scratch.len = 0;
    for (uint32_t i = 1; i < j->code->file_len && !err; i++) {
        if (!same_base(path, j->code->files[i].path))
            continue;
        size_t fit = fit_file(j, service, i, path);
        if (fit < best || (has_folder && !join_holds(j->join, service, i)))
            continue;
        if (fit > best)
            j->scratch.len = 0;
        best = fit;
        err = ids_add(&j->scratch, i);
    }
    return err;
}

/* Rust's `#[instrument]` tells the line that it stands on itself: before the
 * function, where no other line is. */
static uint32_t
behind_mark(const struct code *code, uint32_t file, uint32_t line)
{
    enum { MARK_LINES = 16 };
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);

    if (!ends_with(code->files[file].path, STR(".rs")))
        return 0;
    for (uint32_t i = 0; i < len; i++) {
        const struct code_vertex *node = code_node(code, ids[i]);
        if (node->line > line && (FUNCTIONS & UINT32_C(1) << node->kind) != 0)
            return node->line - line <= MARK_LINES ? ids[i] : 0;
    }
    return 0;
}

static bool
ends_with_name(str qualified, str name)
{
    return qualified.len > name.len && ends_with(qualified, name) &&
           strchr("./", qualified.ptr[qualified.len - name.len - 1]);
}

/* The only function of |file| with that name. */
static uint32_t
by_name_there(const struct code *code, uint32_t file, str name)
{
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);
    uint32_t found = 0;

    for (uint32_t i = 0; i < len && name.len > 0; i++) {
        const struct code_vertex *node = code_node(code, ids[i]);
        if ((FUNCTIONS & UINT32_C(1) << node->kind) == 0 ||
            !ends_with_name(node->qualified, name))
            continue;
        if (found)
            return 0;
        found = ids[i];
    }
    return found;
}

static bool
read_line(str text, uint32_t *line)
{
    *line = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!text_is_digit(text.ptr[i]) || *line > 100000000)
            return false;
        *line = *line * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return text.len > 0;
}

static uint32_t
in_file(const struct code *code, uint32_t file, str what)
{
    uint32_t line;

    if (!read_line(what, &line))
        return by_name_there(code, file, what);
    uint32_t id = code_by_line(code, file, line);
    return id ? id : behind_mark(code, file, line);
}

/* ---- by name ---- */

/* Whether |root|, the last part before the name of |vertex|, says where that
 * is: the program itself, its package, or its file. */
static bool
is_root_of(const struct joining *j, uint32_t service, uint32_t vertex, str root)
{
    static const str words[] = {STR_INIT("main"), STR_INIT("__main__"),
                                STR_INIT("crate"), STR_INIT("Object"),
                                STR_INIT("exports")};
    const struct code_file *file =
        &j->code->files[code_node(j->code, vertex)->file];
    str name = query_node(j->view, service)->name;
    str stem = join_stem(file->path);
    size_t kt = root.len > 2 ? root.len - 2 : 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(root, words[i]))
            return true;
    for (uint32_t i = 0; i < j->join->folder_len; i++)
        if (j->join->folders[i].service == service &&
            join_name_is_like(root, join_stem(j->join->folders[i].directory)))
            return true;
    return join_name_is_like(root, join_stem(name)) ||
           join_name_is_like(root, stem) ||
           (str_eq(str_cut(root, kt, root.len), STR("Kt")) &&
            join_name_is_like(str_cut(root, 0, kt), stem));
}

/* What lies before |at|, the part that ends there. */
static str
part_before(str name, size_t at)
{
    size_t end = at > 0 ? at - 1 : 0;
    size_t begin = end;

    while (begin > 0 && !strchr("./", name.ptr[begin - 1]))
        begin--;
    return str_cut(name, begin, end);
}

/* The function that ends as |name| does from |at| on. */
static enum err
by_end(struct joining *j, uint32_t service, str name, size_t at,
       uint32_t *vertex)
{
    str part = str_cut(name, at, name.len);
    bool is_bare = join_name_parts(part) == 1;

    *vertex = 0;
    if (is_bare && !join_has_folder(j->join, service))
        return OK;
    j->scratch.len = 0;
    enum err err = code_by_suffix(j->code, part, FUNCTIONS, &j->scratch);
    uint32_t found = err ? 0 : only_one(j, service, part);
    if (found && is_bare && at > 0 &&
        !is_root_of(j, service, found, part_before(name, at)))
        found = 0;
    *vertex = found;
    return err;
}

/* `Find.func1` of Go is in Find, if it is not known itself. */
static str
around(str name)
{
    str last = str_cut(name, name.len, name.len);

    while (name.len > 0) {
        size_t at = name.len;
        while (at > 0 && !strchr("./", name.ptr[at - 1]))
            at--;
        last = str_cut(name, at, name.len);
        name = str_cut(name, 0, at > 0 ? at - 1 : 0);
        uint32_t number;
        if (!read_line(last, &number))
            break;
    }
    return str_starts(last, STR("func")) && last.len > 4 &&
                   text_is_digit(last.ptr[4])
               ? name
               : (str){NULL, 0};
}

static enum err
by_name(struct joining *j, uint32_t service, str name, uint32_t *vertex,
        uint16_t *permille)
{
    enum { SURE = 990, LIKELY = 800, BARE = 600, TRIES = 12 };
    enum err err = OK;
    size_t at = 0;

    *vertex = 0;
    for (int i = 0; i < TRIES && at < name.len && !err && !*vertex; i++) {
        err = by_end(j, service, name, at, vertex);
        bool is_bare = join_name_next(name, at) == name.len;
        *permille = at == 0 ? SURE : is_bare ? BARE : LIKELY;
        at = join_name_next(name, at);
    }
    return err;
}

/* ---- both ---- */

/* |path| with slashes of one kind and without what it begins with, in j->text.
 */
static str
plain_path(struct joining *j, str path)
{
    size_t at = str_starts(path, STR("file://")) ? strlen("file://") : 0;

    buf_reset(&j->text);
    for (; at < path.len; at++)
        buf_add_char(&j->text,
                     (char)(path.ptr[at] == '\\' ? '/' : path.ptr[at]));
    path = buf_str(&j->text);
    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    return str_starts(path, STR("./")) ? str_cut(path, 2, path.len) : path;
}

/* `path/file.ext:12` and `path/file.ext:name`.  What is not of the code may be
 * made of it (`dist/app.js`): then the name has to do. */
static enum err
by_place(struct joining *j, const struct query_node *symbol, uint32_t *vertex)
{
    str name = symbol->name;
    const char *colon = name.len ? memrchr(name.ptr, ':', name.len) : NULL;
    size_t at = colon ? (size_t)(colon - name.ptr) : 0;
    str what = str_cut(name, at + 1, name.len);
    uint32_t found = 0;
    uint32_t line;

    *vertex = 0;
    if (at == 0 || name.ptr[at - 1] == ':')
        return OK;
    str path = plain_path(j, str_cut(name, 0, at));
    if (j->text.failed)
        return ERR_NOMEM;
    enum err err = find_files(j, symbol->owner, path);
    if (!err && j->scratch.len == 0 && !is_installed(path) &&
        !read_line(what, &line))
        return by_end(j, symbol->owner, what, 0, vertex);
    for (size_t i = 0; i < j->scratch.len && !err; i++) {
        uint32_t id = in_file(j->code, j->scratch.ids[i], what);
        if (id && found)
            return OK;
        found = id ? id : found;
    }
    *vertex = found;
    return err;
}

enum err
join_function(struct joining *j, const struct query_node *symbol,
              uint32_t *vertex, uint16_t *permille)
{
    enum { PLACED = 900 };

    *vertex = 0;
    *permille = PLACED;
    if (symbol->name.len == 0)
        return OK;
    enum err err = by_place(j, symbol, vertex);
    if (err || *vertex)
        return err;
    buf_reset(&j->text);
    join_name_plain(symbol->name, &j->text);
    if (j->text.failed)
        return ERR_NOMEM;
    str name = buf_str(&j->text);
    while (name.len > 0 && !err && !*vertex) {
        err = by_name(j, symbol->owner, name, vertex, permille);
        name = around(name);
    }
    return err;
}
