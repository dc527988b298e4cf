/*
 * The grammar's names and what is done about each; packages and imports.  A
 * class that is imported is a name of its package, a static member one of its
 * class.
 */
#include "index/lang_java.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct extract_name kinds[] = {
    {JAVA_ANNOTATED_TYPE, "annotated_type"},
    {JAVA_ANNOTATION, "annotation"},
    {JAVA_ANNOTATION_ARGUMENT_LIST, "annotation_argument_list"},
    {JAVA_ANNOTATION_TYPE_DECLARATION, "annotation_type_declaration"},
    {JAVA_ANNOTATION_TYPE_ELEMENT_DECLARATION,
     "annotation_type_element_declaration"},
    {JAVA_ARGUMENT_LIST, "argument_list"},
    {JAVA_ARRAY_ACCESS, "array_access"},
    {JAVA_ARRAY_CREATION_EXPRESSION, "array_creation_expression"},
    {JAVA_ARRAY_INITIALIZER, "array_initializer"},
    {JAVA_ARRAY_TYPE, "array_type"},
    {JAVA_ASTERISK, "asterisk"},
    {JAVA_ASSIGNMENT_EXPRESSION, "assignment_expression"},
    {JAVA_BINARY_EXPRESSION, "binary_expression"},
    {JAVA_BLOCK, "block"},
    {JAVA_BOOLEAN_TYPE, "boolean_type"},
    {JAVA_CAST_EXPRESSION, "cast_expression"},
    {JAVA_CATCH_FORMAL_PARAMETER, "catch_formal_parameter"},
    {JAVA_CATCH_TYPE, "catch_type"},
    {JAVA_CHARACTER_LITERAL, "character_literal"},
    {JAVA_CLASS_BODY, "class_body"},
    {JAVA_CLASS_DECLARATION, "class_declaration"},
    {JAVA_CLASS_LITERAL, "class_literal"},
    {JAVA_COMPACT_CONSTRUCTOR_DECLARATION, "compact_constructor_declaration"},
    {JAVA_CONSTANT_DECLARATION, "constant_declaration"},
    {JAVA_CONSTRUCTOR_DECLARATION, "constructor_declaration"},
    {JAVA_DECIMAL_FLOATING_POINT_LITERAL, "decimal_floating_point_literal"},
    {JAVA_DECIMAL_INTEGER_LITERAL, "decimal_integer_literal"},
    {JAVA_ELEMENT_VALUE_ARRAY_INITIALIZER, "element_value_array_initializer"},
    {JAVA_ELEMENT_VALUE_PAIR, "element_value_pair"},
    {JAVA_ENHANCED_FOR_STATEMENT, "enhanced_for_statement"},
    {JAVA_ENUM_CONSTANT, "enum_constant"},
    {JAVA_ENUM_DECLARATION, "enum_declaration"},
    {JAVA_EXPLICIT_CONSTRUCTOR_INVOCATION, "explicit_constructor_invocation"},
    {JAVA_EXTENDS_INTERFACES, "extends_interfaces"},
    {JAVA_FALSE, "false"},
    {JAVA_FIELD_ACCESS, "field_access"},
    {JAVA_FIELD_DECLARATION, "field_declaration"},
    {JAVA_FLOATING_POINT_TYPE, "floating_point_type"},
    {JAVA_FORMAL_PARAMETER, "formal_parameter"},
    {JAVA_GENERIC_TYPE, "generic_type"},
    {JAVA_HEX_INTEGER_LITERAL, "hex_integer_literal"},
    {JAVA_IDENTIFIER, "identifier"},
    {JAVA_IMPORT_DECLARATION, "import_declaration"},
    {JAVA_INFERRED_PARAMETERS, "inferred_parameters"},
    {JAVA_INSTANCEOF_EXPRESSION, "instanceof_expression"},
    {JAVA_INTEGRAL_TYPE, "integral_type"},
    {JAVA_INTERFACE_DECLARATION, "interface_declaration"},
    {JAVA_LAMBDA_EXPRESSION, "lambda_expression"},
    {JAVA_LOCAL_VARIABLE_DECLARATION, "local_variable_declaration"},
    {JAVA_MARKER_ANNOTATION, "marker_annotation"},
    {JAVA_METHOD_DECLARATION, "method_declaration"},
    {JAVA_METHOD_INVOCATION, "method_invocation"},
    {JAVA_METHOD_REFERENCE, "method_reference"},
    {JAVA_MODIFIERS, "modifiers"},
    {JAVA_NULL_LITERAL, "null_literal"},
    {JAVA_OBJECT_CREATION_EXPRESSION, "object_creation_expression"},
    {JAVA_PACKAGE_DECLARATION, "package_declaration"},
    {JAVA_PARENTHESIZED_EXPRESSION, "parenthesized_expression"},
    {JAVA_RECORD_DECLARATION, "record_declaration"},
    {JAVA_RECORD_PATTERN_COMPONENT, "record_pattern_component"},
    {JAVA_RESOURCE, "resource"},
    {JAVA_RETURN_STATEMENT, "return_statement"},
    {JAVA_SCOPED_IDENTIFIER, "scoped_identifier"},
    {JAVA_SCOPED_TYPE_IDENTIFIER, "scoped_type_identifier"},
    {JAVA_SPREAD_PARAMETER, "spread_parameter"},
    {JAVA_STRING_LITERAL, "string_literal"},
    {JAVA_SUPER, "super"},
    {JAVA_TERNARY_EXPRESSION, "ternary_expression"},
    {JAVA_THIS, "this"},
    {JAVA_TRUE, "true"},
    {JAVA_TYPE_ARGUMENTS, "type_arguments"},
    {JAVA_TYPE_BOUND, "type_bound"},
    {JAVA_TYPE_IDENTIFIER, "type_identifier"},
    {JAVA_TYPE_LIST, "type_list"},
    {JAVA_TYPE_PARAMETER, "type_parameter"},
    {JAVA_TYPE_PARAMETERS, "type_parameters"},
    {JAVA_TYPE_PATTERN, "type_pattern"},
    {JAVA_VARIABLE_DECLARATOR, "variable_declarator"},
    {JAVA_VOID_TYPE, "void_type"},
    {JAVA_WILDCARD, "wildcard"},
};

