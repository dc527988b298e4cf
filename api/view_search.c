/*
 * Search is one walk over all names, of traces and of the code: every word must
 * be in the name, and a name that is or begins with what was typed comes first,
 * what was seen before what only the code has, short ones before long ones.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/view_impl.h"
#include "graph/code_find.h"
#include "graph/joined.h"
#include "graph/query_named.h"

enum { WORDS_MAX = 8, Q_MAX = 256, FOUND_DEFAULT = 20, LABEL_MAX = 1024 };

/* ---- a name to focus on ---- */

/* The name behind `kind:`; 0 kinds if no kind stands before it. */
static str
cut_kind(str word, uint32_t *kinds)
{
    *kinds = 0;
    for (int kind = NODE_SERVICE; kind <= NODE_SYMBOL; kind++) {
        str name = str_of(node_kind_str((uint8_t)kind));

        if (str_starts(word, name) && word.len > name.len &&
            word.ptr[name.len] == ':') {
            *kinds = UINT32_C(1) << kind;
            return str_cut(word, name.len + 1, word.len);
        }
    }
    return word;
}

/* A name with a `*` fits others too; the one that is it goes first. */
static void
keep_equal(struct view_run *run, str name, struct ids *ids)
{
    size_t len = 0;

    for (size_t i = 0; i < ids->len; i++) {
        struct buf qualified = {0};

        query_qualified(run->view, ids->ids[i], &qualified);
        if (str_eq(buf_str(&qualified), name) ||
            str_eq(query_node(run->view, ids->ids[i])->name, name))
            ids->ids[len++] = ids->ids[i];
        buf_fini(&qualified);
    }
    ids->len = len ? len : ids->len;
}

static enum err
find_handled(struct view_run *run, str word, struct ids *out)
{
    struct ids found = {0};
    enum err err = OK;

    view_join(run);
    if (!run->joined)
        return OK;
    err = code_resolve(run->joined->code, word, 0, &found);
    for (size_t i = 0; i < found.len && !err; i++) {
        uint32_t len;
        const uint32_t *served =
            join_served(run->joined->join, found.ids[i], &len);

        for (uint32_t k = 0; k < len && !err; k++)
            err = ids_add(out, served[k]);
    }
    ids_fini(&found);
    return err == ERR_NOT_FOUND ? OK : err;
}

/* `orders` of `shop/orders`, and `orders GET /x` of `shop/orders GET /x`, as
 * the tools of MCP take them: where no service is called so and nothing else.
 */
static enum err
find_namespaced(struct view_run *run, const struct query_find *as,
                struct ids *out)
{
    const uint32_t service = UINT32_C(1) << NODE_SERVICE;
    str word = as->qualified;
    const char *space = memchr(word.ptr, ' ', word.len);
    size_t len = space ? (size_t)(space - word.ptr) : word.len;
    struct query_find find = {
        .kinds = service, .name = str_cut(word, 0, len), .env = as->env};
    struct ids services = {0};
    enum err err = OK;

    if (memchr(word.ptr, '*', word.len) ||
        (!space && as->kinds && !(as->kinds & service)))
        return OK;
    err = query_named(run->view, &find, space ? &services : out);
    for (size_t i = 0; i < services.len && !err; i++) {
        find = (struct query_find){.kinds = as->kinds,
                                   .owner = services.ids[i],
                                   .name = str_cut(word, len + 1, word.len)};
        err = query_find(run->view, &find, out);
    }
    ids_fini(&services);
    return err;
}

enum err
view_find_nodes(struct view_run *run, str focus, str env, struct ids *out)
{
    struct query_find find = {.env = env};
    enum err err;

    find.qualified = cut_kind(focus, &find.kinds);
    if (find.qualified.len == 0)
        return OK;
    err = query_find(run->view, &find, out);
    if (!err && out->len == 0 && env.len) {
        find.env = (str){0};
        err = query_find(run->view, &find, out);
    }
    if (!err && out->len == 0 && find.kinds) {
        find.kinds = 0;
        find.qualified = focus;
        err = query_find(run->view, &find, out);
    }
    keep_equal(run, find.qualified, out);
    if (!err && out->len == 0) {
        find = (struct query_find){.env = env};
        find.qualified = cut_kind(focus, &find.kinds);
        err = find_namespaced(run, &find, out);
    }
    if (!err && out->len == 0 && str_starts(focus, STR("code:")))
        err = find_handled(run, str_cut(focus, 5, focus.len), out);
    return err;
}

/* ---- as one types ---- */

struct found {
    uint32_t id; /* node, or vertex */
    bool is_code;
    uint32_t rank; /* lower is better */
};

struct search {
    struct view_run *run;
    str q;
    str words[WORDS_MAX];
    size_t word_len;
    struct found rows[VIEW_FOUND_MAX]; /* by rank */
    size_t len;
    size_t limit;
    size_t total;
};

static void
cut_words(struct search *s)
{
    size_t i = 0;

    while (i < s->q.len && s->word_len < WORDS_MAX) {
        size_t from;

        while (i < s->q.len && s->q.ptr[i] == ' ')
            i++;
        from = i;
        while (i < s->q.len && s->q.ptr[i] != ' ')
            i++;
        if (i > from)
            s->words[s->word_len++] = str_cut(s->q, from, i);
    }
}

static bool
has(str text, str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++) {
        if (strncasecmp(text.ptr + i, word.ptr, word.len) == 0)
            return true;
    }
    return false;
}

