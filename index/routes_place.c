/*
 * What a file exports is found by the name it exports it by, so `export const
 * GET = wrap(f)` and `export { handler as GET }` are as good as a function.
 */
#include "index/routes_place.h"

#include <string.h>

#include "index/routes_files.h"
#include "index/routes_verbs.h"

bool
place_split(str path, const char *folder, str *root, str *rest)
{
    size_t len = strlen(folder);

    for (size_t i = 0; i + len < path.len; i++) {
        bool starts = i == 0 || path.ptr[i - 1] == '/';
        if (!starts || memcmp(path.ptr + i, folder, len) != 0)
            continue;
        *rest = str_cut(path, i + len, path.len);
        *root = str_cut(path, 0, i ? i - 1 : 0);
        if (str_ends(*root, STR("/src")))
            root->len -= 4;
        else if (str_eq(*root, STR("src")))
            root->len = 0;
        return true;
    }
    return false;
}

static bool
has_application(struct parts *p, str root, const char *config,
                const char *module)
{
    struct file_range range = files_below(p, root);

    for (uint32_t i = 0; i < range.len; i++) {
        str path = range.rows[i].path;
        uint32_t file = range.rows[i].file;
        uint8_t lang = part_facts(p, file)->lang;
        if (lang < LANG_JAVASCRIPT || lang > LANG_TSX ||
            (root.len > 0 && path.ptr[root.len] != '/'))
            continue;
        str below = str_cut(path, root.len + (root.len > 0), path.len);
        if (str_starts(below, str_of(config)) || part_imports(p, file, module))
            return true;
    }
    return false;
}

/* Files come by their paths, so one answer for each framework serves many. */
bool
place_has(struct parts *p, str root, const char *config, const char *module)
{
    struct place_asked *asked = p->places;
    const struct place_asked *end = p->places + PART_PLACES;

    while (asked + 1 < end && asked->config && asked->config != config)
        asked++;
    if (asked->config != config || !str_eq(asked->root, root))
        *asked = (struct place_asked){root, config,
                                      has_application(p, root, config, module)};
    return asked->has;
}

bool
place_configured(struct parts *p, str root, const char *config)
{
    struct buf path = {0};
    bool is_there = false;

    buf_add(&path, root);
    if (root.len > 0)
        buf_add_char(&path, '/');
    buf_add(&path, str_of(config));
    struct file_range range = files_below(p, buf_str(&path));
    for (uint32_t i = 0; i < range.len && !is_there; i++) {
        str rest =
            str_cut(range.rows[i].path, path.len, range.rows[i].path.len);
        is_there = rest.len > 0 && !memchr(rest.ptr, '/', rest.len);
    }
    p->failed |= path.failed;
    buf_fini(&path);
    return is_there;
}

/* A segment that is no part of the path: `(group)`, `@slot`, `index`. */
static bool
is_silent(str segment, bool is_last)
{
    return segment.len == 0 || segment.ptr[0] == '@' ||
           (segment.ptr[0] == '(' && segment.ptr[segment.len - 1] == ')') ||
           (is_last && str_eq(segment, STR("index")));
}

