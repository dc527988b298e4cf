/*
 * Tornado: lists of rules.
 *
 *     handlers = [(r"/x", Show), url(r"/y/(.*)", Edit, name="y")]
 *     handlers.append((r"/more", Show))
 *     Application(handlers + [(r"/z", Other)])
 *
 * A list is a router, served where an application takes it; of one that none is
 * known to take, what is before its paths is not known, and only classes that
 * are handlers of Tornado's count.
 */
#include <string.h>

#include "index/routes_django_file.h"
#include "index/routes_marks.h"
#include "index/routes_rules.h"
#include "index/routes_tornado.h"
#include "index/routes_turns.h"

bool
tornado_is(struct parts *p, struct at expr, const char *const *paths)
{
    struct origin origin;

    if (!part_origin(p, expr, &origin))
        return false;
    for (; *paths; paths++)
        if (origin_is(p, &origin, *paths))
            return true;
    return false;
}

static bool
has_base(struct parts *p, struct at type, const char *const *paths,
         struct marks_seen *seen)
{
    const struct fact_def *row = part_def(p, type);

    for (uint32_t i = 0; i < row->bases_len; i++) {
        struct at base = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + i]};
        struct value value;
        if (tornado_is(p, base, paths))
            return true;
        if (resolve_value(p->r, base, &value) && value.kind == VALUE_DEF &&
            verb_is_type(p, value.at) && marks_see(seen, value.at) &&
            has_base(p, value.at, paths, seen))
            return true;
    }
    return false;
}

bool
tornado_descends(struct parts *p, struct at type, const char *const *paths)
{
    struct marks_seen seen = {.len = 0};

    return has_base(p, type, paths, &seen);
}

/* What answers GET by itself. */
static const char *const files[] = {"tornado.web.StaticFileHandler",
                                    "tornado.web.RedirectHandler", NULL};

static const char *const handlers[] = {
    "tornado.web.RequestHandler", "tornado.websocket.WebSocketHandler",
    "tornado.web.StaticFileHandler", "tornado.web.RedirectHandler", NULL};

uint32_t
tornado_list(struct parts *p, struct at list)
{
    return router_make(p, SPACE_EXPR, list, FW_TORNADO, ROUTER_OPEN);
}

bool
tornado_rule(struct parts *p, struct at item, struct at *pattern,
             struct at *target)
{
    static const char *const makers[] = {
        "tornado.web.url", "tornado.web.URLSpec", "tornado.routing.URLSpec",
        "tornado.routing.Rule", NULL};
    enum expr_kind kind = part_kind(p, item);

    if (kind != EXPR_ARRAY &&
        !(kind == EXPR_CALL && tornado_is(p, part_callee(p, item), makers)))
        return false;
    *pattern = part_arg(p, item, 0);
    *target = part_arg(p, item, 1);
    if (!pattern->id)
        *pattern = part_field(p, item, STR("pattern"));
    if (!target->id)
        *target = part_field(p, item, STR("handler"));
    return pattern->id && target->id;
}

bool
tornado_is_served(const struct parts *p, struct at list)
{
    uint32_t id = router_find(p, SPACE_EXPR, list);

    return id && p->routers[id].mounts;
}

/* What a name is bound to first counts: the rest may be added to it. */
struct at
tornado_list_of(struct parts *p, struct at expr)
{
    struct at bound = part_bound(p, expr);
    struct at list = bound.id ? part_bare(p, bound) : bound;

    if (list.id && part_kind(p, list) == EXPR_ARRAY)
        return list;
    if (!part_literal(p, expr, &list) || part_kind(p, list) != EXPR_ARRAY)
        list.id = 0;
    return list;
}

struct at
tornado_grown(struct parts *p, struct at into)
{
    enum expr_kind kind = into.id ? part_kind(p, into) : EXPR_ARRAY;

    if (kind != EXPR_NAME && kind != EXPR_MEMBER)
        return (struct at){into.file, 0};
    return tornado_list_of(p, into);
}

struct at
tornado_appended(struct parts *p, struct at call, struct at *into)
{
    str word = part_word(p, part_callee(p, call));
    bool is_insert = str_eq(word, STR("insert"));
    struct at item = {call.file, 0};

    if (is_insert || str_eq(word, STR("append")))
        item = part_arg(p, call, is_insert);
    if (item.id)
        *into = part_receiver(p, call);
    return item;
}

