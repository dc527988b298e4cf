/*
 * C and C++: values, names and types.  Definitions are in lang_c_def.c,
 * types and namespaces in lang_c_type.c, calls and what names are bound to in
 * lang_c_call.c.
 */
#include "index/lang_c.h"

static uint32_t
on_name(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NAME, visit_text(w, node), node);
}

static uint32_t
on_number(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NUMBER, visit_text(w, node), node);
}

static uint32_t
on_this(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SELF, 0, node);
}

static uint32_t
on_string(struct visitor *w, TSNode node)
{
    return visit_string(w, node, K_CONTENT, K_ESCAPE);
}

static void
raw_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_RAW_CONTENT)
        *(str *)ctx = visit_text(w, child);
}

static uint32_t
on_raw_string(struct visitor *w, TSNode node)
{
    str text = {"", 0};

    visit_each(w, node, raw_one, &text);
    return visit_leaf(w, EXPR_STRING, text, node);
}

static uint32_t
on_concatenated(struct visitor *w, TSNode node)
{
    return visit_collection(w, EXPR_CONCAT, node);
}

static uint32_t
on_inner(struct visitor *w, TSNode node)
{
    return visit_children(w, node);
}

static uint32_t
on_nothing(struct visitor *w, TSNode node)
{
    (void)w;
    (void)node;
    return 0;
}

static uint32_t
on_field(struct visitor *w, TSNode node)
{
    TSNode name = cxx_name(w, visit_field(w, node, F_FIELD));
    uint32_t object = visit(w, visit_field(w, node, F_ARGUMENT));

    return visit_member(w, object, visit_text(w, name), name);
}

static uint32_t
on_template(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t base = visit(w, visit_field(w, node, F_NAME));

    visit_list(w, visit_field(w, node, F_ARGUMENTS), &list);
    return visit_listed(w, EXPR_GENERIC, base, &list, node);
}

/* `a::b::c<T>`: what is written nested to the right is a chain to the left. */
static uint32_t
on_qualified(struct visitor *w, TSNode node)
{
    struct extract_list types = {0};
    uint32_t base = 0;
    TSNode name;

    while (visit_kind(w, node) == K_QUALIFIED) {
        TSNode scope = visit_field(w, node, F_SCOPE);
        name = cxx_name(w, scope);
        if (!ts_node_is_null(scope))
            base = base ? visit_member(w, base, visit_text(w, name), name)
                        : visit_leaf(w, EXPR_NAME, visit_text(w, name), name);
        node = visit_field(w, node, F_NAME);
    }
    name = cxx_name(w, node);
    base = base ? visit_member(w, base, visit_text(w, name), name)
                : visit_leaf(w, EXPR_NAME, visit_text(w, name), name);
    if (visit_kind(w, node) != K_TEMPLATE)
        return base;
    visit_list(w, visit_field(w, node, F_ARGUMENTS), &types);
    return visit_listed(w, EXPR_GENERIC, base, &types, node);
}

static uint32_t
on_type_descriptor(struct visitor *w, TSNode node)
{
    uint32_t type = visit(w, visit_field(w, node, F_TYPE));
    struct cxx_declarator declarator =
        cxx_declarator(w, visit_field(w, node, F_DECLARATOR));

    return cxx_type(w, type, &declarator, node);
}

static uint32_t
on_compound_literal(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t type = visit(w, visit_field(w, node, F_TYPE));

    visit_list(w, visit_field(w, node, F_VALUE), &list);
    return visit_listed(w, EXPR_NEW, type, &list, node);
}

static uint32_t
on_init_list(struct visitor *w, TSNode node)
{
    bool is_map = visit_kind(w, visit_first(node)) == K_INIT_PAIR;

    return visit_collection(w, is_map ? EXPR_OBJECT : EXPR_ARRAY, node);
}

static uint32_t
on_init_pair(struct visitor *w, TSNode node)
{
    TSNode designator = visit_field(w, node, F_DESIGNATOR);
    TSNode name = visit_first(designator);
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    if (visit_kind(w, designator) == K_DESIGNATOR)
        return visit_pair(w, visit_text(w, name), value, node);
    return visit_pair_by(w, visit(w, name), value, node);
}

static uint32_t
on_binary(struct visitor *w, TSNode node)
{
    uint32_t left = visit(w, visit_field(w, node, F_LEFT));
    uint32_t right = visit(w, visit_field(w, node, F_RIGHT));
    str op = visit_text(w, visit_field(w, node, F_OPERATOR));

    return str_eq(op, STR("+")) ? visit_sum(w, left, right, node) : 0;
}

static uint32_t
on_conditional(struct visitor *w, TSNode node)
{
    uint32_t one = visit(w, visit_field(w, node, F_CONDITION));
    TSNode consequence = visit_field(w, node, F_CONSEQUENCE);

    if (!ts_node_is_null(consequence))
        one = visit(w, consequence);
    return visit_two(w, EXPR_ALT, one,
                     visit(w, visit_field(w, node, F_ALTERNATIVE)), node);
}

