/*
 * Which modules an application of NestJS has, from the one that
 * `NestFactory.create` is given, and so where each controller stands: in a
 * library of several applications in each of them, with what each puts before.
 * Where all that they import is read, what no module has is served by none.
 */
#include "base/grow.h"
#include "index/routes_nestjs.h"

#include <stdlib.h>

enum {
    STEPS_MAX = 1 << 20, /* entries of lists, of all applications */
    LIST_DEPTH_MAX = 4,
    FORWARD_DEPTH_MAX = 4,
    IDLE_ASKED_MAX = 256, /* each is a walk over all files */
    ROUTES_DEPTH_MAX = 16,
};

struct module {
    struct at def;
    struct at meta;   /* what @Module is given, or id 0 */
    uint32_t app;     /* the last that has it, from 1 */
    uint32_t path_of; /* the last that says its path */
    text_id path;
    bool is_tail;
};

/* A controller of a module of an application. */
struct row {
    struct at controller;
    uint32_t module;
    struct nestjs_place place;
};

/* What lists controllers and imports, and the module that it is of. */
struct meta {
    struct at object;
    uint32_t module;
};

struct nestjs_modules {
    struct module *modules;
    uint32_t module_len, module_cap;
    struct row *rows;
    uint32_t row_len, row_cap;
    struct meta *queue;
    uint32_t queue_len, queue_cap;
    uint32_t app;
    uint32_t steps;
    uint32_t idle_asked;
    struct at idle_of; /* the last that was asked for */
    bool is_idle;
    bool is_open; /* something that may have controllers is not read */
};

static int
compare_at(struct at a, struct at b)
{
    if (a.file != b.file)
        return a.file < b.file ? -1 : 1;
    return a.id < b.id ? -1 : a.id > b.id;
}

static int
compare_modules(const void *a, const void *b)
{
    return compare_at(((const struct module *)a)->def,
                      ((const struct module *)b)->def);
}

static int
compare_rows(const void *a, const void *b)
{
    return compare_at(((const struct row *)a)->controller,
                      ((const struct row *)b)->controller);
}

/* ---- all modules, in the order of their files ---- */

static void
note_module(struct parts *p, struct at def)
{
    struct nestjs_modules *n = p->nestjs;
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        if (part_kind(p, mark) != EXPR_CALL ||
            !part_is(p, part_callee(p, mark), "@nestjs/common.Module"))
            continue;
        if (grow_room(n->modules, n->module_len, n->module_cap))
            n->modules[n->module_len++] =
                (struct module){.def = def, .meta = mark_options(p, mark)};
        else
            p->failed = true;
        return;
    }
}

static bool
is_read(const struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    return (facts->lang == LANG_TYPESCRIPT || facts->lang == LANG_JAVASCRIPT) &&
           !(facts->flags & FACTS_TEST);
}

static void
note_modules(struct parts *p)
{
    for (uint32_t f = 0; f < p->len; f++) {
        const struct facts *facts = part_facts(p, f);
        for (uint32_t d = 1; is_read(p, f) && d < facts->def_len; d++)
            if (facts->defs[d].kind == CODE_TYPE && facts->defs[d].marks_len)
                note_module(p, (struct at){f, d});
    }
}

/* The module that |expr| names, or NULL. */
static struct module *
module_of(struct parts *p, struct at expr)
{
    struct nestjs_modules *n = p->nestjs;
    struct value value;
    struct origin origin;

    if (!expr.id || n->module_len == 0 ||
        !part_type(p, expr, &value, &origin) || value.kind != VALUE_DEF)
        return NULL;
    return bsearch(&(struct module){.def = value.at}, n->modules, n->module_len,
                   sizeof(*n->modules), compare_modules);
}

/* ---- lists ---- */

typedef void item_fn(struct parts *p, struct at item, uint32_t module);

static bool
may_step(struct nestjs_modules *n)
{
    n->is_open |= n->steps == STEPS_MAX;
    return n->steps < STEPS_MAX && ++n->steps;
}

/* What a package gives has no controller of the repository's. */
static bool
is_foreign(struct parts *p, struct at expr)
{
    struct value value;

    return expr.id && resolve_value(p->r, expr, &value) &&
           value.kind == VALUE_EXTERNAL;
}

