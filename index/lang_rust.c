/*
 * Rust: values, paths and types.  Items are in lang_rust_def.c, patterns and
 * what they bind in lang_rust_bind.c, macros in lang_rust_macro.c.
 */
#include "index/lang_rust.h"

static uint32_t
on_name(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    return str_eq(text, STR("Self")) ? visit_wrap(w, EXPR_SELF, 0, node)
                                     : visit_leaf(w, EXPR_NAME, text, node);
}

static uint32_t
on_self(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SELF, 0, node);
}

static uint32_t
on_field(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_FIELD);
    uint32_t object = visit(w, visit_field(w, node, F_VALUE));

    return visit_member(w, object, visit_text(w, name), name);
}

static uint32_t
on_inner(struct visitor *w, TSNode node)
{
    return visit_children(w, node);
}

static uint32_t
on_reference(struct visitor *w, TSNode node)
{
    TSNode value = visit_field(w, node, F_VALUE);

    return visit(w,
                 ts_node_is_null(value) ? visit_field(w, node, F_TYPE) : value);
}

static void
generic_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) != K_LIFETIME)
        visit_list_add(w, ctx, visit(w, child));
}

static uint32_t
generic_of(struct visitor *w, uint32_t base, TSNode node)
{
    struct extract_list list = {0};

    visit_each(w, visit_field(w, node, F_TYPE_ARGUMENTS), generic_one, &list);
    if (list.len > 0)
        return visit_listed(w, EXPR_GENERIC, base, &list, node);
    return base;
}

static uint32_t
on_generic(struct visitor *w, TSNode node)
{
    return generic_of(w, visit(w, visit_field(w, node, F_TYPE)), node);
}

static uint32_t
on_generic_function(struct visitor *w, TSNode node)
{
    return generic_of(w, visit(w, visit_field(w, node, F_FUNCTION)), node);
}

static uint32_t
on_array_type(struct visitor *w, TSNode node)
{
    uint32_t name = visit_leaf(w, EXPR_NAME, STR("[]"), node);

    return visit_two(w, EXPR_GENERIC, name,
                     visit(w, visit_field(w, node, F_ELEMENT)), node);
}

static uint32_t
on_pointer(struct visitor *w, TSNode node)
{
    uint32_t name = visit_leaf(w, EXPR_NAME, STR("*"), node);

    return visit_two(w, EXPR_GENERIC, name,
                     visit(w, visit_field(w, node, F_TYPE)), node);
}

/* `dyn T`, `impl T`, `T + Send`: the first of them. */
static uint32_t
on_trait_type(struct visitor *w, TSNode node)
{
    return visit(w, visit_first(node));
}

static uint32_t
on_qualified(struct visitor *w, TSNode node)
{
    return visit(w, visit_field(w, node, F_TYPE));
}

static uint32_t
on_function_type(struct visitor *w, TSNode node)
{
    (void)w;
    (void)node;
    return 0;
}

static TSNode
last_name(const struct visitor *w, TSNode function)
{
    uint16_t kind = visit_kind(w, function);

    if (kind == K_GENERIC_FUNCTION) {
        function = visit_field(w, function, F_FUNCTION);
        kind = visit_kind(w, function);
    }
    return kind == K_FIELD    ? visit_field(w, function, F_FIELD)
           : kind == K_SCOPED ? visit_field(w, function, F_NAME)
                              : function;
}

static bool
is_wrapper(const struct visitor *w, uint32_t callee)
{
    str name = visit_expr_text(w, callee);

    return visit_expr_kind(w, callee) == EXPR_NAME &&
           (str_eq(name, STR("Ok")) || str_eq(name, STR("Some")));
}

static uint32_t
on_call(struct visitor *w, TSNode node)
{
    TSNode function = visit_field(w, node, F_FUNCTION);
    struct extract_list list = {0};
    uint32_t callee = visit(w, function);
    uint32_t len;

    visit_list(w, visit_field(w, node, F_ARGUMENTS), &list);
    if (list.len == 1 && is_wrapper(w, callee)) {
        uint32_t inner = list.items[0];
        extract_list_end(&w->x, &list, &len);
        return inner;
    }
    return visit_listed(w, EXPR_CALL, callee, &list, last_name(w, function));
}

