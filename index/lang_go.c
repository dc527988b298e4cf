/*
 * The Go extractor: the walk, and what stands above all declarations.
 *
 * The walk is a table of what to do by kind of node; a kind that is not in it
 * is walked through.  What a node is worth as an expression matters only
 * where it is asked for, so that `a + b < c` writes nothing.
 */
#include "index/lang_go.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct extract_name kinds[] = {
    {GO_PACKAGE, "package_clause"},
    {GO_IMPORT, "import_spec"},
    {GO_FUNCTION, "function_declaration"},
    {GO_METHOD, "method_declaration"},
    {GO_FUNC_LITERAL, "func_literal"},
    {GO_TYPE_SPEC, "type_spec"},
    {GO_TYPE_ALIAS, "type_alias"},
    {GO_CONSTS, "const_declaration"},
    {GO_CONST_SPEC, "const_spec"},
    {GO_VAR_SPEC, "var_spec"},
    {GO_STRUCT, "struct_type"},
    {GO_INTERFACE, "interface_type"},
    {GO_FIELD, "field_declaration"},
    {GO_METHOD_ELEM, "method_elem"},
    {GO_TYPE_ELEM, "type_elem"},
    {GO_TYPE_ELEM, "type_constraint"},
    {GO_PARAMETERS, "parameter_list"},
    {GO_PARAMETER, "parameter_declaration"},
    {GO_VARIADIC, "variadic_parameter_declaration"},
    {GO_SHORT_VAR, "short_var_declaration"},
    {GO_ASSIGN, "assignment_statement"},
    {GO_RANGE, "range_clause"},
    {GO_TYPE_SWITCH, "type_switch_statement"},
    {GO_TYPE_CASE, "type_case"},
    {GO_DEFAULT_CASE, "default_case"},
    {GO_RECEIVE, "receive_statement"},
    {GO_RETURN, "return_statement"},
    {GO_EXPRESSIONS, "expression_list"},
    {GO_CALL, "call_expression"},
    {GO_SELECTOR, "selector_expression"},
    {GO_INDEX, "index_expression"},
    {GO_INSTANCE, "type_instantiation_expression"},
    {GO_SLICE, "slice_expression"},
    {GO_ASSERTION, "type_assertion_expression"},
    {GO_CONVERSION, "type_conversion_expression"},
    {GO_COMPOSITE, "composite_literal"},
    {GO_LITERAL_VALUE, "literal_value"},
    {GO_KEYED, "keyed_element"},
    {GO_ELEMENT, "literal_element"},
    {GO_UNARY, "unary_expression"},
    {GO_BINARY, "binary_expression"},
    {GO_PAREN, "parenthesized_expression"},
    {GO_SPREAD, "variadic_argument"},
    {GO_IDENT, "identifier"},
    {GO_STRING, "interpreted_string_literal"},
    {GO_RAW_STRING, "raw_string_literal"},
    {GO_NUMBER, "int_literal"},
    {GO_NUMBER, "float_literal"},
    {GO_WORD, "true"},
    {GO_WORD, "false"},
    {GO_LEAF, "nil"},
    {GO_LEAF, "iota"},
    {GO_LEAF, "rune_literal"},
    {GO_LEAF, "imaginary_literal"},
    {GO_LEAF, "label_name"},
    {GO_LEAF, "field_identifier"},
    {GO_LEAF, "package_identifier"},
    {GO_LEAF, "comment"},
    {GO_TYPE_IDENT, "type_identifier"},
    {GO_QUALIFIED, "qualified_type"},
    {GO_POINTER, "pointer_type"},
    {GO_ARRAY, "array_type"},
    {GO_ARRAY, "slice_type"},
    {GO_ARRAY, "implicit_length_array_type"},
    {GO_MAP, "map_type"},
    {GO_CHANNEL, "channel_type"},
    {GO_FUNC_TYPE, "function_type"},
    {GO_GENERIC, "generic_type"},
    {GO_WRAPPED_TYPE, "parenthesized_type"},
    {GO_WRAPPED_TYPE, "negated_type"},
    {GO_DOT, "dot"},
    {GO_BLANK, "blank_identifier"},
};

static const struct extract_name fields[] = {
    {GO_F_NAME, "name"},
    {GO_F_PATH, "path"},
    {GO_F_PARAMETERS, "parameters"},
    {GO_F_RESULT, "result"},
    {GO_F_BODY, "body"},
    {GO_F_RECEIVER, "receiver"},
    {GO_F_TYPE_PARAMETERS, "type_parameters"},
    {GO_F_TYPE, "type"},
    {GO_F_VALUE, "value"},
    {GO_F_LEFT, "left"},
    {GO_F_RIGHT, "right"},
    {GO_F_ALIAS, "alias"},
    {GO_F_FUNCTION, "function"},
    {GO_F_ARGUMENTS, "arguments"},
    {GO_F_TYPE_ARGUMENTS, "type_arguments"},
    {GO_F_OPERAND, "operand"},
    {GO_F_OPERATOR, "operator"},
    {GO_F_FIELD, "field"},
    {GO_F_INDEX, "index"},
    {GO_F_KEY, "key"},
    {GO_F_ELEMENT, "element"},
    {GO_F_PACKAGE, "package"},
    {GO_F_LENGTH, "length"},
};

const struct lang_names lang_names_go = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = LEN(kinds),
    .field_len = LEN(fields),
};

static uint32_t
package(struct go *go, TSNode node)
{
    go->x->facts->package = extract_str(go->x, ts_node_named_child(node, 0));
    return 0;
}

