/*
 * resolve_fixture - a few files of source, and the graph that is made of them.
 *
 *     struct world w = {0};
 *     world_add(&w, "a.go", "package a\nfunc F() { G() }\nfunc G() {}\n");
 *     world_resolve(&w);
 *     assert_edge(&w, "calls", "F", "G", "lexical");
 *     world_fini(&w);
 *
 * Vertices are told by their names; where those are not unique, by
 * `package#name`.
 */
#ifndef TESTS_INDEX_RESOLVE_FIXTURE_H
#define TESTS_INDEX_RESOLVE_FIXTURE_H

#include "index/resolve.h"
#include "tests/index/lang_fixture.h"

enum { WORLD_FILES_MAX = 16 };

struct world {
    struct facts facts[WORLD_FILES_MAX];
    struct resolve_file files[WORLD_FILES_MAX];
    struct resolve_settings settings;
    struct resolver *r;
    struct code_build build;
    uint32_t len;
};

static inline void
world_add(struct world *w, const char *path, const char *source)
{
    const struct lang *lang = lang_of_path(str_of(path), str_of(source));

    assert_non_null(lang);
    assert_true(w->len < WORLD_FILES_MAX);
    assert_int_equal(lang_facts(lang, str_of(path), str_of(source),
                                &lang_limits_default, &w->facts[w->len]),
                     OK);
    w->files[w->len] = (struct resolve_file){str_of(path), &w->facts[w->len]};
    w->len++;
}

static inline void
world_resolve(struct world *w)
{
    assert_int_equal(resolver_new(&w->r, w->files, w->len, &w->settings), OK);
    assert_int_equal(code_build_init(&w->build), OK);
    for (uint32_t i = 0; i < w->len; i++)
        code_build_file(&w->build, &(struct build_file){
                                       .path = texts_add(&w->build.texts,
                                                         w->files[i].path)});
    assert_int_equal(resolve_graph(w->r, &w->build, 1), OK);
}

static inline void
world_fini(struct world *w)
{
    code_build_fini(&w->build);
    resolver_free(w->r);
    for (uint32_t i = 0; i < w->len; i++)
        facts_fini(&w->facts[i]);
}

static inline bool
is_named(const struct world *w, uint32_t node, const char *name)
{
    const struct build_node *row = &w->build.nodes[node];
    struct buf full = {0};

    buf_add(&full, texts_get(&w->build.texts, row->package));
    buf_add_char(&full, '#');
    buf_add(&full, texts_get(&w->build.texts, row->name));
    bool is_full = strchr(name, '#') != NULL;
    bool is_it =
        is_full ? str_eq(buf_str(&full), str_of(name))
                : str_eq(texts_get(&w->build.texts, row->name), str_of(name));
    buf_fini(&full);
    return is_it;
}

/* The edge; |by| NULL: any provenance. */
static inline const struct build_edge *
find_edge(const struct world *w, const char *type, const char *src,
          const char *dst, const char *by)
{
    for (uint32_t i = 0; i < w->build.edge_len; i++) {
        const struct build_edge *edge = &w->build.edges[i];
        if (edge->type == code_edge_of(str_of(type)) &&
            is_named(w, edge->src, src) && is_named(w, edge->dst, dst) &&
            (!by || strcmp(code_provenance_str(edge->provenance), by) == 0))
            return edge;
    }
    return NULL;
}

static inline void
show_edges(const struct world *w)
{
    for (uint32_t i = 0; i < w->build.edge_len; i++) {
        const struct build_edge *edge = &w->build.edges[i];
        if (edge->type == CODE_CONTAINS)
            continue;
        str src = texts_get(&w->build.texts, w->build.nodes[edge->src].name);
        str dst = texts_get(&w->build.texts, w->build.nodes[edge->dst].name);
        print_message("%s %.*s -> %.*s %s\n", code_edge_str(edge->type),
                      (int)src.len, src.ptr, (int)dst.len, dst.ptr,
                      code_provenance_str(edge->provenance));
    }
}

static inline void
assert_edge(const struct world *w, const char *type, const char *src,
            const char *dst, const char *by)
{
    if (find_edge(w, type, src, dst, by))
        return;
    show_edges(w);
    fail_msg("no %s from %s to %s by %s", type, src, dst, by ? by : "any");
}

static inline void
assert_no_edge(const struct world *w, const char *type, const char *src,
               const char *dst)
{
    if (!find_edge(w, type, src, dst, NULL))
        return;
    show_edges(w);
    fail_msg("%s from %s to %s", type, src, dst);
}

/* The first call or `new` of the file that begins on |line|. */
static inline struct at
call_on(const struct world *w, uint32_t file, uint32_t line)
{
    const struct facts *facts = w->files[file].facts;

    for (uint32_t i = 1; i < facts->expr_len; i++)
        if ((facts->exprs[i].kind == EXPR_CALL ||
             facts->exprs[i].kind == EXPR_NEW) &&
            facts->exprs[i].line == line)
            return (struct at){file, i};
    fail_msg("no call on line %u", line);
    return (struct at){0};
}

/* Argument |index| of that call. */
static inline struct at
arg_on(const struct world *w, uint32_t file, uint32_t line, uint32_t index)
{
    struct at call = call_on(w, file, line);
    const struct facts *facts = w->files[file].facts;
    const struct fact_expr *expr = &facts->exprs[call.id];

    assert_true(index < expr->list_len);
    return (struct at){file, facts->lists[expr->list_at + index]};
}

/* What the method of that call is called on. */
static inline struct at
object_on(const struct world *w, uint32_t file, uint32_t line)
{
    const struct facts *facts = w->files[file].facts;
    const struct fact_expr *call = &facts->exprs[call_on(w, file, line).id];

    assert_int_equal(facts->exprs[call->a].kind, EXPR_MEMBER);
    return (struct at){file, facts->exprs[call->a].a};
}

#endif
