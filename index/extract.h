/*
 * extract - what every extractor needs to walk a tree and write facts.
 *
 * A walk is a recursion over named children with a bound: beyond
 * EXTRACT_DEPTH_MAX levels a subtree is left out and the facts are partial.
 * Kinds and fields are compared as numbers that are looked up once per
 * language, because names would cost more than parsing.
 *
 * Threads    One extract, one thread.
 */
#ifndef INDEX_EXTRACT_H
#define INDEX_EXTRACT_H

#include <tree_sitter/api.h>

#include "index/facts.h"
#include "index/lang.h"

enum { EXTRACT_DEPTH_MAX = 400 };

struct extract {
    struct facts *facts;
    str path;
    str source;
    TSNode root;
    const TSLanguage *language;
    const uint16_t *symbols; /* the extractor's number of each symbol */
    const uint16_t *fields;  /* the field id of each of its numbers */
    uint32_t scope; /* def that the walk is in; extractors save and restore */
    uint32_t depth;
};

/*
 * A name of the grammar and the number, from 1, by which an extractor knows it:
 * {KIND_CALL, "call_expression"}.  Several names may have one number.  lang.c
 * looks them up once a process: a grammar that lacks a name is another than
 * the one the extractor was written for (ERR_UNSUPPORTED), but for names that
 * begin with `?`, which need not be there (TypeScript's, in JavaScript).
 */
struct extract_name {
    uint16_t number;
    const char *name;
};

static inline uint16_t
extract_kind(const struct extract *x, TSNode node)
{
    /* ERROR has a symbol that is not one of the grammar's. */
    return ts_node_is_null(node) || ts_node_is_error(node)
               ? 0
               : x->symbols[ts_node_symbol(node)];
}

static inline TSNode
extract_field(const struct extract *x, TSNode node, uint16_t number)
{
    return ts_node_is_null(node)
               ? node
               : ts_node_child_by_field_id(node, x->fields[number]);
}

str extract_text(const struct extract *x, TSNode node);
str_id extract_str(struct extract *x, TSNode node);
uint32_t extract_line(TSNode node); /* from 1 */
uint32_t extract_col(TSNode node);  /* bytes, from 0 */

/* extract_enter is false at the depth bound; else one extract_leave follows. */
bool extract_enter(struct extract *x);
void extract_leave(struct extract *x);

/* A list of expressions while it is gathered; extract_list_end keeps it and
 * frees |list|.  Nesting is fine: each has its own memory. */
struct extract_list {
    uint32_t *items;
    uint32_t len;
    uint32_t cap;
    uint32_t inline_items[8];
};
void
extract_list_add(struct extract *x, struct extract_list *list, uint32_t expr);
uint32_t
extract_list_end(struct extract *x, struct extract_list *list, uint32_t *len);

/* extract_signature is the text of |node| up to |body|, on one line. */
str_id extract_signature(struct extract *x, TSNode node, TSNode body);
str_id extract_signature_bytes(struct extract *x, uint32_t from, uint32_t to);

/* extract_string is the value of a quoted literal: quotes off, the escapes
 * common to C-like languages undone; |prefix_len| bytes skipped first. */
str_id extract_string(struct extract *x, str literal, size_t prefix_len);

#endif
