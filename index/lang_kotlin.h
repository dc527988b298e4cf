/*
 * lang_kotlin - what the files of the extractor for Kotlin share.
 *
 * lang_kotlin.c       kinds, rules, imports
 * lang_kotlin_def.c   types, functions, what stands before them
 * lang_kotlin_mark.c  annotations
 * lang_kotlin_lambda.c  lambdas
 * lang_kotlin_bind.c  properties, loops, and other names
 * lang_kotlin_expr.c  expressions
 * lang_kotlin_type.c  types
 *
 * The grammar has few fields: what a child is goes by its kind and place.
 */
#ifndef INDEX_LANG_KOTLIN_H
#define INDEX_LANG_KOTLIN_H

#include "index/walk_def.h"

enum {
    KT_ANNOTATED_EXPRESSION = 1,
    KT_ANNOTATED_LAMBDA,
    KT_ANNOTATION,
    KT_ANONYMOUS_FUNCTION,
    KT_AS_EXPRESSION,
    KT_ASSIGNMENT,
    KT_BINARY_EXPRESSION,
    KT_BLOCK,
    KT_CALL_EXPRESSION,
    KT_CALLABLE_REFERENCE,
    KT_CATCH_BLOCK,
    KT_CHARACTER_LITERAL,
    KT_CLASS_BODY,
    KT_CLASS_DECLARATION,
    KT_CLASS_MODIFIER,
    KT_CLASS_PARAMETER,
    KT_CLASS_PARAMETERS,
    KT_COLLECTION_LITERAL,
    KT_COMPANION_OBJECT,
    KT_CONSTRUCTOR_DELEGATION_CALL,
    KT_CONSTRUCTOR_INVOCATION,
    KT_DELEGATION_SPECIFIER,
    KT_DELEGATION_SPECIFIERS,
    KT_ENUM_CLASS_BODY,
    KT_ENUM_ENTRY,
    KT_EXPLICIT_DELEGATION,
    KT_FLOAT_LITERAL,
    KT_FOR_STATEMENT,
    KT_FUNCTION_BODY,
    KT_FUNCTION_DECLARATION,
    KT_FUNCTION_MODIFIER,
    KT_FUNCTION_TYPE,
    KT_FUNCTION_TYPE_PARAMETERS,
    KT_FUNCTION_VALUE_PARAMETERS,
    KT_GETTER,
    KT_IDENTIFIER,
    KT_IF_EXPRESSION,
    KT_IMPORT,
    KT_INDEX_EXPRESSION,
    KT_INFIX_EXPRESSION,
    KT_INHERITANCE_MODIFIER,
    KT_INTERPOLATION,
    KT_LABELED_EXPRESSION,
    KT_LAMBDA_LITERAL,
    KT_LAMBDA_PARAMETERS,
    KT_MEMBER_MODIFIER,
    KT_MODIFIERS,
    KT_MULTI_VARIABLE_DECLARATION,
    KT_MULTILINE_STRING_LITERAL,
    KT_NAVIGATION_EXPRESSION,
    KT_NON_NULLABLE_TYPE,
    KT_NULLABLE_TYPE,
    KT_NUMBER_LITERAL,
    KT_OBJECT_DECLARATION,
    KT_OBJECT_LITERAL,
    KT_PACKAGE_HEADER,
    KT_PARAMETER,
    KT_PARAMETER_MODIFIERS,
    KT_PARENTHESIZED_EXPRESSION,
    KT_PARENTHESIZED_TYPE,
    KT_PRIMARY_CONSTRUCTOR,
    KT_PROPERTY_DECLARATION,
    KT_PROPERTY_DELEGATE,
    KT_PROPERTY_MODIFIER,
    KT_QUALIFIED_IDENTIFIER,
    KT_RETURN_EXPRESSION,
    KT_SECONDARY_CONSTRUCTOR,
    KT_SETTER,
    KT_SPREAD_EXPRESSION,
    KT_STRING_CONTENT,
    KT_STRING_LITERAL,
    KT_SUPER_EXPRESSION,
    KT_THIS_EXPRESSION,
    KT_TYPE_ALIAS,
    KT_TYPE_ARGUMENTS,
    KT_TYPE_CONSTRAINTS,
    KT_TYPE_PARAMETERS,
    KT_TYPE_PROJECTION,
    KT_UNARY_EXPRESSION,
    KT_USER_TYPE,
    KT_VALUE_ARGUMENT,
    KT_VALUE_ARGUMENTS,
    KT_VARIABLE_DECLARATION,
    KT_VISIBILITY_MODIFIER,
    KT_WHEN_SUBJECT,
    KT_KIND_END,
};

enum {
    KT_F_ARGUMENT = 1,
    KT_F_CONDITION,
    KT_F_LEFT,
    KT_F_NAME,
    KT_F_OPERATOR,
    KT_F_RIGHT,
    KT_F_TYPE,
};

/* walk.language. */
struct kotlin {
    bool is_companion;  /* members belong to the class around it */
    bool is_annotation; /* what is read is given to an annotation */
    TSNode stray; /* annotations that the grammar took for more, or null */
};

uint32_t kotlin_type(struct walk *w, TSNode node);
bool kotlin_is_type(uint16_t kind);
/* The first child that is a type. */
TSNode kotlin_type_child(struct walk *w, TSNode node);
/* kotlin_mark is the expression of an annotation. */
uint32_t kotlin_mark(struct walk *w, TSNode node);
/* kotlin_stray_marks are those that stand before |node|, but not in it. */
void kotlin_stray_marks(struct walk *w, TSNode node, struct walk_marks *marks,
                        const char *const *tests);
void kotlin_modifiers(struct walk *w, TSNode node, struct walk_marks *marks);
/* Where the declaration begins that annotations stand before. */
uint32_t kotlin_from(struct walk *w, TSNode node);
void kotlin_parameters(struct walk *w, TSNode node, uint32_t def);
/* kotlin_function_body passes a block, or takes the value behind `=`. */
void kotlin_function_body(struct walk *w, TSNode body, uint32_t def);
uint32_t
kotlin_bind_name(struct walk *w, TSNode declaration, struct fact_bind bind);
void kotlin_bind_names(struct walk *w, TSNode node, struct fact_bind bind);
void
kotlin_arguments(struct walk *w, TSNode arguments, struct extract_list *list);

walk_value_fn kotlin_anonymous, kotlin_array, kotlin_as, kotlin_assignment,
    kotlin_binary, kotlin_call, kotlin_character, kotlin_if, kotlin_index,
    kotlin_infix, kotlin_inner, kotlin_lambda, kotlin_name, kotlin_navigation,
    kotlin_number, kotlin_object, kotlin_reference, kotlin_spread,
    kotlin_string, kotlin_super, kotlin_this, kotlin_unary;
walk_pass_fn kotlin_annotation, kotlin_catch, kotlin_class, kotlin_companion,
    kotlin_constructor, kotlin_enum_entry, kotlin_for, kotlin_function,
    kotlin_object_declaration, kotlin_property, kotlin_return, kotlin_stray,
    kotlin_type_alias, kotlin_when_subject;

#endif
