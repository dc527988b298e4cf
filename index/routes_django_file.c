/*
 * Django's modules: a name in a text, or what is imported from one.
 */
#include "index/routes_django_file.h"

#include "index/routes_drf.h"
#include "index/routes_files.h"

/* The longest path that ends in |module| and |end|. */
static bool
module_ending(struct parts *p, str module, const char *end, uint32_t from,
              uint32_t *out)
{
    struct buf path = {0};
    size_t best = 0;

    for (size_t i = 0; i < module.len; i++)
        buf_add_char(&path, (char)(module.ptr[i] == '.' ? '/' : module.ptr[i]));
    buf_add(&path, str_of(end));
    struct file_range range = {NULL, 0};
    if (!path.failed)
        range = files_ending(p, buf_str(&path));
    for (uint32_t i = 0; i < range.len; i++) {
        str other = range.rows[i].path;
        size_t front = other.len - path.len;
        /* Of several projects, the one that the asking file stands in. */
        bool is_near =
            str_starts(p->files[from].path, str_cut(other, 0, front));
        size_t rank = (is_near ? 2 * front + 2 : 1);
        if (rank > best || (rank == best && range.rows[i].file < *out)) {
            best = rank;
            *out = range.rows[i].file;
        }
    }
    p->failed |= path.failed;
    buf_fini(&path);
    return best > 0;
}

bool
django_module(struct parts *p, str module, uint32_t from, uint32_t *out)
{
    *out = 0;
    return module.len > 0 &&
           (module_ending(p, module, ".py", from, out) ||
            module_ending(p, module, "/__init__.py", from, out));
}

bool
django_patterns(struct parts *p, struct at expr, uint32_t *out)
{
    const struct facts *facts = part_facts(p, expr.file);
    str word = part_word(p, expr);
    struct value value;

    if (part_kind(p, expr) == EXPR_MEMBER) {
        struct at object = {expr.file, part_expr(p, expr)->a};
        bool is_module = str_eq(word, STR("urlpatterns")) &&
                         resolve_value(p->r, object, &value) &&
                         value.kind == VALUE_FILE;
        *out = is_module ? value.at.file : 0;
        return is_module;
    }
    if (part_kind(p, expr) != EXPR_NAME)
        return false;
    for (uint32_t i = 1; i < facts->import_len; i++) {
        const struct fact_import *row = &facts->imports[i];
        str module = facts_text(facts, row->module);
        if (row->kind != IMPORT_NAME ||
            !str_eq(facts_text(facts, row->alias ? row->alias : row->name),
                    word))
            continue;
        while (module.len > 0 && module.ptr[0] == '.')
            module = str_cut(module, 1, module.len);
        return str_eq(facts_text(facts, row->name), STR("urlpatterns")) &&
               django_module(p, module, expr.file, out);
    }
    *out = expr.file;
    return str_eq(word, STR("urlpatterns"));
}

bool
django_is_urls(const struct parts *p, struct at expr)
{
    return part_kind(p, expr) == EXPR_MEMBER &&
           str_eq(part_word(p, expr), STR("urls"));
}

uint32_t
django_urls_router(struct parts *p, struct at urls)
{
    struct at object = {urls.file, part_expr(p, urls)->a};
    uint32_t id = drf_router(p, object);

    if (id)
        return id;
    id = router_of(p, object);
    return id && p->routers[id].framework == FW_NINJA ? id : 0;
}
