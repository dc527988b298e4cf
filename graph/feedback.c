/*
 * Rows are read oldest first into a list of (node, session, word); sorted by
 * these with the order of reading last, the last of each run is what counts.
 */
#include "graph/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "graph/code_db.h"
#include "graph/code_find.h"
#include "graph/code_history.h"
#include "store/code_store.h"

struct word {
    uint32_t node;
    uint32_t at_s;
    uint64_t session; /* its hash */
    size_t order;
    bool useful;
    bool is_expired;
};

struct loading {
    const struct code *code;
    struct word *words;
    size_t len;
    size_t cap;
};

static enum err
take_row(void *ctx, const struct feedback_row *row)
{
    struct loading *l = ctx;
    unsigned char now[SHA256_LEN];
    uint32_t node = code_by_hash(l->code, row->hash);

    if (node == 0)
        return OK;
    if (!grow_room(l->words, l->len, l->cap))
        return ERR_NOMEM;
    code_fingerprint(l->code, node, now);
    l->words[l->len] = (struct word){
        .node = node,
        .at_s = row->at_s,
        .session = hash_bytes(row->session, 0),
        .order = l->len,
        .useful = row->useful,
        .is_expired = memcmp(now, row->code, SHA256_LEN) != 0,
    };
    l->len++;
    return OK;
}

static int
compare_words(const void *left, const void *right)
{
    const struct word *a = left;
    const struct word *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void
sum_words(const struct loading *l, struct feedback *out)
{
    for (size_t i = 0; i < l->len; i++) {
        const struct word *word = &l->words[i];
        bool is_last = i + 1 == l->len || l->words[i + 1].node != word->node ||
                       l->words[i + 1].session != word->session;
        if (out->len == 0 || out->sums[out->len - 1].node != word->node)
            out->sums[out->len++] = (struct feedback_sum){.node = word->node};
        struct feedback_sum *sum = &out->sums[out->len - 1];
        if (!is_last)
            continue;
        sum->expired += word->is_expired;
        sum->useful += !word->is_expired && word->useful;
        sum->not_useful += !word->is_expired && !word->useful;
        sum->last_s = word->at_s > sum->last_s ? word->at_s : sum->last_s;
    }
}

enum err
feedback_load(struct code_db *db, const struct code *code, uint32_t node,
              struct feedback *out, struct buf *why)
{
    const unsigned char *hash = node ? code_node(code, node)->hash : NULL;
    struct loading l = {.code = code};
    struct code_store *cs = NULL;
    enum err err = code_store_open_read(&cs, code_db_dir(db), why);

    *out = (struct feedback){0};
    if (err == ERR_NOT_FOUND) {
        buf_reset(why);
        return OK;
    }
    if (err)
        goto out;
    if ((err = code_store_each_feedback(cs, hash, take_row, &l))) {
        code_db_explain(db, cs, err, why);
        goto out;
    }
    out->sums = calloc(l.len + 1, sizeof(*out->sums));
    if (!out->sums) {
        err = ERR_NOMEM;
        goto out;
    }
    if (l.len)
        qsort(l.words, l.len, sizeof(*l.words), compare_words);
    sum_words(&l, out);
out:
    code_store_close(cs);
    free(l.words);
    return err;
}

void
feedback_fini(struct feedback *feedback)
{
    free(feedback->sums);
    *feedback = (struct feedback){0};
}

static int
compare_sum(const void *key, const void *element)
{
    uint32_t node = *(const uint32_t *)key;
    const struct feedback_sum *sum = element;

    return (node > sum->node) - (node < sum->node);
}

const struct feedback_sum *
feedback_of(const struct feedback *feedback, uint32_t node)
{
    if (feedback->len == 0)
        return NULL;
    return bsearch(&node, feedback->sums, feedback->len,
                   sizeof(*feedback->sums), compare_sum);
}

enum err
feedback_record(struct code_db *db, const struct code *code,
                const struct feedback_word *word, struct buf *why)
{
    struct feedback_row row = {
        .session = str_cut(word->session, 0, FEEDBACK_SESSION_MAX),
        .useful = word->useful,
        .at_s = word->at_s,
    };
    struct code_store *cs = NULL;
    enum err err = code_store_open(&cs, code_db_dir(db),
                                   (uint64_t)word->at_s * NS_PER_S, why);

    if (err)
        return err;
    memcpy(row.hash, code_node(code, word->node)->hash, SHA256_LEN);
    code_fingerprint(code, word->node, row.code);
    if ((err = code_store_begin(cs)) ||
        (err = code_store_add_feedback(cs, &row)) ||
        (err = code_store_commit(cs))) {
        code_store_rollback(cs);
        code_db_explain(db, cs, err, why);
    }
    code_store_close(cs);
    return err;
}
