/*
 * lang_javascript - what the files of the extractor of JavaScript, TypeScript
 * and TSX share.
 *
 * One extractor for three grammars: TypeScript's adds to JavaScript's and
 * renames nothing, so the kinds that only one has are optional.
 * lang_javascript.c walks, _def.c writes functions, _class.c classes and
 * types, _bind.c what binds names, _param.c parameters, _module.c imports and
 * exports, _expr.c expressions, _call.c calls and JSX, _type.c types.
 */
#ifndef INDEX_LANG_JAVASCRIPT_H
#define INDEX_LANG_JAVASCRIPT_H

#include "index/extract.h"
#include "index/extract_children.h"

enum { JS_LIST_MAX = 64, JS_FUNCTIONS_MAX = 1024, JS_NESTING_MAX = 8 };

enum js_kind {
    /* modules */
    JS_IMPORT = 1,
    JS_IMPORT_CLAUSE,
    JS_NAMESPACE_IMPORT,
    JS_NAMED_IMPORTS,
    JS_IMPORT_REQUIRE,
    JS_IMPORT_ALIAS,
    JS_EXPORT,
    JS_EXPORT_CLAUSE,
    JS_EXPORT_SPECIFIER,
    JS_NAMESPACE_EXPORT,
    /* definitions */
    JS_FUNCTION,
    JS_FUNCTION_EXPRESSION,
    JS_ARROW,
    JS_METHOD,
    JS_METHOD_SIGNATURE,
    JS_FIELD,
    JS_PROPERTY_SIGNATURE,
    JS_CALL_SIGNATURE,
    JS_CLASS,
    JS_CLASS_BODY,
    JS_HERITAGE,
    JS_EXTENDS,
    JS_IMPLEMENTS,
    JS_EXTENDS_TYPE,
    JS_INTERFACE,
    JS_TYPE_ALIAS,
    JS_ENUM,
    JS_ENUM_VALUE,
    JS_NAMESPACE,
    JS_DECORATOR,
    JS_PARAMETER,
    JS_ACCESSIBILITY,
    JS_OVERRIDE,
    /* what binds */
    JS_DECLARATION,
    JS_DECLARATOR,
    JS_ASSIGNMENT,
    JS_FOR_IN,
    JS_CATCH,
    JS_RETURN,
    JS_OBJECT_PATTERN,
    JS_ARRAY_PATTERN,
    JS_PAIR_PATTERN,
    JS_ASSIGNMENT_PATTERN,
    JS_OBJECT_ASSIGNMENT,
    JS_REST,
    JS_SHORTHAND,
    /* expressions */
    JS_CALL,
    JS_NEW,
    JS_MEMBER,
    JS_SUBSCRIPT,
    JS_OBJECT,
    JS_PAIR,
    JS_ARRAY,
    JS_SPREAD,
    JS_TERNARY,
    JS_BINARY,
    JS_PAREN,
    JS_SEQUENCE,
    JS_AS,
    JS_SATISFIES,
    JS_TYPE_ASSERTION,
    JS_NON_NULL,
    JS_INSTANTIATION,
    JS_AWAIT,
    JS_TEMPLATE,
    JS_SUBSTITUTION,
    JS_STRING,
    JS_REGEX,
    JS_NUMBER,
    JS_IDENT,
    JS_PRIVATE,
    JS_COMPUTED,
    JS_WORD,
    JS_THIS,
    JS_SUPER,
    JS_DYNAMIC_IMPORT,
    JS_JSX_ELEMENT,
    JS_JSX_OPENING,
    JS_JSX_EXPRESSION,
    JS_JSX_ATTRIBUTE,
    JS_BLOCK,
    JS_FOR,
    JS_LEAF,
    /* types */
    JS_ANNOTATION,
    JS_TYPE_IDENT,
    JS_NESTED_TYPE,
    JS_NESTED_IDENT,
    JS_GENERIC,
    JS_ARRAY_TYPE,
    JS_TUPLE,
    JS_UNION,
    JS_FUNCTION_TYPE,
    JS_TYPEOF,
    JS_LITERAL_TYPE,
    JS_OBJECT_TYPE,
    JS_LOOKUP,
    JS_CONDITIONAL,
    JS_INTERSECTION,
    JS_OPAQUE_TYPE,
    JS_KIND_END,
};

enum js_field {
    JS_F_NAME = 1,
    JS_F_ALIAS,
    JS_F_SOURCE,
    JS_F_DECLARATION,
    JS_F_VALUE,
    JS_F_BODY,
    JS_F_PARAMETERS,
    JS_F_PARAMETER,
    JS_F_RETURN_TYPE,
    JS_F_TYPE_PARAMETERS,
    JS_F_TYPE_ARGUMENTS,
    JS_F_TYPE,
    JS_F_CONSTRAINT,
    JS_F_PATTERN,
    JS_F_PROPERTY,
    JS_F_OBJECT,
    JS_F_INDEX,
    JS_F_KEY,
    JS_F_LEFT,
    JS_F_RIGHT,
    JS_F_OPERATOR,
    JS_F_FUNCTION,
    JS_F_ARGUMENTS,
    JS_F_CONSTRUCTOR,
    JS_F_CONDITION,
    JS_F_CONSEQUENCE,
    JS_F_ALTERNATIVE,
    JS_F_MODULE,
    JS_F_OPEN_TAG,
    JS_F_ATTRIBUTE,
    JS_F_KIND,
    JS_F_END,
};