static void
each_item(struct parts *p, struct at expr, unsigned depth, uint32_t module,
          item_fn *fn)
{
    struct at list;

    if (!expr.id)
        return;
    if (depth == LIST_DEPTH_MAX || !may_step(p->nestjs)) {
        p->nestjs->is_open = true;
        return;
    }
    if (!part_literal(p, expr, &list) || part_kind(p, list) != EXPR_ARRAY) {
        fn(p, part_bare(p, expr), module);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        each_item(p, part_list(p, list, i), depth + 1, module, fn);
}

static void
add_controller(struct parts *p, struct at item, uint32_t module)
{
    struct nestjs_modules *n = p->nestjs;
    struct value value;
    struct origin origin;

    if (!item.id || !part_type(p, item, &value, &origin) ||
        value.kind != VALUE_DEF) {
        n->is_open |= !is_foreign(p, item);
        return;
    }
    if (grow_room(n->rows, n->row_len, n->row_cap))
        n->rows[n->row_len++] =
            (struct row){.controller = value.at, .module = module};
    else
        p->failed = true;
}

/* `{...base, controllers: [X]}` may have more than it says. */
static bool
has_spread(const struct parts *p, struct at object)
{
    for (uint32_t i = 0; i < part_expr(p, object)->list_len; i++)
        if (part_kind(p, part_list(p, object, i)) == EXPR_SPREAD)
            return true;
    return false;
}

static void
push(struct parts *p, struct at object, const struct module *module)
{
    struct nestjs_modules *n = p->nestjs;

    if (!object.id)
        return;
    n->is_open |= has_spread(p, object);
    if (grow_room(n->queue, n->queue_len, n->queue_cap))
        n->queue[n->queue_len++] =
            (struct meta){object, (uint32_t)(module - n->modules)};
    else
        p->failed = true;
}

static void
push_module(struct parts *p, struct module *module)
{
    if (!module || module->app == p->nestjs->app)
        return;
    module->app = p->nestjs->app;
    push(p, module->meta, module);
}

/* ---- RouterModule.register([{ path, module, children }]) ---- */

static void
place_module(struct parts *p, struct module *module, text_id path, bool is_tail)
{
    if (!module)
        return;
    module->path_of = p->nestjs->app;
    module->path = path;
    module->is_tail = is_tail;
}

static void
read_routes(struct parts *p, struct at expr, struct verb_path above,
            unsigned depth)
{
    struct at list;
    struct verb_path own = above;
    struct verb_path path;

    if (!expr.id || depth == ROUTES_DEPTH_MAX || !may_step(p->nestjs) ||
        !part_literal(p, expr, &list)) {
        /* A class among children is where what holds it is. */
        if (expr.id)
            place_module(p, module_of(p, part_bare(p, expr)), above.text,
                         above.is_tail);
        return;
    }
    if (part_kind(p, list) == EXPR_ARRAY) {
        for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
            read_routes(p, part_list(p, list, i), above, depth + 1);
        return;
    }
    bool is_known = verb_path(p, part_field(p, list, STR("path")), &path);
    if (is_known && !path.is_tail)
        own.text = nestjs_join(p, above.text, path.text);
    else
        own = (struct verb_path){is_known ? path.text : 0, true};
    place_module(p, module_of(p, part_field(p, list, STR("module"))), own.text,
                 own.is_tail);
    read_routes(p, part_field(p, list, STR("children")), own, depth + 1);
}

/* ---- imports ---- */

/* X of `forwardRef(() => X)`. */
static struct at
forwarded(struct parts *p, struct at call)
{
    struct at arg = part_arg(p, call, 0);

    if (!part_is(p, part_callee(p, call), "@nestjs/common.forwardRef") ||
        !arg.id || part_kind(p, arg) != EXPR_LAMBDA)
        return (struct at){call.file, 0};
    return part_returned(p, (struct at){arg.file, part_expr(p, arg)->a}, 0);
}

/* Each object that the function |def| returns. */
static void
push_returned(struct parts *p, struct at def, const struct module *owner)
{
    struct at value;
    struct at object;

    for (uint32_t i = 0; may_step(p->nestjs); i++) {
        value = part_returned(p, def, i);
        if (!value.id)
            return;
        if (part_literal(p, value, &object) &&
            part_kind(p, object) == EXPR_OBJECT)
            push(p, object, owner);
        else
            p->nestjs->is_open = true;
    }
}

/* `X.forRoot()`: what X says, and what is returned. */
static void
import_call(struct parts *p, struct at call)
{
    struct at receiver = part_receiver(p, call);
    struct module *owner = module_of(p, receiver);
    struct at object;
    struct at def;

    if (part_literal(p, call, &object) && part_kind(p, object) == EXPR_OBJECT) {
        struct module *said =
            module_of(p, part_field(p, object, STR("module")));
        owner = said ? said : owner;
        if (owner)
            push(p, object, owner);
    } else if (owner && part_function(p, part_callee(p, call), &def)) {
        push_returned(p, def, owner);
    } else if (owner || !is_foreign(p, part_callee(p, call))) {
        p->nestjs->is_open = true;
    }
    push_module(p, owner);
}

static void
import_one(struct parts *p, struct at item, unsigned depth)
{
    if (!item.id || part_kind(p, item) != EXPR_CALL) {
        struct module *module = module_of(p, item);
        p->nestjs->is_open |= !module && !is_foreign(p, item);
        push_module(p, module);
        return;
    }
    struct at other = forwarded(p, item);
    struct at receiver = part_receiver(p, item);
    if (other.id && depth < FORWARD_DEPTH_MAX)
        import_one(p, part_bare(p, other), depth + 1);
    else if (receiver.id && part_is(p, receiver, "@nestjs/core.RouterModule"))
        read_routes(p, part_arg(p, item, 0), (struct verb_path){0, false}, 0);
    else
        import_call(p, item);
}

static void
add_import(struct parts *p, struct at item, uint32_t module)
{
    (void)module;
    import_one(p, item, 0);
}

/* ---- applications ---- */

/* What is in the queue, and what it imports. */
static void
read_queue(struct parts *p)
{
    struct nestjs_modules *n = p->nestjs;

    for (uint32_t i = 0; i < n->queue_len && !p->failed; i++) {
        struct meta meta = n->queue[i];
        each_item(p, part_field(p, meta.object, STR("imports")), 0, meta.module,
                  add_import);
        each_item(p, part_field(p, meta.object, STR("controllers")), 0,
                  meta.module, add_controller);
    }
    n->queue_len = 0;
}

static void
read_app(struct parts *p, struct at call)
{
    struct nestjs_modules *n = p->nestjs;
    uint32_t from = n->row_len;
    struct nestjs_place place = nestjs_place_of(p, call.file);
    struct module *root = module_of(p, part_arg(p, call, 0));

    n->app++;
    n->is_open |= !root;
    push_module(p, root);
    read_queue(p);
    for (uint32_t i = from; i < n->row_len; i++) {
        const struct module *module = &n->modules[n->rows[i].module];
        bool is_placed = module->path_of == n->app;
        n->rows[i].place = place;
        n->rows[i].place.module = is_placed ? module->path : 0;
        n->rows[i].place.is_tail = is_placed && module->is_tail;
    }
}

static void
read_apps(struct parts *p)
{
    for (uint32_t f = 0; f < p->len; f++) {
        const struct facts *facts = part_facts(p, f);
        if (!is_read(p, f) || !part_imports(p, f, "@nestjs/core"))
            continue;
        for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
            struct at call = {f, i};
            if (facts->exprs[i].kind == EXPR_CALL &&
                str_eq(part_word(p, part_callee(p, call)), STR("create")) &&
                part_is(p, part_receiver(p, call), "@nestjs/core.NestFactory"))
                read_app(p, call);
        }
    }
}