static uint32_t
on_field_init(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_FIELD);
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    return visit_pair(w, visit_text(w, name), value, node);
}

static uint32_t
on_shorthand_init(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_first(node));

    return visit_pair(w, visit_text(w, node), value, node);
}

static uint32_t
on_base_init(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SPREAD, visit_children(w, node), node);
}

static uint32_t
on_struct_expr(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_NAME);
    struct extract_list list = {0};
    uint32_t id = visit(w, type);

    visit_list(w, visit_field(w, node, F_BODY), &list);
    return visit_listed(w, EXPR_NEW, id, &list, last_name(w, type));
}

static uint32_t
on_array(struct visitor *w, TSNode node)
{
    return visit_collection(w, EXPR_ARRAY, node);
}

static uint32_t
on_index(struct visitor *w, TSNode node)
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

    return str_eq(op, STR("+")) ? visit_sum(w, left, right, node) : 0;
}

static uint32_t
on_cast(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    return visit_two(w, EXPR_CAST, value,
                     visit(w, visit_field(w, node, F_TYPE)), node);
}

static uint32_t
on_string(struct visitor *w, TSNode node)
{
    return visit_string(w, node, K_CONTENT, K_ESCAPE);
}

static uint32_t
on_raw_string(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_STRING, visit_text(w, visit_first(node)), node);
}

static uint32_t
on_number(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NUMBER, visit_text(w, node), node);
}

static uint32_t
on_if(struct visitor *w, TSNode node)
{
    visit(w, visit_field(w, node, F_CONDITION));
    uint32_t one = visit(w, visit_field(w, node, F_CONSEQUENCE));
    uint32_t two = visit(w, visit_field(w, node, F_ALTERNATIVE));

    if (!one || !two)
        return one ? one : two;
    return visit_two(w, EXPR_ALT, one, two, node);
}

/* With a semicolon it has no value. */
static uint32_t
on_statement(struct visitor *w, TSNode node)
{
    uint32_t value = visit_children(w, node);
    str text = visit_text(w, node);

    return text.len > 0 && text.ptr[text.len - 1] == ';' ? 0 : value;
}

static uint32_t
on_skipped(struct visitor *w, TSNode node)
{
    (void)w;
    (void)node;
    return 0;
}

static visit_fn *const handlers[K_END] = {
    [K_ARRAY] = on_array,
    [K_ARRAY_TYPE] = on_array_type,
    [K_ASSIGN] = rust_assign,
    [K_ATTRIBUTE] = rust_attribute,
    [K_ATTRIBUTE_ITEM] = on_skipped,
    [K_BASE_INIT] = on_base_init,
    [K_BINARY] = on_binary,
    [K_BLOCK] = rust_block,
    [K_BODY] = on_inner,
    [K_CALL] = on_call,
    [K_CAST] = on_cast,
    [K_CLOSURE] = rust_closure,
    [K_CONST] = rust_const,
    [K_CRATE] = on_name,
    [K_DECLARATIONS] = rust_block,
    [K_ENUM] = rust_enum,
    [K_EXTERN_CRATE] = rust_extern_crate,
    [K_FIELD] = on_field,
    [K_FIELD_INIT] = on_field_init,
    [K_FOR] = rust_for,
    [K_FUNCTION] = rust_function,
    [K_FUNCTION_TYPE] = on_function_type,
    [K_GENERIC] = on_generic,
    [K_GENERIC_FUNCTION] = on_generic_function,
    [K_IDENTIFIER] = on_name,
    [K_IF] = on_if,
    [K_IMPL] = rust_impl,
    [K_INDEX] = on_index,
    [K_INNER] = on_inner,
    [K_LET] = rust_let,
    [K_LET_CONDITION] = rust_let_condition,
    [K_MACRO] = rust_macro,
    [K_MACRO_DEFINITION] = rust_macro_definition,
    [K_MATCH] = rust_match,
    [K_MOD] = rust_mod,
    [K_NAME_TYPE] = rust_named_type,
    [K_NUMBER] = on_number,
    [K_POINTER] = on_pointer,
    [K_QUALIFIED] = on_qualified,
    [K_RAW_STRING] = on_raw_string,
    [K_REFERENCE] = on_reference,
    [K_RETURN] = rust_return,
    [K_SCOPED] = rust_scoped,
    [K_SELF] = on_self,
    [K_SHORTHAND_INIT] = on_shorthand_init,
    [K_SIGNATURE] = rust_function,
    [K_STATEMENT] = on_statement,
    [K_STATIC] = rust_const,
    [K_STRING] = on_string,
    [K_STRUCT] = rust_struct,
    [K_STRUCT_EXPR] = on_struct_expr,
    [K_SUPER] = on_name,
    [K_TOKENS] = on_skipped,
    [K_TRAIT] = rust_trait,
    [K_TRAIT_TYPE] = on_trait_type,
    [K_TYPE_ITEM] = rust_type_item,
    [K_UNARY] = rust_unary,
    [K_USE] = rust_use,
};

