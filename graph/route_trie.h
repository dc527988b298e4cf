/*
 * route_trie - many short paths, and what stands at each of their positions.
 *
 * A pool of nodes and lists of children, for graph/route_learn.c.  Texts are
 * copied into the nodes, so removing gives everything back.
 *
 * Bound      ROUTE_TRIE_MAX nodes; ROUTE_TRIE_CHILDREN a node; texts of
 *            ROUTE_TRIE_TEXT bytes.
 * Threads    None.
 */
#ifndef GRAPH_ROUTE_TRIE_H
#define GRAPH_ROUTE_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    ROUTE_TRIE_MAX = 1 << 18,
    ROUTE_TRIE_CHILDREN = 128,
    ROUTE_TRIE_TEXT = 47,
};

struct route_trie_node {
    uint32_t first; /* child; 0: none */
    uint32_t next;  /* sibling */
    uint16_t children;
    bool is_wide; /* other texts than the children's belong to `{}` */
    bool is_end;  /* a path ends here */
    uint8_t text_len;
    char text[ROUTE_TRIE_TEXT];
};

/* Zero-initialise to start. */
struct route_trie {
    struct route_trie_node *nodes; /* 0 is not used */
    uint32_t len;
    uint32_t cap;
    uint32_t free; /* list of removed nodes, through |next| */
};

void route_trie_fini(struct route_trie *trie);

/* route_trie_root is a new node without a parent; 0 if there is no room. */
uint32_t route_trie_root(struct route_trie *trie);

/* route_trie_find is the child of |parent| with |text|, or 0. */
uint32_t
route_trie_find(const struct route_trie *trie, uint32_t parent, str text);

/* route_trie_add finds or adds it; 0 if there is no room.  Pointers to nodes
 * are valid until the next call. */
uint32_t route_trie_add(struct route_trie *trie, uint32_t parent, str text);

/* route_trie_cut takes |child| and all below it out of |parent|'s children. */
void route_trie_cut(struct route_trie *trie, uint32_t parent, uint32_t child);

static inline str
route_trie_text(const struct route_trie *trie, uint32_t node)
{
    return (str){trie->nodes[node].text, trie->nodes[node].text_len};
}

#endif
