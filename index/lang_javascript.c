/*
 * The extractor of JavaScript, TypeScript and TSX: the walk.
 *
 * A table of what to do by kind of node; a kind that is not in it is walked
 * through.  What a node is worth as an expression matters only where it is
 * asked for.
 */
#include "index/lang_javascript.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct extract_name kinds[] = {
    {JS_IMPORT, "import_statement"},
    {JS_IMPORT_CLAUSE, "import_clause"},
    {JS_NAMESPACE_IMPORT, "namespace_import"},
    {JS_NAMED_IMPORTS, "named_imports"},
    {JS_IMPORT_REQUIRE, "?import_require_clause"},
    {JS_IMPORT_ALIAS, "?import_alias"},
    {JS_EXPORT, "export_statement"},
    {JS_EXPORT_CLAUSE, "export_clause"},
    {JS_EXPORT_SPECIFIER, "export_specifier"},
    {JS_NAMESPACE_EXPORT, "namespace_export"},
    {JS_FUNCTION, "function_declaration"},
    {JS_FUNCTION, "generator_function_declaration"},
    {JS_FUNCTION, "?function_signature"},
    {JS_FUNCTION_EXPRESSION, "function_expression"},
    {JS_FUNCTION_EXPRESSION, "generator_function"},
    {JS_ARROW, "arrow_function"},
    {JS_METHOD, "method_definition"},
    {JS_METHOD_SIGNATURE, "?method_signature"},
    {JS_METHOD_SIGNATURE, "?abstract_method_signature"},
    {JS_FIELD, "?field_definition"},
    {JS_FIELD, "?public_field_definition"},
    {JS_PROPERTY_SIGNATURE, "?property_signature"},
    {JS_CALL_SIGNATURE, "?call_signature"},
    {JS_CLASS, "class_declaration"},
    {JS_CLASS, "class"},
    {JS_CLASS, "?abstract_class_declaration"},
    {JS_CLASS_BODY, "class_body"},
    {JS_HERITAGE, "class_heritage"},
    {JS_EXTENDS, "?extends_clause"},
    {JS_IMPLEMENTS, "?implements_clause"},
    {JS_EXTENDS_TYPE, "?extends_type_clause"},
    {JS_INTERFACE, "?interface_declaration"},
    {JS_TYPE_ALIAS, "?type_alias_declaration"},
    {JS_ENUM, "?enum_declaration"},
    {JS_ENUM_VALUE, "?enum_assignment"},
    {JS_NAMESPACE, "?internal_module"},
    {JS_NAMESPACE, "?module"},
    {JS_DECORATOR, "decorator"},
    {JS_PARAMETER, "?required_parameter"},
    {JS_PARAMETER, "?optional_parameter"},
    {JS_ACCESSIBILITY, "?accessibility_modifier"},
    {JS_OVERRIDE, "?override_modifier"},
    {JS_DECLARATION, "lexical_declaration"},
    {JS_DECLARATION, "variable_declaration"},
    {JS_DECLARATION, "?using_declaration"},
    {JS_DECLARATOR, "variable_declarator"},
    {JS_ASSIGNMENT, "assignment_expression"},
    {JS_ASSIGNMENT, "augmented_assignment_expression"},
    {JS_FOR_IN, "for_in_statement"},
    {JS_CATCH, "catch_clause"},
    {JS_RETURN, "return_statement"},
    {JS_OBJECT_PATTERN, "object_pattern"},
    {JS_ARRAY_PATTERN, "array_pattern"},
    {JS_PAIR_PATTERN, "pair_pattern"},
    {JS_ASSIGNMENT_PATTERN, "assignment_pattern"},
    {JS_OBJECT_ASSIGNMENT, "object_assignment_pattern"},
    {JS_REST, "rest_pattern"},
    {JS_SHORTHAND, "shorthand_property_identifier"},
    {JS_SHORTHAND, "shorthand_property_identifier_pattern"},
    {JS_CALL, "call_expression"},
    {JS_NEW, "new_expression"},
    {JS_MEMBER, "member_expression"},
    {JS_SUBSCRIPT, "subscript_expression"},
    {JS_OBJECT, "object"},
    {JS_PAIR, "pair"},
    {JS_ARRAY, "array"},
    {JS_SPREAD, "spread_element"},
    {JS_TERNARY, "ternary_expression"},
    {JS_BINARY, "binary_expression"},
    {JS_PAREN, "parenthesized_expression"},
    {JS_SEQUENCE, "sequence_expression"},
    {JS_AS, "?as_expression"},
    {JS_SATISFIES, "?satisfies_expression"},
    {JS_TYPE_ASSERTION, "?type_assertion"},
    {JS_NON_NULL, "?non_null_expression"},
    {JS_INSTANTIATION, "?instantiation_expression"},
    {JS_AWAIT, "await_expression"},
    {JS_TEMPLATE, "template_string"},
    {JS_SUBSTITUTION, "template_substitution"},
    {JS_STRING, "string"},
    {JS_REGEX, "regex"},
    {JS_NUMBER, "number"},
    {JS_IDENT, "identifier"},
    {JS_PRIVATE, "private_property_identifier"},
    {JS_COMPUTED, "computed_property_name"},
    {JS_WORD, "true"},
    {JS_WORD, "false"},
    {JS_THIS, "this"},
    {JS_SUPER, "super"},
    {JS_DYNAMIC_IMPORT, "import"},
    {JS_JSX_ELEMENT, "?jsx_element"},
    {JS_JSX_OPENING, "?jsx_opening_element"},
    {JS_JSX_OPENING, "?jsx_self_closing_element"},
    {JS_JSX_EXPRESSION, "?jsx_expression"},
    {JS_JSX_ATTRIBUTE, "?jsx_attribute"},
    {JS_BLOCK, "statement_block"},
    {JS_FOR, "for_statement"},
    {JS_LEAF, "comment"},
    {JS_LEAF, "null"},
    {JS_LEAF, "undefined"},
    {JS_LEAF, "property_identifier"},
    {JS_LEAF, "statement_identifier"},
    {JS_LEAF, "?jsx_closing_element"},
    {JS_ANNOTATION, "?type_annotation"},
    {JS_ANNOTATION, "?constraint"},
    {JS_ANNOTATION, "?default_type"},
    {JS_ANNOTATION, "?parenthesized_type"},
    {JS_ANNOTATION, "?readonly_type"},
    {JS_ANNOTATION, "?optional_type"},
    {JS_ANNOTATION, "?rest_type"},
    {JS_TYPE_IDENT, "?type_identifier"},
    {JS_TYPE_IDENT, "?predefined_type"},
    {JS_NESTED_TYPE, "?nested_type_identifier"},
    {JS_NESTED_IDENT, "?nested_identifier"},
    {JS_GENERIC, "?generic_type"},
    {JS_ARRAY_TYPE, "?array_type"},
    {JS_TUPLE, "?tuple_type"},
    {JS_UNION, "?union_type"},
    {JS_INTERSECTION, "?intersection_type"},
    {JS_FUNCTION_TYPE, "?function_type"},
    {JS_FUNCTION_TYPE, "?constructor_type"},
    {JS_TYPEOF, "?type_query"},
    {JS_LITERAL_TYPE, "?literal_type"},
    {JS_OBJECT_TYPE, "?object_type"},
    {JS_LOOKUP, "?lookup_type"},
    {JS_CONDITIONAL, "?conditional_type"},
    {JS_THIS, "?this_type"},
    {JS_OPAQUE_TYPE, "?type_predicate"},
    {JS_OPAQUE_TYPE, "?type_predicate_annotation"},
    {JS_OPAQUE_TYPE, "?asserts"},
    {JS_OPAQUE_TYPE, "?asserts_annotation"},
    {JS_OPAQUE_TYPE, "?index_type_query"},
    {JS_OPAQUE_TYPE, "?infer_type"},
    {JS_OPAQUE_TYPE, "?template_literal_type"},
    {JS_OPAQUE_TYPE, "?existential_type"},
    {JS_OPAQUE_TYPE, "?type_arguments"},
    {JS_OPAQUE_TYPE, "?type_parameters"},
};

