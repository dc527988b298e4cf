/*
 * The grammar's names and what is done about each; namespaces and usings.
 *
 * A file with one namespace is of that package, written with braces or
 * without.  What is used globally is an import here and an export to the files
 * beside.
 */
#include "index/lang_csharp.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct extract_name kinds[] = {
    {CS_ACCESSOR_DECLARATION, "accessor_declaration"},
    {CS_ACCESSOR_LIST, "accessor_list"},
    {CS_ALIAS_QUALIFIED_NAME, "alias_qualified_name"},
    {CS_ANONYMOUS_METHOD_EXPRESSION, "anonymous_method_expression"},
    {CS_ANONYMOUS_OBJECT_CREATION_EXPRESSION,
     "anonymous_object_creation_expression"},
    {CS_ARGUMENT, "argument"},
    {CS_ARGUMENT_LIST, "argument_list"},
    {CS_ARRAY_CREATION_EXPRESSION, "array_creation_expression"},
    {CS_ARRAY_TYPE, "array_type"},
    {CS_ARROW_EXPRESSION_CLAUSE, "arrow_expression_clause"},
    {CS_AS_EXPRESSION, "as_expression"},
    {CS_ASSIGNMENT_EXPRESSION, "assignment_expression"},
    {CS_ATTRIBUTE, "attribute"},
    {CS_ATTRIBUTE_ARGUMENT, "attribute_argument"},
    {CS_ATTRIBUTE_ARGUMENT_LIST, "attribute_argument_list"},
    {CS_ATTRIBUTE_LIST, "attribute_list"},
    {CS_AWAIT_EXPRESSION, "await_expression"},
    {CS_BASE_LIST, "base_list"},
    {CS_BINARY_EXPRESSION, "binary_expression"},
    {CS_BLOCK, "block"},
    {CS_BOOLEAN_LITERAL, "boolean_literal"},
    {CS_BRACKETED_ARGUMENT_LIST, "bracketed_argument_list"},
    {CS_CAST_EXPRESSION, "cast_expression"},
    {CS_CATCH_DECLARATION, "catch_declaration"},
    {CS_CHARACTER_LITERAL, "character_literal"},
    {CS_CLASS_DECLARATION, "class_declaration"},
    {CS_COLLECTION_ELEMENT, "collection_element"},
    {CS_COLLECTION_EXPRESSION, "collection_expression"},
    {CS_CONDITIONAL_ACCESS_EXPRESSION, "conditional_access_expression"},
    {CS_CONDITIONAL_EXPRESSION, "conditional_expression"},
    {CS_CONSTRUCTOR_DECLARATION, "constructor_declaration"},
    {CS_CONSTRUCTOR_INITIALIZER, "constructor_initializer"},
    {CS_DECLARATION_EXPRESSION, "declaration_expression"},
    {CS_DECLARATION_PATTERN, "declaration_pattern"},
    {CS_DELEGATE_DECLARATION, "delegate_declaration"},
    {CS_DESTRUCTOR_DECLARATION, "destructor_declaration"},
    {CS_DISCARD, "discard"},
    {CS_ELEMENT_ACCESS_EXPRESSION, "element_access_expression"},
    {CS_ELEMENT_BINDING_EXPRESSION, "element_binding_expression"},
    {CS_ENUM_DECLARATION, "enum_declaration"},
    {CS_ENUM_MEMBER_DECLARATION, "enum_member_declaration"},
    {CS_EXPLICIT_INTERFACE_SPECIFIER, "explicit_interface_specifier"},
    {CS_EXPRESSION_ELEMENT, "expression_element"},
    {CS_FIELD_DECLARATION, "field_declaration"},
    {CS_FILE_SCOPED_NAMESPACE_DECLARATION, "file_scoped_namespace_declaration"},
    {CS_FOREACH_STATEMENT, "foreach_statement"},
    {CS_FROM_CLAUSE, "from_clause"},
    {CS_GENERIC_NAME, "generic_name"},
    {CS_IDENTIFIER, "identifier"},
    {CS_IMPLICIT_ARRAY_CREATION_EXPRESSION,
     "implicit_array_creation_expression"},
    {CS_IMPLICIT_OBJECT_CREATION_EXPRESSION,
     "implicit_object_creation_expression"},
    {CS_IMPLICIT_PARAMETER, "implicit_parameter"},
    {CS_IMPLICIT_TYPE, "implicit_type"},
    {CS_INDEXER_DECLARATION, "indexer_declaration"},
    {CS_INITIALIZER_EXPRESSION, "initializer_expression"},
    {CS_INTEGER_LITERAL, "integer_literal"},
    {CS_INTERFACE_DECLARATION, "interface_declaration"},
    {CS_INTERPOLATED_STRING_EXPRESSION, "interpolated_string_expression"},
    {CS_INTERPOLATION, "interpolation"},
    {CS_INTERPOLATION_BRACE, "interpolation_brace"},
    {CS_INVOCATION_EXPRESSION, "invocation_expression"},
    {CS_LAMBDA_EXPRESSION, "lambda_expression"},
    {CS_LOCAL_DECLARATION_STATEMENT, "local_declaration_statement"},
    {CS_LOCAL_FUNCTION_STATEMENT, "local_function_statement"},
    {CS_MEMBER_ACCESS_EXPRESSION, "member_access_expression"},
    {CS_MEMBER_BINDING_EXPRESSION, "member_binding_expression"},
    {CS_METHOD_DECLARATION, "method_declaration"},
    {CS_MODIFIER, "modifier"},
    {CS_NAMESPACE_DECLARATION, "namespace_declaration"},
    {CS_NULL_LITERAL, "null_literal"},
    {CS_NULLABLE_TYPE, "nullable_type"},
    {CS_OBJECT_CREATION_EXPRESSION, "object_creation_expression"},
    {CS_OPERATOR_DECLARATION, "operator_declaration"},
    {CS_PARAMETER, "parameter"},
    {CS_PARAMETER_LIST, "parameter_list"},
    {CS_PARENTHESIZED_EXPRESSION, "parenthesized_expression"},
    {CS_POINTER_TYPE, "pointer_type"},
    {CS_POSTFIX_UNARY_EXPRESSION, "postfix_unary_expression"},
    {CS_PREDEFINED_TYPE, "predefined_type"},
    {CS_PREPROC_ELIF, "preproc_elif"},
    {CS_PREPROC_ELSE, "preproc_else"},
    {CS_PREPROC_IF, "preproc_if"},
    {CS_PRIMARY_CONSTRUCTOR_BASE_TYPE, "primary_constructor_base_type"},
    {CS_PROPERTY_DECLARATION, "property_declaration"},
    {CS_QUALIFIED_NAME, "qualified_name"},
    {CS_RAW_STRING_CONTENT, "raw_string_content"},
    {CS_RAW_STRING_LITERAL, "raw_string_literal"},
    {CS_REAL_LITERAL, "real_literal"},
    {CS_RECURSIVE_PATTERN, "recursive_pattern"},
    {CS_RECORD_DECLARATION, "record_declaration"},
    {CS_REF_TYPE, "ref_type"},
    {CS_RETURN_STATEMENT, "return_statement"},
    {CS_SCOPED_TYPE, "scoped_type"},
    {CS_SPREAD_ELEMENT, "spread_element"},
    {CS_STRING_CONTENT, "string_content"},
    {CS_ESCAPE_SEQUENCE, "escape_sequence"},
    {CS_STRING_LITERAL, "string_literal"},
    {CS_STRUCT_DECLARATION, "struct_declaration"},
    {CS_TUPLE_ELEMENT, "tuple_element"},
    {CS_TUPLE_EXPRESSION, "tuple_expression"},
    {CS_TUPLE_PATTERN, "tuple_pattern"},
    {CS_TUPLE_TYPE, "tuple_type"},
    {CS_TYPE_ARGUMENT_LIST, "type_argument_list"},
    {CS_TYPE_PARAMETER_LIST, "type_parameter_list"},
    {CS_TYPEOF_EXPRESSION, "typeof_expression"},
    {CS_USING_DIRECTIVE, "using_directive"},
    {CS_VAR_PATTERN, "var_pattern"},
    {CS_VARIABLE_DECLARATION, "variable_declaration"},
    {CS_VARIABLE_DECLARATOR, "variable_declarator"},
    {CS_VERBATIM_STRING_LITERAL, "verbatim_string_literal"},
    {CS_YIELD_STATEMENT, "yield_statement"},
};