static uint32_t
import(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    TSNode name = go_field(go, node, GO_F_NAME);
    TSNode path = go_field(go, node, GO_F_PATH);
    uint16_t kind = go_kind(go, name);
    struct fact_import row = {
        .kind = kind == GO_DOT     ? IMPORT_STAR
                : kind == GO_BLANK ? IMPORT_EFFECT
                                   : IMPORT_MODULE,
        .module = extract_string(x, extract_text(x, path), 0),
        .line = extract_line(path),
    };

    if (row.kind == IMPORT_MODULE)
        row.alias = extract_str(x, name);
    facts_import(x->facts, &row);
    return 0;
}

/* What is done for effects only (statements), for both, or only where the
 * value is asked for; then a visit goes through its children. */
enum go_use { GO_WALK = 0, GO_ALWAYS, GO_FOR_VALUE, GO_NEVER };

static const struct go_rule {
    go_fn *fn;
    enum go_use use;
} rules[GO_KIND_END] = {
    [GO_PACKAGE] = {package, GO_ALWAYS},
    [GO_IMPORT] = {import, GO_ALWAYS},
    [GO_FUNCTION] = {go_function, GO_ALWAYS},
    [GO_METHOD] = {go_function, GO_ALWAYS},
    [GO_FUNC_LITERAL] = {go_func_literal, GO_ALWAYS},
    [GO_TYPE_SPEC] = {go_type_spec, GO_ALWAYS},
    [GO_TYPE_ALIAS] = {go_type_spec, GO_ALWAYS},
    [GO_CONSTS] = {go_consts, GO_ALWAYS},
    [GO_CONST_SPEC] = {go_const_spec, GO_ALWAYS},
    [GO_VAR_SPEC] = {go_var_spec, GO_ALWAYS},
    [GO_STRUCT] = {go_struct, GO_FOR_VALUE},
    [GO_INTERFACE] = {go_interface, GO_FOR_VALUE},
    [GO_TYPE_ELEM] = {go_type_elem, GO_FOR_VALUE},
    [GO_SHORT_VAR] = {go_short_var, GO_ALWAYS},
    [GO_ASSIGN] = {go_assign, GO_ALWAYS},
    [GO_RANGE] = {go_range, GO_ALWAYS},
    [GO_TYPE_SWITCH] = {go_type_switch, GO_ALWAYS},
    [GO_RECEIVE] = {go_receive, GO_ALWAYS},
    [GO_RETURN] = {go_return, GO_ALWAYS},
    [GO_CALL] = {go_call, GO_ALWAYS},
    [GO_SELECTOR] = {go_selector, GO_FOR_VALUE},
    [GO_INDEX] = {go_index, GO_FOR_VALUE},
    [GO_INSTANCE] = {go_instance, GO_FOR_VALUE},
    [GO_SLICE] = {go_slice, GO_FOR_VALUE},
    [GO_ASSERTION] = {go_assertion, GO_FOR_VALUE},
    [GO_CONVERSION] = {go_assertion, GO_ALWAYS},
    [GO_COMPOSITE] = {go_composite, GO_ALWAYS},
    [GO_ELEMENT] = {go_element, GO_FOR_VALUE},
    [GO_UNARY] = {go_unary, GO_FOR_VALUE},
    [GO_BINARY] = {go_binary, GO_FOR_VALUE},
    [GO_PAREN] = {go_paren, GO_FOR_VALUE},
    [GO_SPREAD] = {go_spread, GO_FOR_VALUE},
    [GO_IDENT] = {go_ident, GO_FOR_VALUE},
    [GO_STRING] = {go_string, GO_FOR_VALUE},
    [GO_RAW_STRING] = {go_raw_string, GO_FOR_VALUE},
    [GO_NUMBER] = {go_number, GO_FOR_VALUE},
    [GO_WORD] = {go_ident, GO_FOR_VALUE},
    [GO_LEAF] = {NULL, GO_NEVER},
    [GO_TYPE_IDENT] = {go_ident, GO_FOR_VALUE},
    [GO_QUALIFIED] = {go_qualified, GO_FOR_VALUE},
    [GO_POINTER] = {go_pointer, GO_FOR_VALUE},
    [GO_ARRAY] = {go_array, GO_FOR_VALUE},
    [GO_MAP] = {go_map, GO_FOR_VALUE},
    [GO_CHANNEL] = {go_channel, GO_FOR_VALUE},
    [GO_FUNC_TYPE] = {go_func_type, GO_FOR_VALUE},
    [GO_GENERIC] = {go_generic, GO_FOR_VALUE},
    [GO_WRAPPED_TYPE] = {go_paren, GO_FOR_VALUE},
};

void
go_visit_children(struct go *go, TSNode node)
{
    struct extract_children it = extract_children(node);

    while (extract_next(&it))
        go_visit(go, it.node);
}

uint32_t
go_value(struct go *go, TSNode node)
{
    const struct go_rule *rule = &rules[go_kind(go, node)];
    uint32_t value = 0;

    if (ts_node_is_null(node) || ts_node_is_error(node) ||
        rule->use == GO_NEVER || !extract_enter(go->x))
        return 0;
    if (rule->fn)
        value = rule->fn(go, node);
    else
        go_visit_children(go, node);
    extract_leave(go->x);
    return value;
}

void
go_visit(struct go *go, TSNode node)
{
    const struct go_rule *rule = &rules[go_kind(go, node)];

    if (ts_node_is_null(node) || ts_node_is_error(node) ||
        rule->use == GO_NEVER || ts_node_named_child_count(node) == 0)
        return;
    if (!extract_enter(go->x))
        return;
    if (rule->use == GO_ALWAYS)
        rule->fn(go, node);
    else
        go_visit_children(go, node);
    extract_leave(go->x);
}

void
lang_extract_go(struct extract *x)
{
    struct go go = {.x = x};

    go_visit(&go, x->root);
}
