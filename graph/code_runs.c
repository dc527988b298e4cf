#include "graph/code_runs.h"

#include <stdlib.h>

#include "graph/code_load.h"

enum { BITS = 8, PASSES = 3, RADIX = 1 << BITS };

struct code_runs_made {
    struct code_runs runs;
    uint32_t *keys;
    uint32_t *at;
    uint32_t *terms;
    uint64_t *said;
};

struct pair {
    uint32_t run;
    uint32_t term;
};

static uint32_t
run_at(str text, size_t i)
{
    return (uint32_t)(unsigned char)text.ptr[i] << 16 |
           (uint32_t)(unsigned char)text.ptr[i + 1] << 8 |
           (unsigned char)text.ptr[i + 2];
}

static size_t
runs_in(str text)
{
    return text.len > 2 ? text.len - 2 : 0;
}

/* Stable, so what comes by term stays so within a run. */
static void
sort_pairs(struct pair *pairs, struct pair *work, size_t len)
{
    for (int pass = 0; pass < PASSES; pass++) {
        size_t at[RADIX + 1] = {0};

        for (size_t i = 0; i < len; i++)
            at[(pairs[i].run >> BITS * pass) % RADIX + 1]++;
        for (size_t k = 1; k <= RADIX; k++)
            at[k] += at[k - 1];
        for (size_t i = 0; i < len; i++)
            work[at[(pairs[i].run >> BITS * pass) % RADIX]++] = pairs[i];
        struct pair *swap = pairs;
        pairs = work;
        work = swap;
    }
}

/* Sorted pairs end in the second half: there is an odd number of passes. */
static struct pair *
make_pairs(const struct code_terms *terms, size_t *len)
{
    size_t all = 0;
    size_t at = 0;

    for (uint32_t t = 0; t < terms->len; t++)
        all += runs_in(terms->terms[t]);
    struct pair *pairs = calloc(2 * all + 1, sizeof(*pairs));
    for (uint32_t t = 0; pairs && t < terms->len; t++)
        for (size_t i = 0; i < runs_in(terms->terms[t]); i++)
            pairs[at++] = (struct pair){run_at(terms->terms[t], i), t};
    if (pairs)
        sort_pairs(pairs, pairs + all, all);
    *len = all;
    return pairs;
}

static enum err
make_runs(struct code_runs_made *made, const struct pair *pairs, size_t len)
{
    uint32_t runs = 0;
    uint32_t terms = 0;

    made->keys = calloc(len + 1, sizeof(*made->keys));
    made->at = calloc(len + 2, sizeof(*made->at));
    made->terms = calloc(len + 1, sizeof(*made->terms));
    if (!made->keys || !made->at || !made->terms)
        return ERR_NOMEM;
    for (size_t i = 0; i < len; i++) {
        bool is_new = i == 0 || pairs[i].run != pairs[i - 1].run;

        if (!is_new && pairs[i].term == pairs[i - 1].term)
            continue;
        if (is_new) {
            made->keys[runs] = pairs[i].run;
            made->at[runs++] = terms;
        }
        made->terms[terms++] = pairs[i].term;
    }
    made->at[runs] = terms;
    made->runs.len = runs;
    return OK;
}

static enum err
make(struct code_runs_made *made, const struct code *code,
     const struct code_terms *terms)
{
    size_t len = 0;
    struct pair *pairs = make_pairs(terms, &len);
    enum err err = pairs ? make_runs(made, pairs + len, len) : ERR_NOMEM;

    free(pairs);
    made->said = calloc((size_t)code->literal_len + 1, sizeof(*made->said));
    if (!made->said)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < code->literal_len; i++)
        made->said[i] = code_terms_mark(code->literals[i].text);
    made->runs.runs = made->keys;
    made->runs.at = made->at;
    made->runs.terms = made->terms;
    made->runs.said = made->said;
    return err;
}

void
code_runs_free(struct code_runs_made *made)
{
    if (!made)
        return;
    free(made->keys);
    free(made->at);
    free(made->terms);
    free(made->said);
    free(made);
}

/* Two that make it at once make the same; the first stays. */
enum err
code_runs_of(const struct code *code, const struct code_terms *terms,
             const struct code_runs **out)
{
    struct code_graph *graph = code->index->graph;
    struct code_runs_made *held = atomic_load(&graph->runs);
    struct code_runs_made *made = NULL;
    enum err err = OK;

    if (!held) {
        made = calloc(1, sizeof(*made));
        err = made ? make(made, code, terms) : ERR_NOMEM;
        if (!err && atomic_compare_exchange_strong(&graph->runs, &held, made))
            made = NULL;
        held = atomic_load(&graph->runs);
        code_runs_free(made);
    }
    *out = err ? NULL : &held->runs;
    return err;
}

void
code_runs_count(const struct code_runs *runs, str word, uint8_t *counts)
{
    for (size_t i = 0; i < runs_in(word); i++) {
        uint32_t run = run_at(word, i);
        uint32_t low = 0;
        uint32_t high = runs->len;

        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (runs->runs[middle] < run)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == runs->len || runs->runs[low] != run)
            continue;
        for (uint32_t k = runs->at[low]; k < runs->at[low + 1]; k++)
            if (counts[runs->terms[k]] < UINT8_MAX)
                counts[runs->terms[k]]++;
    }
}
