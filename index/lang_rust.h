/*
 * lang_rust - what the parts of the Rust extractor share.
 *
 * Attributes stand before what they are about, as siblings: they are held
 * until the next item takes them.  `Self` is SELF, as `self` is; `Ok(x)` and
 * `Some(x)` are x, and `?` and `.await` are what they are applied to.
 *
 * Threads    None.
 */
#ifndef INDEX_LANG_RUST_H
#define INDEX_LANG_RUST_H

#include "index/visit.h"

enum {
    K_ARRAY = 1,
    K_ARRAY_TYPE,
    K_ASSIGN,
    K_ATTRIBUTE,
    K_ATTRIBUTE_ITEM,
    K_BASE_INIT,
    K_BINARY,
    K_BLOCK,
    K_BODY,
    K_CALL,
    K_CAPTURED,
    K_CAST,
    K_CLOSURE,
    K_CONST,
    K_CONTENT,
    K_CRATE,
    K_DECLARATIONS,
    K_ENUM,
    K_ESCAPE,
    K_EXTERN_CRATE,
    K_FIELD,
    K_FIELD_DECLARATION,
    K_FIELD_INIT,
    K_FIELD_PATTERN,
    K_FOR,
    K_FUNCTION,
    K_FUNCTION_TYPE,
    K_GENERIC,
    K_GENERIC_FUNCTION,
    K_IDENTIFIER,
    K_IF,
    K_IMPL,
    K_INDEX,
    K_INNER, /* what its last child is */
    K_LET,
    K_LET_CONDITION,
    K_LIFETIME,
    K_MACRO,
    K_MACRO_DEFINITION,
    K_MATCH,
    K_MATCH_ARM,
    K_MOD,
    K_NAME_TYPE,
    K_NUMBER,
    K_ORDERED_FIELDS,
    K_PARAM,
    K_PATTERN, /* around one pattern */
    K_POINTER,
    K_PREDICATE,
    K_QUALIFIED,
    K_RAW_STRING,
    K_REFERENCE,
    K_RETURN,
    K_SCOPED,
    K_SCOPED_LIST,
    K_SELF,
    K_SELF_PARAM,
    K_SHORTHAND_INIT,
    K_SIGNATURE,
    K_SLICE_PATTERN,
    K_STATEMENT,
    K_STATIC,
    K_STRING,
    K_STRUCT,
    K_STRUCT_EXPR,
    K_STRUCT_PATTERN,
    K_SUPER,
    K_TOKENS,
    K_TRAIT,
    K_TRAIT_TYPE,
    K_TUPLE_PATTERN,
    K_TUPLE_STRUCT,
    K_TYPE_ITEM,
    K_TYPE_PARAM,
    K_UNARY,
    K_USE,
    K_USE_AS,
    K_USE_LIST,
    K_USE_STAR,
    K_VARIANT,
    K_VISIBILITY,
    K_WHERE,
    K_END,
};

enum {
    F_ALIAS = 1,
    F_ALTERNATIVE,
    F_ARGUMENT,
    F_ARGUMENTS,
    F_BODY,
    F_BOUNDS,
    F_CONDITION,
    F_CONSEQUENCE,
    F_ELEMENT,
    F_FIELD,
    F_FUNCTION,
    F_LEFT,
    F_LIST,
    F_MACRO,
    F_NAME,
    F_OPERATOR,
    F_PARAMETERS,
    F_PATH,
    F_PATTERN,
    F_RETURN_TYPE,
    F_RIGHT,
    F_TRAIT,
    F_TYPE,
    F_TYPE_ARGUMENTS,
    F_TYPE_PARAMETERS,
    F_VALUE,
    F_END,
};

enum { RUST_ITEMS_MAX = 16 };

/* So many items of a file are looked at for what its impl blocks tell of the
 * parameters of its types. */
enum { RUST_BLOCK_STEPS_MAX = 1 << 19 };

struct rust {
    struct visitor w; /* first: handlers get it */
    struct extract_list marks;
    uint32_t marks_line; /* of the first of them */
    str_id receiver;     /* in an impl block: its type */
    uint32_t impl;       /* its row, where there is one */
    bool in_trait;       /* its methods are as visible as the trait */
    TSNode inner;        /* what its type points to: T of `impl X for &T` */
    TSNode body;         /* of the impl block around */
    bool in_own_type;
    TSNode items[RUST_ITEMS_MAX]; /* around, whose parameters are seen */
    uint32_t item_len;            /* may be more than there is room for */
    uint32_t block_steps;         /* items looked at so far */
    TSNode sought_item;           /* the last struct they were looked at for, */
    uint32_t sought_index;        /* which parameter of it */
    TSNode sought_bound;          /* and what bounds that */
    bool in_bound;
    uint64_t parsed_bytes; /* of macros, for what items stand in them */
};

static inline struct rust *
rust_of(struct visitor *w)
{
    return (struct rust *)w;
}

visit_fn rust_use, rust_extern_crate, rust_mod, rust_function, rust_struct,
    rust_enum, rust_trait, rust_impl, rust_type_item, rust_const,
    rust_macro_definition, rust_closure, rust_let, rust_let_condition,
    rust_match, rust_for, rust_assign, rust_return, rust_macro, rust_attribute,
    rust_block, rust_named_type, rust_scoped, rust_unary;

/* rust_pattern binds the names of |pattern|; |bind| tells type and value. */
void rust_pattern(struct visitor *w, TSNode pattern, struct fact_bind bind);
/* rust_push and rust_pop are around what sees the parameters of |item|. */
void rust_push(struct visitor *w, TSNode item);
void rust_pop(struct visitor *w);
/* rust_param says whether |name| is a parameter here, and what bounds it; null:
 * nothing that says what it has. */
bool rust_param(struct visitor *w, str name, TSNode *bound);
/* rust_base_name is the name of a type without what it is made of. */
TSNode rust_base_name(const struct visitor *w, TSNode type);
/* rust_item is the def of an item, with the attributes before it. */
uint32_t rust_item(struct visitor *w, TSNode node, struct fact_def def);
/* rust_items visits the items that are all that |tokens| of a |macro| are;
 * false: they are something else. */
bool rust_items(struct visitor *w, TSNode macro, str name, TSNode tokens);
/* rust_tokens adds what the tokens of a macro are, as far as it is told. */
void rust_tokens(struct visitor *w, TSNode tree, struct extract_list *list);

#endif
