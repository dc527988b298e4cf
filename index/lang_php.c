/*
 * PHP: names, values and types.  Definitions are in lang_php_def.c, calls and
 * what names are bound to in lang_php_call.c.
 */
#include "index/lang_php.h"

str
php_bare(str name)
{
    return str_starts(name, STR("$")) ? str_cut(name, 1, name.len) : name;
}

/* `self`, `static` and `parent`, or 0. */
static uint32_t
relative(struct visitor *w, str text, TSNode node)
{
    if (str_eq(text, STR("self")) || str_eq(text, STR("static")))
        return visit_wrap(w, EXPR_SELF, 0, node);
    if (str_eq(text, STR("parent")))
        return visit_wrap(w, EXPR_SUPER, 0, node);
    return 0;
}

static uint32_t
on_name(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);
    uint32_t id = relative(w, text, node);

    return id ? id : visit_leaf(w, EXPR_NAME, text, node);
}

/* Its parts are namespaces but for the last, which `A::B` does not say. */
static uint32_t
path_of(struct visitor *w, str text, bool is_global, TSNode node)
{
    uint32_t id = visit_path(w, text, "\\", node);
    uint32_t first = id;

    while (first && w->x.facts->exprs[first].kind == EXPR_MEMBER) {
        w->x.facts->exprs[first].is_symbol = true;
        first = w->x.facts->exprs[first].a;
    }
    if (first && is_global)
        w->x.facts->exprs[first].is_symbol = true;
    return id;
}

static uint32_t
on_qualified(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    return path_of(w, text, str_starts(text, STR("\\")), node);
}

static uint32_t
on_relative_name(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    return path_of(w, str_cut(text, strlen("namespace"), text.len), false,
                   node);
}

static uint32_t
on_variable(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    if (str_eq(text, STR("$this")))
        return visit_wrap(w, EXPR_SELF, 0, node);
    return visit_leaf(w, EXPR_NAME, text, node);
}

static uint32_t
on_number(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NUMBER, visit_text(w, node), node);
}

static uint32_t
on_string(struct visitor *w, TSNode node)
{
    return visit_string(w, node, K_CONTENT, K_ESCAPE);
}

static uint32_t
on_heredoc(struct visitor *w, TSNode node)
{
    return visit_string(w, visit_field(w, node, F_VALUE), K_CONTENT, K_ESCAPE);
}

static uint32_t
on_inner(struct visitor *w, TSNode node)
{
    return visit_children(w, node);
}

static uint32_t
on_spread(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SPREAD, visit(w, visit_first(node)), node);
}

static uint32_t
on_array(struct visitor *w, TSNode node)
{
    TSNode first = visit_first(node);
    bool is_map = visit_kind(w, first) == K_ARRAY_ELEMENT &&
                  ts_node_named_child_count(first) > 1;

    return visit_collection(w, is_map ? EXPR_OBJECT : EXPR_ARRAY, node);
}

static uint32_t
on_array_element(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t len;

    visit_list(w, node, &list);
    uint32_t one = list.len > 0 ? list.items[0] : 0;
    uint32_t two = list.len > 1 ? list.items[1] : 0;
    bool is_pair = list.len > 1;

    extract_list_end(&w->x, &list, &len);
    return is_pair ? visit_pair_by(w, one, two, node) : one;
}

static uint32_t
on_member(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t object = visit(w, visit_field(w, node, F_OBJECT));

    if (visit_kind(w, name) != K_NAME) {
        visit(w, name);
        return 0;
    }
    return visit_member(w, object, visit_text(w, name), name);
}

static uint32_t
on_scoped_property(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t scope = visit(w, visit_field(w, node, F_SCOPE));

    return visit_member(w, scope, php_bare(visit_text(w, name)), name);
}

/* `C::NAME`, `C::class` */
static uint32_t
on_constant_access(struct visitor *w, TSNode node)
{
    TSNode scope = visit_first(node);
    uint32_t object = visit(w, scope);
    TSNode name = visit_second(node);

    return visit_member(w, object, visit_text(w, name), name);
}

static uint32_t
on_subscript(struct visitor *w, TSNode node)
{
    TSNode object = visit_first(node);
    uint32_t id = visit(w, object);
    uint32_t index = visit(w, visit_second(node));

    return visit_two(w, EXPR_INDEX, id, index, node);
}

static uint32_t
on_binary(struct visitor *w, TSNode node)
{
    uint32_t left = visit(w, visit_field(w, node, F_LEFT));
    uint32_t right = visit(w, visit_field(w, node, F_RIGHT));
    str op = visit_text(w, visit_field(w, node, F_OPERATOR));

    if (str_eq(op, STR(".")))
        return visit_concat(w, left, right, node);
    if (str_eq(op, STR("??")) || str_eq(op, STR("||")))
        return visit_two(w, EXPR_ALT, left, right, node);
    return 0;
}

