/*
 * What a field of a type holds: what is put in it where the type's own code
 * stands, what a literal of the type gives it, what it is declared as, what a
 * base says.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_router.h"

enum {
    /* Definitions around a place that puts something in a field. */
    FIELD_SCOPES_MAX = 16,
    /* Bases that are asked, of all types of a repository: a file of classes
     * that each extend all of the level above is of as many ways as one likes.
     * Beyond, a base's field is not known. */
    FIELD_BASES_MAX = 1 << 18,
};

/* Of a file, in the order of type, name, |nth|. */
struct field_row {
    uint32_t type;
    uint32_t nth; /* first what is put in, then literals, then declarations */
    str name;
    uint32_t id; /* the expression of what it holds, or its declaration */
    bool is_declared;
    bool is_made; /* by a literal */
};

struct field_rows {
    struct field_row *rows;
    uint32_t len, cap;
    bool has_read;
};

static int
compare_names(const void *left, const void *right)
{
    const struct field_row *a = left;
    const struct field_row *b = right;

    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return str_order(a->name, b->name);
}

static int
compare(const void *left, const void *right)
{
    const struct field_row *a = left;
    const struct field_row *b = right;
    int names = compare_names(left, right);

    return names ? names : a->nth < b->nth ? -1 : a->nth > b->nth;
}

static void
add(struct parts *p, struct field_rows *fields, struct field_row row)
{
    if (!grow_room(fields->rows, fields->len, fields->cap)) {
        p->failed = true;
        return;
    }
    row.nth = fields->len;
    fields->rows[fields->len++] = row;
}

/* Where a field goes by its bare name, too. */
static bool
has_bare_fields(const struct parts *p, uint32_t file)
{
    enum lang_id lang = (enum lang_id)part_facts(p, file)->lang;

    return lang == LANG_JAVA || lang == LANG_KOTLIN;
}

/* `this.router = express.Router()`, in whatever stands within a type, or a
 * function that makes objects. */
static void
add_put(struct parts *p, struct field_rows *fields, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool is_bare = has_bare_fields(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        uint32_t scope = bind->scope;
        if (bind->kind != BIND_ASSIGN || !bind->value ||
            (part_kind(p, target) != EXPR_MEMBER &&
             !(is_bare && part_kind(p, target) == EXPR_NAME)))
            continue;
        for (unsigned n = 0; scope && n < FIELD_SCOPES_MAX; n++) {
            add(p, fields,
                (struct field_row){.type = scope,
                                   .name = part_word(p, target),
                                   .id = bind->value});
            scope = facts->defs[scope].kind == CODE_TYPE
                        ? 0
                        : facts->defs[scope].parent;
        }
    }
}

static void
add_literal(struct parts *p, struct field_rows *fields, struct at made,
            uint32_t type)
{
    for (uint32_t i = 0; i < part_expr(p, made)->list_len; i++) {
        struct at pair = part_list(p, made, i);
        str name;
        if (part_key(p, pair, &name) && part_expr(p, pair)->a)
            add(p, fields,
                (struct field_row){.type = type,
                                   .name = name,
                                   .id = part_expr(p, pair)->a,
                                   .is_made = true});
    }
}

/* `&Server{router: gin.New()}` */
static void
add_literals(struct parts *p, struct field_rows *fields, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at type = {file, facts->exprs[i].a};
        struct value def;
        struct origin origin;
        if (facts->exprs[i].kind == EXPR_NEW && facts->exprs[i].list_len > 0 &&
            part_type(p, type, &def, &origin) && def.kind == VALUE_DEF &&
            def.at.file == file)
            add_literal(p, fields, (struct at){file, i}, def.at.id);
    }
}

static void
add_declared(struct parts *p, struct field_rows *fields, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].kind == BIND_FIELD)
            add(p, fields,
                (struct field_row){.type = facts->binds[i].scope,
                                   .name =
                                       facts_text(facts, facts->binds[i].name),
                                   .id = i,
                                   .is_declared = true});
}

