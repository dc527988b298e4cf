/*
 * Go's declarations: functions, types, variables and constants of the package
 * and of functions.  A definition is written before what it holds, which is in
 * its scope, and completed when its types are known.
 */
#include "index/lang_go.h"

/* ---- functions ---- */

static uint32_t
exported_flag(const struct go *go, TSNode name)
{
    str text = extract_text(go->x, name);

    return text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z'
               ? DEF_EXPORTED
               : 0;
}

static uint32_t
add_def(struct go *go, TSNode node, TSNode name, struct fact_def def)
{
    struct extract *x = go->x;
    TSNode at = ts_node_is_null(name) ? node : name;

    def.parent = x->scope;
    if (!ts_node_is_null(name)) {
        def.name = extract_str(x, name);
        def.flags |= exported_flag(go, name);
    }
    def.line = extract_line(at);
    def.col = extract_col(at);
    def.start_line = extract_line(node);
    def.end_line = ts_node_end_point(node).row + 1;
    def.signature = extract_signature(x, node, go_field(go, node, GO_F_BODY));
    return facts_def(x->facts, &def);
}

static void
bind_parameter(struct go *go, TSNode name, uint32_t type, uint32_t index)
{
    struct extract *x = go->x;

    facts_bind(x->facts, &(struct fact_bind){.kind = BIND_PARAM,
                                             .scope = x->scope,
                                             .name = extract_str(x, name),
                                             .type = type,
                                             .index = index,
                                             .line = extract_line(name)});
}

static void
bind_parameters(struct go *go, TSNode parameters)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(parameters);
    uint32_t index = 0;

    while (extract_next(&it)) {
        struct extract_children names = extract_children(it.node);
        TSNode none = {.id = NULL};
        uint32_t first = index;
        uint32_t type = go_kind(go, it.node) == GO_VARIADIC
                            ? go_variadic(go, it.node)
                            : go_value(go, go_field(go, it.node, GO_F_TYPE));

        while (extract_next(&names))
            if (extract_is_field(x, &names, GO_F_NAME))
                bind_parameter(go, names.node, type, index++);
        if (index == first)
            bind_parameter(go, none, type, index++);
    }
}

/* What a function has a name for that it returns. */
static void
bind_results(struct go *go, TSNode result, uint32_t type)
{
    struct extract *x = go->x;
    const struct fact_expr *expr = &x->facts->exprs[type];
    uint32_t list_at = expr->list_at;
    uint32_t len = expr->kind == EXPR_ARRAY ? expr->list_len : 0;
    uint32_t index = 0;

    if (go_kind(go, result) != GO_PARAMETERS)
        return;
    struct extract_children it = extract_children(result);

    while (extract_next(&it)) {
        struct extract_children names = extract_children(it.node);
        while (extract_next(&names)) {
            if (!extract_is_field(x, &names, GO_F_NAME))
                continue;
            facts_bind(x->facts,
                       &(struct fact_bind){
                           .kind = BIND_LOCAL,
                           .scope = x->scope,
                           .name = extract_str(x, names.node),
                           .type = index < len
                                       ? x->facts->lists[list_at + index]
                                   : len ? 0
                                         : type,
                           .line = extract_line(names.node),
                       });
            index++;
        }
    }
}

/* Type parameters hide types of their name, and have what bounds them. */
static void
bind_type_parameters(struct go *go, TSNode parameters)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(parameters);

    while (extract_next(&it)) {
        struct extract_children names = extract_children(it.node);
        uint32_t type = go_value(go, go_field(go, it.node, GO_F_TYPE));
        while (extract_next(&names))
            if (extract_is_field(x, &names, GO_F_NAME))
                facts_bind(x->facts, &(struct fact_bind){
                                         .kind = BIND_LOCAL,
                                         .flags = BIND_CONST,
                                         .scope = x->scope,
                                         .name = extract_str(x, names.node),
                                         .type = type,
                                         .line = extract_line(names.node),
                                     });
    }
}

