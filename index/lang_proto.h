/*
 * lang_proto - reading interface definitions token by token.
 *
 * Protocol buffers and Thrift have grammars small enough to be read by hand,
 * and no tree is needed: a reader stands on one token and facts are written as
 * they are met.  What is not understood is passed over up to the end of its
 * statement, and the facts are partial.
 *
 * Threads    None.
 */
#ifndef INDEX_LANG_PROTO_H
#define INDEX_LANG_PROTO_H

#include "index/extract.h"

enum token_kind {
    TOKEN_END = 0,
    TOKEN_WORD, /* names, with the dots in them */
    TOKEN_NUMBER,
    TOKEN_STRING, /* with its quotes */
    TOKEN_SYMBOL, /* one byte */
};

struct reader {
    struct extract *x;
    str text;
    size_t at;       /* behind the token */
    size_t start;    /* of the token */
    size_t last_end; /* of the token before it */
    size_t line_at;  /* where the line begins */
    uint32_t line;
    uint32_t last_line; /* of the token before it */
    enum token_kind kind;
    str token;
    bool has_hash; /* `#` begins a comment */
};

/* idl_next goes to the next token; the first call finds the first. */
void idl_next(struct reader *r);
bool idl_is(const struct reader *r, str text);
/* idl_take goes on if the token is |text|. */
bool idl_take(struct reader *r, str text);
/* idl_need is idl_take that marks the facts partial when it is not. */
bool idl_need(struct reader *r, str text);
/* idl_word takes a name; empty, and partial, where there is none. */
str idl_word(struct reader *r);
/* idl_skip goes behind the `;` or the block that ends this statement. */
void idl_skip(struct reader *r);
/* idl_skip_group goes behind what closes the bracket it stands on. */
void idl_skip_group(struct reader *r);

/* Expressions at the token, to be called before it is left. */
uint32_t idl_expr(struct reader *r, struct fact_expr expr);
uint32_t idl_name(struct reader *r, str text); /* one name */
/* idl_path is `a.b.c` as members, a leading dot left out. */
uint32_t idl_path(struct reader *r, str path);
/* idl_literal takes a string (those beside it joined), a number or a name;
 * 0 where there is none. */
uint32_t idl_literal(struct reader *r);
uint32_t idl_pair(struct reader *r, str key, uint32_t value);
uint32_t
idl_list(struct reader *r, uint8_t kind, uint32_t a, struct extract_list *list);
uint32_t idl_generic(struct reader *r, str name, uint32_t one, uint32_t two);

/* idl_def is a def whose name is the token. */
uint32_t idl_def(struct reader *r, struct fact_def def);
/* idl_end ends it at the token before this, its signature |from| .. |to|. */
void idl_end(struct reader *r, uint32_t def);
void idl_sign(struct reader *r, uint32_t def, size_t from, size_t to);
void idl_bind(struct reader *r, struct fact_bind bind, str name);
void idl_import(struct reader *r, uint8_t kind, str literal);

void proto_file(struct reader *r);
void thrift_file(struct reader *r);

#endif