static const struct extract_name fields[] = {
    {CS_F_ACCESSORS, "accessors"},
    {CS_F_ALTERNATIVE, "alternative"},
    {CS_F_ARGUMENTS, "arguments"},
    {CS_F_BODY, "body"},
    {CS_F_CONDITION, "condition"},
    {CS_F_CONSEQUENCE, "consequence"},
    {CS_F_EXPRESSION, "expression"},
    {CS_F_FUNCTION, "function"},
    {CS_F_INITIALIZER, "initializer"},
    {CS_F_LEFT, "left"},
    {CS_F_NAME, "name"},
    {CS_F_OPERATOR, "operator"},
    {CS_F_PARAMETERS, "parameters"},
    {CS_F_PATTERN, "pattern"},
    {CS_F_QUALIFIER, "qualifier"},
    {CS_F_RETURNS, "returns"},
    {CS_F_RIGHT, "right"},
    {CS_F_SUBSCRIPT, "subscript"},
    {CS_F_TYPE, "type"},
    {CS_F_VALUE, "value"},
};

const struct lang_names lang_names_csharp = {kinds, fields, LEN(kinds),
                                             LEN(fields)};

static void
count_namespace(struct walk *w, TSNode node, void *ctx)
{
    struct csharp *csharp = ctx;

    csharp->namespaces += walk_kind(w, node) == CS_NAMESPACE_DECLARATION;
}

