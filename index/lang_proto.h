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

struct idl {
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
void idl_next(struct idl *r);
bool idl_is(const struct idl *r, str text);
/* idl_take goes on if the token is |text|. */
bool idl_take(struct idl *r, str text);
/* idl_need is idl_take that marks the facts partial when it is not. */
bool idl_need(struct idl *r, str text);
/* idl_word takes a name; empty, and partial, where there is none. */
str idl_word(struct idl *r);
/* idl_skip goes behind the `;` or the block that ends this statement. */
void idl_skip(struct idl *r);
/* idl_skip_group goes behind what closes the bracket it stands on. */
void idl_skip_group(struct idl *r);

/* Expressions at the token, to be called before it is left. */
uint32_t idl_expr(struct idl *r, struct fact_expr expr);
uint32_t idl_name(struct idl *r, str text); /* one name */
/* idl_path is `a.b.c` as members, a leading dot left out. */
uint32_t idl_path(struct idl *r, str path);
/* idl_literal takes a string (those beside it joined), a number or a name;
 * 0 where there is none. */
uint32_t idl_literal(struct idl *r);
uint32_t idl_pair(struct idl *r, str key, uint32_t value);
uint32_t
idl_list(struct idl *r, uint8_t kind, uint32_t a, struct extract_list *list);
uint32_t idl_generic(struct idl *r, str name, uint32_t one, uint32_t two);

/* idl_def is a def whose name is the token. */
uint32_t idl_def(struct idl *r, struct fact_def def);
/* idl_end ends it at the token before this, its signature |from| .. |to|. */
void idl_end(struct idl *r, uint32_t def);
void idl_sign(struct idl *r, uint32_t def, size_t from, size_t to);
void idl_bind(struct idl *r, struct fact_bind bind, str name);
void idl_import(struct idl *r, uint8_t kind, str literal);

void proto_file(struct idl *r);
void thrift_file(struct idl *r);

#endif