static uint32_t
on_conditional(struct visitor *w, TSNode node)
{
    TSNode body = visit_field(w, node, F_BODY);
    uint32_t one = visit(w, visit_field(w, node, F_CONDITION));

    if (!ts_node_is_null(body))
        one = visit(w, body);
    uint32_t two = visit(w, visit_field(w, node, F_ALTERNATIVE));

    return visit_two(w, EXPR_ALT, one, two, node);
}

static void
match_arm(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint32_t id;

    (void)field;
    visit(w, visit_field(w, child, F_CONDITIONS));
    id = visit(w, visit_field(w, child, F_RETURN));
    visit_list_add(w, ctx, id);
}

static uint32_t
on_match(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};

    visit(w, visit_field(w, node, F_CONDITION));
    visit_each(w, visit_field(w, node, F_BODY), match_arm, &list);
    return visit_listed(w, EXPR_ALT, 0, &list, node);
}

static uint32_t
on_cast(struct visitor *w, TSNode node)
{
    return visit(w, visit_field(w, node, F_VALUE));
}

static void
add_type(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (!str_eq(visit_text(w, child), STR("null")))
        visit_list_add(w, ctx, visit(w, child));
}

static uint32_t
on_alt_type(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t len;

    visit_each(w, node, add_type, &list);
    if (list.len != 1)
        return visit_listed(w, EXPR_ALT, 0, &list, node);
    uint32_t only = list.items[0];
    extract_list_end(&w->x, &list, &len);
    return only;
}

static visit_fn *const handlers[K_END] = {
    [K_ALT_TYPE] = on_alt_type,
    [K_ANONYMOUS_CLASS] = php_anonymous_class,
    [K_ARGUMENT] = php_argument,
    [K_ARRAY] = on_array,
    [K_ARRAY_ELEMENT] = on_array_element,
    [K_ARROW] = php_lambda,
    [K_ASSIGN] = php_assign,
    [K_ATTRIBUTE] = php_attribute,
    [K_AUGMENTED] = php_augmented,
    [K_BINARY] = on_binary,
    [K_CALL] = php_call,
    [K_CAST] = on_cast,
    [K_CATCH] = php_catch,
    [K_CLASS] = php_class,
    [K_CLOSURE] = php_lambda,
    [K_CONDITIONAL] = on_conditional,
    [K_CONST] = php_const,
    [K_CONSTANT_ACCESS] = on_constant_access,
    [K_ENCAPSED] = on_string,
    [K_ENUM] = php_enum,
    [K_ENUM_CASE] = php_enum_case,
    [K_FOREACH] = php_foreach,
    [K_FUNCTION] = php_function,
    [K_HEREDOC] = on_heredoc,
    [K_INCLUDE] = php_include,
    [K_INNER] = on_inner,
    [K_INTERFACE] = php_interface,
    [K_MATCH] = on_match,
    [K_MEMBER] = on_member,
    [K_MEMBER_CALL] = php_member_call,
    [K_METHOD] = php_method,
    [K_NAME] = on_name,
    [K_NAMESPACE] = php_namespace,
    [K_NEW] = php_new,
    [K_NUMBER] = on_number,
    [K_PROPERTY] = php_property,
    [K_QUALIFIED] = on_qualified,
    [K_RELATIVE_NAME] = on_relative_name,
    [K_RELATIVE_SCOPE] = on_name,
    [K_RETURN] = php_return,
    [K_SCOPED_CALL] = php_scoped_call,
    [K_SCOPED_PROPERTY] = on_scoped_property,
    [K_SPREAD] = on_spread,
    [K_STATIC_VARIABLE] = php_static_variable,
    [K_STRING] = on_string,
    [K_SUBSCRIPT] = on_subscript,
    [K_TRAIT] = php_trait,
    [K_TYPE] = on_name,
    [K_USE] = php_use,
    [K_VARIABLE] = on_variable,
};

