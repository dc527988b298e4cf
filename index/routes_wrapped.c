/*
 * A function that puts a route with a path that it is given:
 *
 *     function add(app, path, h) { app.get('/v1' + path, wrap(h)) }
 *     add(app, '/users', list)
 *
 * From the call on the router it is gone up to who calls the function, and
 * further where that one hands on what it was given itself.  Each way up is a
 * turn in which parameters are what the calls on it give (turn_call), so that
 * the call on the router is read as ever.
 *
 * A route stands where the end of its path does: with the caller, but for what
 * the function adds behind what it is given.
 */
#include "index/routes_wrapped.h"

#include "index/routes_router.h"

enum { UP_MAX = 3, WITHIN_MAX = 4, CHAIN_MAX = 6, PARAMS_MAX = 16 };

struct way {
    struct parts *p;
    turn_fn *fn;
    void *ctx;
    struct at place; /* where the route is told to stand */
    struct at def;   /* whose parameter it is */
    unsigned up;
    bool is_end; /* so far, the path ends with the parameter */
    bool is_cut; /* not all callers were gone up to */
    unsigned gone;
    uint32_t index; /* which one it is */
    struct at call; /* the caller at hand */
};

static bool
is_followed(uint8_t lang)
{
    return lang == LANG_PYTHON || lang == LANG_GO || lang == LANG_PHP ||
           (lang >= LANG_JAVASCRIPT && lang <= LANG_TSX);
}

/* ---- parameters ---- */

/* The parameter that |name| is of the functions around; id 0 if it is none, or
 * may be something else by then. */
static struct at
param_of(struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    str_id text = part_expr(p, name)->text;
    struct at none = {name.file, 0};
    uint32_t scope = part_expr(p, name)->scope;

    for (; scope; scope = facts->defs[scope].parent) {
        struct at found = none;
        bool is_other = false;
        for (uint32_t i = 1; i < facts->bind_len; i++) {
            const struct fact_bind *bind = &facts->binds[i];
            struct at target = {name.file, bind->target};
            bool is_set = bind->kind == BIND_ASSIGN && target.id &&
                          part_kind(p, target) == EXPR_NAME &&
                          part_expr(p, target)->text == text;
            if (bind->scope != scope || (bind->name != text && !is_set))
                continue;
            if (bind->kind == BIND_PARAM)
                found.id = i;
            else
                is_other = true;
        }
        if (found.id || is_other)
            return is_other ? none : found;
    }
    return none;
}

/* One in |expr|, or in what it is put together of. */
static struct at
param_within(struct parts *p, struct at expr, unsigned depth)
{
    struct at found = {expr.file, 0};

    if (!expr.id || depth == WITHIN_MAX)
        return found;
    const struct fact_expr *e = part_expr(p, expr);
    struct at inner = {expr.file, e->a};
    switch ((enum expr_kind)e->kind) {
    case EXPR_NAME:
        return param_of(p, expr);
    case EXPR_CALL: /* method.toLowerCase() */
        return param_within(p, part_receiver(p, expr), depth + 1);
    case EXPR_MEMBER:
    case EXPR_CAST:
        return param_within(p, inner, depth + 1);
    case EXPR_CONCAT:
    case EXPR_ARRAY:
        for (uint32_t i = 0; i < e->list_len && !found.id; i++)
            found = param_within(p, part_list(p, expr, i), depth + 1);
        return found;
    default:
        return found;
    }
}

/* |path| ends with |param|, so that who gives that says where its end stands.
 */
static bool
is_end(struct parts *p, struct at path, struct at param)
{
    uint32_t len = part_expr(p, path)->list_len;

    if (part_kind(p, path) == EXPR_CONCAT && len > 0)
        path = part_list(p, path, len - 1);
    struct at last = param_within(p, path, 0);
    return (part_kind(p, path) == EXPR_NAME ||
            part_kind(p, path) == EXPR_MEMBER) &&
           last.file == param.file && last.id == param.id;
}

/* A parameter in what |call| has for a path, or else for a method. */
static struct at
param_called(struct parts *p, struct at call, bool *ends)
{
    static const char *const names[] = {"path", "rule", "methods"};
    struct at callee = part_callee(p, call);
    struct at first = part_arg(p, call, 0);
    struct at found = param_within(p, first, 0);

    *ends = found.id && is_end(p, first, found);
    if (!found.id && part_args(p, call) > 2)
        found = param_within(p, part_arg(p, call, 1), 0);
    for (size_t i = 0; !found.id && i < sizeof(names) / sizeof(names[0]); i++)
        found = param_within(p, part_named(p, call, names[i]), 0);
    if (!found.id && part_kind(p, callee) == EXPR_INDEX)
        found = param_within(p, part_list(p, callee, 0), 0);
    return found;
}

