/*
 * The grammar's names and what is done about each; packages and imports.
 */
#include "index/lang_kotlin.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct extract_name kinds[] = {
    {KT_ANNOTATED_EXPRESSION, "annotated_expression"},
    {KT_ANNOTATED_LAMBDA, "annotated_lambda"},
    {KT_ANNOTATION, "annotation"},
    {KT_ANONYMOUS_FUNCTION, "anonymous_function"},
    {KT_AS_EXPRESSION, "as_expression"},
    {KT_ASSIGNMENT, "assignment"},
    {KT_BINARY_EXPRESSION, "binary_expression"},
    {KT_BLOCK, "block"},
    {KT_CALL_EXPRESSION, "call_expression"},
    {KT_CALLABLE_REFERENCE, "callable_reference"},
    {KT_CATCH_BLOCK, "catch_block"},
    {KT_CHARACTER_LITERAL, "character_literal"},
    {KT_CLASS_BODY, "class_body"},
    {KT_CLASS_DECLARATION, "class_declaration"},
    {KT_CLASS_MODIFIER, "class_modifier"},
    {KT_CLASS_PARAMETER, "class_parameter"},
    {KT_CLASS_PARAMETERS, "class_parameters"},
    {KT_COLLECTION_LITERAL, "collection_literal"},
    {KT_COMPANION_OBJECT, "companion_object"},
    {KT_CONSTRUCTOR_DELEGATION_CALL, "constructor_delegation_call"},
    {KT_CONSTRUCTOR_INVOCATION, "constructor_invocation"},
    {KT_DELEGATION_SPECIFIER, "delegation_specifier"},
    {KT_DELEGATION_SPECIFIERS, "delegation_specifiers"},
    {KT_ENUM_CLASS_BODY, "enum_class_body"},
    {KT_ENUM_ENTRY, "enum_entry"},
    {KT_EXPLICIT_DELEGATION, "explicit_delegation"},
    {KT_FLOAT_LITERAL, "float_literal"},
    {KT_FOR_STATEMENT, "for_statement"},
    {KT_FUNCTION_BODY, "function_body"},
    {KT_FUNCTION_DECLARATION, "function_declaration"},
    {KT_FUNCTION_MODIFIER, "function_modifier"},
    {KT_FUNCTION_TYPE, "function_type"},
    {KT_FUNCTION_TYPE_PARAMETERS, "function_type_parameters"},
    {KT_FUNCTION_VALUE_PARAMETERS, "function_value_parameters"},
    {KT_GETTER, "getter"},
    {KT_IDENTIFIER, "identifier"},
    {KT_IF_EXPRESSION, "if_expression"},
    {KT_IMPORT, "import"},
    {KT_INDEX_EXPRESSION, "index_expression"},
    {KT_INFIX_EXPRESSION, "infix_expression"},
    {KT_INHERITANCE_MODIFIER, "inheritance_modifier"},
    {KT_INTERPOLATION, "interpolation"},
    {KT_LABELED_EXPRESSION, "labeled_expression"},
    {KT_LAMBDA_LITERAL, "lambda_literal"},
    {KT_LAMBDA_PARAMETERS, "lambda_parameters"},
    {KT_MEMBER_MODIFIER, "member_modifier"},
    {KT_MODIFIERS, "modifiers"},
    {KT_MULTI_VARIABLE_DECLARATION, "multi_variable_declaration"},
    {KT_MULTILINE_STRING_LITERAL, "multiline_string_literal"},
    {KT_NAVIGATION_EXPRESSION, "navigation_expression"},
    {KT_NON_NULLABLE_TYPE, "non_nullable_type"},
    {KT_NULLABLE_TYPE, "nullable_type"},
    {KT_NUMBER_LITERAL, "number_literal"},
    {KT_OBJECT_DECLARATION, "object_declaration"},
    {KT_OBJECT_LITERAL, "object_literal"},
    {KT_PACKAGE_HEADER, "package_header"},
    {KT_PARAMETER, "parameter"},
    {KT_PARAMETER_MODIFIERS, "parameter_modifiers"},
    {KT_PARENTHESIZED_EXPRESSION, "parenthesized_expression"},
    {KT_PARENTHESIZED_TYPE, "parenthesized_type"},
    {KT_PRIMARY_CONSTRUCTOR, "primary_constructor"},
    {KT_PROPERTY_DECLARATION, "property_declaration"},
    {KT_PROPERTY_DELEGATE, "property_delegate"},
    {KT_PROPERTY_MODIFIER, "property_modifier"},
    {KT_QUALIFIED_IDENTIFIER, "qualified_identifier"},
    {KT_RETURN_EXPRESSION, "return_expression"},
    {KT_SECONDARY_CONSTRUCTOR, "secondary_constructor"},
    {KT_SETTER, "setter"},
    {KT_SPREAD_EXPRESSION, "spread_expression"},
    {KT_STRING_CONTENT, "string_content"},
    {KT_STRING_LITERAL, "string_literal"},
    {KT_SUPER_EXPRESSION, "super_expression"},
    {KT_THIS_EXPRESSION, "this_expression"},
    {KT_TYPE_ALIAS, "type_alias"},
    {KT_TYPE_ARGUMENTS, "type_arguments"},
    {KT_TYPE_CONSTRAINTS, "type_constraints"},
    {KT_TYPE_PARAMETERS, "type_parameters"},
    {KT_TYPE_PROJECTION, "type_projection"},
    {KT_UNARY_EXPRESSION, "unary_expression"},
    {KT_USER_TYPE, "user_type"},
    {KT_VALUE_ARGUMENT, "value_argument"},
    {KT_VALUE_ARGUMENTS, "value_arguments"},
    {KT_VARIABLE_DECLARATION, "variable_declaration"},
    {KT_VISIBILITY_MODIFIER, "visibility_modifier"},
    {KT_WHEN_SUBJECT, "when_subject"},
};

