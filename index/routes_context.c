/*
 * What settings of Spring, Quarkus and Micronaut put before all routes, and
 * that Spring's configuration in code puts something before them.
 */
#include "index/context.h"
#include "index/routes_marks.h"

static void
add_parts(struct buf *out, str path)
{
    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    if (path.len == 0)
        return;
    buf_add_char(out, '/');
    buf_add(out, path);
}

static bool
is_moved(struct parts *p, const struct route_entry *entry)
{
    return entry->framework == FW_SPRING &&
           marks_app(p, FW_SPRING, entry->at.file, APP_MOVED).id;
}

/* What @Route puts on Quarkus' own router of Vert.x. */
static bool
is_quarkus(const struct parts *p, const struct route_entry *entry)
{
    return entry->framework == FW_VERTX && entry->router &&
           p->routers[entry->router].space == SPACE_DEF &&
           part_imports(p, entry->at.file, "io.quarkus.vertx.web");
}

static bool
is_in_context(const struct parts *p, const struct route_entry *entry)
{
    return !(entry->flags & (ENTRY_CLIENT | ENTRY_NAME)) &&
           (entry->framework == FW_SPRING || entry->framework == FW_JAXRS ||
            entry->framework == FW_MICRONAUT || is_quarkus(p, entry));
}

text_id
context_before(struct parts *p, const struct route_entry *entry, text_id path,
               bool *is_tail)
{
    bool is_rest = entry->framework == FW_JAXRS;
    struct buf out = {0};

    if (*is_tail || !is_in_context(p, entry))
        return path;
    struct context context =
        contexts_of(p->contexts, p->files[entry->at.file].path);
    /* Of a path in settings and one in code, which counts is not read. */
    bool is_twice = is_rest && context.rest.len > 0 && entry->router &&
                    marks_base(p, entry->router);
    if (!context.is_known || is_twice || is_moved(p, entry)) {
        *is_tail = true;
        return path;
    }
    if (context.root.len == 0 && (!is_rest || context.rest.len == 0))
        return path;
    add_parts(&out, context.root);
    if (is_rest)
        add_parts(&out, context.rest);
    add_parts(&out, texts_get(&p->texts, path));
    return part_keep(p, &out, path);
}
