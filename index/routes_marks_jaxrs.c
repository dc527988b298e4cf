/*
 * JAX-RS: what a locator returns serves below it.
 */
#include "index/routes_marks_heirs.h"

/* The type of what |def| gives back, if there is but one such place: Kotlin
 * need not declare it, and `Object` is as good as nothing. */
static bool
given_type(struct parts *p, struct at def, struct value *value)
{
    struct at expr = part_returned(p, def, 0);
    struct origin origin;

    return expr.id && !part_returned(p, def, 1).id &&
           part_type_of(p, expr, value, &origin) && value->kind == VALUE_DEF;
}

/* The type that is declared to come back, `Staff` of `Class<Staff>`. */
static bool
returned_type(struct parts *p, struct at def, struct at *out)
{
    struct at type = {def.file, part_def(p, def)->type};
    struct value value;
    struct origin origin;

    if (type.id && part_kind(p, type) == EXPR_GENERIC &&
        str_eq(part_word(p, (struct at){type.file, part_expr(p, type)->a}),
               STR("Class")))
        type = part_list(p, type, 0);
    bool is_declared = type.id && part_type(p, type, &value, &origin) &&
                       value.kind == VALUE_DEF;
    if (!is_declared && !given_type(p, def, &value))
        return false;
    *out = value.at;
    return true;
}

void
marks_locator(struct parts *p, uint32_t router, struct at def,
              struct at path_expr)
{
    struct verb_path path;
    struct class_marks of;
    struct at type;

    if (!router || !verb_path(p, path_expr, &path) ||
        !returned_type(p, def, &type))
        return;
    /* Of what only heirs are, that which is there alone is meant. */
    if (marks_is_open(p, type))
        (void)marks_only_heir(p, type, &type);
    bool is_open = marks_is_open(p, type);
    /* Its own path, if it has one, is where it is, too. */
    uint32_t child = is_open ? 0 : marks_class(p, type, &of);
    if (!child)
        child = router_make(p, SPACE_DEF, type, FW_JAXRS,
                            is_open ? ROUTER_IDLE : 0);
    router_mount_at(p, child, router, path.text, path.is_tail ? MOUNT_TAIL : 0);
}

static bool
has_marked_base(struct parts *p, struct at type, struct marks_seen *seen)
{
    struct at base;
    bool has = false;

    for (uint32_t i = 0; !has && marks_base_of(p, type, &i, &base);)
        has = marks_see(seen, base) &&
              (part_imports(p, base.file, "jakarta.ws.rs") ||
               part_imports(p, base.file, "javax.ws.rs") ||
               has_marked_base(p, base, seen));
    return has;
}

bool
marks_jaxrs_unsaid(struct parts *p, struct at type)
{
    struct marks_seen seen = {.len = 0};

    return !marks_is_open(p, type) && has_marked_base(p, type, &seen);
}
