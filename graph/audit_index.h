/*
 * audit_index - which declared routes an observed one may be, without looking
 * at each.
 *
 * Memory     audit_index_fini.
 * Threads    None.
 */
#ifndef GRAPH_AUDIT_INDEX_H
#define GRAPH_AUDIT_INDEX_H

#include "graph/audit_candidate.h"

struct audit_index {
    struct candidate *const *rows; /* by service, then path; they may move */
    size_t len;
    uint32_t *by_end; /* rows by service, then path from its end */
    uint32_t *open;   /* rows that end with a catch-all, in their order */
    size_t open_len;
    uint16_t *depth; /* segments of each row's path; UINT16_MAX: any */
};

/* audit_index_make: ERR_NOMEM. */
enum err audit_index_make(struct audit_index *out,
                          struct candidate *const *rows, size_t len);
void audit_index_fini(struct audit_index *index);

/* audit_index_each calls |fn| once with each row of |service| that |name| fits
 * (route_clears), but for those it fits exactly. */
typedef void audit_index_fn(void *ctx, struct candidate *row, enum fit fit);
void audit_index_each(const struct audit_index *index, uint32_t service,
                      struct route_name name, bool is_guess, audit_index_fn *fn,
                      void *ctx);

#endif
