/*
 * Which lists of rules applications of Tornado take, and what is added to them.
 */
#include "index/routes_django_file.h"
#include "index/routes_marks.h"
#include "index/routes_rules.h"
#include "index/routes_tornado.h"

enum {
    DEPTH_MAX = 64,
    SUMS_MAX = 4096,  /* of lists, and calls, for the applications of a file */
    RETURNED_MAX = 8, /* lists of one function */
};

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

    if (tornado_is(p, callee, routers))
        return true;
    if (receiver.id && str_eq(part_word(p, callee), STR("__init__"))) {
        struct at type = class_around(p, call);
        return type.id && tornado_descends(p, type, routers);
    }
    return resolve_value(p->r, callee, &value) && value.kind == VALUE_DEF &&
           verb_is_type(p, value.at) && tornado_descends(p, value.at, routers);
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

/* What |name| is bound to at the top of |file|, if once. */
static struct at
bound_at_top(struct parts *p, uint32_t file, str name)
{
    const struct facts *facts = part_facts(p, file);
    struct at found = {file, 0};

    if (p->lookups++ > PART_LOOKUPS_MAX)
        return found;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->scope != 0 || bind->kind != BIND_LOCAL ||
            !str_eq(facts_text(facts, bind->name), name))
            continue;
        if (found.id)
            return (struct at){file, 0};
        found.id = bind->value;
    }
    return found;
}

/* What `urls.handlers`, or `handlers` of another file, is bound to there. */
static struct at
bound_elsewhere(struct parts *p, struct at expr)
{
    const struct facts *facts = part_facts(p, expr.file);
    struct at none = {expr.file, 0};
    struct value value;
    uint32_t file;

    if (part_kind(p, expr) == EXPR_MEMBER) {
        struct at object = {expr.file, part_expr(p, expr)->a};
        return resolve_value(p->r, object, &value) && value.kind == VALUE_FILE
                   ? bound_at_top(p, value.at.file, part_word(p, expr))
                   : none;
    }
    for (uint32_t i = 1;
         i < facts->import_len && part_kind(p, expr) == EXPR_NAME; i++) {
        const struct fact_import *row = &facts->imports[i];
        str module = facts_text(facts, row->module);
        str_id given = row->alias ? row->alias : row->name;
        if (row->kind != IMPORT_NAME ||
            !str_eq(facts_text(facts, given), part_word(p, expr)))
            continue;
        while (module.len > 0 && module.ptr[0] == '.')
            module = str_cut(module, 1, module.len);
        return django_module(p, module, expr.file, &file)
                   ? bound_at_top(p, file, facts_text(facts, row->name))
                   : none;
    }
    return none;
}

/* `list(handlers)`, or what a function returns. */
static void
serve_call(struct serving *s, struct at call, unsigned depth)
{
    struct parts *p = s->p;
    str word = part_word(p, part_callee(p, call));
    struct at def;
    struct at value;

    if (s->sums == 0)
        return;
    s->sums--;
    if (part_function(p, part_callee(p, call), &def)) {
        for (uint32_t i = 0; i < RETURNED_MAX; i++) {
            value = part_returned(p, def, i);
            if (value.id)
                serve(s, value, depth + 1);
        }
    } else if (str_eq(word, STR("list")) || str_eq(word, STR("tuple"))) {
        serve(s, part_arg(p, call, 0), depth + 1);
    }
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
    if (part_kind(p, expr) == EXPR_CONCAT || part_kind(p, expr) == EXPR_CALL)
        bound = expr;
    else if (!bound.id)
        bound = bound_elsewhere(p, expr);
    if (bound.id && part_kind(p, bound) == EXPR_CONCAT) {
        serve_sum(s, bound, depth);
        return;
    }
    if (bound.id && part_kind(p, bound) == EXPR_CALL) {
        serve_call(s, bound, depth);
        return;
    }
    list = tornado_list_of(p, expr);
    if (!list.id || tornado_is_served(p, list))
        return;
    router_mount_at(p, tornado_list(p, list), 0, 0, 0);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_list(p, list, i);
        if (part_kind(p, item) == EXPR_SPREAD)
            serve(s, item, depth + 1);
        else if (tornado_rule(p, item, &pattern, &target))
            serve(s, target, depth + 1); /* if it is a list */
    }
}

/* `handlers.extend(more)`; of what is served: handlers.append(rule). */
static void
serve_more(struct serving *s, struct at call)
{
    struct parts *p = s->p;
    struct at into = part_receiver(p, call);
    struct at more = part_arg(p, call, 0);
    struct at pattern;
    struct at target;

    if (!str_eq(part_word(p, part_callee(p, call)), STR("extend"))) {
        struct at item = tornado_appended(p, call, &into);
        more.id = 0;
        if (item.id && tornado_rule(p, item, &pattern, &target))
            more = target;
    }
    if (!more.id || !into.id)
        return;
    struct at list = tornado_grown(p, into);
    if (list.id && tornado_is_served(p, list))
        serve(s, more, 0);
}

/* `handlers += more` */
static void
serve_sums(struct serving *s, uint32_t file)
{
    const struct facts *facts = part_facts(s->p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        struct at value = {file, facts->binds[i].value};
        struct at target = {file, facts->binds[i].target};
        if (facts->binds[i].kind != BIND_ASSIGN || !value.id || !target.id)
            continue;
        struct at list = tornado_grown(s->p, target);
        if (list.id && tornado_is_served(s->p, list))
            serve(s, value, 0);
    }
}

/* An application, or one that is given more: add_handlers(host, list). */
static void
serve_by(struct serving *s, struct at call)
{
    struct parts *p = s->p;
    str word = part_word(p, part_callee(p, call));

    if (str_eq(word, STR("add_handlers"))) {
        serve(s, part_arg(p, call, 1), 0);
    } else if (str_eq(word, STR("add_rules"))) {
        serve(s, part_arg(p, call, 0), 0);
    } else if (makes_application(p, call)) {
        struct at list = part_field(p, call, STR("handlers"));
        bool is_base = !list.id && part_args(p, call) > 1 &&
                       part_kind(p, part_arg(p, call, 0)) == EXPR_SELF;
        serve(s, list.id ? list : part_arg(p, call, is_base), 0);
    }
}

void
tornado_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct serving serving = {p, SUMS_MAX};

    if (!tornado_may_have(p, file))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        serve_by(&serving, call);
        serve_more(&serving, call);
    }
    serve_sums(&serving, file);
}
