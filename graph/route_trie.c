#include "graph/route_trie.h"

#include <stdlib.h>

#include "base/grow.h"

void
route_trie_fini(struct route_trie *trie)
{
    free(trie->nodes);
    *trie = (struct route_trie){.nodes = NULL};
}

static uint32_t
take(struct route_trie *trie)
{
    uint32_t node = trie->free;

    if (node) {
        trie->free = trie->nodes[node].next;
    } else {
        if (trie->len == ROUTE_TRIE_MAX ||
            !grow_room(trie->nodes, trie->len, trie->cap))
            return 0;
        trie->len += trie->len == 0;
        node = trie->len++;
    }
    trie->nodes[node] = (struct route_trie_node){.first = 0};
    return node;
}

uint32_t
route_trie_root(struct route_trie *trie)
{
    return take(trie);
}

uint32_t
route_trie_find(const struct route_trie *trie, uint32_t parent, str text)
{
    uint32_t child = trie->nodes[parent].first;

    while (child && !str_eq(route_trie_text(trie, child), text))
        child = trie->nodes[child].next;
    return child;
}

uint32_t
route_trie_add(struct route_trie *trie, uint32_t parent, str text)
{
    uint32_t child = route_trie_find(trie, parent, text);

    if (child)
        return child;
    if (text.len > ROUTE_TRIE_TEXT ||
        trie->nodes[parent].children == ROUTE_TRIE_CHILDREN)
        return 0;
    child = take(trie);
    if (!child)
        return 0;
    struct route_trie_node *node = &trie->nodes[child];
    memcpy(node->text, text.ptr, text.len);
    node->text_len = (uint8_t)text.len;
    node->next = trie->nodes[parent].first;
    trie->nodes[parent].first = child;
    trie->nodes[parent].children++;
    return child;
}

/* Depth first without recursion: children are moved in front of what is still
 * to be given back. */
static void
give_back(struct route_trie *trie, uint32_t node)
{
    uint32_t todo = node;

    trie->nodes[node].next = 0;
    while (todo) {
        uint32_t at = todo;
        uint32_t child = trie->nodes[at].first;
        todo = trie->nodes[at].next;
        while (child) {
            uint32_t next = trie->nodes[child].next;
            trie->nodes[child].next = todo;
            todo = child;
            child = next;
        }
        trie->nodes[at].next = trie->free;
        trie->free = at;
    }
}

void
route_trie_cut(struct route_trie *trie, uint32_t parent, uint32_t child)
{
    uint32_t *link = &trie->nodes[parent].first;

    while (*link != child)
        link = &trie->nodes[*link].next;
    *link = trie->nodes[child].next;
    trie->nodes[parent].children--;
    give_back(trie, child);
}
