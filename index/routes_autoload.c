/*
 * Fastify's autoload: `app.register(autoload, {dir})` registers what the files
 * of a folder export, below the names of the folders they stand in.
 *
 * A folder with an index has no other plugins of its own.  Which files a
 * pattern leaves out is not worked out: where there is one, a plugin that
 * somebody else registers is his.
 */
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_nest.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

enum { DIR_MAX = 512 };

struct autoload {
    struct parts *p;
    uint32_t router; /* that registers */
    char dir[DIR_MAX];
    struct at prefix; /* of `options`, or id 0 */
    bool has_params;  /* `_id` is `:id` */
    bool has_names;   /* folders are in paths */
    bool is_named;    /* by a function: nobody knows how */
    bool is_plain;    /* plugins are not encapsulated, so have no prefix */
    bool is_near;     /* the dir is told from where the file is */
    bool is_picky;    /* a pattern says which files are taken */
};

/* ---- what the call says ---- */

/* `..`, `.` and `a` of `../a`, put behind |dir|. */
static bool
enter_folders(char *dir, str path)
{
    size_t at = 0;

    while (at < path.len) {
        str part = str_cut(path, at, path.len);
        const char *slash = memchr(part.ptr, '/', part.len);
        part.len = slash ? (size_t)(slash - part.ptr) : part.len;
        at += part.len + 1;
        size_t len = strlen(dir);
        if (part.len == 0 || str_eq(part, STR(".")))
            continue;
        if (str_eq(part, STR(".."))) {
            char *last = strrchr(dir, '/');
            if (len == 0)
                return false;
            *(last ? last : dir) = 0;
            continue;
        }
        if (len + part.len + 2 > DIR_MAX)
            return false;
        if (len > 0)
            dir[len++] = '/';
        memcpy(dir + len, part.ptr, part.len);
        dir[len + part.len] = 0;
    }
    return true;
}

/* `__dirname`, `import.meta.dirname`, `import.meta.url`: where the file is. */
static bool
is_here(const struct parts *p, struct at expr)
{
    static const char *const names[] = {"__dirname",  "dirname",  "url",
                                        "__filename", "filename", "meta"};
    str word = part_word(p, expr);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(word, str_of(names[i])))
            return true;
    return false;
}

/* The texts of `join(__dirname, 'routes')`, `${__dirname}/routes`,
 * `fileURLToPath(new URL('routes', import.meta.url))`, one after the other. */
static bool
read_dir(struct autoload *a, struct at expr, unsigned depth)
{
    enum { DEPTH_MAX = 6 };
    struct parts *p = a->p;
    struct buf text = {0};
    bool ok = true;

    expr = part_bare(p, expr);
    enum expr_kind kind = part_kind(p, expr);
    if (depth == DEPTH_MAX || !expr.id)
        return false;
    if (kind == EXPR_STRING)
        return enter_folders(a->dir, part_word(p, expr));
    if (kind == EXPR_CALL || kind == EXPR_NEW || kind == EXPR_CONCAT) {
        for (uint32_t i = 0; i < part_expr(p, expr)->list_len && ok; i++)
            ok = read_dir(a, part_list(p, expr, i), depth + 1);
        return ok;
    }
    struct at bound = part_bound(p, expr);
    if (bound.id && !is_here(p, expr))
        return read_dir(a, bound, depth + 1);
    if (is_here(p, expr)) {
        a->is_near = true;
        return true;
    }
    ok = part_text(p, expr, false, &text).ok &&
         enter_folders(a->dir, buf_str(&text));
    buf_fini(&text);
    return ok;
}

static bool
says(const struct parts *p, struct at object, const char *name, str word)
{
    return str_eq(part_word(p, part_named(p, object, name)), word);
}

/* `options: {prefix}`, `options: Object.assign({prefix}, opts)` */
static struct at
read_prefix(struct parts *p, struct at object)
{
    struct at options = part_bare(p, part_named(p, object, "options"));

    return options.id ? part_named(p, options, "prefix") : options;
}