text_id
place_path(struct parts *p, str front, str rest)
{
    struct buf out = {0};
    text_id id = 0;

    buf_add(&out, front);
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

str
place_stem(str path)
{
    size_t end = path.len;

    while (end > 0 && path.ptr[end - 1] != '.' && path.ptr[end - 1] != '/')
        end--;
    return end > 0 && path.ptr[end - 1] == '.' ? str_cut(path, 0, end - 1)
                                               : path;
}

bool
place_ends(str path, const char *name, str *before)
{
    str last = str_of(name);

    if (!str_ends(path, str_of(name)) ||
        (path.len > last.len && path.ptr[path.len - last.len - 1] != '/'))
        return false;
    size_t len = path.len - last.len;
    *before = str_cut(path, 0, len ? len - 1 : 0);
    return true;
}

static uint32_t
node_of(struct parts *p, struct at def)
{
    uint8_t kind = part_def(p, def)->kind;

    return kind == CODE_FUNCTION || kind == CODE_METHOD || kind == CODE_TYPE
               ? resolve_node(p->r, def.file, def.id)
               : 0;
}

/* |own| is what the file defines or exports by |name|; 0: nothing of its own.
 * |entry| may have a handler already. */
static void
enter(struct parts *p, uint32_t file, str name, uint32_t own,
      struct route_entry entry)
{
    struct value value = {0};

    entry.at = (struct at){file, own};
    entry.at_def = true;
    if (resolve_export(p->r, file, name, &value)) {
        bool is_own = value.at.file == file;
        if (value.kind == VALUE_DEF) {
            entry.handler = node_of(p, value.at);
            entry.at.id = is_own ? value.at.id : own;
        } else if (value.kind == VALUE_MADE) {
            if (!entry.handler)
                entry.handler = part_handler(p, value.at);
            entry.at.id = is_own ? value.at.id : own;
            entry.at_def = !is_own;
        }
    }
    entry_add(p, &entry);
}

/* |own| becomes the definition of that name. */
static bool
is_exported(const struct facts *facts, str name, uint32_t *own)
{
    for (uint32_t d = 1; d < facts->def_len; d++)
        if (facts->defs[d].parent == 0 && facts->defs[d].flags & DEF_EXPORTED &&
            str_eq(facts_text(facts, facts->defs[d].name), name)) {
            *own = d;
            return true;
        }
    for (uint32_t i = 1; i < facts->import_len; i++) {
        const struct fact_import *row = &facts->imports[i];
        str_id given = row->alias ? row->alias : row->name;
        if (row->kind == EXPORT_NAME && str_eq(facts_text(facts, given), name))
            return true;
    }
    return false;
}

void
place_methods(struct parts *p, uint32_t file, text_id path,
              enum framework framework)
{
    static const struct {
        const char *name;
        const char *method;
    } all[] = {
        {"GET", "GET"},         {"POST", "POST"},     {"PUT", "PUT"},
        {"PATCH", "PATCH"},     {"DELETE", "DELETE"}, {"HEAD", "HEAD"},
        {"OPTIONS", "OPTIONS"}, {"ALL", "ANY"}, /* Astro's, the last */
    };
    size_t len = sizeof(all) / sizeof(all[0]) - (framework != FW_ASTRO);

    for (size_t i = 0; i < len; i++) {
        str name = str_of(all[i].name);
        uint32_t own = 0;
        if (is_exported(part_facts(p, file), name, &own))
            enter(p, file, name, own,
                  (struct route_entry){
                      .method = texts_add(&p->texts, str_of(all[i].method)),
                      .path = path,
                      .framework = (uint8_t)framework,
                  });
    }
}

bool
place_handles(struct parts *p, uint32_t file, const char *const *makers)
{
    struct value value;

    if (!resolve_export(p->r, file, STR("default"), &value))
        return false;
    if (value.kind == VALUE_DEF)
        return node_of(p, value.at) != 0 && !verb_is_type(p, value.at);
    if (value.kind != VALUE_MADE)
        return false;
    if (part_handler(p, value.at))
        return true;
    struct at made = part_bare(p, value.at);
    if (part_kind(p, made) != EXPR_CALL)
        return false;
    str maker = part_word(p, part_callee(p, made));
    for (; *makers; makers++)
        if (str_eq(maker, str_of(*makers)))
            return true;
    return false;
}

void
place_default(struct parts *p, uint32_t file, text_id path, str method,
              enum framework framework)
{
    struct value value;

    if (resolve_export(p->r, file, STR("default"), &value))
        enter(p, file, STR("default"), 0,
              (struct route_entry){
                  .method = texts_add(&p->texts, method),
                  .path = path,
                  .framework = (uint8_t)framework,
              });
}

/* What is called on what a wrapper gives, and gives it back itself: the
 * function is in the wrapper (`middy(show).use(json())`). */
static struct at
behind_chain(struct parts *p, struct at expr)
{
    static const char *const words[] = {"use", "before", "after", "onError"};
    bool is_one = true;

    while (is_one && part_kind(p, expr) == EXPR_CALL) {
        str word = part_word(p, part_callee(p, expr));
        struct at on = part_receiver(p, expr);
        is_one = false;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            is_one |= str_eq(word, str_of(words[i]));
        is_one &= on.id != 0;
        if (is_one)
            expr = part_bare(p, on);
    }
    return expr;
}

void
place_named(struct parts *p, uint32_t file, str name,
            const struct route_entry *entry)
{
    struct route_entry named = *entry;
    struct value value;
    uint32_t own = 0;

    (void)is_exported(part_facts(p, file), name, &own);
    if (resolve_export(p->r, file, name, &value) && value.kind == VALUE_MADE)
        named.handler = part_handler(p, behind_chain(p, value.at));
    enter(p, file, name, own, named);
}
