/*
 * extract_children - the named children of a node, one after another.
 *
 *     struct extract_children it = extract_children(node);
 *     while (extract_next(&it))
 *         use(it.node, extract_is_field(x, &it, FIELD_NAME));
 *
 * Linear in the children.  The cursor is freed when there is no next; a loop
 * that is left earlier calls extract_children_end.
 */
#ifndef INDEX_EXTRACT_CHILDREN_H
#define INDEX_EXTRACT_CHILDREN_H

#include "index/extract.h"

struct extract_children {
    TSTreeCursor cursor;
    TSNode node;
    bool is_open;
    bool is_begun;
};

static inline struct extract_children
extract_children(TSNode parent)
{
    struct extract_children it = {.is_open = false};

    if (!ts_node_is_null(parent) && ts_node_named_child_count(parent) > 0) {
        it.cursor = ts_tree_cursor_new(parent);
        it.is_open = true;
    }
    return it;
}

static inline void
extract_children_end(struct extract_children *it)
{
    if (it->is_open)
        ts_tree_cursor_delete(&it->cursor);
    it->is_open = false;
}

static inline bool
extract_next(struct extract_children *it)
{
    while (it->is_open) {
        bool more = it->is_begun ? ts_tree_cursor_goto_next_sibling(&it->cursor)
                                 : ts_tree_cursor_goto_first_child(&it->cursor);
        it->is_begun = true;
        if (!more)
            break;
        it->node = ts_tree_cursor_current_node(&it->cursor);
        if (ts_node_is_named(it->node) && !ts_node_is_extra(it->node))
            return true;
    }
    extract_children_end(it);
    return false;
}

/* Whether the child that extract_next stopped at is that field; one that the
 * grammar lacks is none. */
static inline bool
extract_is_field(const struct extract *x, const struct extract_children *it,
                 uint16_t number)
{
    TSFieldId id = x->fields[number];

    return id && ts_tree_cursor_current_field_id(&it->cursor) == id;
}

#endif
