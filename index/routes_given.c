/*
 * Express: what an application is given by a method that is not the
 * framework's own.
 *
 *     app.lazyUse('/ghost', require('./admin'))     admin: () => express()
 *
 * Where the method is put on the application where that is made, it may be read
 * to mount what the function gives at the path that it is given:
 *
 *     app.lazyUse = (path, what) => app.use(path, lazy(() => what()))
 *
 * Else what it makes of it is not known.  It may well mount it, so that the
 * application that the function makes is not at the root for want of another
 * place.
 */
#include "index/routes_nest.h"
#include "index/routes_rules.h"
#include "index/routes_table.h"
#include "index/routes_verbs.h"

/* `app.lazyUse(path, what)`: |what|; or id 0. */
static struct at
given_by(struct parts *p, struct at call)
{
    struct at none = {call.file, 0};
    struct at callee = part_callee(p, call);
    struct at last = part_last(p, call);

    if (part_kind(p, callee) != EXPR_MEMBER || part_args(p, call) < 2 ||
        verb_is_known(p, part_word(p, callee)))
        return none;
    enum expr_kind kind = part_kind(p, part_bare(p, last));
    if (kind != EXPR_CALL && kind != EXPR_NAME)
        return none;
    uint32_t router = router_of(p, part_receiver(p, call));
    return router && p->routers[router].framework == FW_EXPRESS ? last : none;
}

/* The router that a function makes, of which |id| is that of one run. */
static uint32_t
made_once(const struct parts *p, uint32_t id)
{
    return p->routers[id].copy_of ? p->routers[id].copy_of : id;
}

/* The function of `app.lazyUse = function`, in the file where |router|, which
 * |app| is, is made. */
static bool
put_method(struct parts *p, uint32_t router, str word, struct at *out)
{
    uint32_t file = p->routers[router].at.file;
    const struct facts *facts = part_facts(p, file);

    if (p->routers[router].space != SPACE_EXPR)
        return false;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        if (bind->kind != BIND_ASSIGN || !target.id ||
            part_kind(p, target) != EXPR_MEMBER ||
            !str_eq(part_word(p, target), word))
            continue;
        struct at object = {file, part_expr(p, target)->a};
        if (object.id && router_of(p, object) == router)
            return part_function(p, (struct at){file, bind->value}, out);
    }
    return false;
}

/* |expr| is the name of parameter |index| of |def|. */
static bool
is_param(struct parts *p, struct at def, uint32_t index, struct at expr)
{
    struct at param = part_param(p, def, index);

    return param.id && expr.id && part_kind(p, expr) == EXPR_NAME &&
           str_eq(part_word(p, expr),
                  part_str(p, def.file,
                           part_facts(p, def.file)->binds[param.id].name));
}

/* |def| calls its second parameter, and mounts something on |router| at its
 * first. */
static bool
mounts_called(struct parts *p, struct at def, uint32_t router)
{
    const struct part_of_def *of = part_of(p, def);
    bool is_called = false;
    bool is_mounted = false;

    for (uint32_t i = of ? of->first_expr : 0; i && i <= of->last_expr; i++) {
        struct at call = {def.file, i};
        if (part_kind(p, call) != EXPR_CALL)
            continue;
        struct at callee = part_callee(p, call);
        struct at path = part_bare(p, part_arg(p, call, 0));
        is_called |= is_param(p, def, 1, callee);
        is_mounted |= part_kind(p, callee) == EXPR_MEMBER &&
                      str_eq(part_word(p, callee), STR("use")) &&
                      part_args(p, call) == 2 && is_param(p, def, 0, path) &&
                      router_of(p, part_receiver(p, call)) == router;
    }
    return is_called && is_mounted;
}

/* Mounts |child| where |call| of such a method says; false: it is none. */
static bool
mount_put(struct parts *p, struct at call, uint32_t child)
{
    uint32_t parent = router_of(p, part_receiver(p, call));
    uint32_t made = made_once(p, parent);
    struct verb_path prefix = {0, false};
    struct at def;

    if (part_args(p, call) != 2 ||
        !put_method(p, made, part_word(p, part_callee(p, call)), &def) ||
        !mounts_called(p, def, made))
        return false;
    prefix.is_tail =
        !verb_prefix(p, part_arg(p, call, 0), &prefix) || prefix.is_tail;
    router_mount_at(p, child, parent, prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
    return true;
}

void
nest_given_away(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct at def;

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        struct at given = given_by(p, call);
        if (!given.id || !nest_given(p, given, &def))
            continue;
        struct at made = part_returned(p, def, 0);
        uint32_t child = made.id ? router_of(p, made) : 0;
        if (child && !mount_put(p, call, child))
            router_mount_at(p, child, 0, 0, MOUNT_TAIL | MOUNT_ELSE);
    }
}