static void
file_namespace(struct walk *w, TSNode node)
{
    w->x->facts->package = extract_str(w->x, walk_field(w, node, CS_F_NAME));
    walk_children(w, node);
}

static void
block_namespace(struct walk *w, TSNode node)
{
    struct csharp *csharp = w->language;
    TSNode body = walk_field(w, node, CS_F_BODY);

    if (!csharp->is_counted)
        walk_each(w, w->x->root, count_namespace, csharp);
    csharp->is_counted = true;
    if (w->x->scope == 0 && csharp->namespaces == 1) {
        file_namespace(w, node);
        return;
    }
    uint32_t def = walk_define(
        w, &(struct walk_place){node, walk_field(w, node, CS_F_NAME), body, 0},
        (struct fact_def){.kind = CODE_PACKAGE});
    if (def)
        walk_body(w, def, body);
}

static void
import(struct walk *w, TSNode node)
{
    struct facts *facts = w->x->facts;
    TSNode alias = walk_field(w, node, CS_F_NAME);
    str path = extract_text(w->x, csharp_last(node));
    struct fact_import row = {
        .kind = IMPORT_STAR,
        .scope = w->x->scope,
        .module = facts_str(facts, path),
        .line = extract_line(node),
    };

    if (!ts_node_is_null(alias)) {
        str name;
        str module = walk_split(path, &name);
        row.kind = IMPORT_NAME;
        row.module = facts_str(facts, module);
        row.name = facts_str(facts, name);
        row.alias = extract_str(w->x, alias);
    }
    facts_import(facts, &row);
    if (row.kind == IMPORT_STAR && walk_has(w, node, STR("global"))) {
        row.kind = EXPORT_STAR;
        facts_import(facts, &row);
    }
}