static struct nestjs_modules *
modules(struct parts *p)
{
    if (p->nestjs)
        return p->nestjs;
    p->nestjs = calloc(1, sizeof(*p->nestjs));
    if (!p->nestjs) {
        p->failed = true;
        return NULL;
    }
    note_modules(p);
    read_apps(p);
    if (p->nestjs->row_len > 0)
        qsort(p->nestjs->rows, p->nestjs->row_len, sizeof(*p->nestjs->rows),
              compare_rows);
    return p->nestjs;
}

/* No expression outside of tests has the name of |type|. */
static bool
is_unnamed(const struct parts *p, struct at type)
{
    str name = part_str(p, type.file, part_def(p, type)->name);

    for (uint32_t f = 0; f < p->len; f++) {
        const struct facts *facts = part_facts(p, f);
        for (uint32_t i = 1; is_read(p, f) && i < facts->expr_len; i++)
            if ((facts->exprs[i].kind == EXPR_NAME ||
                 facts->exprs[i].kind == EXPR_MEMBER) &&
                str_eq(facts_text(facts, facts->exprs[i].text), name))
                return false;
    }
    return true;
}

bool
nestjs_is_nowhere(struct parts *p, struct at controller)
{
    struct nestjs_modules *n = modules(p);

    if (!n || n->app == 0 || n->is_open || n->idle_asked >= IDLE_ASKED_MAX ||
        nestjs_places(p, controller, NULL, 0) > 0)
        return false;
    if (compare_at(n->idle_of, controller) != 0) {
        n->idle_asked++;
        n->idle_of = controller;
        n->is_idle = is_unnamed(p, controller);
    }
    return n->is_idle;
}

uint32_t
nestjs_places(struct parts *p, struct at controller, struct nestjs_place *out,
              uint32_t cap)
{
    const struct nestjs_modules *n = modules(p);
    const struct row key = {.controller = controller};
    const struct row *row = NULL;
    uint32_t len = 0;

    if (n && n->row_len > 0 && n->steps < STEPS_MAX)
        row =
            bsearch(&key, n->rows, n->row_len, sizeof(*n->rows), compare_rows);
    while (row && row > n->rows && compare_rows(row - 1, &key) == 0)
        row--;
    for (; row && row < n->rows + n->row_len && compare_rows(row, &key) == 0;
         row++, len++)
        if (len < cap)
            out[len] = row->place;
    return len;
}

bool
nestjs_is_cut(struct parts *p)
{
    const struct nestjs_modules *n = modules(p);

    return n && n->steps >= STEPS_MAX;
}

void
nestjs_fini(struct parts *p)
{
    if (!p->nestjs)
        return;
    free(p->nestjs->modules);
    free(p->nestjs->rows);
    free(p->nestjs->queue);
    free(p->nestjs);
    p->nestjs = NULL;
}