/* The same of the calls that |call| is chained to: `r.route(path).get(h)`. */
static struct at
param_chained(struct parts *p, struct at call, bool *ends)
{
    struct at found = param_called(p, call, ends);

    for (unsigned i = 0; !found.id && i < CHAIN_MAX; i++) {
        struct at receiver = part_receiver(p, call);
        if (!receiver.id || part_kind(p, receiver) != EXPR_CALL)
            break;
        call = receiver;
        found = param_called(p, call, ends);
    }
    return found;
}

/* ---- who calls ---- */

static bool
is_within(const struct facts *facts, uint32_t scope, uint32_t def)
{
    while (scope && scope != def)
        scope = facts->defs[scope].parent;
    return scope == def;
}

static void go_up(struct way *way, struct at param);

/* All of the way is known. */
static void
tell(const struct way *way)
{
    struct parts *p = way->p;
    uint32_t from = p->entry_len;

    way->fn(way->ctx);
    for (uint32_t i = from; i < p->entry_len; i++)
        p->entries[i].at = way->place;
}

static void
in_turn(void *ctx)
{
    struct way *way = ctx;
    struct parts *p = way->p;
    struct part_turn turn;
    struct way above = *way;

    turn_call(p, &turn, way->def, way->call);
    struct at arg = turn_given(p, &turn, way->index);
    if (way->is_end)
        above.place = way->call;
    above.up++;
    above.gone = 0;
    struct at param = param_within(p, arg, 0);
    above.is_end &= param.id && is_end(p, arg, param);
    if (param.id && above.up < UP_MAX)
        go_up(&above, param);
    if (!above.gone)
        tell(&above);
    way->is_cut |= above.is_cut;
    turn_end(p, &turn);
}

/* A method of a class is another for each that extends it, which may have its
 * own router: it is followed where it is called on the class itself. */
static bool
is_of_class(struct parts *p, struct at def, struct at call)
{
    uint32_t parent = part_def(p, def)->parent;
    struct at receiver = part_receiver(p, call);
    struct value type;

    if (part_def(p, def)->kind != CODE_METHOD || !parent ||
        part_def(p, (struct at){def.file, parent})->kind != CODE_TYPE)
        return true;
    return receiver.id && resolve_type(p->r, receiver, &type) &&
           type.kind == VALUE_DEF && type.at.file == def.file &&
           type.at.id == parent;
}

/* What tests call serves nothing. */
static bool
on_caller(void *ctx, struct at call, struct at arg)
{
    struct way *way = ctx;
    struct parts *p = way->p;
    const struct facts *facts = part_facts(p, call.file);

    (void)arg;
    if (facts->flags & FACTS_TEST ||
        (call.file == way->def.file &&
         is_within(facts, part_expr(p, call)->scope, way->def.id)) ||
        !is_of_class(p, way->def, call))
        return true;
    if (way->gone >= TURNS_OF_CALL || p->wrapped >= WRAPPED_OF_ALL ||
        p->failed) {
        way->is_cut = true;
        return false;
    }
    p->wrapped++;
    way->gone++;
    way->call = call;
    if (turn_in_file(p, call.file))
        turn_each(p, call, in_turn, way);
    else
        in_turn(way);
    return true;
}

/* Which parameter all callers give: one that has no default. */
static uint32_t
asked_of_all(struct parts *p, struct at def, uint32_t index)
{
    struct at bind;

    for (uint32_t i = 0; (bind = part_param(p, def, i)).id; i++)
        if (!part_facts(p, bind.file)->binds[bind.id].value)
            return i;
    return index;
}

static void
go_up(struct way *way, struct at param)
{
    struct parts *p = way->p;
    const struct fact_bind *bind = &part_facts(p, param.file)->binds[param.id];

    if (bind->index >= PARAMS_MAX || !part_is_passed(p, param))
        return;
    way->def = (struct at){param.file, bind->scope};
    way->index = bind->index;
    resolve_args(p->r, way->def, asked_of_all(p, way->def, bind->index),
                 on_caller, way);
}

bool
wrapped_each(struct parts *p, struct at call, turn_fn *fn, void *ctx)
{
    struct way way = {.p = p, .fn = fn, .ctx = ctx, .place = call};

    if (!is_followed(part_facts(p, call.file)->lang))
        return false;
    struct at param = param_chained(p, call, &way.is_end);
    if (!param.id)
        return false;
    go_up(&way, param);
    return way.gone > 0 && !way.is_cut;
}
