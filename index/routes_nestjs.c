/*
 * NestJS's paths: global prefix, version, module, controller, method, in this
 * order.  Each path of a method is told for each application that has its
 * controller, path of the controller and version, since any of these may be
 * excluded from the prefix.
 */
#include <string.h>

#include "graph/routes.h"
#include "index/routes_marks_meta.h"
#include "index/routes_nestjs.h"
#include "index/visit.h"

enum {
    PLACES_MAX = 16,
    WAYS_MAX = 256, /* of one method; above, what is before is not known */
};

/* ---- lists, and what may stand for a list of one ---- */

/* The list that |expr| is or leads to, or itself. */
static struct at
list_of(struct parts *p, struct at expr)
{
    struct at list;

    if (expr.id && part_literal(p, expr, &list) &&
        part_kind(p, list) == EXPR_ARRAY)
        return list;
    return part_bare(p, expr);
}

static uint32_t
item_count(struct parts *p, struct at expr)
{
    expr = list_of(p, expr);
    if (!expr.id)
        return 0;
    return part_kind(p, expr) == EXPR_ARRAY ? part_expr(p, expr)->list_len : 1;
}

static struct at
item_at(struct parts *p, struct at expr, uint32_t i)
{
    expr = list_of(p, expr);
    return part_kind(p, expr) == EXPR_ARRAY ? part_list(p, expr, i) : expr;
}

/* A longer one may have been cut. */
static bool
is_whole(struct parts *p, struct at expr)
{
    return item_count(p, expr) < VISIT_LIST_MAX;
}

/* ---- versions ---- */

/* Header, media type and custom versions are in no path. */
static bool
is_in_path(struct parts *p, struct at versioning)
{
    struct at type = part_named(p, versioning, "type");

    return !type.id || str_eq(part_word(p, type), STR("URI"));
}

/* Of a list, which is read while |made| stands. */
struct versions {
    struct at list;
    struct mark_made made;
    uint32_t len; /* 0: there is none */
};

static void
count_versions(struct parts *p, struct versions *of)
{
    struct part_turn turns[MADE_DEPTH_MAX];

    made_begin(p, &of->made, turns);
    of->len = item_count(p, of->list);
    made_end(p, &of->made, turns);
}

/* What the first of the method's decorators that is a version says. */
static struct versions
own_versions(struct parts *p, struct at def)
{
    struct versions out = {.list = {def.file, 0}};
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        struct at call =
            made_call(p, mark, "@nestjs/common.Version", &out.made);
        if (!call.id)
            continue;
        out.list = part_arg(p, call, 0);
        count_versions(p, &out);
        return out;
    }
    return out;
}

/* The method's own, else the controller's, else the application's. */
static struct versions
versions_of(struct parts *p, struct at controller, struct at def,
            struct at versioning)
{
    struct versions found = {.list = {def.file, 0}};

    if (!versioning.id || !is_in_path(p, versioning))
        return found;
    found = own_versions(p, def);
    if (found.len > 0)
        return found;
    found.made.len = 0;
    found.list = part_named(p, mark_options(p, controller), "version");
    count_versions(p, &found);
    if (found.len > 0)
        return found;
    found.list = part_named(p, versioning, "defaultVersion");
    count_versions(p, &found);
    return found;
}

/* Of VERSION_NEUTRAL, and of none, the empty text. */
static text_id
version_at(struct parts *p, const struct versions *of, uint32_t i)
{
    struct part_turn turns[MADE_DEPTH_MAX];
    struct verb_path path = {0, false};

    if (of->len == 0)
        return texts_add(&p->texts, STR(""));
    made_begin(p, &of->made, turns);
    if (!verb_path(p, item_at(p, of->list, i), &path))
        path.text = texts_add(&p->texts, STR(""));
    made_end(p, &of->made, turns);
    return path.text;
}

/* `v1/` */
static void
add_version(struct parts *p, struct at versioning, text_id version,
            struct buf *out)
{
    struct at named = part_named(p, versioning, "prefix");
    str text = texts_get(&p->texts, version);

    if (text.len == 0)
        return;
    if (!named.id)
        buf_add_char(out, 'v');
    else
        (void)part_text(p, named, false, out);
    buf_add(out, text);
    buf_add_char(out, '/');
}

/* ---- what has no global prefix ---- */

static void
canonical_of(struct parts *p, str path, struct buf *out)
{
    struct buf text = {0};

    buf_add_char(&text, '/');
    buf_add(&text, path);
    if (!text.failed)
        (void)route_canonical(buf_str(&text), 0, out);
    p->failed |= text.failed || out->failed;
    buf_fini(&text);
}

/* Cuts the first segment off. */
static str
segment(str *path)
{
    const char *slash = memchr(path->ptr, '/', path->len);
    size_t len = slash ? (size_t)(slash - path->ptr) : path->len;
    str first = str_cut(*path, 0, len);

    *path = str_cut(*path, slash ? len + 1 : len, path->len);
    return first;
}

