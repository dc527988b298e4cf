/*
 * One pass over the vertices interns each part and lists where it stands; then
 * terms are put in order and the list is dealt out to them.  Vertices come in
 * order, so what a term lists is in order, too.  Names stand wherever they are
 * called, and paths at all that is in the file: those are cut once.
 */
#include "graph/code_terms.h"

#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "graph/code_build.h"
#include "graph/code_load.h"
#include "graph/words.h"

/* What a part is worth in a field; the name's is the unit of BM25's k. */
#define IN_NAME      6.0F
#define IN_SIGNATURE 1.5F
#define IN_PACKAGE   1.0F
#define IN_PATH      1.5F
#define IN_SAID      1.5F
#define IN_CALLED    0.75F
#define IN_ROUTE     3.0F

enum { TEXTS_BYTES = 256 << 20, CALLED_MAX = 40 };

/* What it owns; |terms| only lends it. */
struct code_terms_made {
    struct code_terms terms;
    struct texts texts;
    str *sorted;
    uint64_t *marks;
    uint32_t *at;
    struct code_term_at *places;
    uint16_t *lengths;
    uint32_t *said_at;
    uint32_t *said;
    uint32_t
        *route_at;    /* of node v: routes[route_at[v]..): its own, and that */
    uint32_t *routes; /* it handles */
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
    if (m->len == m->cap) {
        size_t cap = m->cap ? 2 * m->cap : 4096;
        struct row *grown = realloc(m->rows, cap * sizeof(*grown));
        if (!grown)
            return false;
        m->rows = grown;
        m->cap = cap;
    }
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

    if (m->cut_len == m->cut_cap) {
        uint32_t cap = m->cut_cap ? 2 * m->cut_cap : 4096;
        uint32_t *grown = realloc(m->parts_cut, cap * sizeof(*grown));
        if (!grown) {
            m->failed = true;
            return;
        }
        m->parts_cut = grown;
        m->cut_cap = cap;
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
take_name(struct making *m, uint32_t node, float worth)
{
    take_again(m, &m->names[node], m->code->nodes[node].name, worth);
}

/* What it calls says what it does; of those that call very much, little. */
static void
take_called(struct making *m)
{
    const struct code *code = m->code;
    uint32_t taken = 0;

    for (uint32_t i = code->out_at[m->node];
         i < code->out_at[m->node + 1] && taken < CALLED_MAX; i++)
        if (code->out[i].type == CODE_CALLS) {
            take_name(m, code->out[i].node, IN_CALLED);
            taken++;
        }
}

/* What a method of HTTP is for, in words. */
static str
method_words(str method)
{
    static const struct {
        const char *method;
        const char *words;
    } methods[] = {
        {"GET", "get list show read fetch"}, {"POST", "post create add send"},
        {"PUT", "put update change set"},    {"PATCH", "patch update change"},
        {"DELETE", "delete remove"},
    };

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(method, str_of(methods[i].method)))
            return str_of(methods[i].words);
    return STR("");
}

/* A route and the function that handles it tell of each other. */
static void
take_routes(struct making *m, const struct code_terms_made *made)
{
    const struct code *code = m->code;

    for (uint32_t i = made->route_at[m->node]; i < made->route_at[m->node + 1];
         i++) {
        const struct code_route *route = &code->routes[made->routes[i]];
        bool is_route = m->node == route->node;

        take_field(m, method_words(route->method), IN_PATH);
        take_field(m, is_route ? STR("route endpoint") : route->raw,
                   is_route ? IN_PACKAGE : IN_PATH);
        if (is_route && route->handler)
            take_name(m, route->handler, IN_ROUTE);
    }
}

static bool
is_searched(const struct code_vertex *node)
{
    return node->kind != CODE_PACKAGE && node->kind != CODE_EXTERNAL;
}

/* Rows of other tables, by vertex: an index as out_at is.  |of| says to which
 * vertex row |i| belongs; 0: to none. */
typedef uint32_t row_fn(const struct code *code, uint32_t i);

static uint32_t
said_by(const struct code *code, uint32_t i)
{
    return code->literals[i].node;
}

/* Twice as many rows as routes: their own, and their handlers'. */
static uint32_t
routed_by(const struct code *code, uint32_t i)
{
    const struct code_route *route = &code->routes[i / 2];

    if (i % 2 == 0)
        return route->node;
    return route->handler != route->node ? route->handler : 0;
}

static uint32_t *
index_rows(const struct code *code, uint32_t len, row_fn *of, uint32_t **at)
{
    uint32_t *starts = calloc((size_t)code->node_len + 3, sizeof(*starts));
    uint32_t *items = calloc((size_t)len + 1, sizeof(*items));

    *at = starts;
    if (!starts || !items) {
        free(items);
        return NULL;
    }
    for (uint32_t i = 0; i < len; i++)
        starts[of(code, i) + 2]++;
    for (uint32_t v = 2; v < code->node_len + 2; v++)
        starts[v] += starts[v - 1];
    for (uint32_t i = 0; i < len; i++)
        items[starts[of(code, i) + 1]++] = i;
    return items;
}

static enum err
read_nodes(struct making *m, struct code_terms_made *out)
{
    const struct code *code = m->code;
    double sum = 0;

    out->lengths = calloc((size_t)code->node_len + 1, sizeof(*out->lengths));
    out->said = index_rows(code, code->literal_len, said_by, &out->said_at);
    out->routes =
        index_rows(code, 2 * code->route_len, routed_by, &out->route_at);
    m->names = calloc((size_t)code->node_len + 1, sizeof(*m->names));
    m->paths = calloc((size_t)code->file_len + 1, sizeof(*m->paths));
    m->failed =
        !out->said || !out->routes || !out->lengths || !m->names || !m->paths;
    for (uint32_t i = 0; !m->failed && i < 2 * code->route_len; i++)
        out->routes[i] /= 2;
    for (m->node = 1; m->node < code->node_len && !m->failed; m->node++) {
        const struct code_vertex *node = &code->nodes[m->node];

        if (!is_searched(node))
            continue;
        m->first = m->len;
        m->parts = 0;
        take_name(m, m->node, node->kind == CODE_FILE ? IN_PATH : IN_NAME);
        take_field(m, node->signature, IN_SIGNATURE);
        take_field(m, node->package, IN_PACKAGE);
        if (node->file)
            take_again(m, &m->paths[node->file], code->files[node->file].path,
                       IN_PATH);
        for (uint32_t i = out->said_at[m->node]; i < out->said_at[m->node + 1];
             i++)
            take_field(m, code->literals[out->said[i]].text, IN_SAID);
        take_called(m);
        take_routes(m, out);
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
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
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
    made->terms.said = made->said;
    made->terms.said_at = made->said_at;
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
    free(made->said);
    free(made->said_at);
    free(made->routes);
    free(made->route_at);
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