static void
function_body(struct go *go, TSNode node, uint32_t def)
{
    struct extract *x = go->x;
    uint32_t outer = x->scope;
    TSNode result = go_field(go, node, GO_F_RESULT);

    x->scope = def;
    bind_type_parameters(go, go_field(go, node, GO_F_TYPE_PARAMETERS));
    bind_parameters(go, go_field(go, node, GO_F_PARAMETERS));
    uint32_t type = go_result(go, result);

    if (def)
        x->facts->defs[def].type = type;
    bind_results(go, result, type);
    go_visit(go, go_field(go, node, GO_F_BODY));
    x->scope = outer;
}

static bool
is_test_name(str name)
{
    static const str words[] = {STR_INIT("Test"), STR_INIT("Benchmark"),
                                STR_INIT("Example"), STR_INIT("Fuzz")};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_starts(name, words[i]) &&
            (name.len == words[i].len || name.ptr[words[i].len] < 'a' ||
             name.ptr[words[i].len] > 'z'))
            return true;
    return false;
}

static void
bind_receiver(struct go *go, TSNode receiver, uint32_t def)
{
    struct extract *x = go->x;
    TSNode parameter = ts_node_named_child(receiver, 0);
    TSNode name = go_field(go, parameter, GO_F_NAME);
    uint32_t outer = x->scope;

    if (go_kind(go, parameter) != GO_PARAMETER)
        return;
    x->scope = def;
    facts_bind(x->facts,
               &(struct fact_bind){
                   .kind = BIND_RECEIVER,
                   .scope = def,
                   .name = extract_str(x, name),
                   .type = go_value(go, go_field(go, parameter, GO_F_TYPE)),
                   .line = extract_line(parameter),
               });
    x->scope = outer;
}

uint32_t
go_function(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    TSNode name = go_field(go, node, GO_F_NAME);
    TSNode receiver = go_field(go, node, GO_F_RECEIVER);
    struct fact_def def = {.kind = CODE_FUNCTION};

    if (!ts_node_is_null(receiver)) {
        TSNode type = go_field(go, ts_node_named_child(receiver, 0), GO_F_TYPE);
        def.kind = CODE_METHOD;
        def.receiver = extract_str(x, go_type_name(go, type));
    }
    if (x->facts->flags & FACTS_TEST && is_test_name(extract_text(x, name)))
        def.flags |= DEF_TEST_CASE;
    if (ts_node_is_null(go_field(go, node, GO_F_BODY)))
        def.flags |= DEF_ABSTRACT;
    uint32_t id = add_def(go, node, name, def);

    if (!ts_node_is_null(receiver))
        bind_receiver(go, receiver, id);
    function_body(go, node, id);
    return 0;
}

uint32_t
go_func_literal(struct go *go, TSNode node)
{
    TSNode none = {.id = NULL};
    str_id hint = go->hint;
    uint32_t id;

    go->hint = 0;
    id = add_def(go, node, none,
                 (struct fact_def){
                     .kind = CODE_FUNCTION, .flags = DEF_LAMBDA, .name = hint});
    function_body(go, node, id);
    return go_add(go, node, (struct fact_expr){.kind = EXPR_LAMBDA, .a = id});
}

/* ---- types ---- */

static void
bind_field(struct go *go, TSNode name, uint32_t type)
{
    struct extract *x = go->x;

    facts_bind(x->facts, &(struct fact_bind){.kind = BIND_FIELD,
                                             .scope = x->scope,
                                             .name = extract_str(x, name),
                                             .type = type,
                                             .line = extract_line(name)});
}

