/*
 * Next.js: the place of a file is its route.  Only below a folder that is a
 * Next.js application: it has a next.config, or its files import `next`.
 */
#include <string.h>

#include "index/routes_rules.h"
#include "index/routes_verbs.h"

/* `web` of `web/src/app/x/route.ts`; |rest| is what is below app or pages. */
static bool
split(str path, const char *folder, str *root, str *rest)
{
    size_t len = strlen(folder);

    for (size_t i = 0; i + len < path.len; i++) {
        bool starts = i == 0 || path.ptr[i - 1] == '/';
        if (!starts || memcmp(path.ptr + i, folder, len) != 0)
            continue;
        *rest = str_cut(path, i + len, path.len);
        *root = str_cut(path, 0, i ? i - 1 : 0);
        if (str_ends(*root, "/src"))
            root->len -= 4;
        else if (str_eq(*root, STR("src")))
            root->len = 0;
        return true;
    }
    return false;
}

static bool
has_next(const struct parts *p, str root)
{
    for (uint32_t i = 0; i < p->len; i++) {
        str path = p->files[i].path;
        uint8_t lang = part_facts(p, i)->lang;
        if (lang < LANG_JAVASCRIPT || lang > LANG_TSX ||
            !str_starts(path, root) ||
            (root.len > 0 && path.ptr[root.len] != '/'))
            continue;
        str below = str_cut(path, root.len + (root.len > 0), path.len);
        if (str_starts(below, STR("next.config.")) ||
            part_imports(p, i, "next"))
            return true;
    }
    return false;
}

/* Files come by their paths, so one answer serves many. */
static bool
is_application(struct parts *p, str root)
{
    if (!p->next_root.ptr || !str_eq(p->next_root, root)) {
        p->next_root = root;
        p->has_next = has_next(p, root);
    }
    return p->has_next;
}

/* A segment that is no part of the path: `(group)`, `@slot`, `index`. */
static bool
is_silent(str segment, bool is_last)
{
    return segment.len == 0 || segment.ptr[0] == '@' ||
           (segment.ptr[0] == '(' && segment.ptr[segment.len - 1] == ')') ||
           (is_last && str_eq(segment, STR("index")));
}

static text_id
path_of(struct parts *p, str rest)
{
    struct buf out = {0};
    text_id id = 0;

    for (size_t at = 0; at <= rest.len;) {
        const char *slash =
            at < rest.len ? memchr(rest.ptr + at, '/', rest.len - at) : NULL;
        size_t end = slash ? (size_t)(slash - rest.ptr) : rest.len;
        str segment = str_cut(rest, at, end);
        if (!is_silent(segment, end == rest.len)) {
            buf_add_char(&out, '/');
            buf_add(&out, segment);
        }
        at = end + 1;
    }
    if (out.len == 0)
        buf_add_char(&out, '/');
    if (!out.failed)
        id = texts_add(&p->texts, buf_str(&out));
    p->failed |= out.failed;
    buf_fini(&out);
    return id;
}

static void
enter(struct parts *p, struct at def, text_id path, str method)
{
    entry_add(p, &(struct route_entry){
                     .handler = resolve_node(p->r, def.file, def.id),
                     .method = texts_add(&p->texts, method),
                     .path = path,
                     .at = def,
                     .at_def = true,
                     .framework = FW_NEXT,
                 });
}

static bool
is_method(str name)
{
    static const char *const names[] = {"GET",    "POST", "PUT",    "PATCH",
                                        "DELETE", "HEAD", "OPTIONS"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* app/x/route.ts: the functions it exports by the names of methods. */
static void
enter_handlers(struct parts *p, uint32_t file, text_id path)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        const struct fact_def *def = &facts->defs[d];
        str name = facts_text(facts, def->name);
        struct at at = {file, d};
        if (def->parent == 0 && def->kind == CODE_FUNCTION &&
            def->flags & DEF_EXPORTED && is_method(name))
            enter(p, at, path, name);
    }
}

/* The default export: a definition, or a name that is exported so. */
static bool
default_of(struct parts *p, uint32_t file, struct at *out)
{
    const struct facts *facts = part_facts(p, file);
    str name = {NULL, 0};

    for (uint32_t d = 1; d < facts->def_len; d++) {
        *out = (struct at){file, d};
        if (facts->defs[d].flags & DEF_DEFAULT &&
            (facts->defs[d].kind == CODE_FUNCTION ||
             facts->defs[d].kind == CODE_TYPE))
            return true;
    }
    for (uint32_t i = 1; i < facts->import_len; i++)
        if (facts->imports[i].kind == EXPORT_NAME &&
            !facts->imports[i].module &&
            str_eq(facts_text(facts, facts->imports[i].alias), STR("default")))
            name = facts_text(facts, facts->imports[i].name);
    for (uint32_t d = 1; d < facts->def_len && name.len > 0; d++) {
        *out = (struct at){file, d};
        if (facts->defs[d].parent == 0 &&
            facts->defs[d].kind == CODE_FUNCTION &&
            str_eq(facts_text(facts, facts->defs[d].name), name))
            return true;
    }
    return false;
}

static str
without_extension(str path)
{
    size_t end = path.len;

    while (end > 0 && path.ptr[end - 1] != '.' && path.ptr[end - 1] != '/')
        end--;
    return end > 0 && path.ptr[end - 1] == '.' ? str_cut(path, 0, end - 1)
                                               : path;
}

/* The last segment is |name|: what is before it. */
static bool
ends_in(str path, const char *name, str *before)
{
    str last = str_of(name);

    if (!str_ends(path, name) ||
        (path.len > last.len && path.ptr[path.len - last.len - 1] != '/'))
        return false;
    size_t len = path.len - last.len;
    *before = str_cut(path, 0, len ? len - 1 : 0);
    return true;
}

void
routes_next(struct parts *p, uint32_t file)
{
    str path = without_extension(p->files[file].path);
    str root = {NULL, 0};
    str rest = {NULL, 0};
    str folder;
    struct at def;

    if (part_facts(p, file)->flags & FACTS_TEST)
        return;
    if (split(path, "app/", &root, &rest) &&
        (ends_in(rest, "route", &folder) || ends_in(rest, "page", &folder))) {
        if (!is_application(p, root))
            return;
        if (str_ends(rest, "route"))
            enter_handlers(p, file, path_of(p, folder));
        else if (default_of(p, file, &def))
            enter(p, def, path_of(p, folder), STR("GET"));
        return;
    }
    if (!split(path, "pages/", &root, &rest) || !is_application(p, root) ||
        rest.ptr[0] == '_' || !default_of(p, file, &def))
        return;
    bool is_api = str_starts(rest, STR("api/"));
    enter(p, def, path_of(p, rest), is_api ? STR("ANY") : STR("GET"));
}
