/*
 * One pass over the vertices interns each part and lists where it stands; then
 * terms are put in order and the list is dealt out to them.  Vertices come in
 * order, so what a term lists is in order, too.  Names stand wherever they are
 * called, and paths at all that is in the file: those are cut once.
 */
#include "graph/code_terms.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/texts.h"
#include "graph/code_build.h"
#include "graph/code_load.h"
#include "graph/words.h"

/* What a part is worth in a field; the name's is the unit of BM25's k. */
static const float field_worth[FIELD_END] = {
    [FIELD_NAME] = 6,       [FIELD_SIGNATURE] = 1.5F, [FIELD_PACKAGE] = 1,
    [FIELD_PATH] = 1.5F,    [FIELD_SAID] = 1.5F,      [FIELD_DOC] = 1.5F,
    [FIELD_CALLED] = 0.75F, [FIELD_BODY] = 0.75F,     [FIELD_METHOD] = 1.5F,
    [FIELD_HANDLER] = 3,    [FIELD_ROUTE] = 1.5F,     [FIELD_BEHIND] = 1,
};

enum { TEXTS_BYTES = 256 << 20 };

/* What it owns; |terms| only lends it. */
struct code_terms_made {
    struct code_terms terms;
    struct texts texts;
    str *sorted;
    uint64_t *marks;
    uint32_t *at;
    struct code_term_at *places;
    uint16_t *lengths;
    struct code_fields fields;
};

struct row {
    uint32_t term;
    struct code_term_at at;
};

/* The parts of a text that stands at several vertices; |end| 0: not yet cut. */
struct cut {
    uint32_t at, end;
};

struct making {
    const struct code *code;
    struct texts *texts;
    struct cut *names; /* by vertex */
    struct cut *paths; /* by file */
    uint32_t *parts_cut;
    uint32_t cut_len, cut_cap;
    struct row *rows;
    size_t len, cap;
    uint32_t *row_of; /* by text id: 1 + its row of the vertex at hand */
    size_t row_cap;
    size_t first; /* row of the vertex at hand */
    uint32_t node;
    uint32_t parts;
    float worth; /* of the field at hand */
    bool failed;
};

uint64_t
code_terms_mark(str text)
{
    uint64_t mark = 0;

    for (size_t i = 0; i + 3 <= text.len; i++) {
        uint32_t run = (uint32_t)(unsigned char)text.ptr[i] << 16 |
                       (uint32_t)(unsigned char)text.ptr[i + 1] << 8 |
                       (unsigned char)text.ptr[i + 2];
        mark |= UINT64_C(1) << (run * UINT32_C(2654435761) >> 26);
    }
    return mark;
}

static bool
make_room(struct making *m, text_id id)
{
    if (id >= m->row_cap) {
        size_t cap = m->row_cap ? 2 * m->row_cap : 4096;
        while (cap <= id)
            cap *= 2;
        uint32_t *grown = realloc(m->row_of, cap * sizeof(*grown));
        if (!grown)
            return false;
        memset(grown + m->row_cap, 0, (cap - m->row_cap) * sizeof(*grown));
        m->row_of = grown;
        m->row_cap = cap;
    }
    if (!grow_room(m->rows, m->len, m->cap))
        return false;
    return true;
}

static void
take_id(struct making *m, text_id id)
{
    if (!id || !make_room(m, id)) {
        m->failed = true;
        return;
    }
    m->parts++;
    uint32_t row = m->row_of[id];
    if (row > m->first) {
        m->rows[row - 1].at.worth += m->worth;
        return;
    }
    m->rows[m->len++] = (struct row){id, {m->node, m->worth}};
    m->row_of[id] = (uint32_t)m->len;
}

static void
take_part(void *ctx, str part)
{
    struct making *m = ctx;

    take_id(m, m->failed ? 0 : texts_add(m->texts, part));
}

static void
take_field(struct making *m, str text, float worth)
{
    m->worth = worth;
    words_split(text, take_part, m);
}

static void
keep_part(void *ctx, str part)
{
    struct making *m = ctx;

    if (!grow_room(m->parts_cut, m->cut_len, m->cut_cap)) {
        m->failed = true;
        return;
    }
    m->parts_cut[m->cut_len++] = texts_add(m->texts, part);
}

/* As take_field, of a |text| whose parts are kept in |cut|. */
static void
take_again(struct making *m, struct cut *cut, str text, float worth)
{
    if (!cut->end) {
        cut->at = m->cut_len;
        words_split(text, keep_part, m);
        cut->end = m->cut_len;
    }
    m->worth = worth;
    for (uint32_t i = cut->at; i < cut->end && !m->failed; i++)
        take_id(m, m->parts_cut[i]);
}

static void
take_text(void *ctx, const struct code_field_text *of)
{
    struct making *m = ctx;
    float worth = field_worth[of->field];

    if (of->node)
        take_again(m, &m->names[of->node], of->text, worth);
    else if (of->file)
        take_again(m, &m->paths[of->file], of->text, worth);
    else
        take_field(m, of->text, worth);
}

static bool
is_searched(const struct code_vertex *node)
{
    return node->kind != CODE_PACKAGE && node->kind != CODE_EXTERNAL;
}

