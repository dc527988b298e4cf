/*
 * A definition's row is made first, so that what stands in it can name it, and
 * completed when its decorators, bases and types have been read.  Those, and
 * defaults, are evaluated where the definition stands: the scope changes only
 * for the body.
 */
#include "index/lang_python.h"

struct frame {
    struct python python;
    uint32_t scope;
    uint32_t nest;
};

static struct frame
enter(struct walk *w, uint32_t def)
{
    struct python *python = python_of(w);
    struct frame frame = {*python, w->x->scope, w->nest};

    w->x->scope = def;
    w->nest = 0;
    python->outer_len = 0;
    return frame;
}

static void
leave(struct walk *w, const struct frame *frame)
{
    *python_of(w) = frame->python;
    w->x->scope = frame->scope;
    w->nest = frame->nest;
}

bool
python_is_type(const struct walk *w, uint32_t def)
{
    uint8_t kind = w->x->facts->defs[def].kind;

    return kind == CODE_TYPE || kind == CODE_INTERFACE;
}

/* ---- decorators ---- */

struct marks {
    struct extract_list list;
    uint32_t flags;
    bool is_static;
};

static void
add_mark(struct walk *w, TSNode node, void *ctx)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } known[] = {
        {"property", DEF_PROPERTY},
        {"cached_property", DEF_PROPERTY},
        {"setter", DEF_PROPERTY},
        {"getter", DEF_PROPERTY},
        {"deleter", DEF_PROPERTY},
        {"staticmethod", DEF_STATIC},
        {"abstractmethod", DEF_ABSTRACT},
        {"abstractproperty", DEF_ABSTRACT | DEF_PROPERTY},
    };
    struct marks *marks = ctx;

    if (walk_kind(w, node) != PY_DECORATOR)
        return;
    uint32_t expr = walk_value(w, walk_child(w, node, 0));
    enum expr_kind kind = walk_expr_kind(w, expr);
    if (expr == 0 || marks->list.len >= WALK_LIST_MAX)
        return;
    extract_list_add(w->x, &marks->list, expr);
    if (kind != EXPR_NAME && kind != EXPR_MEMBER)
        return;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_eq(walk_expr_text(w, expr), str_of(known[i].name)))
            marks->flags |= known[i].flag;
}

static void
add_marks(struct walk *w, uint32_t def, TSNode decorated, struct marks *marks)
{
    walk_each(w, decorated, add_mark, marks);
    walk_def(w, def)->flags |= marks->flags;
    walk_def(w, def)->start_line = extract_line(decorated);
}

static void
end_marks(struct walk *w, uint32_t def, struct marks *marks)
{
    uint32_t len;
    uint32_t at = extract_list_end(w->x, &marks->list, &len);

    walk_def(w, def)->marks_at = at;
    walk_def(w, def)->marks_len = len;
}

static uint32_t
make_def(struct walk *w, TSNode node, TSNode name, enum code_kind kind)
{
    str text = extract_text(w->x, name);
    bool is_private =
        str_starts(text, STR("_")) && !str_starts(text, STR("__"));
    bool is_inner = w->x->scope != 0 && !python_is_type(w, w->x->scope);
    TSNode place = ts_node_is_null(name) ? node : name;

    return facts_def(
        w->x->facts,
        &(struct fact_def){
            .kind = (uint8_t)kind,
            .flags = is_private || is_inner || text.len == 0 ? 0 : DEF_EXPORTED,
            .parent = w->x->scope,
            .name = facts_str(w->x->facts, text),
            .line = extract_line(place),
            .col = extract_col(place),
            .start_line = extract_line(node),
            .end_line = ts_node_end_point(node).row + 1,
            .signature =
                extract_signature(w->x, node, walk_field(w, node, PY_F_BODY)),
        });
}

/* ---- parameters ---- */

struct params {
    uint32_t def;
    uint32_t index;
    bool has_receiver; /* the first is the object */
    str receiver;
    bool hides_self;
};

static TSNode
param_name(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, PY_F_NAME);

    switch (walk_kind(w, node)) {
    case PY_IDENTIFIER:
        return node;
    case PY_DEFAULT_PARAM:
    case PY_TYPED_DEFAULT:
        return name;
    case PY_TYPED_PARAM:
        return param_name(w, walk_child(w, node, 0));
    case PY_LIST_SPLAT_PATTERN:
    case PY_DICT_SPLAT_PATTERN:
        return walk_child(w, node, PY_IDENTIFIER);
    default:
        return (TSNode){0};
    }
}