/* A parameter stands for any segment, a wildcard for one or more, or, if the
 * path ends with a slash where it is asked, also for none. */
static bool
fits(str pattern, str path, bool is_own)
{
    while (pattern.len > 0 && path.len > 0) {
        str want = segment(&pattern);
        if (str_eq(want, STR("{**}")) && pattern.len == 0)
            return true;
        str have = segment(&path);
        if (!str_eq(want, STR("{}")) && !str_eq(want, have))
            return false;
    }
    bool is_rest = pattern.len == 0 || (is_own && str_eq(pattern, STR("{**}")));
    return is_rest && path.len == 0;
}

/* `'health'`, `{path: 'health', method: RequestMethod.GET}` */
static bool
is_of_method(struct parts *p, struct at entry, str method)
{
    str word = part_word(p, part_named(p, entry, "method"));

    return word.len == 0 || str_eq(word, STR("ALL")) || str_eq(word, method);
}

/* A wildcard that has no name (`(.*)`), or stands in braces. */
static bool
may_be_empty(str text)
{
    char last = '\0';

    if (text.len > 0)
        last = text.ptr[text.len - 1];
    return last == ')' || last == '*' || last == '}';
}

/* Does |entry| of `exclude` stand for the canonical |path|, |is_own| to its
 * controller? */
static bool
excludes(struct parts *p, struct at entry, str path, bool is_own, str method)
{
    bool is_object = part_kind(p, entry) == EXPR_OBJECT;
    struct at pattern = is_object ? part_named(p, entry, "path") : entry;
    struct buf text = {0};
    struct buf canonical = {0};

    if (part_text(p, pattern, false, &text).ok)
        canonical_of(p, buf_str(&text), &canonical);
    is_own = is_own && may_be_empty(buf_str(&text));
    bool found = canonical.len > 0 && fits(buf_str(&canonical), path, is_own) &&
                 (!is_object || is_of_method(p, entry, method));
    p->failed |= text.failed;
    buf_fini(&text);
    buf_fini(&canonical);
    return found;
}

static bool
is_excluded(struct parts *p, struct at list, text_id path, bool is_own,
            text_id method)
{
    uint32_t len = item_count(p, list);
    struct buf canonical = {0};
    struct buf name = {0};
    bool found = false;

    if (len == 0)
        return false;
    /* Texts that are kept may move. */
    buf_add(&name, texts_get(&p->texts, method));
    canonical_of(p, texts_get(&p->texts, path), &canonical);
    for (uint32_t i = 0; i < len && !found && !name.failed; i++)
        found = excludes(p, part_bare(p, item_at(p, list, i)),
                         buf_str(&canonical), is_own, buf_str(&name));
    p->failed |= name.failed;
    buf_fini(&name);
    buf_fini(&canonical);
    return found;
}

/* ---- what stands before a path ---- */

