/*
 * Decorators of NestJS that functions of the repository give:
 *
 *     const Admin = (path: string) => applyDecorators(Get(path), UseGuards(G))
 *
 * What such a function returns is read in place of its call, with its
 * parameters as the call gives them.
 */
#include "index/routes_marks_meta.h"

/* Of one decorator, however its functions call each other. */
enum { MADE_LOOKS_MAX = 64 };

struct making {
    struct parts *p;
    struct mark_says *out; /* or NULL: |path| is looked for */
    const char *path;
    struct at found;
    unsigned len;
    unsigned left; /* decorators that may be looked at still */
    struct mark_made made;
    struct mark_made found_by;
};

static void read_made(struct making *m, struct at mark);

/* What the function that |mark| calls returns, if it is a call. */
static bool
returned(struct parts *p, struct at mark, struct at *def, struct at *call)
{
    struct value value;

    if (part_kind(p, mark) != EXPR_CALL ||
        !part_function(p, part_callee(p, mark), def) ||
        !resolve_value(p->r, mark, &value) || value.kind != VALUE_MADE)
        return false;
    *call = value.at;
    return part_kind(p, *call) == EXPR_CALL &&
           (call->file != mark.file || call->id != mark.id);
}

static void
read_returned(struct making *m, struct at mark)
{
    struct parts *p = m->p;
    struct part_turn turn;
    struct at def;
    struct at call;

    if (m->made.len == MADE_DEPTH_MAX || !returned(p, mark, &def, &call))
        return;
    m->made.calls[m->made.len] = mark;
    m->made.defs[m->made.len++] = def;
    turn_call(p, &turn, def, mark);
    if (!part_is(p, part_callee(p, call), "@nestjs/common.applyDecorators"))
        read_made(m, call);
    else
        for (uint32_t i = 0; i < part_args(p, call) && m->left > 0; i++)
            read_made(m, part_arg(p, call, i));
    turn_end(p, &turn);
    m->made.len--;
}

static void
read_made(struct making *m, struct at mark)
{
    if (m->len == MARK_SAYS_MAX || m->left == 0)
        return;
    m->left--;
    if (m->path && part_kind(m->p, mark) == EXPR_CALL &&
        part_is(m->p, part_callee(m->p, mark), m->path)) {
        m->found = mark;
        m->found_by = m->made;
        m->left = 0;
        return;
    }
    const struct mark_rule *rule = mark_rule(m->p, mark);
    if (!rule) {
        read_returned(m, mark);
        return;
    }
    if (!m->out)
        return;
    m->out[m->len++] = (struct mark_says){
        .rule = rule,
        .mark = mark,
        .path = mark_path(m->p, mark),
        .methods = mark_methods(m->p, mark),
        .made = m->made,
    };
}

unsigned
made_says(struct parts *p, struct at mark, struct mark_says *out)
{
    struct making m = {.p = p, .out = out, .left = MADE_LOOKS_MAX};

    read_made(&m, mark);
    return m.len;
}

struct at
made_call(struct parts *p, struct at mark, const char *path,
          struct mark_made *made)
{
    struct making m = {
        .p = p, .path = path, .found = {mark.file, 0}, .left = MADE_LOOKS_MAX};

    read_made(&m, mark);
    *made = m.found_by;
    return m.found;
}

void
made_begin(struct parts *p, const struct mark_made *made,
           struct part_turn *turns)
{
    for (unsigned i = 0; i < made->len; i++)
        turn_call(p, &turns[i], made->defs[i], made->calls[i]);
}

void
made_end(struct parts *p, const struct mark_made *made,
         const struct part_turn *turns)
{
    for (unsigned i = made->len; i > 0; i--)
        turn_end(p, &turns[i - 1]);
}
