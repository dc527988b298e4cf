/*
 * lang_csharp - what the files of the extractor for C# share.
 *
 * lang_csharp.c         kinds, rules, namespaces, usings
 * lang_csharp_def.c     types, methods, properties, lambdas, attributes
 * lang_csharp_bind.c    fields, local names, patterns
 * lang_csharp_expr.c    expressions
 * lang_csharp_string.c  strings
 * lang_csharp_type.c    types
 */
#ifndef INDEX_LANG_CSHARP_H
#define INDEX_LANG_CSHARP_H

#include "index/walk_def.h"

enum {
    CS_ACCESSOR_DECLARATION = 1,
    CS_ACCESSOR_LIST,
    CS_ALIAS_QUALIFIED_NAME,
    CS_ANONYMOUS_METHOD_EXPRESSION,
    CS_ANONYMOUS_OBJECT_CREATION_EXPRESSION,
    CS_ARGUMENT,
    CS_ARGUMENT_LIST,
    CS_ARRAY_CREATION_EXPRESSION,
    CS_ARRAY_TYPE,
    CS_ARROW_EXPRESSION_CLAUSE,
    CS_AS_EXPRESSION,
    CS_ASSIGNMENT_EXPRESSION,
    CS_ATTRIBUTE,
    CS_ATTRIBUTE_ARGUMENT,
    CS_ATTRIBUTE_ARGUMENT_LIST,
    CS_ATTRIBUTE_LIST,
    CS_AWAIT_EXPRESSION,
    CS_BASE_LIST,
    CS_BINARY_EXPRESSION,
    CS_BLOCK,
    CS_BOOLEAN_LITERAL,
    CS_BRACKETED_ARGUMENT_LIST,
    CS_CAST_EXPRESSION,
    CS_CATCH_DECLARATION,
    CS_CHARACTER_LITERAL,
    CS_CLASS_DECLARATION,
    CS_COLLECTION_ELEMENT,
    CS_COLLECTION_EXPRESSION,
    CS_CONDITIONAL_ACCESS_EXPRESSION,
    CS_CONDITIONAL_EXPRESSION,
    CS_CONSTRUCTOR_DECLARATION,
    CS_CONSTRUCTOR_INITIALIZER,
    CS_DECLARATION_EXPRESSION,
    CS_DECLARATION_PATTERN,
    CS_DELEGATE_DECLARATION,
    CS_DESTRUCTOR_DECLARATION,
    CS_DISCARD,
    CS_ELEMENT_ACCESS_EXPRESSION,
    CS_ELEMENT_BINDING_EXPRESSION,
    CS_ENUM_DECLARATION,
    CS_ENUM_MEMBER_DECLARATION,
    CS_EXPLICIT_INTERFACE_SPECIFIER,
    CS_EXPRESSION_ELEMENT,
    CS_FIELD_DECLARATION,
    CS_FILE_SCOPED_NAMESPACE_DECLARATION,
    CS_FOREACH_STATEMENT,
    CS_FROM_CLAUSE,
    CS_GENERIC_NAME,
    CS_IDENTIFIER,
    CS_IMPLICIT_ARRAY_CREATION_EXPRESSION,
    CS_IMPLICIT_OBJECT_CREATION_EXPRESSION,
    CS_IMPLICIT_PARAMETER,
    CS_IMPLICIT_TYPE,
    CS_INDEXER_DECLARATION,
    CS_INITIALIZER_EXPRESSION,
    CS_INTEGER_LITERAL,
    CS_INTERFACE_DECLARATION,
    CS_INTERPOLATED_STRING_EXPRESSION,
    CS_INTERPOLATION,
    CS_INTERPOLATION_BRACE,
    CS_INVOCATION_EXPRESSION,
    CS_LAMBDA_EXPRESSION,
    CS_LOCAL_DECLARATION_STATEMENT,
    CS_LOCAL_FUNCTION_STATEMENT,
    CS_MEMBER_ACCESS_EXPRESSION,
    CS_MEMBER_BINDING_EXPRESSION,
    CS_METHOD_DECLARATION,
    CS_MODIFIER,
    CS_NAMESPACE_DECLARATION,
    CS_NULL_LITERAL,
    CS_NULLABLE_TYPE,
    CS_OBJECT_CREATION_EXPRESSION,
    CS_OPERATOR_DECLARATION,
    CS_PARAMETER,
    CS_PARAMETER_LIST,
    CS_PARENTHESIZED_EXPRESSION,
    CS_POINTER_TYPE,
    CS_POSTFIX_UNARY_EXPRESSION,
    CS_PREDEFINED_TYPE,
    CS_PREPROC_ELIF,
    CS_PREPROC_ELSE,
    CS_PREPROC_IF,
    CS_PRIMARY_CONSTRUCTOR_BASE_TYPE,
    CS_PROPERTY_DECLARATION,
    CS_QUALIFIED_NAME,
    CS_RAW_STRING_CONTENT,
    CS_RAW_STRING_LITERAL,
    CS_REAL_LITERAL,
    CS_RECURSIVE_PATTERN,
    CS_RECORD_DECLARATION,
    CS_REF_TYPE,
    CS_RETURN_STATEMENT,
    CS_SCOPED_TYPE,
    CS_SPREAD_ELEMENT,
    CS_STRING_CONTENT,
    CS_ESCAPE_SEQUENCE,
    CS_STRING_LITERAL,
    CS_STRUCT_DECLARATION,
    CS_TUPLE_ELEMENT,
    CS_TUPLE_EXPRESSION,
    CS_TUPLE_PATTERN,
    CS_TUPLE_TYPE,
    CS_TYPE_ARGUMENT_LIST,
    CS_TYPE_PARAMETER_LIST,
    CS_TYPEOF_EXPRESSION,
    CS_USING_DIRECTIVE,
    CS_VAR_PATTERN,
    CS_VARIABLE_DECLARATION,
    CS_VARIABLE_DECLARATOR,
    CS_VERBATIM_STRING_LITERAL,
    CS_YIELD_STATEMENT,
    CS_KIND_END,
};

