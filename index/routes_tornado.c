/*
 * Tornado: lists of rules.
 *
 *     handlers = [(r"/x", Show), url(r"/y/(.*)", Edit, name="y")]
 *     Application(handlers + [(r"/z", Other)])
 *
 * A list is a router, served where an application takes it; of one that none is
 * known to take, what is before its paths is not known, and only classes that
 * are handlers of Tornado's count.
 */
#include <string.h>

#include "index/routes_marks.h"
#include "index/routes_rules.h"

enum { DEPTH_MAX = 64 };
/* Sums of lists that are looked at for the applications of one file. */
enum { SUMS_MAX = 4096 };

static bool
is_one_of(struct parts *p, struct at expr, const char *const *paths)
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
        if (is_one_of(p, base, paths))
            return true;
        if (resolve_value(p->r, base, &value) && value.kind == VALUE_DEF &&
            verb_is_type(p, value.at) && marks_see(seen, value.at) &&
            has_base(p, value.at, paths, seen))
            return true;
    }
    return false;
}

/* |type| is one of the library's classes |paths|, whatever is between. */
static bool
descends(struct parts *p, struct at type, const char *const *paths)
{
    struct marks_seen seen = {.len = 0};

    return has_base(p, type, paths, &seen);
}

static const char *const handlers[] = {
    "tornado.web.RequestHandler", "tornado.websocket.WebSocketHandler",
    "tornado.web.StaticFileHandler", "tornado.web.RedirectHandler", NULL};

static const char *const routers[] = {
    "tornado.web.Application", "tornado.routing.RuleRouter",
    "tornado.routing.ReversibleRuleRouter", NULL};

/* The class that the constructor of the base is called in. */
static struct at
class_around(const struct parts *p, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    uint32_t scope = part_expr(p, call)->scope;

    while (scope && facts->defs[scope].kind != CODE_TYPE)
        scope = facts->defs[scope].parent;
    return (struct at){call.file, scope};
}

/* `Application(...)`, one of a class that is one, or `super().__init__(...)` in
 * such a class. */
static bool
makes_application(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    struct at receiver = part_receiver(p, call);
    struct value value;

    if (is_one_of(p, callee, routers))
        return true;
    if (receiver.id && str_eq(part_word(p, callee), STR("__init__"))) {
        struct at type = class_around(p, call);
        return type.id && descends(p, type, routers);
    }
    return resolve_value(p->r, callee, &value) && value.kind == VALUE_DEF &&
           verb_is_type(p, value.at) && descends(p, value.at, routers);
}

static uint32_t
list_router(struct parts *p, struct at list)
{
    return router_make(p, SPACE_EXPR, list, FW_TORNADO, ROUTER_OPEN);
}

/* A rule: `(pattern, target, ...)` or a call of what makes one. */
static bool
is_rule(struct parts *p, struct at item, struct at *pattern, struct at *target)
{
    static const char *const makers[] = {
        "tornado.web.url", "tornado.web.URLSpec", "tornado.routing.URLSpec",
        "tornado.routing.Rule", NULL};
    enum expr_kind kind = part_kind(p, item);

    if (kind != EXPR_ARRAY &&
        !(kind == EXPR_CALL && is_one_of(p, part_callee(p, item), makers)))
        return false;
    *pattern = part_arg(p, item, 0);
    *target = part_arg(p, item, 1);
    if (!pattern->id)
        *pattern = part_field(p, item, STR("pattern"));
    if (!target->id)
        *target = part_field(p, item, STR("handler"));
    return pattern->id && target->id;
}

static bool
is_mounted(const struct parts *p, struct at list)
{
    uint32_t id = router_find(p, SPACE_EXPR, list);

    return id && p->routers[id].mounts;
}

struct serving {
    struct parts *p;
    unsigned sums; /* that may still be looked at */
};

static void serve(struct serving *s, struct at expr, unsigned depth);

static void
serve_sum(struct serving *s, struct at sum, unsigned depth)
{
    if (s->sums == 0)
        return;
    s->sums--;
    for (uint32_t i = 0; i < part_expr(s->p, sum)->list_len; i++)
        serve(s, part_list(s->p, sum, i), depth + 1);
}

/* The lists that an application takes, each once; a group's are within, and see
 * the whole path, too. */
static void
serve(struct serving *s, struct at expr, unsigned depth)
{
    struct parts *p = s->p;
    struct at pattern;
    struct at target;
    struct at list;

    expr = part_bare(p, expr);
    if (!expr.id || depth == DEPTH_MAX)
        return;
    struct at bound = part_bound(p, expr);
    if (part_kind(p, expr) == EXPR_CONCAT)
        bound = expr;
    if (bound.id && part_kind(p, bound) == EXPR_CONCAT) {
        serve_sum(s, bound, depth);
        return;
    }
    if (!part_literal(p, expr, &list) || part_kind(p, list) != EXPR_ARRAY ||
        is_mounted(p, list))
        return;
    router_mount_at(p, list_router(p, list), 0, 0, 0);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_list(p, list, i);
        if (part_kind(p, item) == EXPR_SPREAD)
            serve(s, item, depth + 1);
        else if (is_rule(p, item, &pattern, &target) &&
                 part_kind(p, target) == EXPR_ARRAY)
            serve(s, target, depth + 1);
    }
}

/* An application, or one that is given more: add_handlers(host, list). */
void
tornado_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct serving serving = {p, SUMS_MAX};

    if (!part_imports(p, file, "tornado"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (str_eq(part_word(p, part_callee(p, call)), STR("add_handlers"))) {
            serve(&serving, part_arg(p, call, 1), 0);
        } else if (makes_application(p, call)) {
            struct at list = part_field(p, call, STR("handlers"));
            bool is_base = !list.id && part_args(p, call) > 1 &&
                           part_kind(p, part_arg(p, call, 0)) == EXPR_SELF;
            serve(&serving, list.id ? list : part_arg(p, call, is_base), 0);
        }
    }
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

static void
one_rule(struct parts *p, struct at list, struct at item)
{
    struct verb_rule rule = {.framework = FW_TORNADO};
    struct verb_call v = {p, item, 0, &rule};
    struct at pattern;
    struct at target;
    struct at type;

    if (!is_rule(p, item, &pattern, &target))
        return;
    pattern = path_of(p, pattern);
    bool is_known = is_mounted(p, list);
    bool is_class = verb_class_of(p, target, &type);
    bool is_library = !is_class && is_one_of(p, target, handlers);
    bool counts =
        is_library || (is_class && (is_known || descends(p, type, handlers)));
    if (!pattern.id || !counts || (!is_known && !is_pattern(p, pattern)))
        return;
    v.router = list_router(p, list);
    if (!v.router || (is_class && verb_class(&v, type, pattern) > 0))
        return;
    uint32_t open = is_class ? part_method_of(p, type, STR("open")) : 0;
    if (open || is_library)
        (void)verb_route(&v, STR("GET"), pattern, open);
}

void
routes_tornado(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "tornado"))
        for (uint32_t i = 1; i < facts->expr_len; i++) {
            /* A file of rules alone need not import it. */
            if (facts->exprs[i].kind == EXPR_ARRAY &&
                is_mounted(p, (struct at){file, i}))
                break;
            if (i + 1 == facts->expr_len)
                return;
        }
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at list = {file, i};
        if (facts->exprs[i].kind != EXPR_ARRAY)
            continue;
        for (uint32_t k = 0; k < facts->exprs[i].list_len; k++)
            one_rule(p, list, part_list(p, list, k));
    }
}
