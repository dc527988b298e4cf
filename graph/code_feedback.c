#include "graph/code_feedback.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/code_db.h"
#include "graph/code_find.h"
#include "graph/code_history.h"

enum err
code_feedback_add(struct code_db *db, const struct code *code,
                  const struct code_said *said, struct buf *why)
{
    struct feedback_row row = {
        .session = said->session,
        .useful = said->useful,
        .at_s = said->now_s,
    };
    struct code_store *cs = NULL;
    enum err err;

    if (said->node == 0 || said->node >= code->node_len) {
        buf_add(why, STR("there is no such symbol"));
        return ERR_NOT_FOUND;
    }
    memcpy(row.hash, code->nodes[said->node].hash, SHA256_LEN);
    code_fingerprint(code, said->node, row.code);
    err = code_store_open(&cs, code_db_dir(db), said->now_s * NS_PER_S, why);
    if (err)
        return err;
    err = code_store_add_feedback(cs, &row);
    if (err)
        code_db_explain(db, cs, err, why);
    code_store_close(cs);
    return err;
}

struct gather {
    const struct code *code;
    struct code_opinion *opinions;
};

static enum err
see_feedback(void *ctx, const struct feedback_row *row)
{
    struct gather *gather = ctx;
    unsigned char now[SHA256_LEN];
    uint32_t node = code_by_hash(gather->code, row->hash);

    if (node == 0)
        return OK;
    code_fingerprint(gather->code, node, now);
    if (memcmp(now, row->code, SHA256_LEN) != 0)
        gather->opinions[node].expired++;
    else if (row->useful)
        gather->opinions[node].useful++;
    else
        gather->opinions[node].useless++;
    return OK;
}

enum err
code_feedback_all(struct code_db *db, const struct code *code,
                  struct code_opinion **out, struct buf *why)
{
    struct gather gather = {
        .code = code,
        .opinions = calloc(code->node_len, sizeof(*gather.opinions)),
    };
    struct code_store *cs = NULL;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!gather.opinions)
        goto out;
    err = code_store_open_read(&cs, code_db_dir(db), why);
    if (err == ERR_NOT_FOUND) { /* then nobody said anything */
        buf_reset(why);
        err = OK;
    } else if (!err) {
        err = code_store_each_feedback(cs, NULL, see_feedback, &gather);
        if (err)
            code_db_explain(db, cs, err, why);
    }
    if (err)
        goto out;
    *out = gather.opinions;
    gather.opinions = NULL;
out:
    code_store_close(cs);
    free(gather.opinions);
    return err;
}