static uint32_t
on_cast(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    return visit_two(w, EXPR_CAST, value,
                     visit(w, visit_field(w, node, F_TYPE)), node);
}

static uint32_t
on_subscript(struct visitor *w, TSNode node)
{
    uint32_t object = visit(w, visit_field(w, node, F_ARGUMENT));
    TSNode indices = visit_field(w, node, F_INDICES);
    uint32_t index = ts_node_is_null(indices)
                         ? visit(w, visit_field(w, node, F_INDEX))
                         : visit(w, visit_first(indices));

    return visit_two(w, EXPR_INDEX, object, index, node);
}

static uint32_t
on_assign(struct visitor *w, TSNode node)
{
    uint32_t target = visit(w, visit_field(w, node, F_LEFT));
    uint32_t value = visit(w, visit_field(w, node, F_RIGHT));

    if (str_eq(visit_text(w, visit_field(w, node, F_OPERATOR)), STR("=")))
        visit_assign(w, target, value, node);
    return value;
}

static uint32_t
on_await(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_AWAIT, visit_children(w, node), node);
}

static uint32_t
on_return(struct visitor *w, TSNode node)
{
    visit_return(w, visit_children(w, node), node);
    return 0;
}

static visit_fn *const handlers[K_END] = {
    [K_ACCESS] = cxx_access,
    [K_ALIAS] = cxx_alias,
    [K_ASSIGN] = on_assign,
    [K_AUTO] = on_nothing,
    [K_AWAIT] = on_await,
    [K_BINARY] = on_binary,
    [K_CALL] = cxx_call,
    [K_CAST] = on_cast,
    [K_CATCH] = cxx_catch,
    [K_CLASS] = cxx_class,
    [K_COMPOUND_LITERAL] = on_compound_literal,
    [K_CONCATENATED] = on_concatenated,
    [K_CONDITIONAL] = on_conditional,
    [K_DECLARATION] = cxx_declaration,
    [K_DEFINE] = cxx_define,
    [K_ENUM] = cxx_enum,
    [K_FIELD] = on_field,
    [K_FIELD_DECLARATION] = cxx_declaration,
    [K_FIELD_INIT] = cxx_field_init,
    [K_FOR_RANGE] = cxx_for_range,
    [K_FRIEND] = cxx_friend,
    [K_FUNCTION] = cxx_function,
    [K_IDENTIFIER] = on_name,
    [K_INCLUDE] = cxx_include,
    [K_INIT_LIST] = on_init_list,
    [K_INIT_PAIR] = on_init_pair,
    [K_INNER] = on_inner,
    [K_LAMBDA] = cxx_lambda,
    [K_MACRO] = cxx_macro,
    [K_NAMESPACE] = cxx_namespace,
    [K_NAMESPACE_ALIAS] = cxx_namespace_alias,
    [K_NAMESPACE_NAME] = on_name,
    [K_NEW] = cxx_new,
    [K_NUMBER] = on_number,
    [K_QUALIFIED] = on_qualified,
    [K_RAW_STRING] = on_raw_string,
    [K_RETURN] = on_return,
    [K_SIZED] = on_name,
    [K_SKIPPED] = on_nothing,
    [K_STRING] = on_string,
    [K_SUBSCRIPT] = on_subscript,
    [K_TEMPLATE] = on_template,
    [K_THIS] = on_this,
    [K_TYPE_DESCRIPTOR] = on_type_descriptor,
    [K_TYPE_NAME] = on_name,
    [K_TYPEDEF] = cxx_typedef,
    [K_USING] = cxx_using,
};