static const struct extract_name kinds[] = {
    {K_ARRAY, "array_expression"},
    {K_ARRAY, "tuple_expression"},
    {K_ARRAY, "tuple_type"},
    {K_ARRAY_TYPE, "array_type"},
    {K_ASSIGN, "assignment_expression"},
    {K_ATTRIBUTE, "attribute"},
    {K_ATTRIBUTE_ITEM, "attribute_item"},
    {K_ATTRIBUTE_ITEM, "inner_attribute_item"},
    {K_BINARY, "binary_expression"},
    {K_BLOCK, "block"},
    {K_BLOCK, "source_file"},
    {K_BODY, "else_clause"},
    {K_CALL, "call_expression"},
    {K_CAPTURED, "captured_pattern"},
    {K_CAST, "type_cast_expression"},
    {K_CLOSURE, "closure_expression"},
    {K_CONST, "const_item"},
    {K_CONTENT, "string_content"},
    {K_CRATE, "crate"},
    {K_DECLARATIONS, "declaration_list"},
    {K_ENUM, "enum_item"},
    {K_ESCAPE, "escape_sequence"},
    {K_EXTERN_CRATE, "extern_crate_declaration"},
    {K_FIELD, "field_expression"},
    {K_FIELD_DECLARATION, "field_declaration"},
    {K_FIELD_INIT, "field_initializer"},
    {K_BASE_INIT, "base_field_initializer"},
    {K_FIELD_PATTERN, "field_pattern"},
    {K_FOR, "for_expression"},
    {K_FUNCTION, "function_item"},
    {K_FUNCTION_TYPE, "function_type"},
    {K_GENERIC, "generic_type"},
    {K_GENERIC, "generic_type_with_turbofish"},
    {K_GENERIC_FUNCTION, "generic_function"},
    {K_IDENTIFIER, "identifier"},
    {K_IDENTIFIER, "shorthand_field_identifier"},
    {K_IF, "if_expression"},
    {K_IMPL, "impl_item"},
    {K_INDEX, "index_expression"},
    {K_INNER, "async_block"},
    {K_INNER, "await_expression"},
    {K_INNER, "bracketed_type"},
    {K_INNER, "parenthesized_expression"},
    {K_INNER, "try_expression"},
    {K_INNER, "type_binding"}, /* `Iterator<Item = T>` */
    {K_INNER, "unsafe_block"},
    {K_LET, "let_declaration"},
    {K_LET_CONDITION, "let_condition"},
    {K_LIFETIME, "lifetime"},
    {K_MACRO, "macro_invocation"},
    {K_MACRO_DEFINITION, "macro_definition"},
    {K_MATCH, "match_expression"},
    {K_MATCH_ARM, "match_arm"},
    {K_MOD, "mod_item"},
    {K_NAME_TYPE, "primitive_type"},
    {K_NAME_TYPE, "type_identifier"},
    {K_NUMBER, "float_literal"},
    {K_NUMBER, "integer_literal"},
    {K_ORDERED_FIELDS, "ordered_field_declaration_list"},
    {K_PARAM, "parameter"},
    {K_PATTERN, "mut_pattern"},
    {K_PATTERN, "or_pattern"},
    {K_PATTERN, "ref_pattern"},
    {K_PATTERN, "reference_pattern"},
    {K_POINTER, "pointer_type"},
    {K_PREDICATE, "where_predicate"},
    {K_QUALIFIED, "qualified_type"},
    {K_RAW_STRING, "raw_string_literal"},
    {K_REFERENCE, "reference_expression"},
    {K_REFERENCE, "reference_type"},
    {K_RETURN, "return_expression"},
    {K_SCOPED, "scoped_identifier"},
    {K_SCOPED, "scoped_type_identifier"},
    {K_SCOPED_LIST, "scoped_use_list"},
    {K_SELF, "self"},
    {K_SELF_PARAM, "self_parameter"},
    {K_SHORTHAND_INIT, "shorthand_field_initializer"},
    {K_SIGNATURE, "function_signature_item"},
    {K_SLICE_PATTERN, "slice_pattern"},
    {K_STATEMENT, "expression_statement"},
    {K_STATIC, "static_item"},
    {K_STRING, "string_literal"},
    {K_STRUCT, "struct_item"},
    {K_STRUCT, "union_item"},
    {K_STRUCT_EXPR, "struct_expression"},
    {K_STRUCT_PATTERN, "struct_pattern"},
    {K_SUPER, "super"},
    {K_TOKENS, "token_tree"},
    {K_TRAIT, "trait_item"},
    {K_TRAIT_TYPE, "abstract_type"},
    {K_TRAIT_TYPE, "bounded_type"},
    {K_TRAIT_TYPE, "dynamic_type"},
    {K_TUPLE_PATTERN, "tuple_pattern"},
    {K_TUPLE_STRUCT, "tuple_struct_pattern"},
    {K_TYPE_ITEM, "associated_type"},
    {K_TYPE_ITEM, "type_item"},
    {K_TYPE_PARAM, "type_parameter"},
    {K_UNARY, "unary_expression"},
    {K_USE, "use_declaration"},
    {K_USE_AS, "use_as_clause"},
    {K_USE_LIST, "use_list"},
    {K_USE_STAR, "use_wildcard"},
    {K_VARIANT, "enum_variant"},
    {K_VISIBILITY, "visibility_modifier"},
    {K_WHERE, "where_clause"},
};

