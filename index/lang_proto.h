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

/* reader_next goes to the next token; the first call finds the first. */
void reader_next(struct reader *r);
bool reader_is(const struct reader *r, str text);
/* reader_take goes on if the token is |text|. */
bool reader_take(struct reader *r, str text);
/* reader_need is reader_take that marks the facts partial when it is not. */
bool reader_need(struct reader *r, str text);
/* reader_word takes a name; empty, and partial, where there is none. */
str reader_word(struct reader *r);
/* reader_skip goes behind the `;` or the block that ends this statement. */
void reader_skip(struct reader *r);
/* reader_skip_group goes behind what closes the bracket it stands on. */
void reader_skip_group(struct reader *r);

/* Expressions at the token, to be called before it is left. */
uint32_t reader_expr(struct reader *r, struct fact_expr expr);
uint32_t reader_name(struct reader *r, str text); /* one name */
/* reader_path is `a.b.c` as members, a leading dot left out. */
uint32_t reader_path(struct reader *r, str path);
/* reader_literal takes a string (those beside it joined), a number or a name;
 * 0 where there is none. */
uint32_t reader_literal(struct reader *r);
uint32_t reader_pair(struct reader *r, str key, uint32_t value);
uint32_t reader_list(struct reader *r, uint8_t kind, uint32_t a,
                     struct extract_list *list);
uint32_t reader_generic(struct reader *r, str name, uint32_t one, uint32_t two);

/* reader_def is a def whose name is the token. */
uint32_t reader_def(struct reader *r, struct fact_def def);
/* reader_end ends it at the token before this, its signature |from| .. |to|. */
void reader_end(struct reader *r, uint32_t def);
void reader_sign(struct reader *r, uint32_t def, size_t from, size_t to);
void reader_bind(struct reader *r, struct fact_bind bind, str name);
void reader_import(struct reader *r, uint8_t kind, str literal);

void proto_file(struct reader *r);
void thrift_file(struct reader *r);

#endif
