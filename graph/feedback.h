/*
 * feedback - what users said of symbols, as long as it is of the code there is.
 *
 * A word of feedback is kept with the fingerprint of the symbol's code
 * (code_fingerprint) and counts only while that is the same: what was said of
 * code that is gone says nothing of what stands there now.  Of several words of
 * one session on one symbol the last counts.
 *
 * Threads    As graph/code_history.h.
 */
#ifndef GRAPH_FEEDBACK_H
#define GRAPH_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "graph/code.h"

enum { FEEDBACK_SESSION_MAX = 128 };

struct feedback_sum {
    uint32_t node; /* vertex of the code */
    uint32_t useful;
    uint32_t not_useful;
    uint32_t expired; /* of code that has changed since */
    uint32_t last_s;
};

struct feedback {
    struct feedback_sum *sums; /* by node */
    size_t len;
};

/* feedback_load sums what is kept of |node|, or of all (0).  That nothing was
 * indexed is no error.  Errors as code_db_hold; |why|. */
enum err feedback_load(struct code_db *db, const struct code *code,
                       uint32_t node, struct feedback *out, struct buf *why);
void feedback_fini(struct feedback *feedback);

/* feedback_of is NULL if nothing is kept. */
const struct feedback_sum *
feedback_of(const struct feedback *feedback, uint32_t node);

/* feedback_record keeps one.  ERR_BUSY: an index is being written, try again
 * soon; others as store/code_store.h; |why|. */
struct feedback_word {
    uint32_t node;
    bool useful;
    str session;
    uint32_t at_s;
};
enum err feedback_record(struct code_db *db, const struct code *code,
                         const struct feedback_word *word, struct buf *why);

#endif
