/*
 * Answers, found once.  Nothing found because a question further out was still
 * open is not remembered, since asked from elsewhere there may be an answer;
 * but only so often that the work stays linear.
 */
#include "base/grow.h"
#include "index/resolve_impl.h"

enum { FORGOTTEN_MAX = 1 << 18 };

static bool
make_room(struct resolver *r)
{
    if (grow_room(r->vals, r->val_len, r->val_cap))
        return true;
    r->failed = true;
    return false;
}

struct val
memo_val(struct resolver *r, uint32_t *memo, uint32_t file, uint32_t id,
         memo_fn *fn)
{
    struct val val = {0};

    if (*memo >= MEMO_FIRST)
        return r->vals[*memo - MEMO_FIRST];
    if (*memo == MEMO_ASKED || r->depth >= RESOLVE_DEPTH_MAX || r->failed) {
        r->cuts++;
        return val;
    }
    uint32_t cuts = r->cuts;
    *memo = MEMO_ASKED;
    r->depth++;
    val = fn(r, file, id);
    r->depth--;
    if (val.kind == VAL_NONE) {
        bool is_cut =
            r->cuts != cuts && r->depth > 0 && r->forgotten < FORGOTTEN_MAX;
        r->forgotten += is_cut;
        *memo = is_cut ? MEMO_NEW : MEMO_FIRST; /* vals[0] is none */
        return val;
    }
    if (!make_room(r))
        return val;
    r->vals[r->val_len] = val;
    *memo = MEMO_FIRST + r->val_len++;
    return val;
}