/* The fields of a file; NULL without memory, which is noted. */
static const struct field_rows *
fields_of(struct parts *p, uint32_t file)
{
    if (!p->fields)
        p->fields = calloc(p->len, sizeof(*p->fields));
    p->failed |= !p->fields;
    if (p->failed || p->fields[file].has_read)
        return p->failed ? NULL : &p->fields[file];
    struct field_rows *fields = &p->fields[file];
    fields->has_read = true;
    add_put(p, fields, file);
    add_literals(p, fields, file);
    add_declared(p, fields, file);
    if (fields->len > 0)
        qsort(fields->rows, fields->len, sizeof(*fields->rows), compare);
    return p->failed ? NULL : fields;
}

void
router_fields_fini(struct parts *p)
{
    for (uint32_t i = 0; p->fields && i < p->len; i++)
        free(p->fields[i].rows);
    free(p->fields);
}

/* `router = Router()`, what each object has of its own, or `router: Router`. */
static uint32_t
router_declared(struct parts *p, struct at at)
{
    const struct fact_bind *row = &part_facts(p, at.file)->binds[at.id];

    if (row->value && row->flags & BIND_OBJECT)
        return router_of(p, (struct at){at.file, row->value});
    return router_of_param(p, at);
}

/* The first of what the field may hold that is a router; where other literals
 * give it other routers, it is |key|, below each of them. */
static uint32_t
router_held(struct parts *p, struct at type, str name, uint32_t key)
{
    const struct field_rows *fields = fields_of(p, type.file);
    struct field_row first = {.type = type.id, .name = name};
    uint32_t id = 0;

    if (!fields)
        return 0;
    for (size_t i = sorted_first(&first, fields->rows, fields->len,
                                 sizeof(first), compare_names);
         i < fields->len && compare_names(&fields->rows[i], &first) == 0; i++) {
        const struct field_row *row = &fields->rows[i];
        struct at at = {type.file, row->id};
        if (id && !row->is_made)
            break;
        uint32_t held =
            row->is_declared ? router_declared(p, at) : router_of(p, at);
        if (!id || !held || held == id) {
            id = id ? id : held;
            continue;
        }
        if (id != key) {
            p->routers[key].framework = p->routers[id].framework;
            router_mount_at(p, key, id, 0, 0);
        }
        router_mount_at(p, key, held, 0, 0);
        id = key;
    }
    return id;
}

/* What a field of a type is known by, declared or not. */
static uint32_t
field_key(struct parts *p, struct at type, str name)
{
    struct buf text = {0};
    uint32_t id = 0;

    buf_printf(&text, "%u/%u/", type.file, type.id);
    buf_add(&text, name);
    if (!text.failed) {
        struct at key = {UINT32_MAX, texts_add(&p->texts, buf_str(&text))};
        id = router_get(p, SPACE_FIELD, key);
    }
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
    return id;
}

/* The type whose code |expr| is in, or 0. */
static uint32_t
type_around(const struct parts *p, struct at expr)
{
    const struct fact_def *defs = part_facts(p, expr.file)->defs;
    uint32_t scope = part_expr(p, expr)->scope;
    unsigned n = 0;

    while (scope && defs[scope].kind != CODE_TYPE && n++ < FIELD_SCOPES_MAX)
        scope = defs[scope].parent;
    return scope && defs[scope].kind == CODE_TYPE ? scope : 0;
}

struct heir {
    struct parts *p;
    struct at type;
    uint32_t id;
};

/* `super(router)` in the heir, `new Heir(router)` of one that has the base's
 * constructor. */
static bool
pass_to_heir(void *ctx, struct at call, struct at expr)
{
    struct heir *heir = ctx;
    struct parts *p = heir->p;
    struct at callee = part_callee(p, call);
    struct value value;
    bool is_heir =
        resolve_value(p->r, callee, &value) && value.kind == VALUE_DEF &&
        value.at.file == heir->type.file && value.at.id == heir->type.id;

    if (is_heir ||
        (call.file == heir->type.file && type_around(p, call) == heir->type.id))
        router_pass(p, heir->id, expr);
    return true;
}

