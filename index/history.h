/*
 * history - who wrote the files of a graph, by the commits that changed them.
 *
 * Threads    None.
 */
#ifndef INDEX_HISTORY_H
#define INDEX_HISTORY_H

#include <stdint.h>

#include "base/err.h"
#include "graph/code_build.h"
#include "index/tree.h"

/* How far to look back: tree_authors. */
struct history_ask {
    uint32_t commits_max;
    uint64_t deadline_ns;
};

/* history_authors appends to |build| a row a file and author.  |file_of| gives
 * for a file of |tree| that of |build|, 0 for none.  ERR_NOMEM. */
enum err history_authors(struct tree *tree, const struct history_ask *ask,
                         const uint32_t *file_of, struct code_build *build);

#endif