static str
bare_of(str text)
{
    while (text.len > 0 && text.ptr[0] == '/')
        text = str_cut(text, 1, text.len);
    while (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    return text;
}

text_id
nestjs_join(struct parts *p, text_id front, text_id path)
{
    str first = bare_of(texts_get(&p->texts, front));
    str rest = bare_of(texts_get(&p->texts, path));
    struct buf text = {0};

    buf_add_char(&text, '/');
    buf_add(&text, first);
    if (first.len > 0 && rest.len > 0)
        buf_add_char(&text, '/');
    buf_add(&text, rest);
    return part_keep(p, &text, path);
}

struct nestjs_place
nestjs_place_of(struct parts *p, uint32_t file)
{
    return (struct nestjs_place){
        .base = marks_base_at(p, FW_NESTJS, file),
        .prefix = marks_app(p, FW_NESTJS, file, APP_PREFIX),
        .versioning = marks_app(p, FW_NESTJS, file, APP_VERSIONS),
    };
}

/* Of no application that is read, by its folder. */
static uint32_t
places_of(struct parts *p, struct at type, struct nestjs_place *out)
{
    uint32_t len = nestjs_places(p, type, out, PLACES_MAX);

    if (len > 0)
        return len;
    *out = nestjs_place_of(p, type.file);
    /* Which module it is of is not known. */
    out->is_tail = marks_app(p, FW_NESTJS, type.file, APP_MODULES).id != 0 ||
                   nestjs_is_cut(p);
    return 1;
}

/* What a method's path is told by. */
struct telling {
    struct parts *p;
    const struct nestjs_method *of;
    struct route_entry entry; /* path: its own */
};

static void
tell_at(struct telling *t, const struct nestjs_place *place,
        struct verb_path controller, text_id version)
{
    struct parts *p = t->p;
    struct route_entry entry = t->entry;
    bool is_tail = controller.is_tail || place->is_tail;
    bool is_own = texts_get(&p->texts, entry.path).len <= 1;

    entry.path = nestjs_join(p, controller.text, entry.path);
    if (!controller.is_tail && place->module)
        entry.path = nestjs_join(p, place->module, entry.path);
    if (texts_get(&p->texts, entry.path).len > ROUTE_PATH_MAX) {
        entry.path = t->entry.path;
        is_tail = true;
    }
    struct at exclude = {entry.at.file, 0};
    if (place->prefix.id)
        exclude = part_named(p, place->prefix, "exclude");
    is_tail = is_tail || entry.flags & ENTRY_TAIL;
    bool is_bare = !is_tail && exclude.id &&
                   is_excluded(p, exclude, entry.path, is_own, entry.method);
    if (is_tail || (exclude.id && !is_bare && !is_whole(p, exclude))) {
        entry.flags |= ENTRY_TAIL;
        entry_add(p, &entry);
        return;
    }
    entry.router = is_bare ? 0 : place->base;
    struct buf text = {0};
    add_version(p, place->versioning, version, &text);
    if (text.len > 0 && !text.failed)
        entry.path =
            nestjs_join(p, texts_add(&p->texts, buf_str(&text)), entry.path);
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
    entry_add(p, &entry);
}

/* Paths of the controller by versions, each at least one. */
static uint32_t
ways_of(uint32_t paths, const struct versions *versions)
{
    return (paths ? paths : 1) * (versions->len ? versions->len : 1);
}

static uint32_t
ways_at(struct parts *p, const struct nestjs_method *of,
        const struct nestjs_place *place)
{
    struct versions versions =
        versions_of(p, of->controller, of->def, place->versioning);

    return ways_of(item_count(p, of->prefix), &versions);
}

static void
tell_for(struct telling *t, const struct nestjs_place *place)
{
    struct parts *p = t->p;
    const struct nestjs_method *of = t->of;
    struct versions versions =
        versions_of(p, of->controller, of->def, place->versioning);
    uint32_t paths = item_count(p, of->prefix);
    uint32_t ways = ways_of(paths, &versions);

    for (uint32_t i = 0; i < ways; i++) {
        struct verb_path path = {0, false};
        if (paths > 0)
            path.is_tail =
                !verb_path(p, item_at(p, of->prefix, i % paths), &path) ||
                path.is_tail;
        tell_at(t, place, path,
                version_at(p, &versions, paths ? i / paths : i));
    }
}

/* As it is registered: no slash at the end, RequestMethod.ALL is any. */
static void
nestjs_entry(struct parts *p, struct route_entry *entry)
{
    str text = texts_get(&p->texts, entry->path);
    size_t len = text.len;
    struct buf copy = {0};

    while (len > 1 && text.ptr[len - 1] == '/')
        len--;
    if (len < text.len) {
        /* A text that is kept may move when another is. */
        buf_add(&copy, str_cut(text, 0, len));
        if (!copy.failed)
            entry->path = texts_add(&p->texts, buf_str(&copy));
        p->failed |= copy.failed || p->texts.failed;
        buf_fini(&copy);
    }
    if (str_eq(texts_get(&p->texts, entry->method), STR("ALL")))
        entry->method = texts_add(&p->texts, STR("ANY"));
}

void
nestjs_tell(struct parts *p, uint32_t from, const struct nestjs_method *of)
{
    struct nestjs_place places[PLACES_MAX];
    uint32_t len = places_of(p, of->type, places);
    uint32_t end = p->entry_len;
    uint32_t ways = 0;
    struct telling t = {.p = p, .of = of};

    if (nestjs_is_nowhere(p, of->type)) {
        p->entry_len = from;
        return;
    }
    for (uint32_t k = 0; k < len && k < PLACES_MAX; k++)
        ways += ways_at(p, of, &places[k]);
    /* All of a method's paths, or none: who reads them sees no half of it. */
    uint32_t all = ways * (end - from);
    bool is_told =
        len <= PLACES_MAX && all <= WAYS_MAX &&
        (ways <= 1 || p->further_ways + all <= ROUTE_FURTHER_WAYS_MAX);
    p->further_ways += is_told && ways > 1 ? all : 0;
    for (uint32_t i = from; i < end && !p->failed; i++) {
        t.entry = p->entries[i];
        t.entry.framework = FW_NESTJS;
        nestjs_entry(p, &t.entry);
        for (uint32_t k = 0; k < len && is_told; k++)
            tell_for(&t, &places[k]);
        if (!is_told) {
            t.entry.flags |= ENTRY_TAIL;
            t.entry.router = 0;
            entry_add(p, &t.entry);
        }
    }
    /* In place of what they were made of. */
    uint32_t count = p->entry_len - end;
    memmove(p->entries + from, p->entries + end, count * sizeof(*p->entries));
    p->entry_len = from + count;
}