static const struct extract_name fields[] = {
    {JS_F_NAME, "name"},
    {JS_F_ALIAS, "alias"},
    {JS_F_SOURCE, "source"},
    {JS_F_DECLARATION, "declaration"},
    {JS_F_VALUE, "value"},
    {JS_F_BODY, "body"},
    {JS_F_PARAMETERS, "parameters"},
    {JS_F_PARAMETER, "parameter"},
    {JS_F_RETURN_TYPE, "?return_type"},
    {JS_F_TYPE_PARAMETERS, "?type_parameters"},
    {JS_F_TYPE_ARGUMENTS, "?type_arguments"},
    {JS_F_TYPE, "?type"},
    {JS_F_CONSTRAINT, "?constraint"},
    {JS_F_PATTERN, "pattern"},
    {JS_F_PROPERTY, "property"},
    {JS_F_OBJECT, "object"},
    {JS_F_INDEX, "index"},
    {JS_F_KEY, "key"},
    {JS_F_LEFT, "left"},
    {JS_F_RIGHT, "right"},
    {JS_F_OPERATOR, "operator"},
    {JS_F_FUNCTION, "function"},
    {JS_F_ARGUMENTS, "arguments"},
    {JS_F_CONSTRUCTOR, "constructor"},
    {JS_F_CONDITION, "condition"},
    {JS_F_CONSEQUENCE, "consequence"},
    {JS_F_ALTERNATIVE, "alternative"},
    {JS_F_MODULE, "?module"},
    {JS_F_OPEN_TAG, "?open_tag"},
    {JS_F_ATTRIBUTE, "?attribute"},
    {JS_F_KIND, "kind"},
};