static const struct extract_name fields[] = {
    {F_ALIAS, "alias"},
    {F_ALTERNATIVE, "alternative"},
    {F_ARGUMENT, "argument"},
    {F_ARGUMENTS, "arguments"},
    {F_BODY, "body"},
    {F_BOUNDS, "bounds"},
    {F_CONDITION, "condition"},
    {F_CONSEQUENCE, "consequence"},
    {F_ELEMENT, "element"},
    {F_FIELD, "field"},
    {F_FUNCTION, "function"},
    {F_LEFT, "left"},
    {F_LIST, "list"},
    {F_MACRO, "macro"},
    {F_NAME, "name"},
    {F_OPERATOR, "operator"},
    {F_PARAMETERS, "parameters"},
    {F_PATH, "path"},
    {F_PATTERN, "pattern"},
    {F_RETURN_TYPE, "return_type"},
    {F_RIGHT, "right"},
    {F_TRAIT, "trait"},
    {F_TYPE, "type"},
    {F_TYPE_ARGUMENTS, "type_arguments"},
    {F_TYPE_PARAMETERS, "type_parameters"},
    {F_VALUE, "value"},
};

const struct lang_names lang_names_rust = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = sizeof(kinds) / sizeof(kinds[0]),
    .field_len = sizeof(fields) / sizeof(fields[0]),
};

void
lang_extract_rust(struct extract *x)
{
    struct rust rust = {.w = {.x = *x, .handlers = handlers, .len = K_END}};

    visit(&rust.w, x->root);
}
