/*
 * One walk over the files of routes notes each name that a call of theirs uses;
 * sorted by names, then by where they stand.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_rails.h"

struct rails_uses {
    struct rails_use *rows;
    uint32_t len;
    uint32_t cap;
};

bool
rails_is_routes_file(str path)
{
    return str_ends(path, STR("config/routes.rb")) ||
           (str_ends(path, STR(".rb")) && rails_drawn_at(path) > 0);
}

size_t
rails_drawn_at(str path)
{
    static const str folder = {"config/routes/", 14};
    const char *at =
        path.len ? memmem(path.ptr, path.len, folder.ptr, folder.len) : NULL;

    return at ? (size_t)(at - path.ptr) + folder.len : 0;
}

static void
add_use(struct parts *p, struct rails_uses *uses, const struct rails_use *use)
{
    if (!grow_room(uses->rows, uses->len, uses->cap)) {
        p->failed = true;
        return;
    }
    uses->rows[uses->len++] = *use;
}

/* A name, or a list of them. */
static void
add_names(struct parts *p, struct rails_uses *uses, struct at names,
          struct rails_use use)
{
    if (part_kind(p, names) == EXPR_STRING) {
        use.name = part_word(p, names);
        add_use(p, uses, &use);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, names)->list_len; i++) {
        use.name = part_word(p, part_list(p, names, i));
        add_use(p, uses, &use);
    }
}

str
rails_engine(const struct parts *p, struct at expr)
{
    struct at module = {expr.file, part_expr(p, expr)->a};

    if (!expr.id || part_kind(p, expr) != EXPR_MEMBER ||
        !str_eq(part_word(p, expr), STR("Engine")))
        return (str){NULL, 0};
    return part_word(p, module);
}

/* `mount Name::Engine => '/x'`, `mount Name::Engine, at: '/x'` */
static void
add_mount(struct parts *p, struct rails_uses *uses, struct at call)
{
    struct rails_use use = {.call = call, .is_around = true, .is_mount = true};

    for (uint32_t i = 0; i < part_expr(p, call)->list_len; i++) {
        struct at arg = part_list(p, call, i);
        if (part_kind(p, arg) == EXPR_PAIR)
            arg = part_list(p, arg, 0);
        use.name = rails_engine(p, arg);
        if (use.name.len > 0)
            add_use(p, uses, &use);
    }
}

static void
add_call(struct parts *p, struct rails_uses *uses, struct at call)
{
    bool is_draw = block_is(p, call, "draw");
    struct rails_use use = {.call = call, .is_draw = is_draw};
    struct at named = part_named(p, call, "concerns");

    if (block_is(p, call, "mount")) {
        add_mount(p, uses, call);
        return;
    }
    if (named.id) {
        use.is_around = true;
        add_names(p, uses, named, use);
        return;
    }
    for (uint32_t i = 0;
         (is_draw || block_is(p, call, "concerns")) && i < part_args(p, call);
         i++)
        add_names(p, uses, part_arg(p, call, i), use);
}

static int
by_name(const void *a, const void *b)
{
    const struct rails_use *x = a;
    const struct rails_use *y = b;
    int order = str_order(x->name, y->name);

    if (!order)
        order = (x->call.file > y->call.file) - (x->call.file < y->call.file);
    return order ? order
                 : (x->call.id > y->call.id) - (x->call.id < y->call.id);
}

static struct rails_uses *
uses_of(struct parts *p)
{
    if (p->rails_uses)
        return p->rails_uses;
    struct rails_uses *uses = calloc(1, sizeof(*uses));
    p->rails_uses = uses;
    p->failed |= !uses;
    for (uint32_t f = 0; f < p->len && !p->failed; f++) {
        const struct facts *facts = part_facts(p, f);
        if (facts->lang != LANG_RUBY || !rails_is_routes_file(p->files[f].path))
            continue;
        for (uint32_t i = 1; i < facts->expr_len; i++) {
            struct at call = {f, i};
            if (facts->exprs[i].kind == EXPR_CALL && !part_receiver(p, call).id)
                add_call(p, uses, call);
        }
    }
    if (uses && uses->len > 0)
        qsort(uses->rows, uses->len, sizeof(*uses->rows), by_name);
    return uses;
}

static int
compare_name(const void *name, const void *row)
{
    return str_order(*(const str *)name, ((const struct rails_use *)row)->name);
}

const struct rails_use *
rails_uses(struct parts *p, str name, uint32_t *len)
{
    const struct rails_uses *uses = uses_of(p);

    *len = 0;
    if (!uses)
        return NULL;
    size_t first = sorted_first(&name, uses->rows, uses->len,
                                sizeof(*uses->rows), compare_name);
    while (first + *len < uses->len &&
           str_eq(uses->rows[first + *len].name, name))
        ++*len;
    return uses->rows + first;
}

void
rails_uses_fini(struct parts *p)
{
    if (p->rails_uses)
        free(p->rails_uses->rows);
    free(p->rails_uses);
    p->rails_uses = NULL;
}