/* What is said about a function or class by where it is written. */
struct js_hint {
    TSNode name;  /* what it is bound to; null: nothing */
    TSNode outer; /* where the whole begins: declarator, pair, field */
    uint32_t flags;
    uint8_t kind; /* 0: CODE_FUNCTION, or CODE_TYPE of a class */
    str_id receiver;
};

struct js_marks {
    uint32_t at;
    uint32_t len;
    uint32_t line; /* of the first; 0: none */
};

struct js {
    struct extract *x;
    struct js_hint hint;   /* for the function or class that is next */
    struct js_marks marks; /* the same: decorators that stand before it */
    uint32_t nesting;      /* of objects and arrays */
    uint32_t blocks;       /* in which what is declared is of no module */
};

typedef uint32_t js_fn(struct js *js, TSNode node);

/* js_value writes what |node| holds and returns the expression that it is, 0
 * where there is no telling.  js_visit is for those whose value nobody asks
 * for. */
uint32_t js_value(struct js *js, TSNode node);
void js_visit(struct js *js, TSNode node);
void js_visit_children(struct js *js, TSNode node);

static inline uint16_t
js_kind(const struct js *js, TSNode node)
{
    return extract_kind(js->x, node);
}

static inline TSNode
js_field(const struct js *js, TSNode node, enum js_field field)
{
    return extract_field(js->x, node, (uint16_t)field);
}

/* js_first is the first named child that is no comment, js_last the last; null:
 * none. */
TSNode js_first(TSNode node);
TSNode js_last(TSNode node);
/* js_has_word says whether |word| stands among the tokens of |node| before its
 * first field of |until|, as `static` and `async` do. */
bool js_has_word(const struct js *js, TSNode node, str word);
/* js_unwrapped is |node| without parentheses and casts. */
TSNode js_unwrapped(const struct js *js, TSNode node);

/* ---- expressions: lang_javascript_expr.c ---- */

uint32_t js_add(struct js *js, TSNode node, struct fact_expr expr);
uint32_t js_add_name(struct js *js, TSNode node, str_id text);
uint32_t
js_add_member(struct js *js, TSNode node, uint32_t object, str_id name);
uint32_t js_add_list(struct js *js, TSNode node, struct fact_expr expr,
                     struct extract_list *list);
js_fn js_ident, js_string, js_template, js_number, js_regex, js_this, js_super,
    js_member, js_subscript, js_object, js_array, js_spread, js_ternary,
    js_binary, js_paren, js_sequence, js_cast, js_satisfies, js_await,
    js_instantiation;
/* js_key is the text of a property's name: `a`, `#a`, `"a"`, `[a]`. */
str_id js_key(struct js *js, TSNode key);

/* ---- calls: lang_javascript_call.c ---- */

js_fn js_call, js_new, js_jsx_element, js_jsx_opening, js_jsx_expression;

/* ---- functions: lang_javascript_def.c ---- */

js_fn js_function, js_lambda;
uint32_t js_method(struct js *js, TSNode node, uint32_t flags);
void js_visit_computed(struct js *js, TSNode name);
uint32_t js_method_of_object(struct js *js, TSNode node);
/* js_add_def writes a definition named |name|, with the decorators and the
 * hint that wait for it. */
uint32_t
js_add_def(struct js *js, TSNode node, TSNode name, struct fact_def def);
void js_type_parameters(struct js *js, TSNode parameters);
/* js_signature walks parameters and types of a function into the def |id|. */
void js_signature(struct js *js, TSNode node, uint32_t id);
/* js_bound_value is js_value of what |hint| names, if it is a function or a
 * class. */
uint32_t js_bound_value(struct js *js, TSNode value, struct js_hint hint);
bool js_is_function(const struct js *js, TSNode value);
struct js_hint js_take_hint(struct js *js);

/* ---- classes and types: lang_javascript_class.c ---- */

js_fn js_class, js_interface, js_type_alias, js_enum, js_namespace,
    js_decorator;

/* ---- names: lang_javascript_bind.c ---- */

js_fn js_declaration, js_assignment, js_for_in, js_catch, js_return;
/* What a pattern binds its names as, and to. */
struct js_bind {
    uint8_t kind; /* BIND_LOCAL, BIND_ASSIGN */
    uint32_t flags;
    uint32_t type;
    uint32_t value;
    uint32_t index;   /* with BIND_MULTI */
    uint32_t until;   /* line; what is assigned holds up to there */
    uint32_t exports; /* DEF_EXPORTED */
    bool is_declared; /* names of the file are definitions */
};
void js_bind_pattern(struct js *js, TSNode pattern, struct js_bind how);
void js_bind_return(struct js *js, TSNode node, uint32_t value);
/* js_parameters binds the parameters of the def that the walk is in. */
void js_parameters(struct js *js, TSNode parameters);

/* ---- modules: lang_javascript_module.c ---- */

js_fn js_import, js_import_alias, js_export;
/* js_bind_module writes imports for a declarator of `require(...)` or
 * `await import(...)`; false: it is not one. */
bool js_bind_module(struct js *js, TSNode name, TSNode value);
/* js_note_module writes that a call of `require` or `import` loads a file. */
void js_note_module(struct js *js, TSNode call);

/* ---- types: lang_javascript_type.c ---- */

js_fn js_first_type, js_nested_type, js_generic, js_array_type, js_tuple,
    js_union, js_function_type, js_typeof, js_object_type, js_lookup,
    js_conditional, js_opaque_type;
uint32_t
js_type_arguments(struct js *js, TSNode at, uint32_t base, TSNode arguments);

#endif