static bool
read_options(struct autoload *a, struct at call)
{
    struct parts *p = a->p;
    struct at object;
    struct at here = {call.file, 0};
    str path = p->files[here.file].path;
    const char *slash = memrchr(path.ptr, '/', path.len);

    if (!part_literal(p, part_arg(p, call, 1), &object))
        return false;
    path.len = slash ? (size_t)(slash - path.ptr) : 0;
    struct at names = part_named(p, object, "dirNameRoutePrefix");
    a->prefix = read_prefix(p, object);
    a->has_params = says(p, object, "routeParams", STR("true"));
    a->is_plain = says(p, object, "encapsulate", STR("false"));
    a->has_names = !str_eq(part_word(p, names), STR("false"));
    a->is_named =
        names.id && a->has_names && !str_eq(part_word(p, names), STR("true"));
    a->is_picky = part_named(p, object, "ignorePattern").id ||
                  part_named(p, object, "ignoreFilter").id ||
                  part_named(p, object, "matchFilter").id ||
                  part_named(p, object, "indexPattern").id ||
                  part_named(p, object, "scriptPattern").id;
    return enter_folders(a->dir, path) &&
           read_dir(a, part_named(p, object, "dir"), 0) && a->is_near;
}

/* ---- what the files say ---- */

/* `module.exports.autoPrefix = '/x'`, `export const autoPrefix = '/x'`,
 * `plugin.autoPrefix = '/x'` */
static struct at
exported_text(struct parts *p, uint32_t file, const char *name)
{
    const struct facts *facts = part_facts(p, file);
    str wanted = str_of(name);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        bool is_it = bind->target
                         ? part_kind(p, target) == EXPR_MEMBER &&
                               str_eq(part_word(p, target), wanted)
                         : str_eq(facts_text(facts, bind->name), wanted);
        if (is_it && bind->scope == 0 && bind->value)
            return (struct at){file, bind->value};
    }
    return (struct at){file, 0};
}

/* What the file exports for Fastify to call. */
static bool
plugin_of(struct parts *p, uint32_t file, struct at *def, bool *is_plain)
{
    struct value exported;

    *is_plain = false;
    if (!nest_exported(p, file, &exported))
        return false;
    *def = exported.at;
    if (exported.kind == VALUE_DEF)
        return part_def(p, *def)->kind == CODE_FUNCTION;
    struct at made = part_bare(p, exported.at);
    struct at bound = part_bound(p, made);
    if (bound.id)
        made = part_bare(p, bound);
    *is_plain = nest_is_plain(p, made);
    return nest_given(p, made, def);
}

static bool
has_index(struct parts *p, str folder)
{
    static const char *const ends[] = {"js", "ts", "mjs", "cjs", "mts", "cts"};
    struct buf path = {0};
    uint32_t file;
    bool found = false;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !found; i++) {
        buf_reset(&path);
        buf_printf(&path, "%.*s/index.%s", (int)folder.len, folder.ptr,
                   ends[i]);
        found = !path.failed && file_at(p, buf_str(&path), &file);
    }
    p->failed |= path.failed;
    buf_fini(&path);
    return found;
}

/* `/users/:id` of `users/_id`, `/:a-:b` of `__a-__b`. */
static void
add_folders(const struct autoload *a, str folders, struct buf *out)
{
    bool is_mixed =
        folders.len > 1 && memmem(folders.ptr, folders.len, "__", 2) != NULL;

    for (size_t i = 0; i < folders.len; i++) {
        bool starts = i == 0 || folders.ptr[i - 1] == '/';
        str rest = str_cut(folders, i, folders.len);
        if (starts)
            buf_add_char(out, '/');
        if (folders.ptr[i] == '/')
            continue;
        if (a->has_params && is_mixed && str_starts(rest, STR("__"))) {
            buf_add_char(out, ':');
            i++;
        } else if (a->has_params && !is_mixed && starts &&
                   folders.ptr[i] == '_') {
            buf_add_char(out, ':');
        } else {
            buf_add_char(out, folders.ptr[i]);
        }
    }
}

