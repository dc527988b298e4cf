/*
 * lang_python - what the files of the extractor for Python share.
 *
 * lang_python.c       kinds, rules
 * lang_python_def.c   functions, classes, lambdas, their parameters
 * lang_python_stmt.c  what binds names: assignments, loops, comprehensions
 * lang_python_pattern.c  `with`, `except`, `match`
 * lang_python_imp.c   imports, `__all__`
 * lang_python_expr.c  calls, literals, operators
 * lang_python_string.c  strings
 * lang_python_type.c  annotations, also those in strings
 */
#ifndef INDEX_LANG_PYTHON_H
#define INDEX_LANG_PYTHON_H

#include "index/walk.h"

enum {
    PY_ALIASED_IMPORT = 1,
    PY_AS_PATTERN,
    PY_AS_TARGET,
    PY_ASSIGNMENT,
    PY_ATTRIBUTE,
    PY_AUGMENTED,
    PY_AWAIT,
    PY_BINARY,
    PY_BLOCK,
    PY_BOOLEAN,
    PY_CALL,
    PY_CASE_PATTERN,
    PY_CLASS,
    PY_CLASS_PATTERN,
    PY_CONCATENATED,
    PY_CONDITIONAL,
    PY_DECORATED,
    PY_DECORATOR,
    PY_DEFAULT_PARAM,
    PY_DICT,
    PY_DICT_COMP,
    PY_DICT_SPLAT,
    PY_DICT_SPLAT_PATTERN,
    PY_DOTTED_NAME,
    PY_ELLIPSIS,
    PY_EXCEPT,
    PY_EXPR_LIST,
    PY_EXPR_STATEMENT,
    PY_FALSE,
    PY_FLOAT,
    PY_FOR,
    PY_FOR_IN,
    PY_FUNCTION,
    PY_GENERATOR,
    PY_GENERIC_TYPE,
    PY_GLOBAL,
    PY_IDENTIFIER,
    PY_IF,
    PY_IF_CLAUSE,
    PY_IMPORT,
    PY_IMPORT_FROM,
    PY_IMPORT_FUTURE,
    PY_INTEGER,
    PY_INTERPOLATION,
    PY_KEYWORD_ARG,
    PY_KEYWORD_PATTERN,
    PY_LAMBDA,
    PY_LIST,
    PY_LIST_COMP,
    PY_LIST_PATTERN,
    PY_LIST_SPLAT,
    PY_LIST_SPLAT_PATTERN,
    PY_MEMBER_TYPE,
    PY_NAMED_EXPR,
    PY_NONE,
    PY_NONLOCAL,
    PY_PAIR,
    PY_PARENTHESIZED,
    PY_PATTERN_LIST,
    PY_RETURN,
    PY_SET,
    PY_SET_COMP,
    PY_SLICE,
    PY_SPLAT_PATTERN,
    PY_STRING,
    PY_STRING_CONTENT,
    PY_SUBSCRIPT,
    PY_TRUE,
    PY_TUPLE,
    PY_TUPLE_PATTERN,
    PY_TYPE,
    PY_TYPE_ALIAS,
    PY_TYPE_PARAM,
    PY_TYPED_DEFAULT,
    PY_TYPED_PARAM,
    PY_UNION_TYPE,
    PY_WILDCARD,
    PY_WITH,
    PY_WITH_ITEM,
    PY_YIELD,
    PY_KIND_END,
};

enum {
    PY_F_ALIAS = 1,
    PY_F_ARGUMENTS,
    PY_F_ATTRIBUTE,
    PY_F_BODY,
    PY_F_CONDITION,
    PY_F_CONSEQUENCE,
    PY_F_DEFINITION,
    PY_F_EXPRESSION,
    PY_F_FUNCTION,
    PY_F_KEY,
    PY_F_LEFT,
    PY_F_MODULE_NAME,
    PY_F_NAME,
    PY_F_OBJECT,
    PY_F_OPERATOR,
    PY_F_PARAMETERS,
    PY_F_RETURN_TYPE,
    PY_F_RIGHT,
    PY_F_SUBSCRIPT,
    PY_F_SUPERCLASSES,
    PY_F_TYPE,
    PY_F_VALUE,
    PY_F_END,
};

enum { PY_OUTER_MAX = 32 };

/* walk.language: what holds in the function that the walk is in. */
struct python {
    str self;          /* what it calls the object; empty: nothing */
    bool is_type_only; /* under `if TYPE_CHECKING` */
    uint32_t until;    /* line; what is bound holds for sure up to there */
    uint32_t outer_len;
    struct {
        str_id name; /* told to be global, nonlocal */
        uint32_t scope;
    } outer[PY_OUTER_MAX];
};

static inline struct python *
python_of(const struct walk *w)
{
    return w->language;
}

/* What a target of an assignment gets. */
struct python_bound {
    uint32_t type;
    uint32_t value;
    uint32_t flags;
    uint32_t index;
    bool is_local; /* not a field, though it stands in a class body */
    TSNode line;   /* where it begins to hold */
};
void python_bind(struct walk *w, TSNode target, const struct python_bound *to);

/* An annotation, without the words that say how a name is used: `Final`,
 * `ClassVar`, `Annotated`. */
struct python_annotation {
    uint32_t type;
    uint32_t value; /* the call in `Annotated[T, call()]` */
    bool is_final;
};
struct python_annotation python_annotation(struct walk *w, TSNode node);
uint32_t python_type(struct walk *w, TSNode node);
/* python_type_text reads a type that is written in a string; 0: it is none. */
uint32_t python_type_text(struct walk *w, TSNode at, str text);

/* python_pass_but passes all children but two. */
void python_pass_but(struct walk *w, TSNode node, TSNode first, TSNode second);

/* python_string_text is what stands between the quotes. */
str python_string_text(const struct walk *w, TSNode node);
/* python_formatted is the pieces of `"/a/%s/b" % x`, and what is filled in
 * between them. */
uint32_t
python_formatted(struct walk *w, TSNode node, uint32_t format, uint32_t values);
/* python_all makes exports of the strings in what `__all__` is set to. */
void python_all(struct walk *w, TSNode at, uint32_t value);
bool python_is_type(const struct walk *w, uint32_t def);

walk_value_fn python_assignment, python_attribute, python_await, python_binary,
    python_boolean, python_call, python_comprehension, python_concatenated,
    python_conditional, python_dict, python_dict_splat, python_identifier,
    python_keyword_arg, python_lambda, python_list, python_list_splat,
    python_named_expr, python_number, python_pair, python_parenthesized,
    python_string, python_subscript, python_word, python_yield;
walk_pass_fn python_as_pattern, python_augmented, python_block, python_class,
    python_class_pattern, python_decorated, python_dotted_name, python_except,
    python_for, python_function, python_global, python_if, python_import,
    python_import_from, python_nonlocal, python_return, python_splat_pattern,
    python_type_alias, python_with, python_with_item;

#endif
