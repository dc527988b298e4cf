/*
 * Annotations that are made of others: `@Target(METHOD) @RequestMapping(method
 * = GET) @interface Fetch { @AliasFor(...) String[] path() default {}; }`.
 */
#include <string.h>

#include "index/routes_marks_meta.h"

enum { META_DEPTH_MAX = 4 };

struct at
mark_value(const struct parts *p, struct at value)
{
    bool is_empty = value.id && part_kind(p, value) == EXPR_ARRAY &&
                    part_expr(p, value)->list_len == 0;

    return is_empty ? (struct at){value.file, 0} : value;
}

struct at
mark_methods(struct parts *p, struct at mark)
{
    struct at methods = {mark.file, 0};

    if (part_kind(p, mark) != EXPR_CALL)
        return methods;
    if (mark_is_method(p, mark))
        return part_arg(p, mark, 0);
    methods = part_named(p, mark, "method");
    if (!methods.id)
        methods = part_named(p, mark, "methods");
    return mark_value(p, methods);
}

/* The declaration of an annotation of the repository. */
static bool
declaration(struct parts *p, struct at mark, struct at *out)
{
    struct at name =
        part_kind(p, mark) == EXPR_CALL ? part_callee(p, mark) : mark;
    struct value value;
    struct origin origin;

    uint8_t lang = part_facts(p, mark.file)->lang;
    if ((lang != LANG_JAVA && lang != LANG_KOTLIN) ||
        !part_type(p, name, &value, &origin) || value.kind != VALUE_DEF)
        return false;
    *out = value.at;
    const struct fact_def *type = part_def(p, *out);
    bool is_kotlin = part_facts(p, out->file)->lang == LANG_KOTLIN;
    return type->kind == (is_kotlin ? CODE_TYPE : CODE_INTERFACE) &&
           type->marks_len > 0;
}

/* What @AliasFor of an element gives its value to, empty: to nothing that
 * matters. */
static str
alias_of(const struct parts *p, struct at element)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, element, i)).id; i++) {
        if (part_kind(p, mark) != EXPR_CALL ||
            !str_eq(part_word(p, part_callee(p, mark)), STR("AliasFor")))
            continue;
        struct at target = part_named(p, mark, "annotation");
        struct at owner = {mark.file, target.id ? part_expr(p, target)->a : 0};
        if (target.id && !str_ends(part_word(p, owner), STR("Mapping")))
            return (str){"", 0};
        struct at name = part_named(p, mark, "attribute");
        if (!name.id)
            name = part_named(p, mark, "value");
        if (!name.id)
            name = part_arg(p, mark, 0);
        if (part_kind(p, name) == EXPR_STRING)
            return part_word(p, name);
        return part_str(p, element.file, part_def(p, element)->name);
    }
    return (str){"", 0};
}

/* What |mark| gives for the element of its declaration, or id 0. */
static struct at
given(const struct parts *p, struct at mark, str element)
{
    char name[64];
    struct at value = {mark.file, 0};

    if (part_kind(p, mark) != EXPR_CALL || element.len >= sizeof(name))
        return value;
    memcpy(name, element.ptr, element.len);
    name[element.len] = '\0';
    value = part_named(p, mark, name);
    if (!value.id && str_eq(element, STR("value")))
        value = part_arg(p, mark, 0);
    return part_kind(p, value) == EXPR_OBJECT ? (struct at){mark.file, 0}
                                              : value;
}

/* What |mark| says in place of what its declaration does, or with |defaults|
 * what that says for want of it. */
static void
read_given(struct parts *p, struct at mark, struct at type,
           struct mark_says *says, bool defaults)
{
    const struct facts *facts = part_facts(p, type.file);

    for (uint32_t d = type.id + 1; d < facts->def_len; d++) {
        struct at element = {type.file, d};
        if (facts->defs[d].parent != type.id)
            continue;
        str alias = alias_of(p, element);
        struct at value =
            defaults
                ? part_returned(p, element, 0)
                : given(p, mark, part_str(p, type.file, facts->defs[d].name));
        if (!value.id)
            continue;
        if (str_eq(alias, STR("path")) || str_eq(alias, STR("value")))
            says->path = mark_value(p, value);
        else if (str_eq(alias, STR("method")))
            says->methods = mark_value(p, value);
    }
}

static void
read_overrides(struct parts *p, struct at mark, struct at type,
               struct mark_says *says)
{
    read_given(p, mark, type, says, true);
    read_given(p, mark, type, says, false);
}

/* Quarkus' @Route by a regular expression, or for what fails. */
static bool
is_no_path(struct parts *p, struct at mark)
{
    return part_kind(p, mark) == EXPR_CALL &&
           (part_named(p, mark, "regex").id ||
            str_eq(part_word(p, part_named(p, mark, "type")), STR("FAILURE")));
}

static unsigned
read_says(struct parts *p, struct at mark, struct mark_says *out, unsigned len,
          unsigned depth)
{
    const struct mark_rule *rule = mark_rule(p, mark);
    unsigned from = len;
    struct at type;
    struct at inner;

    if (len == MARK_SAYS_MAX ||
        (rule && rule->framework == FW_VERTX && is_no_path(p, mark)))
        return len;
    if (rule && rule->role == MARK_VERB) {
        out[len] = (struct mark_says){
            .rule = rule,
            .mark = mark,
            .path = {mark.file, 0},
            .methods = mark_path(p, mark),
        };
        return depth > 0 && out[len].methods.id ? len + 1 : len;
    }
    if (rule) {
        out[len] = (struct mark_says){
            .rule = rule,
            .mark = mark,
            .path = mark_path(p, mark),
            .methods = mark_methods(p, mark),
        };
        return len + 1;
    }
    if (depth == META_DEPTH_MAX || !declaration(p, mark, &type))
        return len;
    for (uint32_t i = 0; (inner = mark_at(p, type, i)).id; i++)
        len = read_says(p, inner, out, len, depth + 1);
    unsigned kept = from;
    for (unsigned i = from; i < len; i++) {
        bool is_spring = out[i].rule->framework == FW_SPRING;
        if (!is_spring && out[i].rule->role != MARK_VERB)
            continue;
        out[kept] = out[i];
        if (is_spring && out[kept].rule->role != MARK_CONTROLLER)
            read_overrides(p, mark, type, &out[kept]);
        kept++;
    }
    return kept;
}

unsigned
mark_says(struct parts *p, struct at mark, struct mark_says *out)
{
    enum lang_id lang = (enum lang_id)part_facts(p, mark.file)->lang;

    if (lang == LANG_TYPESCRIPT || lang == LANG_JAVASCRIPT)
        return made_says(p, mark, out);
    return read_says(p, mark, out, 0, 0);
}