static const struct extract_name fields[] = {
    {JAVA_F_ALTERNATIVE, "alternative"},
    {JAVA_F_ARGUMENTS, "arguments"},
    {JAVA_F_ARRAY, "array"},
    {JAVA_F_BODY, "body"},
    {JAVA_F_CONDITION, "condition"},
    {JAVA_F_CONSEQUENCE, "consequence"},
    {JAVA_F_CONSTRUCTOR, "constructor"},
    {JAVA_F_DECLARATOR, "declarator"},
    {JAVA_F_DIMENSIONS, "dimensions"},
    {JAVA_F_ELEMENT, "element"},
    {JAVA_F_FIELD, "field"},
    {JAVA_F_INDEX, "index"},
    {JAVA_F_INTERFACES, "interfaces"},
    {JAVA_F_KEY, "key"},
    {JAVA_F_LEFT, "left"},
    {JAVA_F_NAME, "name"},
    {JAVA_F_OBJECT, "object"},
    {JAVA_F_OPERATOR, "operator"},
    {JAVA_F_PARAMETERS, "parameters"},
    {JAVA_F_RIGHT, "right"},
    {JAVA_F_SUPERCLASS, "superclass"},
    {JAVA_F_TYPE, "type"},
    {JAVA_F_TYPE_ARGUMENTS, "type_arguments"},
    {JAVA_F_VALUE, "value"},
};

const struct lang_names lang_names_java = {kinds, fields, LEN(kinds),
                                           LEN(fields)};

static void
package(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, JAVA_SCOPED_IDENTIFIER);

    if (ts_node_is_null(name))
        name = walk_child(w, node, JAVA_IDENTIFIER);
    w->x->facts->package = extract_str(w->x, name);
}

static void
import(struct walk *w, TSNode node)
{
    struct facts *facts = w->x->facts;
    str path = extract_text(w->x, walk_child(w, node, 0));
    bool is_star = !ts_node_is_null(walk_child(w, node, JAVA_ASTERISK));
    str name;
    str module = walk_split(path, &name);

    facts_import(facts, &(struct fact_import){
                            .kind = is_star ? IMPORT_STAR : IMPORT_NAME,
                            .scope = w->x->scope,
                            .module = facts_str(facts, is_star ? path : module),
                            .name = is_star ? 0 : facts_str(facts, name),
                            .line = extract_line(node),
                        });
}