const struct lang_names lang_names_javascript = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = LEN(kinds),
    .field_len = LEN(fields),
};

static uint32_t
method(struct js *js, TSNode node)
{
    js_method(js, node, 0);
    return 0;
}

static uint32_t
block(struct js *js, TSNode node)
{
    js->blocks++;
    js_visit_children(js, node);
    js->blocks--;
    return 0;
}

/* Done wherever it stands; only where the value is asked for, and otherwise
 * walked through, or left out with all that is in it. */
enum js_use { JS_WALK = 0, JS_ALWAYS, JS_VALUE, JS_LITERAL };

static const struct js_rule {
    js_fn *fn;
    enum js_use use;
} rules[JS_KIND_END] = {
    [JS_IMPORT] = {js_import, JS_ALWAYS},
    [JS_IMPORT_ALIAS] = {js_import_alias, JS_ALWAYS},
    [JS_EXPORT] = {js_export, JS_ALWAYS},
    [JS_FUNCTION] = {js_function, JS_ALWAYS},
    [JS_FUNCTION_EXPRESSION] = {js_lambda, JS_ALWAYS},
    [JS_ARROW] = {js_lambda, JS_ALWAYS},
    [JS_METHOD] = {method, JS_ALWAYS},
    [JS_CLASS] = {js_class, JS_ALWAYS},
    [JS_INTERFACE] = {js_interface, JS_ALWAYS},
    [JS_TYPE_ALIAS] = {js_type_alias, JS_ALWAYS},
    [JS_ENUM] = {js_enum, JS_ALWAYS},
    [JS_NAMESPACE] = {js_namespace, JS_ALWAYS},
    [JS_DECORATOR] = {js_decorator, JS_ALWAYS},
    [JS_DECLARATION] = {js_declaration, JS_ALWAYS},
    [JS_ASSIGNMENT] = {js_assignment, JS_ALWAYS},
    [JS_FOR_IN] = {js_for_in, JS_ALWAYS},
    [JS_CATCH] = {js_catch, JS_ALWAYS},
    [JS_RETURN] = {js_return, JS_ALWAYS},
    [JS_SHORTHAND] = {js_ident, JS_LITERAL},
    [JS_CALL] = {js_call, JS_ALWAYS},
    [JS_NEW] = {js_new, JS_ALWAYS},
    [JS_MEMBER] = {js_member, JS_VALUE},
    [JS_SUBSCRIPT] = {js_subscript, JS_VALUE},
    [JS_OBJECT] = {js_object, JS_VALUE},
    [JS_ARRAY] = {js_array, JS_VALUE},
    [JS_SPREAD] = {js_spread, JS_VALUE},
    [JS_TERNARY] = {js_ternary, JS_VALUE},
    [JS_BINARY] = {js_binary, JS_VALUE},
    [JS_PAREN] = {js_paren, JS_VALUE},
    [JS_SEQUENCE] = {js_sequence, JS_VALUE},
    [JS_AS] = {js_cast, JS_VALUE},
    [JS_SATISFIES] = {js_satisfies, JS_VALUE},
    [JS_TYPE_ASSERTION] = {js_cast, JS_VALUE},
    [JS_NON_NULL] = {js_paren, JS_VALUE},
    [JS_INSTANTIATION] = {js_instantiation, JS_VALUE},
    [JS_AWAIT] = {js_await, JS_VALUE},
    [JS_TEMPLATE] = {js_template, JS_VALUE},
    [JS_STRING] = {js_string, JS_LITERAL},
    [JS_REGEX] = {js_regex, JS_LITERAL},
    [JS_NUMBER] = {js_number, JS_LITERAL},
    [JS_IDENT] = {js_ident, JS_LITERAL},
    [JS_PRIVATE] = {js_ident, JS_LITERAL},
    [JS_WORD] = {js_ident, JS_LITERAL},
    [JS_THIS] = {js_this, JS_LITERAL},
    [JS_SUPER] = {js_super, JS_LITERAL},
    [JS_DYNAMIC_IMPORT] = {js_ident, JS_LITERAL},
    [JS_JSX_ELEMENT] = {js_jsx_element, JS_ALWAYS},
    [JS_JSX_OPENING] = {js_jsx_opening, JS_ALWAYS},
    [JS_JSX_EXPRESSION] = {js_jsx_expression, JS_VALUE},
    [JS_BLOCK] = {block, JS_ALWAYS},
    [JS_FOR] = {block, JS_ALWAYS},
    [JS_LEAF] = {NULL, JS_LITERAL},
    [JS_ANNOTATION] = {js_first_type, JS_LITERAL},
    [JS_TYPE_IDENT] = {js_ident, JS_LITERAL},
    [JS_NESTED_TYPE] = {js_nested_type, JS_LITERAL},
    [JS_NESTED_IDENT] = {js_nested_type, JS_LITERAL},
    [JS_GENERIC] = {js_generic, JS_LITERAL},
    [JS_ARRAY_TYPE] = {js_array_type, JS_LITERAL},
    [JS_TUPLE] = {js_tuple, JS_LITERAL},
    [JS_UNION] = {js_union, JS_LITERAL},
    [JS_INTERSECTION] = {js_union, JS_LITERAL},
    [JS_FUNCTION_TYPE] = {js_function_type, JS_LITERAL},
    [JS_TYPEOF] = {js_typeof, JS_LITERAL},
    [JS_LITERAL_TYPE] = {js_first_type, JS_LITERAL},
    [JS_OBJECT_TYPE] = {js_object_type, JS_LITERAL},
    [JS_LOOKUP] = {js_lookup, JS_LITERAL},
    [JS_CONDITIONAL] = {js_conditional, JS_LITERAL},
    [JS_OPAQUE_TYPE] = {js_opaque_type, JS_LITERAL},
};

void
js_visit_children(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);

    while (extract_next(&it))
        js_visit(js, it.node);
}

uint32_t
js_value(struct js *js, TSNode node)
{
    const struct js_rule *rule = &rules[js_kind(js, node)];
    uint32_t value = 0;

    if (ts_node_is_null(node) || ts_node_is_error(node) ||
        (rule->use == JS_LITERAL && !rule->fn) || !extract_enter(js->x))
        return 0;
    if (rule->fn)
        value = rule->fn(js, node);
    else
        js_visit_children(js, node);
    extract_leave(js->x);
    return value;
}

void
js_visit(struct js *js, TSNode node)
{
    const struct js_rule *rule = &rules[js_kind(js, node)];

    if (ts_node_is_null(node) || ts_node_is_error(node) ||
        rule->use == JS_LITERAL || !extract_enter(js->x))
        return;
    if (rule->use == JS_ALWAYS)
        rule->fn(js, node);
    else
        js_visit_children(js, node);
    extract_leave(js->x);
}

void
lang_extract_javascript(struct extract *x)
{
    struct js js = {.x = x};

    js_visit(&js, x->root);
}
