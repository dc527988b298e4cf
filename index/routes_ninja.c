/*
 * Django Ninja: routers below routers, and an API that a pattern of Django's
 * serves by its `urls`.  What it serves of OpenAPI itself is not told.
 */
#include "index/routes_django_file.h"
#include "index/routes_nest.h"

/* The argument |i|, or what is named |name|. */
static struct at
given_as(const struct parts *p, struct at call, uint32_t i, const char *name)
{
    struct at given = part_arg(p, call, i);

    return given.id ? given : part_named(p, call, name);
}

/* What a file binds the name to at its top. */
static struct at
bound_at_top(const struct parts *p, uint32_t file, str name)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->scope == 0 && bind->value &&
            str_eq(facts_text(facts, bind->name), name))
            return (struct at){file, bind->value};
    }
    return (struct at){file, 0};
}

/* "shop.api.router": a name of a module, which is imported late. */
static uint32_t
router_by_text(struct parts *p, struct at expr)
{
    struct buf text = {0};
    uint32_t id = 0;

    if (part_text(p, expr, false, &text).ok) {
        str module = buf_str(&text);
        uint32_t file;
        while (module.len > 0 && module.ptr[module.len - 1] != '.')
            module.len--;
        str name = str_cut(buf_str(&text), module.len, text.len);
        module.len -= module.len > 0;
        if (django_module(p, module, expr.file, &file))
            id = router_of(p, bound_at_top(p, file, name));
    }
    buf_fini(&text);
    return id;
}

void
nest_ninja(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at given = part_bare(p, given_as(p, v->call, 1, "router"));
    struct verb_path prefix = {0, false};

    if (!given.id)
        return;
    if (!verb_prefix(p, given_as(p, v->call, 0, "prefix"), &prefix))
        prefix.is_tail = true;
    uint32_t child = part_kind(p, given) == EXPR_STRING
                         ? router_by_text(p, given)
                         : router_of(p, given);
    router_mount_at(p, child, v->router, prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
}