static const struct walk_rule rules[CS_KIND_END] = {
    [CS_ANONYMOUS_METHOD_EXPRESSION] = {.value = csharp_lambda,
                                        .is_kept = true},
    [CS_ANONYMOUS_OBJECT_CREATION_EXPRESSION] = {.value =
                                                     csharp_anonymous_object,
                                                 .is_kept = true},
    [CS_ARGUMENT] = {.value = csharp_argument},
    [CS_ARRAY_CREATION_EXPRESSION] = {.value = csharp_array_creation},
    [CS_ARROW_EXPRESSION_CLAUSE] = {.pass = csharp_arrow},
    [CS_AS_EXPRESSION] = {.value = csharp_as},
    [CS_ASSIGNMENT_EXPRESSION] = {.value = csharp_assignment, .is_kept = true},
    [CS_ATTRIBUTE] = {.value = csharp_attribute, .is_kept = true},
    [CS_ATTRIBUTE_ARGUMENT] = {.value = csharp_argument},
    [CS_AWAIT_EXPRESSION] = {.value = csharp_await},
    [CS_BINARY_EXPRESSION] = {.value = csharp_binary},
    [CS_BOOLEAN_LITERAL] = {.value = csharp_name},
    [CS_CAST_EXPRESSION] = {.value = csharp_cast},
    [CS_CATCH_DECLARATION] = {.pass = csharp_catch},
    [CS_CHARACTER_LITERAL] = {.value = csharp_string},
    [CS_CLASS_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_COLLECTION_ELEMENT] = {.value = csharp_inner},
    [CS_COLLECTION_EXPRESSION] = {.value = csharp_array},
    [CS_CONDITIONAL_ACCESS_EXPRESSION] = {.value = csharp_conditional},
    [CS_CONDITIONAL_EXPRESSION] = {.value = csharp_choice},
    [CS_CONSTRUCTOR_DECLARATION] = {.pass = csharp_constructor},
    [CS_DECLARATION_EXPRESSION] = {.value = csharp_declaration,
                                   .is_kept = true},
    [CS_DECLARATION_PATTERN] = {.pass = csharp_pattern},
    [CS_DELEGATE_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_DESTRUCTOR_DECLARATION] = {.pass = csharp_method},
    [CS_ELEMENT_ACCESS_EXPRESSION] = {.value = csharp_element},
    [CS_ENUM_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_ENUM_MEMBER_DECLARATION] = {.pass = csharp_enum_member},
    [CS_EXPRESSION_ELEMENT] = {.value = csharp_inner},
    [CS_FIELD_DECLARATION] = {.pass = csharp_field},
    [CS_FILE_SCOPED_NAMESPACE_DECLARATION] = {.pass = file_namespace},
    [CS_FOREACH_STATEMENT] = {.pass = csharp_foreach},
    [CS_FROM_CLAUSE] = {.pass = csharp_from},
    [CS_GENERIC_NAME] = {.value = csharp_name_of_type},
    [CS_IDENTIFIER] = {.value = csharp_name},
    [CS_IMPLICIT_ARRAY_CREATION_EXPRESSION] = {.value = csharp_inner},
    [CS_IMPLICIT_OBJECT_CREATION_EXPRESSION] = {.value =
                                                    csharp_implicit_creation,
                                                .is_kept = true},
    [CS_INDEXER_DECLARATION] = {.pass = csharp_indexer},
    [CS_INITIALIZER_EXPRESSION] = {.value = csharp_array},
    [CS_INTEGER_LITERAL] = {.value = csharp_number},
    [CS_INTERFACE_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_INTERPOLATED_STRING_EXPRESSION] = {.value = csharp_interpolated},
    [CS_INVOCATION_EXPRESSION] = {.value = csharp_call, .is_kept = true},
    [CS_LAMBDA_EXPRESSION] = {.value = csharp_lambda, .is_kept = true},
    [CS_LOCAL_DECLARATION_STATEMENT] = {.pass = csharp_field},
    [CS_LOCAL_FUNCTION_STATEMENT] = {.pass = csharp_method},
    [CS_MEMBER_ACCESS_EXPRESSION] = {.value = csharp_access},
    [CS_METHOD_DECLARATION] = {.pass = csharp_method},
    [CS_NAMESPACE_DECLARATION] = {.pass = block_namespace},
    [CS_NULL_LITERAL] = {.value = csharp_name},
    [CS_OBJECT_CREATION_EXPRESSION] = {.value = csharp_creation,
                                       .is_kept = true},
    [CS_OPERATOR_DECLARATION] = {.pass = csharp_method},
    [CS_PARENTHESIZED_EXPRESSION] = {.value = csharp_inner},
    [CS_POSTFIX_UNARY_EXPRESSION] = {.value = csharp_postfix},
    [CS_PREDEFINED_TYPE] = {.value = csharp_name},
    [CS_PROPERTY_DECLARATION] = {.pass = csharp_property},
    [CS_QUALIFIED_NAME] = {.value = csharp_name_of_type},
    [CS_RAW_STRING_LITERAL] = {.value = csharp_raw_string},
    [CS_REAL_LITERAL] = {.value = csharp_number},
    [CS_RECORD_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_RECURSIVE_PATTERN] = {.pass = csharp_pattern},
    [CS_RETURN_STATEMENT] = {.pass = csharp_return},
    [CS_SPREAD_ELEMENT] = {.value = csharp_spread},
    [CS_STRING_LITERAL] = {.value = csharp_string},
    [CS_STRUCT_DECLARATION] = {.pass = csharp_type_declaration},
    [CS_TUPLE_EXPRESSION] = {.value = csharp_array},
    [CS_TYPEOF_EXPRESSION] = {.value = csharp_typeof},
    [CS_USING_DIRECTIVE] = {.pass = import},
    [CS_VAR_PATTERN] = {.pass = csharp_pattern},
    [CS_VARIABLE_DECLARATION] = {.pass = csharp_variables},
    [CS_VERBATIM_STRING_LITERAL] = {.value = csharp_verbatim},
    [CS_YIELD_STATEMENT] = {.pass = csharp_yield},
};

void
lang_extract_csharp(struct extract *x)
{
    struct csharp csharp = {0};
    struct walk walk = {.x = x, .rules = rules, .language = &csharp};

    walk_children(&walk, x->root);
}