/* With `?`: in C++ alone. */
static const struct extract_name kinds[] = {
    {K_ABSTRACT_POINTER, "abstract_pointer_declarator"},
    {K_ACCESS, "?access_specifier"},
    {K_ALIAS, "?alias_declaration"},
    {K_ARGUMENTS, "argument_list"},
    {K_ARRAY_DECL, "abstract_array_declarator"},
    {K_ARRAY_DECL, "array_declarator"},
    {K_ASSIGN, "assignment_expression"},
    {K_ATTRIBUTED_DECL, "attributed_declarator"},
    {K_AUTO, "?placeholder_type_specifier"},
    {K_AUTO, "?decltype"},
    {K_AWAIT, "?co_await_expression"},
    {K_BASES, "?base_class_clause"},
    {K_BINARY, "binary_expression"},
    {K_CALL, "call_expression"},
    {K_CAST, "cast_expression"},
    {K_CATCH, "?catch_clause"},
    {K_CLASS, "?class_specifier"},
    {K_CLASS, "struct_specifier"},
    {K_CLASS, "union_specifier"},
    {K_COMPOUND_LITERAL, "compound_literal_expression"},
    {K_CONCATENATED, "concatenated_string"},
    {K_CONDITIONAL, "conditional_expression"},
    {K_CONTENT, "string_content"},
    {K_DECLARATION, "declaration"},
    {K_DEFINE, "preproc_def"},
    {K_DESIGNATOR, "field_designator"},
    {K_DESTRUCTOR, "?destructor_name"},
    {K_ENUM, "enum_specifier"},
    {K_ENUMERATOR, "enumerator"},
    {K_ESCAPE, "escape_sequence"},
    {K_FIELD, "field_expression"},
    {K_FIELD_DECLARATION, "field_declaration"},
    {K_FIELD_INIT, "?field_initializer"},
    {K_FIELD_LIST, "field_declaration_list"},
    {K_FOR_RANGE, "?for_range_loop"},
    {K_FRIEND, "?friend_declaration"},
    {K_FUNCTION, "function_definition"},
    {K_FUNCTION_DECL, "abstract_function_declarator"},
    {K_FUNCTION_DECL, "function_declarator"},
    {K_IDENTIFIER, "field_identifier"},
    {K_IDENTIFIER, "identifier"},
    {K_INCLUDE, "preproc_include"},
    {K_INIT_DECL, "init_declarator"},
    {K_INIT_LIST, "initializer_list"},
    {K_INIT_PAIR, "initializer_pair"},
    {K_INNER, "?condition_clause"},
    {K_INNER, "?dependent_type"},
    {K_INNER, "?trailing_return_type"},
    {K_INNER, "comma_expression"},
    {K_INNER, "parenthesized_expression"},
    {K_INNER, "pointer_expression"},
    {K_LAMBDA, "?lambda_expression"},
    {K_MACRO, "preproc_function_def"},
    {K_NAMESPACE, "?namespace_definition"},
    {K_NAMESPACE_ALIAS, "?namespace_alias_definition"},
    {K_NAMESPACE_NAME, "?namespace_identifier"},
    {K_NEW, "?new_expression"},
    {K_NUMBER, "number_literal"},
    {K_OPERATOR_CAST, "?operator_cast"},
    {K_OPERATOR_NAME, "?operator_name"},
    {K_PARAM, "?optional_parameter_declaration"},
    {K_PARAM, "?variadic_parameter_declaration"},
    {K_PARAM, "parameter_declaration"},
    {K_PAREN_DECL, "abstract_parenthesized_declarator"},
    {K_PAREN_DECL, "parenthesized_declarator"},
    {K_POINTER_DECL, "pointer_declarator"},
    {K_POINTER_DECL, "?pointer_type_declarator"},
    {K_QUALIFIED, "?qualified_identifier"},
    {K_RAW_CONTENT, "?raw_string_content"},
    {K_RAW_STRING, "?raw_string_literal"},
    {K_REFERENCE_DECL, "?abstract_reference_declarator"},
    {K_REFERENCE_DECL, "?reference_declarator"},
    {K_REFERENCE_DECL, "?variadic_declarator"},
    {K_RETURN, "?co_return_statement"},
    {K_RETURN, "return_statement"},
    {K_SIZED, "sized_type_specifier"},
    {K_SKIPPED, "?concept_definition"},
    {K_SKIPPED, "?requires_clause"},
    {K_SKIPPED, "?template_parameter_list"},
    {K_SKIPPED, "attribute_declaration"},
    {K_SKIPPED, "attribute_specifier"},
    {K_SKIPPED, "preproc_call"},
    {K_STORAGE, "storage_class_specifier"},
    {K_STRING, "string_literal"},
    {K_STRUCTURED, "?structured_binding_declarator"},
    {K_SUBSCRIPT, "subscript_expression"},
    {K_SYSTEM_PATH, "system_lib_string"},
    {K_TEMPLATE, "?template_function"},
    {K_TEMPLATE, "?template_method"},
    {K_TEMPLATE, "?template_type"},
    {K_THIS, "?this"},
    {K_TYPE_DESCRIPTOR, "type_descriptor"},
    {K_TYPE_NAME, "primitive_type"},
    {K_TYPE_NAME, "type_identifier"},
    {K_TYPEDEF, "type_definition"},
    {K_USING, "?using_declaration"},
};

static const struct extract_name fields[] = {
    {F_ALTERNATIVE, "alternative"},
    {F_ARGUMENT, "argument"},
    {F_ARGUMENTS, "arguments"},
    {F_BODY, "body"},
    {F_CONDITION, "condition"},
    {F_CONSEQUENCE, "consequence"},
    {F_DECLARATOR, "declarator"},
    {F_DEFAULT, "?default_value"},
    {F_DESIGNATOR, "designator"},
    {F_FIELD, "field"},
    {F_FUNCTION, "function"},
    {F_INDEX, "?index"},
    {F_INDICES, "?indices"},
    {F_LEFT, "left"},
    {F_NAME, "name"},
    {F_OPERATOR, "operator"},
    {F_PARAMETERS, "parameters"},
    {F_PATH, "path"},
    {F_RIGHT, "right"},
    {F_SCOPE, "?scope"},
    {F_TYPE, "type"},
    {F_VALUE, "value"},
};

const struct lang_names lang_names_c = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = sizeof(kinds) / sizeof(kinds[0]),
    .field_len = sizeof(fields) / sizeof(fields[0]),
};

void
lang_extract_c(struct extract *x)
{
    struct cxx cxx = {.w = {.x = *x, .handlers = handlers, .len = K_END}};

    visit(&cxx.w, x->root);
}
