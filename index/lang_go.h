/*
 * lang_go - what the files of the Go extractor share.
 *
 * lang_go.c walks, lang_go_def.c writes definitions, lang_go_stmt.c what binds
 * names, lang_go_expr.c expressions, lang_go_type.c types.  All go through
 * go_value and go_visit, which look the kind of a node up in one table.
 */
#ifndef INDEX_LANG_GO_H
#define INDEX_LANG_GO_H

#include "index/extract.h"
#include "index/extract_children.h"

enum { GO_LIST_MAX = 64, GO_NESTING_MAX = 8 };

enum go_kind {
    GO_PACKAGE = 1,
    GO_IMPORT,
    GO_FUNCTION,
    GO_METHOD,
    GO_FUNC_LITERAL,
    GO_TYPE_SPEC,
    GO_TYPE_ALIAS,
    GO_CONSTS,
    GO_CONST_SPEC,
    GO_VAR_SPEC,
    GO_STRUCT,
    GO_INTERFACE,
    GO_FIELD,
    GO_METHOD_ELEM,
    GO_TYPE_ELEM,
    GO_PARAMETERS,
    GO_PARAMETER,
    GO_VARIADIC,
    GO_SHORT_VAR,
    GO_ASSIGN,
    GO_RANGE,
    GO_TYPE_SWITCH,
    GO_TYPE_CASE,
    GO_DEFAULT_CASE,
    GO_RECEIVE,
    GO_RETURN,
    GO_EXPRESSIONS,
    GO_CALL,
    GO_SELECTOR,
    GO_INDEX,
    GO_INSTANCE,
    GO_SLICE,
    GO_ASSERTION,
    GO_CONVERSION,
    GO_COMPOSITE,
    GO_LITERAL_VALUE,
    GO_KEYED,
    GO_ELEMENT,
    GO_UNARY,
    GO_BINARY,
    GO_PAREN,
    GO_SPREAD,
    GO_IDENT,
    GO_STRING,
    GO_RAW_STRING,
    GO_NUMBER,
    GO_WORD,
    GO_LEAF,
    GO_TYPE_IDENT,
    GO_QUALIFIED,
    GO_POINTER,
    GO_ARRAY,
    GO_MAP,
    GO_CHANNEL,
    GO_FUNC_TYPE,
    GO_GENERIC,
    GO_WRAPPED_TYPE,
    GO_DOT,
    GO_BLANK,
    GO_KIND_END,
};

enum go_field {
    GO_F_NAME = 1,
    GO_F_PATH,
    GO_F_PARAMETERS,
    GO_F_RESULT,
    GO_F_BODY,
    GO_F_RECEIVER,
    GO_F_TYPE_PARAMETERS,
    GO_F_TYPE,
    GO_F_VALUE,
    GO_F_LEFT,
    GO_F_RIGHT,
    GO_F_ALIAS,
    GO_F_FUNCTION,
    GO_F_ARGUMENTS,
    GO_F_TYPE_ARGUMENTS,
    GO_F_OPERAND,
    GO_F_OPERATOR,
    GO_F_FIELD,
    GO_F_INDEX,
    GO_F_KEY,
    GO_F_ELEMENT,
    GO_F_PACKAGE,
    GO_F_LENGTH,
    GO_F_END,
};

struct go {
    struct extract *x;
    str_id hint;         /* what a function literal is about to be bound to */
    uint32_t nesting;    /* of composite literals */
    uint32_t const_type; /* of the spec before: in a group they are repeated */
};

typedef uint32_t go_fn(struct go *go, TSNode node);

/* go_value writes what |node| holds and returns the expression that it is, 0
 * where there is no telling.  go_visit is for those whose value nobody asks
 * for: only calls, definitions and names within are written. */
uint32_t go_value(struct go *go, TSNode node);
void go_visit(struct go *go, TSNode node);
void go_visit_children(struct go *go, TSNode node);

static inline uint16_t
go_kind(const struct go *go, TSNode node)
{
    return extract_kind(go->x, node);
}

static inline TSNode
go_field(const struct go *go, TSNode node, enum go_field field)
{
    return extract_field(go->x, node, (uint16_t)field);
}

/* go_add writes an expression that begins where |node| does. */
uint32_t go_add(struct go *go, TSNode node, struct fact_expr expr);
uint32_t go_add_name(struct go *go, TSNode node, str_id text);

/* Declarations: lang_go_def.c. */
go_fn go_function, go_func_literal, go_type_spec, go_consts, go_const_spec,
    go_var_spec;

/* Statements: lang_go_stmt.c. */
go_fn go_short_var, go_assign, go_range, go_type_switch, go_receive, go_return;
enum { GO_BIND_MAX = 32 };
struct go_bind {
    uint8_t kind; /* BIND_LOCAL, BIND_ASSIGN */
    uint32_t flags;
    uint32_t type;
    uint32_t until; /* line; what is assigned holds up to there */
};
/* go_bind_all binds each of |left| to its part of |right|, a list each. */
void go_bind_all(struct go *go, const TSNode *left, uint32_t left_len,
                 TSNode right, struct go_bind how);
uint32_t go_collect(TSNode list, TSNode *nodes, uint32_t cap);
bool go_is_blank(const struct go *go, TSNode name);

/* Expressions and types: lang_go_expr.c, lang_go_type.c. */
go_fn go_call, go_selector, go_index, go_instance, go_slice, go_assertion,
    go_composite, go_element, go_unary, go_binary, go_paren, go_spread,
    go_ident, go_string, go_raw_string, go_number;
go_fn go_qualified, go_pointer, go_array, go_map, go_channel, go_func_type,
    go_generic, go_struct, go_interface, go_type_elem;
/* go_variadic is the slice that a `...T` parameter is. */
uint32_t go_variadic(struct go *go, TSNode parameter);
/* go_result is the type of what a function returns, an EXPR_ARRAY of several.
 */
uint32_t go_result(struct go *go, TSNode result);
/* go_type_name is the last name of a type, without pointers and arguments. */
TSNode go_type_name(const struct go *go, TSNode type);

#endif