/* `*args: T` is a tuple of T, `**kwargs: T` maps strings to T. */
static uint32_t
splat_type(struct walk *w, TSNode at, uint16_t kind, uint32_t type)
{
    struct extract_list list = {0};
    bool is_map = kind == PY_DICT_SPLAT_PATTERN;
    uint32_t base;

    if (type == 0 || (kind != PY_LIST_SPLAT_PATTERN && !is_map))
        return type;
    base = walk_put(
        w, at,
        (struct fact_expr){
            .kind = EXPR_NAME,
            .text = facts_str(w->x->facts, is_map ? STR("map") : STR("[]"))});
    if (is_map)
        extract_list_add(
            w->x, &list,
            walk_put(w, at,
                     (struct fact_expr){
                         .kind = EXPR_NAME,
                         .text = facts_str(w->x->facts, STR("str"))}));
    extract_list_add(w->x, &list, type);
    return walk_put_list(
        w, at, (struct fact_expr){.kind = EXPR_GENERIC, .a = base}, &list);
}

static void
add_param(struct walk *w, TSNode node, void *ctx)
{
    struct params *params = ctx;
    TSNode name = param_name(w, node);
    str text = extract_text(w->x, name);
    struct python_annotation note =
        python_annotation(w, walk_field(w, node, PY_F_TYPE));
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_VALUE));
    bool is_receiver =
        params->has_receiver && params->index == 0 && params->receiver.len == 0;

    if (text.len == 0)
        return;
    if (is_receiver && walk_kind(w, node) != PY_LIST_SPLAT_PATTERN) {
        params->receiver = text;
        return;
    }
    if (str_eq(text, python_of(w)->self))
        params->hides_self = true;
    uint16_t kind = walk_kind(w, node) == PY_TYPED_PARAM
                        ? walk_kind(w, walk_child(w, node, 0))
                        : walk_kind(w, node);
    walk_bind(w, name,
              (struct fact_bind){
                  .kind = BIND_PARAM,
                  .scope = params->def,
                  .name = facts_str(w->x->facts, text),
                  .type = splat_type(w, name, kind, note.type),
                  .value = value ? value : note.value,
                  .index = params->index++,
              });
}

/* ---- functions ---- */

static bool
is_test_case(const struct walk *w, str name)
{
    uint32_t parent = w->x->scope;
    bool is_top = parent == 0 || python_is_type(w, parent);

    return (w->x->facts->flags & FACTS_TEST) && is_top &&
           (str_starts(name, STR("test_")) || str_eq(name, STR("test")) ||
            (parent != 0 && str_starts(name, STR("test"))));
}

/* A method of a Protocol that only says `...` or a word about itself. */
static bool
is_stub(struct walk *w, TSNode body)
{
    TSNode first = walk_child(w, body, 0);
    TSNode what = walk_child(w, first, 0);

    return walk_len(body) == 1 && walk_kind(w, first) == PY_EXPR_STATEMENT &&
           (walk_kind(w, what) == PY_ELLIPSIS ||
            walk_kind(w, what) == PY_STRING);
}

static uint32_t
function_flags(struct walk *w, TSNode node, str name)
{
    const struct fact_def *parent = walk_def(w, w->x->scope);
    uint32_t flags = is_test_case(w, name) ? DEF_TEST_CASE : 0;

    if (!python_is_type(w, w->x->scope))
        return flags;
    if (str_eq(name, STR("__init__")))
        flags |= DEF_CTOR;
    if (parent->kind == CODE_INTERFACE &&
        is_stub(w, walk_field(w, node, PY_F_BODY)))
        flags |= DEF_ABSTRACT;
    return flags;
}

static void
define_function(struct walk *w, TSNode node, TSNode decorated)
{
    bool is_method = python_is_type(w, w->x->scope);
    TSNode name = walk_field(w, node, PY_F_NAME);
    struct params params = {0};
    struct marks marks = {0};

    params.def =
        make_def(w, node, name, is_method ? CODE_METHOD : CODE_FUNCTION);
    if (params.def == 0)
        return;
    walk_def(w, params.def)->flags |=
        function_flags(w, node, extract_text(w->x, name));
    if (!ts_node_is_null(decorated))
        add_marks(w, params.def, decorated, &marks);
    end_marks(w, params.def, &marks);
    bool is_static = walk_def(w, params.def)->flags & DEF_STATIC;
    params.has_receiver = is_method && !is_static;
    walk_each(w, walk_field(w, node, PY_F_PARAMETERS), add_param, &params);
    uint32_t type = python_type(w, walk_field(w, node, PY_F_RETURN_TYPE));
    walk_def(w, params.def)->type = type;

    struct frame frame = enter(w, params.def);
    if (is_method)
        python_of(w)->self = params.receiver;
    else if (params.hides_self)
        python_of(w)->self = STR("");
    walk_pass(w, walk_field(w, node, PY_F_BODY));
    leave(w, &frame);
}

