/*
 * resolve_scip - what a SCIP index says about calls, in the place of what the
 * resolver would find.
 *
 * The index names the symbol at each place; the facts know which places are
 * calls.  Where both meet and the symbol is defined in the repository, the call
 * is an edge of provenance CODE_BY_SCIP.  The index must be of the same bytes.
 *
 *     resolver_new(&r, ...);
 *     resolver_scip(r, index, read_source, ctx, &taken);
 *     resolve_graph(r, ...);
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_SCIP_H
#define INDEX_RESOLVE_SCIP_H

#include "base/buf.h"
#include "index/resolve.h"

/* resolve_source_fn appends the bytes of a file, in which columns are counted;
 * false: it cannot, and its document is left out. */
typedef bool resolve_source_fn(void *ctx, str path, struct buf *out);

struct resolve_scip_taken {
    uint32_t documents; /* of files that the resolver has */
    uint32_t unmatched; /* documents of no file, or without its bytes */
    uint32_t calls;     /* told by the index */
};

/*
 * resolver_scip: before the first question is asked of |r|.
 *
 * ERR_CORRUPT  not a SCIP index; what was read of it before that counts
 * ERR_NOMEM
 */
enum err resolver_scip(struct resolver *r, str index, resolve_source_fn *source,
                       void *ctx, struct resolve_scip_taken *out);

#endif
