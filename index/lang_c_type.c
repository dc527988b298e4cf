/*
 * C and C++: types, namespaces, the preprocessor.
 */
#include "index/lang_c.h"

TSNode
cxx_name(const struct visitor *w, TSNode node)
{
    enum { DEEP = 32 };

    for (int i = 0; i < DEEP; i++) {
        uint16_t kind = visit_kind(w, node);
        if (kind != K_QUALIFIED && kind != K_TEMPLATE)
            break;
        node = visit_field(w, node, F_NAME);
    }
    return node;
}

struct bases {
    struct extract_list list;
};

static void
base_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct bases *bases = ctx;
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (kind == K_TYPE_NAME || kind == K_QUALIFIED || kind == K_TEMPLATE)
        visit_list_add(w, &bases->list, visit(w, child));
}

static void
bases_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_BASES)
        visit_each(w, child, base_one, ctx);
}

static uint32_t
named_type(struct visitor *w, TSNode name)
{
    return ts_node_is_null(name) ? 0 : visit(w, name);
}

uint32_t
cxx_class(struct visitor *w, TSNode node)
{
    struct cxx *cxx = cxx_of(w);
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    struct bases bases = {{0}};
    str_id hint = cxx->type_name;
    bool is_hidden = cxx->is_hidden;

    cxx->type_name = 0;
    if (ts_node_is_null(body))
        return named_type(w, name);
    struct fact_def def = {
        .kind = CODE_TYPE,
        .flags = is_hidden ? 0 : DEF_EXPORTED,
        .name = ts_node_is_null(name) ? hint
                                      : extract_str(&w->x, cxx_name(w, name)),
    };

    visit_each(w, node, bases_one, &bases);
    def.bases_at = extract_list_end(&w->x, &bases.list, &def.bases_len);
    uint32_t before = visit_enter(w, visit_def(w, def, node, name, body));

    cxx->is_hidden = str_starts(visit_text(w, node), STR("class"));
    visit_children(w, body);
    cxx->is_hidden = is_hidden;
    visit_leave(w, before);
    return def.name ? visit_leaf(w, EXPR_NAME, facts_text(w->x.facts, def.name),
                                 node)
                    : 0;
}

uint32_t
cxx_access(struct visitor *w, TSNode node)
{
    cxx_of(w)->is_hidden = !str_starts(visit_text(w, node), STR("public"));
    return 0;
}

static void
enumerator_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    TSNode name = visit_field(w, child, F_NAME);

    (void)field;
    (void)ctx;
    if (visit_kind(w, child) == K_ENUMERATOR)
        visit_bind(w,
                   (struct fact_bind){
                       .kind = BIND_FIELD,
                       .flags = BIND_CONST,
                       .name = extract_str(&w->x, name),
                       .value = visit(w, visit_field(w, child, F_VALUE))},
                   name);
}

uint32_t
cxx_enum(struct visitor *w, TSNode node)
{
    struct cxx *cxx = cxx_of(w);
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    str_id hint = cxx->type_name;

    cxx->type_name = 0;
    if (ts_node_is_null(body))
        return named_type(w, name);
    struct fact_def def = {
        .kind = CODE_TYPE,
        .flags = DEF_ENUM | (cxx->is_hidden ? 0 : DEF_EXPORTED),
        .name = ts_node_is_null(name) ? hint
                                      : extract_str(&w->x, cxx_name(w, name)),
    };
    uint32_t before = visit_enter(w, visit_def(w, def, node, name, body));

    visit_each(w, body, enumerator_one, NULL);
    visit_leave(w, before);
    return def.name ? visit_leaf(w, EXPR_NAME, facts_text(w->x.facts, def.name),
                                 node)
                    : 0;
}

struct alias {
    uint32_t type;
    uint32_t count;
    str_id own; /* the name that the struct took itself */
};

static void
alias_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    const struct alias *alias = ctx;
    struct cxx_declarator declarator;

    if (field != w->x.fields[F_DECLARATOR])
        return;
    declarator = cxx_declarator(w, child);
    if (ts_node_is_null(declarator.name))
        return;
    struct fact_def def = {.kind = CODE_TYPE,
                           .flags = DEF_EXPORTED,
                           .name = extract_str(&w->x, declarator.name)};
    if (def.name == alias->own)
        return;
    if (ts_node_is_null(declarator.function))
        def.type = cxx_type(w, alias->type, &declarator, child);
    visit_def(w, def, child, declarator.name, child);
}

uint32_t
cxx_typedef(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_TYPE);
    struct cxx_declarator first =
        cxx_declarator(w, visit_field(w, node, F_DECLARATOR));
    bool is_unnamed = ts_node_is_null(visit_field(w, type, F_NAME));
    struct alias alias = {0};

    if (!ts_node_is_null(first.name) && is_unnamed && first.pointers == 0 &&
        (visit_kind(w, type) == K_CLASS || visit_kind(w, type) == K_ENUM)) {
        alias.own = extract_str(&w->x, first.name);
        cxx_of(w)->type_name = alias.own;
    }
    alias.type = visit(w, type);
    cxx_of(w)->type_name = 0;
    visit_each(w, node, alias_one, &alias);
    return 0;
}

