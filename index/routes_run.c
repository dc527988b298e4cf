/*
 * A function that makes a router and returns it makes another in each run:
 *
 *     def make_router(tag):
 *         r = APIRouter(tags=[tag])
 *         return r
 *
 *     users = make_router("users")
 *
 * What the function puts on it is below each of them, what a caller puts on its
 * own is on no other.  So the one where it is made is mounted on those of the
 * runs; they stand where the function mounts it, if nobody else mounts them.
 *
 * A router that outlives the run (`global app`, `this.app = express()`) is
 * still one.
 */
#include "index/routes_router.h"

static bool
is_followed(uint8_t lang)
{
    return lang == LANG_PYTHON || (lang >= LANG_JAVASCRIPT && lang <= LANG_TSX);
}

/* What is made there is returned, or goes by a name of the function. */
static bool
is_of_run(struct parts *p, struct at made)
{
    const struct facts *facts = part_facts(p, made.file);
    uint32_t scope = part_expr(p, made)->scope;
    bool is_one = false;

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (!bind->value ||
            part_bare(p, (struct at){made.file, bind->value}).id != made.id)
            continue;
        is_one = bind->kind == BIND_RETURN || bind->kind == BIND_LOCAL;
        if (!is_one || bind->scope != scope)
            return false;
    }
    return is_one;
}

/* A call made it; of one that is only kept (`kept[key]`) but the type is known.
 */
static bool
is_called_for(struct parts *p, uint32_t id)
{
    struct at at = p->routers[id].at;

    return p->routers[id].space == SPACE_EXPR &&
           (part_kind(p, at) == EXPR_CALL || part_kind(p, at) == EXPR_NEW);
}

/* What the function that |call| calls returns: where it is made, or of the run
 * of another that it calls itself. */
static uint32_t
router_returned(struct parts *p, struct at call)
{
    enum { RETURNS_MAX = 8 };
    struct at def;
    uint32_t id = 0;

    if (!part_function(p, part_callee(p, call), &def))
        return 0;
    for (uint32_t i = 0; i < RETURNS_MAX && !id; i++) {
        struct at value = part_returned(p, def, i);
        id = value.id ? router_of(p, value) : 0;
        if (id && !is_called_for(p, id))
            id = 0;
    }
    return id;
}

uint32_t
router_of_run(struct parts *p, const struct value *made, uint32_t id)
{
    if (!id || !made->call.id || p->routers[id].space != SPACE_EXPR ||
        !is_followed(part_facts(p, made->call.file)->lang))
        return id;
    uint32_t run = router_get(p, SPACE_EXPR, made->call);
    if (!run || p->routers[run].copy_of)
        return run;
    if (p->routers[run].round == p->round)
        return p->routers[run].same;
    p->routers[run].round = p->round;
    p->routers[run].same = id;
    uint32_t of = is_of_run(p, made->at) ? router_returned(p, made->call) : 0;
    if (!of)
        return id;
    struct router copy = p->routers[of];
    copy.at = made->call;
    copy.copy_of = of;
    copy.mounts = 0;
    p->routers[run] = copy;
    router_mount_at(p, of, run, 0, MOUNT_REPLACES);
    return run;
}

/* ---- class Simple(Base): def get_app(self): return FastAPI() ---- */

static bool
has_member(struct parts *p, struct at base, str name)
{
    struct value value;
    struct at member;

    return resolve_value(p->r, base, &value) && value.kind == VALUE_DEF &&
           part_def(p, value.at)->kind == CODE_TYPE &&
           resolve_member(p->r, value.at, name, &member);
}

bool
made_is_override(struct parts *p, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    struct at method = part_enclosing(p, call);

    if (facts->lang != LANG_PYTHON || !method.id ||
        part_def(p, method)->kind != CODE_METHOD ||
        !part_returned(p, method, 0).id)
        return false;
    const struct fact_def *class = &facts->defs[part_def(p, method)->parent];
    str name = facts_text(facts, part_def(p, method)->name);
    bool is_one = false;
    for (uint32_t i = 0; i < class->bases_len && !is_one; i++) {
        struct at base = {call.file, facts->lists[class->bases_at + i]};
        is_one = has_member(p, base, name);
    }
    return is_one;
}