/* What a base's constructor is given, each class its own. */
static uint32_t
router_of_heir(struct parts *p, uint32_t key, struct at type, uint32_t above)
{
    struct router *own = &p->routers[key];
    struct at at = p->routers[above].at;
    const struct fact_bind *param = &part_facts(p, at.file)->binds[at.id];
    struct heir heir = {p, type, key};

    own->framework = p->routers[above].framework;
    own->flags = p->routers[above].flags;
    resolve_args(p->r, (struct at){at.file, param->scope}, param->index,
                 pass_to_heir, &heir);
    return key;
}

static bool
is_given_to_ctor(const struct parts *p, const struct router *router)
{
    if (router->space != SPACE_BIND)
        return false;
    const struct facts *facts = part_facts(p, router->at.file);
    const struct fact_bind *bind = &facts->binds[router->at.id];
    return bind->kind == BIND_PARAM &&
           facts->defs[bind->scope].flags & DEF_CTOR;
}

/* The router that a base makes for each object is each class its own, with
 * what the base puts on it, below the one prefix that both have; one that comes
 * from elsewhere is that one. */
static uint32_t
router_of_base(struct parts *p, uint32_t key, struct at type, uint32_t above)
{
    struct router *own = &p->routers[key];
    const struct router *from = &p->routers[above];

    if (is_given_to_ctor(p, from))
        return router_of_heir(p, key, type, above);
    if (from->space != SPACE_FIELD &&
        (from->space != SPACE_EXPR || !type_around(p, from->at)))
        return above;
    own->framework = from->framework;
    own->flags = from->flags;
    own->prefix = from->prefix;
    router_mount_at(p, above, key, 0, MOUNT_REPLACES);
    return key;
}

static uint32_t
router_inherited(struct parts *p, struct at type, str name, uint32_t key)
{
    const struct fact_def *row = part_def(p, type);
    uint32_t above = 0;

    if (p->depth == ROUTER_OF_DEPTH_MAX)
        return 0;
    p->depth++;
    for (uint32_t i = 0;
         i < row->bases_len && !above && p->field_bases < FIELD_BASES_MAX;
         i++, p->field_bases++) {
        struct at base = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + i]};
        struct value value;

        if (resolve_value(p->r, base, &value) && value.kind == VALUE_DEF &&
            part_def(p, value.at)->kind == CODE_TYPE)
            above = router_of_field(p, value.at, name);
    }
    p->depth--;
    return above ? router_of_base(p, key, type, above) : 0;
}

/* All that read a field mean one router. */
uint32_t
router_of_field(struct parts *p, struct at type, str name)
{
    uint32_t key = field_key(p, type, name);

    if (!key || p->routers[key].round == p->round)
        return key ? p->routers[key].same : 0;
    p->routers[key].round = p->round;
    uint32_t id = router_held(p, type, name, key);
    if (!id)
        id = router_inherited(p, type, name, key);
    p->routers[key].same = id;
    return id;
}

uint32_t
router_of_inherited(struct parts *p, struct at expr)
{
    struct at object = {expr.file, part_expr(p, expr)->a};
    struct value type;

    if (part_kind(p, expr) != EXPR_MEMBER || !object.id ||
        !resolve_type(p->r, object, &type) || type.kind != VALUE_DEF ||
        (part_def(p, type.at)->bases_len == 0 &&
         part_facts(p, expr.file)->lang != LANG_GO))
        return 0;
    uint32_t id = router_of_field(p, type.at, part_word(p, expr));
    return id && p->routers[id].space == SPACE_FIELD ? id : 0;
}

uint32_t
router_embedded(struct parts *p, struct at expr)
{
    struct value type;
    uint32_t id = 0;

    if (part_facts(p, expr.file)->lang != LANG_GO ||
        !resolve_type(p->r, expr, &type) || type.kind != VALUE_DEF)
        return 0;
    const struct fact_def *row = part_def(p, type.at);
    for (uint32_t i = 0; i < row->bases_len && !id; i++) {
        struct at base = {
            type.at.file,
            part_facts(p, type.at.file)->lists[row->bases_at + i]};
        id = router_of_field(p, type.at, part_word(p, part_bare(p, base)));
    }
    return id;
}

uint32_t
router_of_bare(struct parts *p, struct at name)
{
    struct at type = {name.file, 0};

    if (has_bare_fields(p, name.file))
        type.id = type_around(p, name);
    return type.id ? router_of_field(p, type, part_word(p, name)) : 0;
}