uint32_t
cxx_alias(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    struct fact_def def = {
        .kind = CODE_TYPE,
        .flags = cxx_of(w)->is_hidden ? 0 : DEF_EXPORTED,
        .name = extract_str(&w->x, name),
        .type = visit(w, visit_field(w, node, F_TYPE)),
    };

    visit_def(w, def, node, name, node);
    return 0;
}

uint32_t
cxx_namespace(struct visitor *w, TSNode node)
{
    struct cxx *cxx = cxx_of(w);
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    bool is_hidden = cxx->is_hidden;
    uint32_t before = w->x.scope;

    if (ts_node_is_null(name))
        cxx->is_hidden = true;
    else
        visit_enter(
            w, visit_def(w,
                         (struct fact_def){.kind = CODE_PACKAGE,
                                           .flags = DEF_EXPORTED,
                                           .name = extract_str(&w->x, name)},
                         node, name, body));
    visit(w, body);
    cxx->is_hidden = is_hidden;
    visit_leave(w, before);
    return 0;
}

static void
add_import(struct visitor *w, uint8_t kind, str module, str name, str alias,
           TSNode at)
{
    struct facts *facts = w->x.facts;

    facts_import(facts,
                 &(struct fact_import){.kind = kind,
                                       .scope = w->x.scope,
                                       .module = facts_str(facts, module),
                                       .name = facts_str(facts, name),
                                       .alias = facts_str(facts, alias),
                                       .line = extract_line(at)});
}

static TSNode
last_child(TSNode node)
{
    uint32_t len = ts_node_named_child_count(node);

    return len ? ts_node_named_child(node, len - 1) : node;
}

uint32_t
cxx_namespace_alias(struct visitor *w, TSNode node)
{
    add_import(w, IMPORT_MODULE, visit_text(w, last_child(node)), STR(""),
               visit_text(w, visit_field(w, node, F_NAME)), node);
    return 0;
}

/* `using namespace a;` or `using a::b;` */
uint32_t
cxx_using(struct visitor *w, TSNode node)
{
    str path = visit_text(w, last_child(node));
    TSNode second = ts_node_child(node, 1);
    size_t cut = path.len;

    if (!ts_node_is_null(second) &&
        str_eq(visit_text(w, second), STR("namespace"))) {
        add_import(w, IMPORT_STAR, path, STR(""), STR(""), node);
        return 0;
    }
    while (cut > 1 && !(path.ptr[cut - 1] == ':' && path.ptr[cut - 2] == ':'))
        cut--;
    if (cut > 1)
        add_import(w, IMPORT_NAME, str_cut(path, 0, cut - 2),
                   str_cut(path, cut, path.len), STR(""), node);
    return 0;
}

uint32_t
cxx_include(struct visitor *w, TSNode node)
{
    TSNode path = visit_field(w, node, F_PATH);
    str text = visit_text(w, path);

    if (text.len > 2 && (visit_kind(w, path) == K_STRING ||
                         visit_kind(w, path) == K_SYSTEM_PATH))
        add_import(w, IMPORT_INCLUDE, str_cut(text, 1, text.len - 1), STR(""),
                   STR(""), node);
    return 0;
}

static uint32_t
macro_value(struct visitor *w, TSNode value)
{
    str text = visit_text(w, value);
    size_t end = text.len;

    while (end > 0 && (unsigned char)text.ptr[end - 1] <= ' ')
        end--;
    text = str_cut(text, 0, end);
    if (text.len >= 2 && text.ptr[0] == '"' &&
        memchr(text.ptr + 1, '"', text.len - 1) == text.ptr + text.len - 1) {
        struct fact_expr expr = {.kind = EXPR_STRING,
                                 .scope = w->x.scope,
                                 .text = extract_string(&w->x, text, 0),
                                 .line = extract_line(value),
                                 .col = extract_col(value)};
        return facts_expr(w->x.facts, &expr);
    }
    if (text.len > 0 && text.ptr[0] >= '0' && text.ptr[0] <= '9')
        return visit_leaf(w, EXPR_NUMBER, text, value);
    return 0;
}

/* Macros know no scopes. */
static uint32_t
of_file(struct visitor *w)
{
    uint32_t before = w->x.scope;

    w->x.scope = 0;
    return before;
}

uint32_t
cxx_define(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t value = macro_value(w, visit_field(w, node, F_VALUE));
    struct fact_bind bind = {.kind = BIND_LOCAL,
                             .flags = BIND_CONST,
                             .name = extract_str(&w->x, name),
                             .value = value};

    if (!value)
        return 0;
    uint32_t before = of_file(w);
    visit_bind(w, bind, name);
    visit_def(w,
              (struct fact_def){
                  .kind = CODE_CONST, .flags = DEF_EXPORTED, .name = bind.name},
              name, name, name);
    w->x.scope = before;
    return 0;
}

uint32_t
cxx_macro(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t before = of_file(w);

    visit_def(w,
              (struct fact_def){.kind = CODE_FUNCTION,
                                .flags = DEF_EXPORTED | DEF_STATIC,
                                .name = extract_str(&w->x, name)},
              node, name, visit_field(w, node, F_VALUE));
    w->x.scope = before;
    return 0;
}
