/*
 * Classes whose methods are called like those of HTTP.
 */
#include "index/routes_verbs.h"

static const char *const class_verbs[] = {"get",    "post", "put",    "patch",
                                          "delete", "head", "options"};
enum { CLASS_VERBS = sizeof(class_verbs) / sizeof(class_verbs[0]) };

unsigned
verb_class(const struct verb_call *v, struct at type, struct at path)
{
    unsigned count = 0;

    for (size_t i = 0; i < CLASS_VERBS; i++) {
        uint32_t node = part_method_of(v->p, type, str_of(class_verbs[i]));
        if (node && verb_route(v, str_of(class_verbs[i]), path, node))
            count++;
    }
    return count;
}

bool
verb_has_class(struct parts *p, struct at type)
{
    bool has = false;

    for (size_t i = 0; i < CLASS_VERBS && !has; i++)
        has = part_method_of(p, type, str_of(class_verbs[i])) != 0;
    return has;
}

bool
verb_is_type(const struct parts *p, struct at def)
{
    uint8_t kind = part_def(p, def)->kind;

    return kind == CODE_TYPE || kind == CODE_INTERFACE;
}

bool
verb_class_of(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    expr = part_bare(p, expr);
    if (part_kind(p, expr) == EXPR_CALL) {
        struct at receiver = {0};
        receiver = part_receiver(p, expr);
        str name = part_word(p, part_callee(p, expr));
        if (receiver.id && str_eq(name, STR("as_view")))
            expr = receiver;
        else if (!receiver.id)
            expr = part_callee(p, expr);
    }
    if (!expr.id || !resolve_value(p->r, expr, &value))
        return false;
    if (value.kind == VALUE_MADE && !resolve_type(p->r, expr, &value))
        return false;
    *out = value.at;
    return value.kind == VALUE_DEF && verb_is_type(p, value.at);
}
