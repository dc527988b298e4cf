/*
 * Controllers of Symfony, by their attributes: `#[Route('/x')]` of a method,
 * below that of its class.  A class has the methods of its bases and traits,
 * too; one that has no such method, but `__invoke`, has its own attributes for
 * that.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_marks.h"
#include "index/routes_symfony.h"

enum { BASES_DEEP = 8 };

/* A class as its routes are read. */
struct symfony_class {
    struct at type;
    struct symfony_route none;   /* before what stands for itself */
    struct symfony_route before; /* what the class says */
    bool has_routes;
};

static bool
is_route(struct parts *p, struct at mark)
{
    struct at callee =
        part_kind(p, mark) == EXPR_CALL ? part_callee(p, mark) : mark;

    return part_is(p, callee, "Symfony.Component.Routing.Attribute.Route") ||
           part_is(p, callee, "Symfony.Component.Routing.Annotation.Route");
}

static bool
read_mark(struct parts *p, struct at mark, struct symfony_route *out)
{
    struct symfony_said said = {.path = {mark.file, 0},
                                .name = {mark.file, 0},
                                .methods = {mark.file, 0}};

    if (part_kind(p, mark) == EXPR_CALL) {
        said.path = part_named(p, mark, "path");
        said.name = part_named(p, mark, "name");
        said.methods = part_named(p, mark, "methods");
        if (!said.path.id)
            said.path = part_arg(p, mark, 0);
        if (!said.name.id)
            said.name = part_arg(p, mark, 1);
    }
    return symfony_said(p, &said, out);
}

/* ---- names ---- */

/* Of each |what| only the last letter stays. */
static void
shorten(char *text, const char *what)
{
    size_t len = strlen(what);

    for (char *at = text; (at = strstr(at, what)); at++)
        memmove(at, at + len - 1, strlen(at + len - 1) + 1);
}

/* What the bundle of the framework calls a route without a name:
 * `app_blog_show` of App\Controller\BlogController::show; |index| is how many
 * attributes of the method before have none, either. */
static void
name_unnamed(struct parts *p, struct at type, struct at method, unsigned index,
             struct symfony_route *route)
{
    const struct facts *facts = part_facts(p, type.file);
    str space = facts_text(facts, facts->package);
    str own = facts_text(facts, part_def(p, type)->name);
    str last = part_str(p, method.file, part_def(p, method)->name);
    struct buf out = {0};
    char name[512];

    int len = snprintf(name, sizeof(name), "%.*s%s%.*s_%.*s", (int)space.len,
                       space.ptr ? space.ptr : "", space.len ? "_" : "",
                       (int)own.len, own.ptr, (int)last.len, last.ptr);
    if (len < 0 || (size_t)len >= sizeof(name))
        return;
    for (char *c = name; *c; c++)
        *c = (char)(*c == '\\' ? '_' : *c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    if (str_ends(last, STR("Action")) || str_ends(last, STR("_action")))
        name[(size_t)len - 6] = '\0';
    shorten(name, "bundle_");
    shorten(name, "controller_");
    if (index > 0)
        buf_printf(&out, "%s_%u", name, index);
    else
        buf_add(&out, str_of(name));
    buf_add_char(&out, '\0');
    if (!out.failed) {
        shorten(out.ptr, "__");
        route->name = texts_add(&p->texts, str_of(out.ptr));
        route->is_named = true;
    }
    p->failed |= out.failed || p->texts.failed;
    buf_fini(&out);
}

/* ---- classes ---- */

static bool
has_name(const struct parts *p, struct at mark)
{
    return part_kind(p, mark) == EXPR_CALL &&
           (part_named(p, mark, "name").id || part_arg(p, mark, 1).id);
}

/* A route for each attribute of |of| that is one, answered by |method|; false:
 * there is none. */
static bool
enter_marks(struct parts *p, const struct symfony_class *c,
            const struct symfony_route *before, struct at of, struct at method)
{
    struct route_entry entry = {.handler =
                                    resolve_node(p->r, method.file, method.id)};
    struct symfony_route route;
    unsigned unnamed = 0;
    bool any = false;
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, of, i)).id; i++) {
        if (!is_route(p, mark))
            continue;
        any = true;
        if (!read_mark(p, mark, &route))
            continue;
        if (!has_name(p, mark))
            name_unnamed(p, c->type, method, unnamed++, &route);
        route.is_sole = true;
        entry.router = symfony_file(p, c->type.file);
        entry.at = mark;
        symfony_enter(p, before, &route, &entry, c->type.file);
    }
    return any;
}

/* What the class's first attribute says of all. */
static void
read_class(struct parts *p, struct symfony_class *c)
{
    struct at mark;

    c->none.paths.len = 1;
    c->none.is_named = true;
    c->before = c->none;
    for (uint32_t i = 0; (mark = mark_at(p, c->type, i)).id; i++) {
        if (!is_route(p, mark))
            continue;
        if (!read_mark(p, mark, &c->before)) {
            c->before.paths.len = 1;
            c->before.paths.at[0] = (struct symfony_path){0, 0, true};
        }
        c->before.is_named |= !has_name(p, mark);
        return;
    }
}

/* The methods that stand in |from|, the class or what it has them of, but those
 * it has anew. */
static void
enter_methods(struct parts *p, struct symfony_class *c, struct at from)
{
    const struct facts *facts = part_facts(p, from.file);
    struct at own;

    for (uint32_t d = from.id + 1; d < facts->def_len; d++) {
        const struct fact_def *def = &facts->defs[d];
        struct at method = {from.file, d};
        if (def->parent != from.id || def->marks_len == 0 ||
            (def->kind != CODE_METHOD && def->kind != CODE_FUNCTION))
            continue;
        bool is_own = from.file == c->type.file && from.id == c->type.id;
        if (!is_own && (!resolve_member(p->r, c->type,
                                        facts_text(facts, def->name), &own) ||
                        own.file != method.file || own.id != method.id))
            continue;
        c->has_routes |= enter_marks(p, c, &c->before, method, method);
    }
}

static void
enter_bases(struct parts *p, struct symfony_class *c, struct at from,
            struct marks_seen *seen, unsigned depth)
{
    struct at base;

    for (uint32_t i = 0;
         depth < BASES_DEEP && marks_base_of(p, from, &i, &base);) {
        if (!marks_see(seen, base))
            continue;
        enter_methods(p, c, base);
        enter_bases(p, c, base, seen, depth + 1);
    }
}

static void
look_at_class(struct parts *p, struct at type)
{
    struct symfony_class c = {.type = type};
    struct marks_seen seen = {.len = 0};
    struct at method;

    read_class(p, &c);
    enter_methods(p, &c, type);
    enter_bases(p, &c, type, &seen, 0);
    if (!c.has_routes && resolve_member(p->r, type, STR("__invoke"), &method))
        (void)enter_marks(p, &c, &c.none, type, method);
}

void
routes_symfony(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    symfony_add(p, file);
    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
        const struct fact_def *def = &facts->defs[d];
        if (def->kind == CODE_TYPE &&
            !(def->flags & (DEF_ABSTRACT | DEF_TRAIT | DEF_ENUM)))
            look_at_class(p, (struct at){file, d});
    }
}
