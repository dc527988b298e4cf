/*
 * lang_c - what the parts of the C and C++ extractor share.
 *
 * Without a preprocessor this is best effort: both branches of `#if` are read,
 * and what a macro hides is not seen.  Function-like macros are functions,
 * constants of `#define` are constants; a function that is only declared is
 * told as abstract.
 *
 * Threads    None.
 */
#ifndef INDEX_LANG_C_H
#define INDEX_LANG_C_H

#include "index/visit.h"

enum {
    K_ABSTRACT_POINTER = 1,
    K_ACCESS,
    K_ALIAS,
    K_ARGUMENTS,
    K_ARRAY_DECL,
    K_ASSIGN,
    K_ATTRIBUTED_DECL,
    K_AUTO,
    K_AWAIT,
    K_BASES,
    K_BINARY,
    K_CALL,
    K_CAST,
    K_CATCH,
    K_CLASS,
    K_COMPOUND_LITERAL,
    K_CONCATENATED,
    K_CONDITIONAL,
    K_CONTENT,
    K_DECLARATION,
    K_DEFINE,
    K_DESIGNATOR,
    K_DESTRUCTOR,
    K_ENUM,
    K_ENUMERATOR,
    K_ESCAPE,
    K_FIELD,
    K_FIELD_DECLARATION,
    K_FIELD_INIT,
    K_FIELD_LIST,
    K_FOR_RANGE,
    K_FRIEND,
    K_FUNCTION,
    K_FUNCTION_DECL,
    K_IDENTIFIER,
    K_INCLUDE,
    K_INIT_DECL,
    K_INIT_LIST,
    K_INIT_PAIR,
    K_INNER, /* what its last child is */
    K_LAMBDA,
    K_MACRO,
    K_NAMESPACE,
    K_NAMESPACE_ALIAS,
    K_NAMESPACE_NAME,
    K_NEW,
    K_NUMBER,
    K_OPERATOR_CAST,
    K_OPERATOR_NAME,
    K_PARAM,
    K_PAREN_DECL,
    K_POINTER_DECL,
    K_QUALIFIED,
    K_RAW_STRING,
    K_RAW_CONTENT,
    K_REFERENCE_DECL,
    K_RETURN,
    K_SIZED,
    K_SKIPPED,
    K_STORAGE,
    K_STRING,
    K_STRUCTURED,
    K_SUBSCRIPT,
    K_SYSTEM_PATH,
    K_TEMPLATE,
    K_THIS,
    K_TYPE_DESCRIPTOR,
    K_TYPE_NAME,
    K_TYPEDEF,
    K_USING,
    K_END,
};

enum {
    F_ALTERNATIVE = 1,
    F_ARGUMENT,
    F_ARGUMENTS,
    F_BODY,
    F_CONDITION,
    F_CONSEQUENCE,
    F_DECLARATOR,
    F_DEFAULT,
    F_DESIGNATOR,
    F_FIELD,
    F_FUNCTION,
    F_INDEX,
    F_INDICES,
    F_LEFT,
    F_NAME,
    F_OPERATOR,
    F_PARAMETERS,
    F_PATH,
    F_RIGHT,
    F_SCOPE,
    F_TYPE,
    F_VALUE,
    F_END,
};

struct cxx {
    struct visitor w; /* first: handlers get it */
    bool is_hidden;   /* private in a class, or in an unnamed namespace */
    str_id type_name; /* of a struct without one, in a typedef */
};

static inline struct cxx *
cxx_of(struct visitor *w)
{
    return (struct cxx *)w;
}

/* What a declarator declares, and what it does to the type. */
struct cxx_declarator {
    TSNode name;     /* or null */
    TSNode function; /* its function_declarator, or null */
    uint32_t pointers;
    uint32_t arrays;
    bool is_pointer; /* to a function */
};
struct cxx_declarator cxx_declarator(const struct visitor *w, TSNode node);
/* cxx_type is |type| with the pointers and arrays of |declarator|. */
uint32_t cxx_type(struct visitor *w, uint32_t type,
                  const struct cxx_declarator *declarator, TSNode at);
/* cxx_name is the last name of a qualified one, without template arguments. */
TSNode cxx_name(const struct visitor *w, TSNode node);
bool cxx_is_local(const struct visitor *w); /* the scope is a function */
void cxx_params(struct visitor *w, TSNode list);
bool cxx_has_storage(struct visitor *w, TSNode node, str word);
/* cxx_signature is the function that is declared at |node|. */
struct fact_def cxx_signature(struct visitor *w, TSNode node,
                              const struct cxx_declarator *declarator,
                              uint32_t type, bool is_static);

visit_fn cxx_class, cxx_enum, cxx_typedef, cxx_alias, cxx_namespace,
    cxx_namespace_alias, cxx_using, cxx_include, cxx_define, cxx_macro,
    cxx_access, cxx_function, cxx_declaration, cxx_lambda, cxx_for_range,
    cxx_catch, cxx_field_init, cxx_friend, cxx_call, cxx_new;

#endif
