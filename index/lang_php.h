/*
 * lang_php - what the parts of the PHP extractor share.
 *
 * Variables keep their `$`, so that `$f(1)` and `f(1)` are not taken for one
 * another; fields are told without it, as `$this->name` writes them.  A
 * qualified name is a chain of members, its leading backslash left out.
 *
 * Threads    None.
 */
#ifndef INDEX_LANG_PHP_H
#define INDEX_LANG_PHP_H

#include "index/visit.h"

enum {
    K_ABSTRACT = 1,
    K_ALT_TYPE,
    K_ANONYMOUS_CLASS,
    K_ARGUMENT,
    K_ARGUMENTS,
    K_ARRAY,
    K_ARRAY_ELEMENT,
    K_ARROW,
    K_ASSIGN,
    K_ATTRIBUTE,
    K_ATTRIBUTE_LIST,
    K_AUGMENTED,
    K_BASES,
    K_BINARY,
    K_BY_REF,
    K_CALL,
    K_CAST,
    K_CATCH,
    K_CLASS,
    K_CLOSURE,
    K_CONDITIONAL,
    K_CONST,
    K_CONSTANT_ACCESS,
    K_CONTENT,
    K_ENCAPSED,
    K_ENUM,
    K_ENUM_CASE,
    K_ESCAPE,
    K_FOREACH,
    K_FUNCTION,
    K_HEREDOC,
    K_INCLUDE,
    K_INNER, /* what its only child is */
    K_INTERFACE,
    K_INTERFACES,
    K_LIST,
    K_MATCH,
    K_MEMBER,
    K_MEMBER_CALL,
    K_METHOD,
    K_NAME,
    K_NAMESPACE,
    K_NAMESPACE_NAME,
    K_NEW,
    K_NUMBER,
    K_PAIR,
    K_PARAM,
    K_PLACEHOLDER,
    K_PROMOTED,
    K_PROPERTY,
    K_PROPERTY_ELEMENT,
    K_QUALIFIED,
    K_RELATIVE_NAME,
    K_RELATIVE_SCOPE,
    K_RETURN,
    K_SCOPED_CALL,
    K_SCOPED_PROPERTY,
    K_SPREAD,
    K_STATIC,
    K_STATIC_VARIABLE,
    K_STRING,
    K_SUBSCRIPT,
    K_TRAIT,
    K_TYPE,
    K_USE,
    K_USE_CLAUSE,
    K_USE_GROUP,
    K_USE_TRAIT,
    K_VARIABLE,
    K_VISIBILITY,
    K_END,
};

enum {
    F_ALIAS = 1,
    F_ALTERNATIVE,
    F_ARGUMENTS,
    F_ATTRIBUTES,
    F_BODY,
    F_CONDITION,
    F_CONDITIONS,
    F_DEFAULT,
    F_FUNCTION,
    F_LEFT,
    F_NAME,
    F_OBJECT,
    F_OPERATOR,
    F_PARAMETERS,
    F_RETURN,
    F_RETURN_TYPE,
    F_RIGHT,
    F_SCOPE,
    F_TYPE,
    F_VALUE,
    F_END,
};

visit_fn php_class, php_interface, php_trait, php_enum, php_enum_case,
    php_anonymous_class, php_function, php_method, php_lambda, php_property,
    php_const, php_namespace, php_use, php_assign, php_augmented, php_foreach,
    php_catch, php_static_variable, php_return, php_include, php_call,
    php_member_call, php_scoped_call, php_new, php_argument, php_attribute;

/* php_bare is a variable's name without its `$`. */
str php_bare(str name);

#endif