/* What stands before the routes of |file|; |folders| are below the dir. */
static struct verb_path
prefix_of(const struct autoload *a, uint32_t file, str folders)
{
    struct parts *p = a->p;
    struct at all = exported_text(p, file, "prefixOverride");
    struct at own = exported_text(p, file, "autoPrefix");
    struct verb_path prefix = {0, false};
    struct buf text = {0};

    if (all.id) {
        prefix.is_tail = !verb_prefix(p, all, &prefix) || prefix.is_tail;
        return prefix;
    }
    if (a->prefix.id && !part_text(p, a->prefix, false, &text).ok)
        prefix.is_tail = true;
    if (own.id)
        prefix.is_tail |= !part_text(p, own, false, &text).ok;
    else if (a->has_names)
        add_folders(a, folders, &text);
    prefix.is_tail |= !own.id && a->is_named;
    if (!text.failed && !prefix.is_tail)
        prefix.text = texts_add(&p->texts, buf_str(&text));
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
    return prefix;
}

static void
load_file(const struct autoload *a, uint32_t file, str folders)
{
    struct parts *p = a->p;
    struct verb_path prefix = {0, false};
    struct at def;
    bool is_plain;

    if (part_facts(p, file)->flags & FACTS_TEST ||
        !plugin_of(p, file, &def, &is_plain))
        return;
    struct at param = part_param(p, def, 0);
    if (!param.id)
        return;
    if (!is_plain && !a->is_plain)
        prefix = prefix_of(a, file, folders);
    uint32_t child = router_make(p, SPACE_BIND, param, FW_FASTIFY, 0);
    router_mount_at(p, child, a->router, prefix.text,
                    (prefix.is_tail ? MOUNT_TAIL : 0) |
                        (a->is_picky ? MOUNT_ELSE : 0));
}

static void
load_files(const struct autoload *a)
{
    struct parts *p = a->p;
    size_t len = strlen(a->dir);
    struct file_range range = files_below(p, str_of(a->dir));

    for (uint32_t i = 0; i < range.len && !p->failed; i++) {
        str path = range.rows[i].path;
        uint8_t lang = part_facts(p, range.rows[i].file)->lang;
        const char *slash = memrchr(path.ptr, '/', path.len);
        if (!slash || path.ptr[len] != '/' || lang < LANG_JAVASCRIPT ||
            lang > LANG_TSX)
            continue;
        str folder = str_cut(path, 0, (size_t)(slash - path.ptr));
        bool is_index =
            str_starts(str_cut(path, folder.len + 1, path.len), STR("index."));
        if (is_index || a->is_picky || !has_index(p, folder))
            load_file(a, range.rows[i].file,
                      folder.len > len ? str_cut(folder, len + 1, folder.len)
                                       : STR(""));
    }
}

/* The parameter of a plugin that fastify-cli starts: nobody passes it. */
static uint32_t
registering(struct parts *p, struct at expr)
{
    uint32_t id = router_of(p, expr);
    struct value value;

    if (id || !expr.id || !resolve_value(p->r, expr, &value) ||
        value.kind != VALUE_PARAM)
        return id;
    return router_make(p, SPACE_BIND, value.at, FW_FASTIFY, 0);
}

void
nest_autoload(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "@fastify/autoload") &&
        !part_imports(p, file, "fastify-autoload"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct autoload a = {.p = p};
        if (facts->exprs[i].kind != EXPR_CALL ||
            !str_eq(part_word(p, part_callee(p, call)), STR("register")))
            continue;
        struct at plugin = part_arg(p, call, 0);
        if (!plugin.id ||
            !(part_is(p, plugin, "@fastify/autoload") ||
              part_is(p, plugin, "@fastify/autoload.default") ||
              part_is(p, plugin, "@fastify/autoload.fastifyAutoload") ||
              part_is(p, plugin, "fastify-autoload")))
            continue;
        a.router = registering(p, part_receiver(p, call));
        if (a.router && read_options(&a, call))
            load_files(&a);
    }
}