static const struct extract_name kinds[] = {
    {K_ABSTRACT, "abstract_modifier"},
    {K_ALT_TYPE, "disjunctive_normal_form_type"},
    {K_ALT_TYPE, "intersection_type"},
    {K_ALT_TYPE, "type_list"},
    {K_ALT_TYPE, "union_type"},
    {K_ANONYMOUS_CLASS, "anonymous_class"},
    {K_ARGUMENT, "argument"},
    {K_ARGUMENTS, "arguments"},
    {K_ARRAY, "array_creation_expression"},
    {K_ARRAY_ELEMENT, "array_element_initializer"},
    {K_ARROW, "arrow_function"},
    {K_ASSIGN, "assignment_expression"},
    {K_ASSIGN, "reference_assignment_expression"},
    {K_ATTRIBUTE, "attribute"},
    {K_ATTRIBUTE_LIST, "attribute_list"},
    {K_ATTRIBUTE_LIST, "attribute_group"},
    {K_AUGMENTED, "augmented_assignment_expression"},
    {K_BASES, "base_clause"},
    {K_BINARY, "binary_expression"},
    {K_BY_REF, "by_ref"},
    {K_CALL, "function_call_expression"},
    {K_CAST, "cast_expression"},
    {K_CATCH, "catch_clause"},
    {K_CLASS, "class_declaration"},
    {K_CLOSURE, "anonymous_function"},
    {K_CONDITIONAL, "conditional_expression"},
    {K_CONST, "const_element"},
    {K_CONSTANT_ACCESS, "class_constant_access_expression"},
    {K_CONTENT, "string_content"},
    {K_CONTENT, "nowdoc_string"},
    {K_ENCAPSED, "encapsed_string"},
    {K_ENUM, "enum_declaration"},
    {K_ENUM_CASE, "enum_case"},
    {K_ESCAPE, "escape_sequence"},
    {K_FOREACH, "foreach_statement"},
    {K_FUNCTION, "function_definition"},
    {K_HEREDOC, "heredoc"},
    {K_HEREDOC, "nowdoc"},
    {K_INCLUDE, "include_expression"},
    {K_INCLUDE, "include_once_expression"},
    {K_INCLUDE, "require_expression"},
    {K_INCLUDE, "require_once_expression"},
    {K_INNER, "clone_expression"},
    {K_INNER, "error_suppression_expression"},
    {K_INNER, "named_type"},
    {K_INNER, "optional_type"},
    {K_INNER, "parenthesized_expression"},
    {K_INTERFACE, "interface_declaration"},
    {K_INTERFACES, "class_interface_clause"},
    {K_LIST, "list_literal"},
    {K_MATCH, "match_expression"},
    {K_MEMBER, "member_access_expression"},
    {K_MEMBER, "nullsafe_member_access_expression"},
    {K_MEMBER_CALL, "member_call_expression"},
    {K_MEMBER_CALL, "nullsafe_member_call_expression"},
    {K_METHOD, "method_declaration"},
    {K_NAME, "name"},
    {K_NAMESPACE, "namespace_definition"},
    {K_NAMESPACE_NAME, "namespace_name"},
    {K_NEW, "object_creation_expression"},
    {K_NUMBER, "float"},
    {K_NUMBER, "integer"},
    {K_PAIR, "pair"},
    {K_PARAM, "simple_parameter"},
    {K_PARAM, "variadic_parameter"},
    {K_PLACEHOLDER, "variadic_placeholder"},
    {K_PROMOTED, "property_promotion_parameter"},
    {K_PROPERTY, "property_declaration"},
    {K_PROPERTY_ELEMENT, "property_element"},
    {K_QUALIFIED, "qualified_name"},
    {K_RELATIVE_NAME, "relative_name"},
    {K_RELATIVE_SCOPE, "relative_scope"},
    {K_RETURN, "return_statement"},
    {K_SCOPED_CALL, "scoped_call_expression"},
    {K_SCOPED_PROPERTY, "scoped_property_access_expression"},
    {K_SPREAD, "variadic_unpacking"},
    {K_STATIC, "static_modifier"},
    {K_STATIC_VARIABLE, "static_variable_declaration"},
    {K_STRING, "string"},
    {K_SUBSCRIPT, "subscript_expression"},
    {K_TRAIT, "trait_declaration"},
    {K_TYPE, "bottom_type"},
    {K_TYPE, "primitive_type"},
    {K_USE, "namespace_use_declaration"},
    {K_USE_CLAUSE, "namespace_use_clause"},
    {K_USE_GROUP, "namespace_use_group"},
    {K_USE_TRAIT, "use_declaration"},
    {K_VARIABLE, "variable_name"},
    {K_VISIBILITY, "visibility_modifier"},
};

static const struct extract_name fields[] = {
    {F_ALIAS, "alias"},
    {F_ALTERNATIVE, "alternative"},
    {F_ARGUMENTS, "arguments"},
    {F_ATTRIBUTES, "attributes"},
    {F_BODY, "body"},
    {F_CONDITION, "condition"},
    {F_CONDITIONS, "conditional_expressions"},
    {F_DEFAULT, "default_value"},
    {F_FUNCTION, "function"},
    {F_LEFT, "left"},
    {F_NAME, "name"},
    {F_OBJECT, "object"},
    {F_OPERATOR, "operator"},
    {F_PARAMETERS, "parameters"},
    {F_RETURN, "return_expression"},
    {F_RETURN_TYPE, "return_type"},
    {F_RIGHT, "right"},
    {F_SCOPE, "scope"},
    {F_TYPE, "type"},
    {F_VALUE, "value"},
};

const struct lang_names lang_names_php = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = sizeof(kinds) / sizeof(kinds[0]),
    .field_len = sizeof(fields) / sizeof(fields[0]),
};

void
lang_extract_php(struct extract *x)
{
    struct visitor w = {.x = *x, .handlers = handlers, .len = K_END};

    visit(&w, x->root);
}