static bool
begins(str text, str q)
{
    return text.len >= q.len && strncasecmp(text.ptr, q.ptr, q.len) == 0;
}

/* UINT32_MAX: it does not fit. */
static uint32_t
rank(const struct search *s, str name, str qualified, uint32_t kind)
{
    uint32_t group = 3;

    for (size_t i = 0; i < s->word_len; i++) {
        if (!has(qualified, s->words[i]))
            return UINT32_MAX;
    }
    if (begins(name, s->q) || begins(qualified, s->q))
        group = name.len == s->q.len || qualified.len == s->q.len ? 0 : 1;
    else if (has(name, s->words[0]))
        group = 2;
    size_t len = qualified.len < LABEL_MAX ? qualified.len : LABEL_MAX;
    return group << 24 | kind << 16 | (uint32_t)len;
}

static void
take(struct search *s, const struct found *found)
{
    size_t at = s->len;

    s->total++;
    if (s->len == s->limit && found->rank >= s->rows[s->len - 1].rank)
        return;
    if (s->len < s->limit)
        s->len++;
    else
        at--;
    while (at > 0 && s->rows[at - 1].rank > found->rank) {
        s->rows[at] = s->rows[at - 1];
        at--;
    }
    s->rows[at] = *found;
}

static void
search_nodes(struct search *s, uint32_t node_len)
{
    struct buf qualified = {0};

    for (uint32_t id = 1; id < node_len; id++) {
        const struct query_node *node = query_node(s->run->view, id);
        struct found found = {.id = id};

        if (node->kind == NODE_NONE || node->kind > NODE_EXTERNAL ||
            node->target != id)
            continue;
        buf_reset(&qualified);
        query_qualified(s->run->view, id, &qualified);
        found.rank = rank(s, node->name, buf_str(&qualified), node->kind);
        if (found.rank != UINT32_MAX)
            take(s, &found);
    }
    s->run->out->failed |= qualified.failed;
    buf_fini(&qualified);
}

static void
search_code(struct search *s, const struct code *code)
{
    for (uint32_t v = 1; v < code->node_len; v++) {
        const struct code_vertex *vertex = &code->nodes[v];
        struct found found = {.id = v, .is_code = true};

        if (vertex->kind != CODE_FUNCTION && vertex->kind != CODE_METHOD)
            continue;
        found.rank = rank(s, vertex->name, vertex->qualified,
                          NODE_SYMBOL + vertex->kind);
        if (found.rank != UINT32_MAX)
            take(s, &found);
    }
}

static void
write_found(struct search *s, const struct found *found)
{
    struct buf *out = s->run->out;
    struct buf text = {0};

    write_open(out, NULL, '{');
    if (found->is_code) {
        const struct code *code = s->run->joined->code;
        const struct code_vertex *vertex = code_node(code, found->id);

        buf_add(&text, STR("code:"));
        buf_add(&text, vertex->qualified);
        write_text(out, "key", buf_str(&text));
        write_text(out, "kind", str_of(code_kind_str(vertex->kind)));
        write_text(out, "name", vertex->name);
        write_text(out, "service", vertex->package);
        write_text(out, "env", (str){0});
        write_text(out, "file", code->files[vertex->file].path);
        write_int(out, "line", vertex->line);
    } else {
        const struct query_node *node = query_node(s->run->view, found->id);

        view_write_key(s->run, "key", found->id);
        write_text(out, "kind", str_of(node_kind_str(node->kind)));
        write_text(out, "name", node->name);
        write_text(out, "service", node->service);
        write_text(out, "env", node->env);
    }
    write_close(out, '}');
    out->failed |= text.failed;
    buf_fini(&text);
}

/* Without the joined graph, which knows how many there are, by the catalog's
 * list of names. */
static enum err
count_nodes(struct view_run *run, uint32_t *len)
{
    const struct query_find all = {.kinds = 0};
    struct ids ids = {0};
    enum err err = OK;

    *len = run->joined ? run->joined->node_len : 0;
    if (!run->joined)
        err = query_find(run->view, &all, &ids);
    for (size_t i = 0; i < ids.len; i++)
        *len = ids.ids[i] >= *len ? ids.ids[i] + 1 : *len;
    ids_fini(&ids);
    return err;
}

enum err
view_search(struct view_run *run)
{
    struct search s = {.run = run, .q = params_get(&run->params, "q")};
    uint64_t limit = FOUND_DEFAULT;
    uint32_t node_len = 0;
    enum err err =
        params_number(&run->params, "limit", VIEW_FOUND_MAX, &limit, run->why);

    if (err)
        return err;
    if (s.q.len > Q_MAX)
        return view_fail(run, ERR_INVALID, "q has more than %d bytes", Q_MAX);
    if (limit == 0)
        return view_fail(run, ERR_INVALID, "limit is at least 1");
    s.limit = (size_t)limit;
    cut_words(&s);
    view_join(run);
    err = count_nodes(run, &node_len);
    if (err)
        return err;
    if (s.word_len) {
        search_nodes(&s, node_len);
        if (run->joined)
            search_code(&s, run->joined->code);
    }
    write_open(run->out, NULL, '{');
    write_open(run->out, "found", '[');
    for (size_t i = 0; i < s.len; i++)
        write_found(&s, &s.rows[i]);
    write_close(run->out, ']');
    write_int(run->out, "total", (int64_t)s.total);
    write_close(run->out, '}');
    return OK;
}
