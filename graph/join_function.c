/*
 * The function that a span names.  Spans name functions of libraries as well,
 * and those are not ours: of a name with a class or package before it more must
 * be the same than the last word, and of one with a file (graph/join_place.c)
 * the file.
 */
#include <string.h>

#include "graph/join_impl.h"
#include "graph/join_name.h"
#include "graph/route_text.h"

enum { FUNCTIONS = 1 << CODE_FUNCTION | 1 << CODE_METHOD };

/* Whether |name| is the whole name of |vertex| inside of its file: Ruby's
 * `Items.show` is not `Admin::Items.show`. */
static bool
is_whole(const struct code *code, uint32_t vertex, str name)
{
    const struct code_vertex *node = code_node(code, vertex);

    if (node->qualified.len <= name.len)
        return false;
    size_t before = node->qualified.len - name.len - 1;
    return join_ends_with(str_cut(node->qualified, 0, before),
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

/* ---- by name ---- */

/* Whether |root|, the last part before the name of |vertex|, says where that
 * is: the program itself, its package, or its file. */
bool
join_is_root(const struct joining *j, uint32_t service, uint32_t vertex,
             str root)
{
    static const str words[] = {STR_INIT("main"), STR_INIT("__main__"),
                                STR_INIT("crate"), STR_INIT("exports")};
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

enum err
join_by_end(struct joining *j, uint32_t service, str name, size_t at,
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
        !join_is_root(j, service, found, part_before(name, at)))
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
        if (!join_read_line(last, &number))
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
        err = join_by_end(j, service, name, at, vertex);
        bool is_bare = join_name_next(name, at) == name.len;
        *permille = at == 0 ? SURE : is_bare ? BARE : LIKELY;
        at = join_name_next(name, at);
    }
    return err;
}

/* ---- both ---- */

static enum err
find(struct joining *j, const struct query_node *symbol, uint32_t *vertex,
     uint16_t *permille)
{
    enum { PLACED = 900 };
    bool is_path;

    *vertex = 0;
    *permille = PLACED;
    if (symbol->name.len == 0)
        return OK;
    enum err err = join_place(j, symbol, vertex, &is_path);
    if (err || *vertex || is_path)
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

/* One symbol stands in many accounts. */
enum err
join_function(struct joining *j, const struct query_node *symbol,
              uint32_t *vertex, uint16_t *permille)
{
    struct join_told *told = &j->told[symbol->id];
    enum err err = OK;

    if (!told->is_known)
        err = find(j, symbol, &told->vertex, &told->permille);
    told->is_known = !err;
    *vertex = told->vertex;
    *permille = told->permille;
    return err;
}