static void
struct_fields(struct go *go, TSNode type, struct extract_list *bases)
{
    struct extract_children it = extract_children(ts_node_named_child(type, 0));

    while (extract_next(&it)) {
        struct extract_children names = extract_children(it.node);
        TSNode held = go_field(go, it.node, GO_F_TYPE);
        bool is_embedded = true;

        if (go_kind(go, it.node) != GO_FIELD) {
            extract_children_end(&names);
            continue;
        }
        uint32_t id = go_value(go, held);
        while (extract_next(&names))
            if (extract_is_field(go->x, &names, GO_F_NAME)) {
                bind_field(go, names.node, id);
                is_embedded = false;
            }
        if (is_embedded) {
            bind_field(go, go_type_name(go, held), id);
            extract_list_add(go->x, bases, id);
        }
    }
}

static void
interface_methods(struct go *go, TSNode type, struct extract_list *bases)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(type);
    uint32_t outer = x->scope;

    while (extract_next(&it)) {
        if (go_kind(go, it.node) == GO_TYPE_ELEM)
            extract_list_add(x, bases, go_value(go, it.node));
        if (go_kind(go, it.node) != GO_METHOD_ELEM)
            continue;
        uint32_t id = add_def(
            go, it.node, go_field(go, it.node, GO_F_NAME),
            (struct fact_def){.kind = CODE_METHOD, .flags = DEF_ABSTRACT});
        function_body(go, it.node, id);
    }
    x->scope = outer;
}

uint32_t
go_type_spec(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    TSNode type = go_field(go, node, GO_F_TYPE);
    uint16_t kind = go_kind(go, type);
    uint32_t outer = x->scope;
    struct extract_list bases = {0};
    struct fact_def def = {.kind = kind == GO_INTERFACE ? CODE_INTERFACE
                                                        : CODE_TYPE};
    uint32_t id = add_def(go, node, go_field(go, node, GO_F_NAME), def);
    uint32_t len;

    x->scope = id;
    bind_type_parameters(go, go_field(go, node, GO_F_TYPE_PARAMETERS));
    if (kind == GO_INTERFACE)
        interface_methods(go, type, &bases);
    else if (kind == GO_STRUCT)
        struct_fields(go, type, &bases);
    else
        def.type = go_value(go, type);
    uint32_t at = extract_list_end(x, &bases, &len);

    if (id) {
        x->facts->defs[id].type = def.type;
        x->facts->defs[id].bases_at = at;
        x->facts->defs[id].bases_len = len;
    }
    x->scope = outer;
    return 0;
}

/* ---- variables and constants ---- */

/* Gathers the names of a spec; those of the file are definitions. */
static uint32_t
spec_names(struct go *go, TSNode node, TSNode *names, uint8_t kind)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(node);
    uint32_t len = 0;

    while (extract_next(&it)) {
        if (!extract_is_field(x, &it, GO_F_NAME) || len == GO_BIND_MAX)
            continue;
        names[len++] = it.node;
        if (x->scope == 0 && !go_is_blank(go, it.node))
            add_def(go, it.node, it.node, (struct fact_def){.kind = kind});
    }
    return len;
}

uint32_t
go_var_spec(struct go *go, TSNode node)
{
    TSNode names[GO_BIND_MAX];
    uint32_t len = spec_names(go, node, names, CODE_VAR);
    struct go_bind how = {
        .kind = BIND_LOCAL,
        .type = go_value(go, go_field(go, node, GO_F_TYPE)),
    };

    go_bind_all(go, names, len, go_field(go, node, GO_F_VALUE), how);
    return 0;
}

uint32_t
go_consts(struct go *go, TSNode node)
{
    go->const_type = 0;
    go_visit_children(go, node);
    return 0;
}

/* Without a value, a constant repeats the one before: `iota` counts on. */
uint32_t
go_const_spec(struct go *go, TSNode node)
{
    TSNode names[GO_BIND_MAX];
    uint32_t len = spec_names(go, node, names, CODE_CONST);
    TSNode value = go_field(go, node, GO_F_VALUE);
    struct go_bind how = {.kind = BIND_LOCAL, .flags = BIND_CONST};

    if (!ts_node_is_null(value))
        go->const_type = go_value(go, go_field(go, node, GO_F_TYPE));
    how.type = go->const_type;
    go_bind_all(go, names, len, value, how);
    return 0;
}
