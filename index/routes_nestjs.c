/*
 * NestJS's paths: global prefix, version, controller, method, in this order.
 * A method has a router of its own, mounted once for each version of it and
 * path of its controller, since it may have other versions than the rest of
 * the controller, and may be excluded from the prefix.
 */
#include <string.h>

#include "graph/routes.h"
#include "index/routes_nestjs.h"

enum { VERSIONS_MAX = 8, PREFIXES_MAX = 8 };

/* Texts; the empty one is no version: VERSION_NEUTRAL. */
struct versions {
    text_id text[VERSIONS_MAX];
    uint32_t len;
};

/* What a list, or what is no list, holds. */
static uint32_t
items(struct parts *p, struct at expr, struct at *out, uint32_t cap)
{
    uint32_t len = 0;

    expr = part_bare(p, expr);
    if (!expr.id)
        return 0;
    if (part_kind(p, expr) != EXPR_ARRAY) {
        *out = expr;
        return 1;
    }
    for (; len < part_expr(p, expr)->list_len && len < cap; len++)
        out[len] = part_list(p, expr, len);
    return len;
}

static void
read_versions(struct parts *p, struct at expr, struct versions *out)
{
    struct at each[VERSIONS_MAX];
    uint32_t len = items(p, expr, each, VERSIONS_MAX);
    struct verb_path path;

    for (uint32_t i = 0; i < len; i++) {
        text_id text = texts_add(&p->texts, STR(""));
        if (verb_path(p, each[i], &path))
            text = path.text;
        out->text[out->len++] = text;
    }
}

/* Header, media type and custom versions are in no path. */
static bool
is_in_path(struct parts *p, struct at versioning)
{
    struct at type = part_named(p, versioning, "type");

    return !type.id || str_eq(part_word(p, type), STR("URI"));
}

static struct at
version_of_method(struct parts *p, struct at def)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++)
        if (part_kind(p, mark) == EXPR_CALL &&
            part_is(p, part_callee(p, mark), "@nestjs/common.Version"))
            return part_arg(p, mark, 0);
    return (struct at){def.file, 0};
}

/* The method's own, else the controller's, else the application's. */
static struct versions
versions_of(struct parts *p, struct at controller, struct at def,
            struct at versioning)
{
    struct versions found = {.len = 0};

    if (versioning.id && is_in_path(p, versioning)) {
        read_versions(p, version_of_method(p, def), &found);
        if (found.len == 0)
            read_versions(p,
                          part_named(p, mark_options(p, controller), "version"),
                          &found);
        if (found.len == 0)
            read_versions(p, part_named(p, versioning, "defaultVersion"),
                          &found);
    }
    if (found.len == 0)
        found.text[found.len++] = texts_add(&p->texts, STR(""));
    return found;
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
canonical_of(struct parts *p, str prefix, struct at path, struct buf *out)
{
    struct buf text = {0};

    buf_add(&text, prefix);
    buf_add_char(&text, '/');
    (void)part_text(p, path, false, &text);
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

/* A parameter stands for any segment, a wildcard for one or more. */
static bool
fits(str pattern, str path)
{
    while (pattern.len > 0 && path.len > 0) {
        str want = segment(&pattern);
        if (str_eq(want, STR("{**}")) && pattern.len == 0)
            return true;
        str have = segment(&path);
        if (!str_eq(want, STR("{}")) && !str_eq(want, have))
            return false;
    }
    return pattern.len == 0 && path.len == 0;
}

/* `'health'`, `{path: 'health', method: RequestMethod.GET}` */
static bool
is_of_method(struct parts *p, struct at entry, str method)
{
    str word = part_word(p, part_named(p, entry, "method"));

    return word.len == 0 || str_eq(word, STR("ALL")) || str_eq(word, method);
}

static bool
is_excluded(struct parts *p, struct at prefix_call, str controller,
            const struct nestjs_method *of)
{
    struct at each[PREFIXES_MAX * 4];
    uint32_t len =
        items(p, part_named(p, prefix_call, "exclude"), each, PREFIXES_MAX * 4);
    struct buf path = {0};
    bool found = false;

    canonical_of(p, controller, of->path, &path);
    for (uint32_t i = 0; i < len && !found; i++) {
        struct buf pattern = {0};
        struct at at = part_bare(p, each[i]);
        bool is_object = part_kind(p, at) == EXPR_OBJECT;
        canonical_of(p, STR(""), is_object ? part_named(p, at, "path") : at,
                     &pattern);
        found = fits(buf_str(&pattern), buf_str(&path)) &&
                (!is_object || is_of_method(p, at, of->method));
        buf_fini(&pattern);
    }
    buf_fini(&path);
    return found;
}

/* ---- the method's router ---- */

static void
mount_at(struct parts *p, uint32_t router, const struct nestjs_method *of,
         struct verb_path controller)
{
    struct at versioning = marks_app(p, FW_NESTJS, of->def.file, APP_VERSIONS);
    struct at prefix = marks_app(p, FW_NESTJS, of->def.file, APP_PREFIX);
    struct versions versions =
        versions_of(p, of->controller, of->def, versioning);
    str path = texts_get(&p->texts, controller.text);
    bool is_bare = prefix.id && is_excluded(p, prefix, path, of);
    uint32_t base = is_bare ? 0 : marks_base(p, router);
    /* Which module a controller is of is not known. */
    bool is_tail = controller.is_tail ||
                   marks_app(p, FW_NESTJS, of->def.file, APP_MODULES).id;

    for (uint32_t i = 0; i < versions.len; i++) {
        struct buf text = {0};
        add_version(p, versioning, versions.text[i], &text);
        buf_add(&text, texts_get(&p->texts, controller.text));
        if (!text.failed)
            router_mount_at(p, router, base,
                            texts_add(&p->texts, buf_str(&text)),
                            is_tail ? MOUNT_TAIL : 0);
        p->failed |= text.failed || p->texts.failed;
        buf_fini(&text);
    }
}

uint32_t
nestjs_router(struct parts *p, const struct nestjs_method *of)
{
    uint32_t router = router_make(p, SPACE_DEF, of->def, FW_NESTJS, 0);
    struct at each[PREFIXES_MAX];
    uint32_t len = items(p, of->prefix, each, PREFIXES_MAX);
    struct verb_path path = {texts_add(&p->texts, STR("")), false};

    if (!router)
        return 0;
    if (len == 0)
        mount_at(p, router, of, path);
    for (uint32_t i = 0; i < len; i++) {
        path.is_tail = !verb_path(p, each[i], &path) || path.is_tail;
        mount_at(p, router, of, path);
    }
    return router;
}

void
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
