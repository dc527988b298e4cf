/*
 * resolve_line - the line of the bases of a type while it is being put together
 * (resolve_line.c).
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_LINE_H
#define INDEX_RESOLVE_LINE_H

#include "index/resolve_impl.h"

struct line {
    uint32_t items[RESOLVE_BASES_MAX];
    uint32_t len;
    bool is_open; /* a base is not ours, or not found */
};

/* line_add puts |type| at the end; where it stands already, it stays, or else
 * it is moved (|is_last_kept|). */
void line_add(struct line *line, uint32_t type, bool is_last_kept);
/* line_join adds the line of |scope|. */
void line_join(struct resolver *r, struct line *line, uint32_t scope,
               bool is_last_kept);

#endif
