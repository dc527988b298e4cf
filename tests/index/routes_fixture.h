/*
 * routes_fixture - what a little repository serves, as lines to compare.
 *
 *     assert_routes((struct route_file[]){{"a.py", "..."}, {NULL, NULL}},
 *                   "GET /users/<id> -> /users/{} flask show a.py:4\n");
 *
 * A line is: method, raw, canonical form, framework, handler (its own name;
 * `lambda`, `-` if it has none), where it is registered; `tail` if what is
 * before it is not known, `asked` if it is a client's.  Literals that name
 * spans: `span NAME of FUNCTION`.  ROUTES_SHOW=routes prints what was found,
 * ROUTES_SHOW=facts the facts, too.
 */
#ifndef TESTS_INDEX_ROUTES_FIXTURE_H
#define TESTS_INDEX_ROUTES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/lang.h"
#include "index/routes_find.h"

/* The table refers to extractors weakly, which links none of an archive: a
 * test asks for its own. */
#define LINK_LANG(name)                                                        \
    extern const struct lang_names linked_##name __asm__("lang_names_" #name); \
    const struct lang_names *const link_##name = &linked_##name

enum { FIXTURE_FILES_MAX = 64 };

struct route_file {
    const char *path;
    const char *content;
};

struct fixture {
    struct facts facts[FIXTURE_FILES_MAX];
    struct resolve_file files[FIXTURE_FILES_MAX];
    uint32_t len;
    struct contexts contexts;
    struct resolver *resolver;
    struct code_build build;
};

static void
fixture_open(struct fixture *f, const struct route_file *files)
{
    struct resolve_settings settings = {0};

    *f = (struct fixture){0};
    assert_int_equal(contexts_init(&f->contexts), OK);
    for (; files->path; files++) {
        str path = str_of(files->path);
        str content = str_of(files->content);
        if (contexts_wants(path)) {
            assert_int_equal(contexts_take(&f->contexts, path, content), OK);
            continue;
        }
        const struct lang *lang = lang_of_path(path, content);
        struct facts read;
        struct buf packed = {0};

        assert_non_null(lang);
        assert_int_equal(
            lang_facts(lang, path, content, &lang_limits_default, &read), OK);
        assert_int_equal(facts_encode(&read, &packed), OK);
        assert_int_equal(facts_decode(&f->facts[f->len], buf_str(&packed)), OK);
        facts_fini(&read);
        buf_fini(&packed);
        f->files[f->len] = (struct resolve_file){path, &f->facts[f->len]};
        f->len++;
    }
    assert_int_equal(resolver_new(&f->resolver, f->files, f->len, &settings),
                     OK);
    assert_int_equal(code_build_init(&f->build), OK);
    for (uint32_t i = 0; i < f->len; i++)
        code_build_file(
            &f->build, &(struct build_file){
                           .path = texts_add(&f->build.texts, f->files[i].path),
                           .lang = f->facts[i].lang,
                       });
    assert_int_equal(resolve_graph(f->resolver, &f->build, 1), OK);
}

static enum err
fixture_find(struct fixture *f)
{
    return routes_find(f->resolver, f->files, f->len, &f->contexts, &f->build);
}

static void
fixture_close(struct fixture *f)
{
    code_build_fini(&f->build);
    resolver_free(f->resolver);
    contexts_fini(&f->contexts);
    for (uint32_t i = 0; i < f->len; i++)
        facts_fini(&f->facts[i]);
}

static str
fixture_text(const struct fixture *f, text_id id)
{
    return texts_get(&f->build.texts, id);
}

/* The last name of a vertex. */
static str
fixture_name(const struct fixture *f, uint32_t node)
{
    const struct build_node *row = &f->build.nodes[node];
    str name = fixture_text(f, row->name);

    if (node == 0)
        return STR("-");
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '.') {
            name = str_cut(name, i, name.len);
            break;
        }
    char last = name.len > 0 ? name.ptr[name.len - 1] : '1';
    bool is_numbered = last >= '0' && last <= '9';
    if (row->flags & CODE_ANONYMOUS && is_numbered)
        return STR("lambda");
    return name;
}

#define FIXTURE_STR(s) (int)(s).len, (s).ptr

static void
fixture_print(const struct fixture *f, struct buf *out)
{
    for (uint32_t i = 0; i < f->build.route_len; i++) {
        const struct build_route *row = &f->build.routes[i];
        str method = fixture_text(f, row->method);
        str raw = fixture_text(f, row->raw);
        str canonical = fixture_text(f, row->canonical);
        str framework = fixture_text(f, row->framework);
        str handler = fixture_name(f, row->handler);
        str path = fixture_text(f, f->build.files[row->file].path);

        buf_printf(out, "%.*s%s%.*s -> %.*s %.*s %.*s %.*s:%u%s%s%s\n",
                   FIXTURE_STR(method), method.len ? " " : "", FIXTURE_STR(raw),
                   FIXTURE_STR(canonical), FIXTURE_STR(framework),
                   FIXTURE_STR(handler), FIXTURE_STR(path), row->line,
                   row->flags & ROUTE_PREFIX_UNKNOWN ? " tail" : "",
                   row->flags & ROUTE_IS_CLIENT ? " asked" : "",
                   row->flags & ROUTE_IS_MOUNTED ? " mounted" : "");
    }
    for (uint32_t i = 0; i < f->build.literal_len; i++) {
        str text = fixture_text(f, f->build.literals[i].text);
        str name = fixture_name(f, f->build.literals[i].node);
        buf_printf(out, "span %.*s of %.*s\n", FIXTURE_STR(text),
                   FIXTURE_STR(name));
    }
}

/* Each route has a vertex of its name, and an edge to its handler. */
static void
fixture_check(const struct fixture *f)
{
    for (uint32_t i = 0; i < f->build.route_len; i++) {
        const struct build_route *row = &f->build.routes[i];
        bool has_edge = row->handler == 0;

        assert_true(row->node > 0 && row->node < f->build.node_len);
        for (uint32_t e = 0; e < f->build.edge_len; e++) {
            const struct build_edge *edge = &f->build.edges[e];
            bool out = edge->src == row->node && edge->dst == row->handler;
            bool in = edge->dst == row->node && edge->src == row->handler;
            has_edge |= (out && (edge->type == CODE_HANDLES_ROUTE ||
                                 edge->type == CODE_SUBSCRIBES)) ||
                        (in && (edge->type == CODE_CONSUMES ||
                                edge->type == CODE_PUBLISHES));
        }
        assert_true(has_edge);
    }
}

static bool
fixture_shows(const char *what)
{
    const char *show = getenv("ROUTES_SHOW");

    return show && strstr(show, what);
}

__attribute__((unused)) static void
assert_routes(const struct route_file *files, const char *expected)
{
    struct fixture f;
    struct buf out = {0};

    fixture_open(&f, files);
    if (fixture_shows("facts")) {
        for (uint32_t i = 0; i < f.len; i++) {
            buf_printf(&out, "# %s\n", files[i].path);
            facts_dump(&f.facts[i], &out);
        }
        fputs(buf_cstr(&out), stderr);
        buf_reset(&out);
    }
    assert_int_equal(fixture_find(&f), OK);
    fixture_print(&f, &out);
    if (fixture_shows(""))
        fputs(buf_cstr(&out), stderr);
    assert_string_equal(buf_cstr(&out), expected);
    fixture_check(&f);
    buf_fini(&out);
    fixture_close(&f);
}

#define FILES(...)              \
    (const struct route_file[]) \
    {                           \
        __VA_ARGS__,            \
        {                       \
            NULL, NULL          \
        }                       \
    }

#endif