static const struct walk_rule rules[JAVA_KIND_END] = {
    [JAVA_ANNOTATION] = {.value = java_annotation, .is_kept = true},
    [JAVA_MARKER_ANNOTATION] = {.value = java_annotation},
    [JAVA_ANNOTATION_TYPE_DECLARATION] = {.pass = java_type_declaration},
    [JAVA_ANNOTATION_TYPE_ELEMENT_DECLARATION] = {.pass = java_method},
    [JAVA_ARRAY_ACCESS] = {.value = java_index},
    [JAVA_ARRAY_CREATION_EXPRESSION] = {.value = java_new_array},
    [JAVA_ARRAY_INITIALIZER] = {.value = java_array},
    [JAVA_ASSIGNMENT_EXPRESSION] = {.value = java_assignment, .is_kept = true},
    [JAVA_BINARY_EXPRESSION] = {.value = java_binary},
    [JAVA_CAST_EXPRESSION] = {.value = java_cast},
    [JAVA_CATCH_FORMAL_PARAMETER] = {.pass = java_catch},
    [JAVA_CHARACTER_LITERAL] = {.value = java_string},
    [JAVA_CLASS_DECLARATION] = {.pass = java_type_declaration},
    [JAVA_CLASS_LITERAL] = {.value = java_class_literal},
    [JAVA_COMPACT_CONSTRUCTOR_DECLARATION] = {.pass = java_constructor},
    [JAVA_CONSTANT_DECLARATION] = {.pass = java_field},
    [JAVA_CONSTRUCTOR_DECLARATION] = {.pass = java_constructor},
    [JAVA_DECIMAL_FLOATING_POINT_LITERAL] = {.value = java_number},
    [JAVA_DECIMAL_INTEGER_LITERAL] = {.value = java_number},
    [JAVA_ELEMENT_VALUE_ARRAY_INITIALIZER] = {.value = java_array},
    [JAVA_ELEMENT_VALUE_PAIR] = {.value = java_pair},
    [JAVA_ENHANCED_FOR_STATEMENT] = {.pass = java_for},
    [JAVA_ENUM_CONSTANT] = {.pass = java_enum_constant},
    [JAVA_ENUM_DECLARATION] = {.pass = java_enum},
    [JAVA_EXPLICIT_CONSTRUCTOR_INVOCATION] = {.pass = java_constructor_call},
    [JAVA_FALSE] = {.value = java_name},
    [JAVA_FIELD_ACCESS] = {.value = java_field_access},
    [JAVA_FIELD_DECLARATION] = {.pass = java_field},
    [JAVA_HEX_INTEGER_LITERAL] = {.value = java_number},
    [JAVA_IDENTIFIER] = {.value = java_name},
    [JAVA_IMPORT_DECLARATION] = {.pass = import},
    [JAVA_INSTANCEOF_EXPRESSION] = {.value = java_instanceof, .is_kept = true},
    [JAVA_INTERFACE_DECLARATION] = {.pass = java_type_declaration},
    [JAVA_LAMBDA_EXPRESSION] = {.value = java_lambda, .is_kept = true},
    [JAVA_LOCAL_VARIABLE_DECLARATION] = {.pass = java_local},
    [JAVA_METHOD_DECLARATION] = {.pass = java_method},
    [JAVA_METHOD_INVOCATION] = {.value = java_call, .is_kept = true},
    [JAVA_METHOD_REFERENCE] = {.value = java_method_reference},
    [JAVA_NULL_LITERAL] = {.value = java_name},
    [JAVA_OBJECT_CREATION_EXPRESSION] = {.value = java_new, .is_kept = true},
    [JAVA_PACKAGE_DECLARATION] = {.pass = package},
    [JAVA_PARENTHESIZED_EXPRESSION] = {.value = java_parenthesized},
    [JAVA_RECORD_DECLARATION] = {.pass = java_record},
    [JAVA_RECORD_PATTERN_COMPONENT] = {.pass = java_type_pattern},
    [JAVA_RESOURCE] = {.pass = java_resource},
    [JAVA_RETURN_STATEMENT] = {.pass = java_return},
    [JAVA_STRING_LITERAL] = {.value = java_string},
    [JAVA_SUPER] = {.value = java_super},
    [JAVA_TERNARY_EXPRESSION] = {.value = java_ternary},
    [JAVA_THIS] = {.value = java_this},
    [JAVA_TRUE] = {.value = java_name},
    [JAVA_TYPE_PATTERN] = {.pass = java_type_pattern},
};

void
lang_extract_java(struct extract *x)
{
    struct walk walk = {.x = x, .rules = rules};

    walk_children(&walk, x->root);
}
