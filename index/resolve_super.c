/*
 * What `super` stands for, and what it has.
 */
#include "index/resolve_super.h"
#include "index/resolve_ruby.h"

struct val
member_superclass(struct resolver *r, uint32_t type)
{
    struct val outside = {0};

    for (uint32_t parts = 0, part = type; parts < 64; parts++) {
        uint32_t file = r->owner_file[part];
        const struct fact_def *def =
            def_at(r, file, part - r->sources[file].def_base);
        uint32_t len = def->bases_len - def->interfaces;
        for (uint32_t i = 0; i < len && i < RESOLVE_BASES_MAX; i++) {
            struct val base =
                eval_type(r, file, list_at(r, file, def->bases_at + i));
            if (base.kind != VAL_INSTANCE)
                outside.kind = VAL_FOREIGN;
            else if (def_at(r, base.file, base.id)->kind != CODE_INTERFACE)
                return base;
        }
        part = r->twins[part];
        if (!part)
            break;
    }
    return outside;
}

/* The interfaces of Java's classes are not what `super` means. */
static struct val
member_of_superclass(struct resolver *r, uint32_t type, sym name, struct at use)
{
    struct val base = member_superclass(r, type);
    struct val val = {.kind = VAL_FOREIGN};

    if (base.kind != VAL_INSTANCE) /* at least Object has members */
        return val;
    base.by = CODE_BY_SELF;
    return member_used(r, base, name, use);
}

struct val
super_member(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);
    struct val self = eval_self(r, file, at->scope);
    struct val val = {0};

    if (lang_at(r, file) == LANG_RUBY && self.kind != VAL_NONE)
        return ruby_above(r, self, name);
    if (self.kind != VAL_INSTANCE)
        return val;
    uint32_t type = gdef(r, self.file, self.id);
    if (lang_at(r, file) == LANG_JAVA)
        return member_of_superclass(r, type, name, (struct at){file, expr});
    val = member_of_type(r, type, name, true);
    if (val.kind == VAL_DEF)
        val.by = CODE_BY_SELF;
    const struct lineage *lineage = lineage_of(r, type);
    if (val.kind == VAL_NONE && lineage && lineage->is_open)
        val.kind = VAL_FOREIGN;
    return val;
}

bool
is_super(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    if (at->kind == EXPR_SUPER)
        return true;
    if (at->kind != EXPR_CALL)
        return false;
    const struct fact_expr *callee = expr_at(r, file, at->a);
    return callee->kind == EXPR_SUPER ||
           (callee->kind == EXPR_NAME && lang_at(r, file) == LANG_PYTHON &&
            str_eq(facts_text(r->sources[file].facts, callee->text),
                   STR("super")));
}