void
python_function(struct walk *w, TSNode node)
{
    define_function(w, node, (TSNode){0});
}

uint32_t
python_lambda(struct walk *w, TSNode node)
{
    struct params params = {0};

    params.def = make_def(w, node, (TSNode){0}, CODE_FUNCTION);
    if (params.def == 0)
        return 0;
    walk_def(w, params.def)->flags |= DEF_LAMBDA;
    walk_each(w, walk_field(w, node, PY_F_PARAMETERS), add_param, &params);

    struct frame frame = enter(w, params.def);
    if (params.hides_self)
        python_of(w)->self = STR("");
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_BODY));
    if (value)
        walk_bind(w, node,
                  (struct fact_bind){.kind = BIND_RETURN,
                                     .scope = params.def,
                                     .value = value});
    leave(w, &frame);
    return walk_unary(w, node, EXPR_LAMBDA, params.def);
}

/* ---- classes ---- */

struct bases {
    struct extract_list bases;
    struct marks *marks;
    bool is_enum;
    bool is_protocol;
};

static str
base_name(const struct walk *w, uint32_t base)
{
    const struct fact_expr *expr = walk_expr(w, base);

    if (expr->kind == EXPR_GENERIC)
        expr = walk_expr(w, expr->a);
    return facts_text(w->x->facts, expr->text);
}

static void
add_base(struct walk *w, TSNode node, void *ctx)
{
    static const char *const enums[] = {"Enum", "IntEnum", "StrEnum", "Flag",
                                        "IntFlag"};
    struct bases *bases = ctx;

    if (walk_kind(w, node) == PY_KEYWORD_ARG) {
        uint32_t pair = walk_value(w, node);
        if (bases->marks->list.len < WALK_LIST_MAX)
            extract_list_add(w->x, &bases->marks->list, pair);
        return;
    }
    uint32_t base = python_type(w, node);
    if (base == 0 || bases->bases.len >= WALK_LIST_MAX)
        return;
    extract_list_add(w->x, &bases->bases, base);
    str name = base_name(w, base);
    bases->is_protocol = bases->is_protocol || str_eq(name, STR("Protocol"));
    for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
        bases->is_enum = bases->is_enum || str_eq(name, str_of(enums[i]));
}

static void
define_class(struct walk *w, TSNode node, TSNode decorated)
{
    struct marks marks = {0};
    struct bases bases = {.marks = &marks};
    uint32_t def = make_def(w, node, walk_field(w, node, PY_F_NAME), CODE_TYPE);
    uint32_t len;

    if (def == 0)
        return;
    if (!ts_node_is_null(decorated))
        add_marks(w, def, decorated, &marks);
    walk_each(w, walk_field(w, node, PY_F_SUPERCLASSES), add_base, &bases);
    end_marks(w, def, &marks);
    uint32_t at = extract_list_end(w->x, &bases.bases, &len);
    walk_def(w, def)->bases_at = at;
    walk_def(w, def)->bases_len = len;
    if (bases.is_enum)
        walk_def(w, def)->flags |= DEF_ENUM;
    if (bases.is_protocol)
        walk_def(w, def)->kind = CODE_INTERFACE;

    struct frame frame = enter(w, def);
    python_of(w)->self = STR("");
    walk_pass(w, walk_field(w, node, PY_F_BODY));
    leave(w, &frame);
}

void
python_class(struct walk *w, TSNode node)
{
    define_class(w, node, (TSNode){0});
}

void
python_decorated(struct walk *w, TSNode node)
{
    TSNode definition = walk_field(w, node, PY_F_DEFINITION);

    if (walk_kind(w, definition) == PY_CLASS)
        define_class(w, definition, node);
    else if (walk_kind(w, definition) == PY_FUNCTION)
        define_function(w, definition, node);
}
