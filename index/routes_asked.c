/*
 * A library's client is known by the path of its import; where the resolver
 * has no more than the place a thing was made, the calls that led there are
 * put behind each other.
 */
#include "index/routes_asked.h"

#include <string.h>

enum { CHAIN_MAX = 6 };

static void
add(struct asked *asked, str s)
{
    size_t room = sizeof(asked->path) - asked->len;

    if (s.len >= room) {
        asked->len = 0;
        return;
    }
    memcpy(asked->path + asked->len, s.ptr, s.len);
    asked->len += s.len;
}

static bool
add_chain(struct parts *p, struct at expr, struct asked *out, unsigned depth);

static bool
add_made(struct parts *p, struct at call, struct asked *out, unsigned depth)
{
    struct at callee = part_callee(p, call);
    struct origin origin;

    if (part_origin(p, callee, &origin) && !origin.is_written) {
        add(out, origin.path);
        out->made = call;
        return out->len > 0;
    }
    if (part_kind(p, callee) == EXPR_MEMBER &&
        add_chain(p, part_receiver(p, call), out, depth + 1)) {
        add(out, STR("."));
        add(out, part_word(p, callee));
        out->made = call;
        return out->len > 0;
    }
    out->len = 0;
    if (!part_origin(p, callee, &origin))
        return false;
    add(out, origin.path);
    out->is_written = true;
    out->made = call;
    return out->len > 0;
}

/* What an object is: what made it, else its type. */
static bool
add_chain(struct parts *p, struct at expr, struct asked *out, unsigned depth)
{
    struct value value;
    struct origin origin;

    expr = part_bare(p, expr);
    if (!expr.id || depth == CHAIN_MAX)
        return false;
    if (resolve_value(p->r, expr, &value) && value.kind == VALUE_MADE) {
        enum expr_kind kind = part_kind(p, value.at);
        if ((kind == EXPR_CALL || kind == EXPR_NEW) &&
            add_made(p, value.at, out, depth))
            return true;
    }
    out->len = 0;
    if (part_type_of(p, expr, &value, &origin) && origin.path.len > 0) {
        add(out, origin.path);
        return out->len > 0;
    }
    if (part_kind(p, expr) == EXPR_CALL || part_kind(p, expr) == EXPR_NEW)
        return add_made(p, expr, out, depth);
    struct at bound = part_bare(p, part_bound(p, expr));
    enum expr_kind kind = part_kind(p, bound);
    return (kind == EXPR_CALL || kind == EXPR_NEW) &&
           add_made(p, bound, out, depth);
}

bool
asked_of(struct parts *p, struct at call, struct asked *out)
{
    struct at callee = part_callee(p, call);
    struct origin origin;

    out->len = 0;
    out->is_written = false;
    out->made = (struct at){call.file, 0};
    if (part_origin(p, callee, &origin) && !origin.is_written) {
        add(out, origin.path);
        if (part_kind(p, callee) == EXPR_MEMBER) {
            struct value value;
            if (resolve_value(p->r, part_receiver(p, call), &value) &&
                value.kind == VALUE_MADE)
                out->made = value.at;
        }
        return out->len > 0;
    }
    if (part_kind(p, callee) == EXPR_MEMBER &&
        add_chain(p, part_receiver(p, call), out, 0)) {
        struct at made = out->made;
        add(out, STR("."));
        add(out, part_word(p, callee));
        out->made = made;
        return out->len > 0;
    }
    out->len = 0;
    if (!part_origin(p, callee, &origin))
        return false;
    add(out, origin.path);
    out->is_written = origin.is_written;
    return out->len > 0;
}

uint32_t
asked_by(struct parts *p, struct at expr)
{
    struct at def = part_enclosing(p, expr);

    return resolve_node(p->r, def.file, def.id);
}
