/*
 * The names that traces tell, read once for a question: each part, and the
 * nodes it stands in.  They come and go with the traces, so nothing is kept.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "knowledge/search_parts.h"

/* What a part is worth in the name, and in that of the service. */
#define IN_NAME    6.0F
#define IN_SERVICE 2.0F
#define IN_METHOD  1.5F

struct row {
    text_id part;
    struct code_term_at at;
};

struct reading {
    struct search_observed *out;
    struct row *rows;
    size_t len, cap;
    uint32_t node;
    float worth;
    bool failed;
};

static void
see_part(void *ctx, str part)
{
    struct reading *r = ctx;
    text_id id = texts_add(&r->out->texts, part);

    if (!grow_room(r->rows, r->len, r->cap)) {
        r->failed = true;
        return;
    }
    r->failed |= !id;
    r->rows[r->len++] = (struct row){id, {r->node, r->worth}};
    r->out->parts[r->node]++;
}

/* Of `GET /cart/{}`, what GET is for. */
static str
method_words(str name)
{
    const char *space = name.len ? memchr(name.ptr, ' ', name.len) : NULL;

    return space
               ? code_method_words(str_cut(name, 0, (size_t)(space - name.ptr)))
               : STR("");
}

static void
read_names(struct reading *r, const struct moment *moment)
{
    struct search_observed *out = r->out;

    for (size_t i = 0; i < out->ids.len && !r->failed; i++) {
        const struct query_node *node =
            query_node(moment->view, out->ids.ids[i]);

        r->node = (uint32_t)i;
        r->worth = IN_NAME;
        words_split(node->name, see_part, r);
        if (node->kind == NODE_ROUTE) {
            r->worth = IN_METHOD;
            words_split(method_words(node->name), see_part, r);
        }
        r->worth = IN_SERVICE;
        if (node->owner)
            words_split(node->service, see_part, r);
    }
    out->mean = out->ids.len ? (double)r->len / (double)out->ids.len : 1;
}

static enum err
deal(struct reading *r)
{
    struct search_observed *out = r->out;
    size_t len = out->texts.len;

    out->at = calloc(len + 3, sizeof(*out->at));
    out->marks = calloc(len + 1, sizeof(*out->marks));
    out->places = calloc(r->len + 1, sizeof(*out->places));
    if (r->failed || !out->at || !out->marks || !out->places)
        return ERR_NOMEM;
    for (size_t i = 0; i < r->len; i++)
        out->at[r->rows[i].part + 2]++;
    for (size_t t = 2; t < len + 2; t++)
        out->at[t] += out->at[t - 1];
    for (size_t i = 0; i < r->len; i++)
        out->places[out->at[r->rows[i].part + 1]++] = r->rows[i].at;
    for (text_id t = 1; t < len; t++)
        out->marks[t] = code_terms_mark(texts_get(&out->texts, t));
    return OK;
}

enum err
search_observe(const struct moment *moment, struct search_observed *out)
{
    const struct query_find all = {.kinds = (1U << (NODE_SYMBOL + 1)) - 2};
    struct reading r = {.out = out};
    enum err err;

    *out = (struct search_observed){0};
    err = texts_init(&out->texts, 0);
    if (!err && moment->view)
        err = query_find(moment->view, &all, &out->ids);
    if (err)
        return err;
    out->parts = calloc(out->ids.len + 1, sizeof(*out->parts));
    if (!out->parts)
        return ERR_NOMEM;
    read_names(&r, moment);
    err = deal(&r);
    free(r.rows);
    return err;
}

void
search_observed_fini(struct search_observed *observed)
{
    texts_fini(&observed->texts);
    ids_fini(&observed->ids);
    free(observed->at);
    free(observed->marks);
    free(observed->places);
    free(observed->parts);
}