static enum err
read_nodes(struct making *m, struct code_terms_made *out)
{
    const struct code *code = m->code;
    double sum = 0;

    out->lengths = calloc((size_t)code->node_len + 1, sizeof(*out->lengths));
    m->names = calloc((size_t)code->node_len + 1, sizeof(*m->names));
    m->paths = calloc((size_t)code->file_len + 1, sizeof(*m->paths));
    m->failed = code_fields_make(code, &out->fields) || !out->lengths ||
                !m->names || !m->paths;
    for (m->node = 1; m->node < code->node_len && !m->failed; m->node++) {
        const struct code_vertex *node = &code->nodes[m->node];

        if (!is_searched(node))
            continue;
        m->first = m->len;
        m->parts = 0;
        code_fields_each(code, &out->fields, m->node, take_text, m);
        out->lengths[m->node] =
            (uint16_t)(m->parts < UINT16_MAX ? m->parts : UINT16_MAX);
        sum += m->parts;
        out->terms.counted += m->parts > 0;
    }
    out->terms.mean = out->terms.counted ? sum / out->terms.counted : 1;
    return m->failed ? ERR_NOMEM : OK;
}

static int
by_text(const void *left, const void *right, void *ctx)
{
    const struct texts *texts = ctx;
    str a = texts_get(texts, *(const text_id *)left);
    str b = texts_get(texts, *(const text_id *)right);

    return str_order(a, b);
}

/* The terms in order, and |rank| the place of each text in it. */
static void
order_terms(struct code_terms_made *made, uint32_t len, text_id *ids,
            uint32_t *rank)
{
    for (uint32_t i = 0; i < len; i++)
        ids[i] = i + 1;
    qsort_r(ids, len, sizeof(*ids), by_text, &made->texts);
    for (uint32_t i = 0; i < len; i++) {
        made->sorted[i] = texts_get(&made->texts, ids[i]);
        made->marks[i] = code_terms_mark(made->sorted[i]);
        rank[ids[i]] = i;
    }
}

static void
deal(const struct making *m, const uint32_t *rank, uint32_t *at,
     struct code_term_at *places)
{
    for (size_t i = 0; i < m->len; i++)
        at[rank[m->rows[i].term] + 2]++;
    for (uint32_t i = 2; i < m->texts->len + 1; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < m->len; i++)
        places[at[rank[m->rows[i].term] + 1]++] = m->rows[i].at;
}

static enum err
order(struct code_terms_made *made, const struct making *m)
{
    size_t len = made->texts.len - 1;
    text_id *ids = calloc(len + 1, sizeof(*ids));
    uint32_t *rank = calloc(len + 2, sizeof(*rank));
    enum err err = ERR_NOMEM;

    made->sorted = calloc(len + 1, sizeof(*made->sorted));
    made->marks = calloc(len + 1, sizeof(*made->marks));
    made->at = calloc(len + 3, sizeof(*made->at));
    made->places = calloc(m->len + 1, sizeof(*made->places));
    if (ids && rank && made->sorted && made->marks && made->at &&
        made->places) {
        order_terms(made, (uint32_t)len, ids, rank);
        deal(m, rank, made->at, made->places);
        err = OK;
    }
    free(ids);
    free(rank);
    return err;
}

static enum err
make(struct code_terms_made *made, const struct code *code)
{
    struct making m = {.code = code, .texts = &made->texts};
    enum err err = texts_init(&made->texts, TEXTS_BYTES);

    if (!err)
        err = read_nodes(&m, made);
    if (!err)
        err = order(made, &m);
    free(m.rows);
    free(m.row_of);
    free(m.names);
    free(m.paths);
    free(m.parts_cut);
    made->terms.len = err ? 0 : made->texts.len - 1;
    made->terms.terms = made->sorted;
    made->terms.marks = made->marks;
    made->terms.at = made->at;
    made->terms.places = made->places;
    made->terms.lengths = made->lengths;
    made->terms.fields = &made->fields;
    return err;
}

void
code_terms_free(struct code_terms_made *made)
{
    if (!made)
        return;
    free(made->sorted);
    free(made->marks);
    free(made->at);
    free(made->places);
    free(made->lengths);
    code_fields_fini(&made->fields);
    texts_fini(&made->texts);
    free(made);
}

/* Two that make it at once make the same; the first stays. */
enum err
code_terms_of(const struct code *code, const struct code_terms **out)
{
    struct code_graph *graph = code->index->graph;
    struct code_terms_made *held = atomic_load(&graph->terms);
    struct code_terms_made *made = NULL;
    enum err err = OK;

    if (!held) {
        made = calloc(1, sizeof(*made));
        err = made ? make(made, code) : ERR_NOMEM;
        if (!err && atomic_compare_exchange_strong(&graph->terms, &held, made))
            made = NULL;
        held = atomic_load(&graph->terms);
        code_terms_free(made);
    }
    *out = err ? NULL : &held->terms;
    return err;
}

static uint32_t
bound(const struct code_terms *terms, str text, bool past)
{
    uint32_t low = 0;
    uint32_t high = terms->len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        str at = terms->terms[middle];
        size_t len = at.len < text.len ? at.len : text.len;
        int order = len ? memcmp(at.ptr, text.ptr, len) : 0;
        bool is_before =
            order < 0 || (order == 0 && (past || at.len < text.len));

        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void
code_terms_find(const struct code_terms *terms, str text, uint32_t *first,
                uint32_t *end)
{
    *first = bound(terms, text, false);
    *end = bound(terms, text, true);
}