enum {
    CS_F_ACCESSORS = 1,
    CS_F_ALTERNATIVE,
    CS_F_ARGUMENTS,
    CS_F_BODY,
    CS_F_CONDITION,
    CS_F_CONSEQUENCE,
    CS_F_EXPRESSION,
    CS_F_FUNCTION,
    CS_F_INITIALIZER,
    CS_F_LEFT,
    CS_F_NAME,
    CS_F_OPERATOR,
    CS_F_PARAMETERS,
    CS_F_PATTERN,
    CS_F_QUALIFIER,
    CS_F_RETURNS,
    CS_F_RIGHT,
    CS_F_SUBSCRIPT,
    CS_F_TYPE,
    CS_F_VALUE,
};

/* walk.language. */
struct csharp {
    bool is_counted;
    uint32_t namespaces; /* at the top of the file */
};

uint32_t csharp_type(struct walk *w, TSNode node);
/* `this` and `base` are tokens to the grammar, so no rule meets them. */
uint32_t csharp_value(struct walk *w, TSNode node);
TSNode csharp_last(TSNode node);
bool csharp_has_operator(struct walk *w, TSNode node, str operator);
void csharp_modifiers(struct walk *w, TSNode node, struct walk_marks *marks);
/* csharp_new makes |type|, with its arguments and what initialises it. */
uint32_t csharp_new(struct walk *w, TSNode node, uint32_t type);
/* csharp_initial is a value that is told what it is to become: `new()`. */
uint32_t csharp_initial(struct walk *w, TSNode node, uint32_t type);
void csharp_local(struct walk *w, TSNode name, uint32_t type, uint32_t value,
                  uint32_t flags);

walk_value_fn csharp_access, csharp_anonymous_object, csharp_argument,
    csharp_array, csharp_array_creation, csharp_assignment, csharp_attribute,
    csharp_await, csharp_binary, csharp_call, csharp_cast, csharp_choice,
    csharp_conditional, csharp_creation, csharp_declaration, csharp_element,
    csharp_implicit_creation, csharp_inner, csharp_interpolated, csharp_lambda,
    csharp_name, csharp_name_of_type, csharp_number, csharp_postfix,
    csharp_raw_string, csharp_spread, csharp_string, csharp_typeof,
    csharp_verbatim, csharp_as;
walk_pass_fn csharp_arrow, csharp_catch, csharp_constructor, csharp_enum_member,
    csharp_field, csharp_foreach, csharp_from, csharp_indexer, csharp_method,
    csharp_pattern, csharp_property, csharp_return, csharp_type_declaration,
    csharp_variables, csharp_yield;

#endif
