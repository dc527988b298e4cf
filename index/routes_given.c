/*
 * Express: what an application is given by a method that is not the
 * framework's own.
 *
 *     app.lazyUse('/ghost', require('./admin'))     admin: () => express()
 *
 * What the method makes of it is not known.  It may well mount it, so that the
 * application that the function makes is not at the root for want of another
 * place.
 */
#include "index/routes_nest.h"
#include "index/routes_rules.h"
#include "index/routes_table.h"

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
        if (made.id)
            router_mount_at(p, router_of(p, made), 0, 0,
                            MOUNT_TAIL | MOUNT_ELSE);
    }
}