static const struct extract_name fields[] = {
    {KT_F_ARGUMENT, "argument"}, {KT_F_CONDITION, "condition"},
    {KT_F_LEFT, "left"},         {KT_F_NAME, "name"},
    {KT_F_OPERATOR, "operator"}, {KT_F_RIGHT, "right"},
    {KT_F_TYPE, "type"},
};

const struct lang_names lang_names_kotlin = {kinds, fields, LEN(kinds),
                                             LEN(fields)};

static void
package(struct walk *w, TSNode node)
{
    w->x->facts->package =
        extract_str(w->x, walk_child(w, node, KT_QUALIFIED_IDENTIFIER));
}

static void
import(struct walk *w, TSNode node)
{
    struct facts *facts = w->x->facts;
    TSNode path_node = walk_child(w, node, KT_QUALIFIED_IDENTIFIER);
    str path = extract_text(w->x, path_node);
    bool is_star = walk_has(w, node, STR("*"));
    str name;
    str module = walk_split(path, &name);

    facts_import(facts, &(struct fact_import){
                            .kind = is_star ? IMPORT_STAR : IMPORT_NAME,
                            .scope = w->x->scope,
                            .module = facts_str(facts, is_star ? path : module),
                            .name = is_star ? 0 : facts_str(facts, name),
                            .alias = extract_str(
                                w->x, walk_child(w, node, KT_IDENTIFIER)),
                            .line = extract_line(node),
                        });
}

static void
pass_nothing(struct walk *w, TSNode node)
{
    (void)w;
    (void)node;
}

static const struct walk_rule rules[KT_KIND_END] = {
    [KT_ANNOTATED_EXPRESSION] = {.value = kotlin_inner, .pass = kotlin_stray},
    [KT_ANNOTATION] = {.pass = kotlin_annotation},
    [KT_ANONYMOUS_FUNCTION] = {.value = kotlin_anonymous, .is_kept = true},
    [KT_AS_EXPRESSION] = {.value = kotlin_as},
    [KT_ASSIGNMENT] = {.value = kotlin_assignment, .is_kept = true},
    [KT_BINARY_EXPRESSION] = {.value = kotlin_binary, .is_kept = true},
    [KT_CALL_EXPRESSION] = {.value = kotlin_call, .is_kept = true},
    [KT_CALLABLE_REFERENCE] = {.value = kotlin_reference},
    [KT_CATCH_BLOCK] = {.pass = kotlin_catch},
    [KT_CHARACTER_LITERAL] = {.value = kotlin_character},
    [KT_CLASS_DECLARATION] = {.pass = kotlin_class},
    [KT_COLLECTION_LITERAL] = {.value = kotlin_array},
    [KT_COMPANION_OBJECT] = {.pass = kotlin_companion},
    [KT_ENUM_ENTRY] = {.pass = kotlin_enum_entry},
    [KT_FLOAT_LITERAL] = {.value = kotlin_number},
    [KT_FOR_STATEMENT] = {.pass = kotlin_for},
    [KT_FUNCTION_DECLARATION] = {.pass = kotlin_function},
    [KT_FUNCTION_TYPE] = {.pass = pass_nothing},
    [KT_IDENTIFIER] = {.value = kotlin_name},
    [KT_IF_EXPRESSION] = {.value = kotlin_if},
    [KT_IMPORT] = {.pass = import},
    [KT_INDEX_EXPRESSION] = {.value = kotlin_index},
    [KT_INFIX_EXPRESSION] = {.value = kotlin_infix, .is_kept = true},
    [KT_LABELED_EXPRESSION] = {.value = kotlin_inner},
    [KT_LAMBDA_LITERAL] = {.value = kotlin_lambda, .is_kept = true},
    [KT_MULTILINE_STRING_LITERAL] = {.value = kotlin_string},
    [KT_NAVIGATION_EXPRESSION] = {.value = kotlin_navigation},
    [KT_NUMBER_LITERAL] = {.value = kotlin_number},
    [KT_OBJECT_DECLARATION] = {.pass = kotlin_object_declaration},
    [KT_OBJECT_LITERAL] = {.value = kotlin_object, .is_kept = true},
    [KT_PACKAGE_HEADER] = {.pass = package},
    [KT_PARENTHESIZED_EXPRESSION] = {.value = kotlin_inner},
    [KT_PROPERTY_DECLARATION] = {.pass = kotlin_property},
    [KT_RETURN_EXPRESSION] = {.pass = kotlin_return},
    [KT_SECONDARY_CONSTRUCTOR] = {.pass = kotlin_constructor},
    [KT_SPREAD_EXPRESSION] = {.value = kotlin_spread},
    [KT_STRING_LITERAL] = {.value = kotlin_string},
    [KT_SUPER_EXPRESSION] = {.value = kotlin_super},
    [KT_THIS_EXPRESSION] = {.value = kotlin_this},
    [KT_TYPE_ALIAS] = {.pass = kotlin_type_alias},
    [KT_UNARY_EXPRESSION] = {.value = kotlin_unary},
    [KT_USER_TYPE] = {.pass = pass_nothing},
    [KT_WHEN_SUBJECT] = {.pass = kotlin_when_subject},
};

void
lang_extract_kotlin(struct extract *x)
{
    struct kotlin kotlin = {0};
    struct walk walk = {.x = x, .rules = rules, .language = &kotlin};

    walk_children(&walk, x->root);
}