bool
tornado_may_have(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (part_imports(p, file, "tornado"))
        return true;
    /* A file of rules alone need not import it. */
    for (uint32_t i = 1; i < facts->expr_len; i++)
        if (facts->exprs[i].kind == EXPR_ARRAY &&
            tornado_is_served(p, (struct at){file, i}))
            return true;
    return false;
}

/* `PathMatches("/x")` is "/x"; other matchers look at no path. */
static struct at
path_of(struct parts *p, struct at pattern)
{
    if (part_kind(p, pattern) != EXPR_CALL)
        return pattern;
    if (part_is(p, part_callee(p, pattern), "tornado.routing.PathMatches"))
        return part_arg(p, pattern, 0);
    return (struct at){pattern.file, 0};
}

/* What can be told to be a pattern where no application says so. */
static bool
is_pattern(struct parts *p, struct at pattern)
{
    struct buf text = {0};
    bool is_text = part_text(p, pattern, false, &text).ok && text.len > 0;
    bool is_one = is_text && strchr("/^.(", text.ptr[0]) && text.ptr[0];

    p->failed |= text.failed;
    buf_fini(&text);
    return is_one;
}

/* The class |name| at the top of |file|, or id 0. */
static struct at
class_named(struct parts *p, uint32_t file, str name)
{
    const struct facts *facts = part_facts(p, file);
    struct at none = {file, 0};

    if (p->lookups++ > PART_LOOKUPS_MAX)
        return none;
    for (uint32_t d = 1; d < facts->def_len; d++)
        if (facts->defs[d].parent == 0 &&
            verb_is_type(p, (struct at){file, d}) &&
            str_eq(facts_text(facts, facts->defs[d].name), name))
            return (struct at){file, d};
    return none;
}

/* `"views.users.Show"` */
static bool
class_in_text(struct parts *p, struct at target, struct at *out)
{
    struct buf text = {0};
    uint32_t file = 0;
    bool is_text = part_text(p, target, false, &text).ok && text.len > 0;
    const char *dot = is_text ? memrchr(text.ptr, '.', text.len) : NULL;

    out->id = 0;
    if (dot && !text.failed) {
        size_t len = (size_t)(dot - text.ptr);
        if (django_module(p, str_cut(buf_str(&text), 0, len), target.file,
                          &file))
            *out = class_named(p, file,
                               str_cut(buf_str(&text), len + 1, text.len));
    }
    p->failed |= text.failed;
    buf_fini(&text);
    return out->id != 0;
}

static void
one_rule(struct parts *p, struct at list, struct at item)
{
    struct verb_rule rule = {.framework = FW_TORNADO};
    struct verb_call v = {p, item, 0, &rule};
    struct at pattern;
    struct at target;
    struct at type;

    if (!tornado_rule(p, item, &pattern, &target))
        return;
    pattern = path_of(p, pattern);
    bool is_known = tornado_is_served(p, list);
    bool is_class =
        verb_class_of(p, target, &type) || class_in_text(p, target, &type);
    bool is_library = !is_class && tornado_is(p, target, handlers);
    bool counts =
        is_library ||
        (is_class && (is_known || tornado_descends(p, type, handlers)));
    if (!pattern.id || !counts || (!is_known && !is_pattern(p, pattern)))
        return;
    v.router = tornado_list(p, list);
    if (!v.router || (is_class && verb_class(&v, type, pattern) > 0))
        return;
    uint32_t open = is_class ? part_method_of(p, type, STR("open")) : 0;
    bool is_quiet = is_class && tornado_descends(p, type, files);
    if (open || is_library || is_quiet)
        (void)verb_route(&v, STR("GET"), pattern, open);
}

struct turned {
    struct parts *p;
    struct at list;
    struct at item;
};

/* `[(path, Show) for path in (...)]` */
static void
rule_turn(void *ctx)
{
    const struct turned *turned = ctx;

    one_rule(turned->p, turned->list, turned->item);
}

static void
look_at_item(struct parts *p, struct at list, struct at item)
{
    struct at pattern;
    struct at target;

    if (tornado_rule(p, item, &pattern, &target))
        turn_each(p, item, rule_turn, &(struct turned){p, list, item});
}

void
routes_tornado(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!tornado_may_have(p, file))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at expr = {file, i};
        if (facts->exprs[i].kind == EXPR_ARRAY)
            for (uint32_t k = 0; k < facts->exprs[i].list_len; k++)
                look_at_item(p, expr, part_list(p, expr, k));
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        struct at into;
        struct at item = tornado_appended(p, expr, &into);
        struct at list = item.id && into.id ? tornado_grown(p, into) : item;
        if (item.id && into.id && list.id)
            look_at_item(p, list, item);
    }
}
