/*
 * One graph of both worlds: which arcs there are, whatever came first, and the
 * walks over them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/joined.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"

struct scene {
    struct db_fixture db;
    struct code_fixture fixture;
    const struct code *code;
    struct query *query;
    struct query_view *view;
    struct joined *joined;
    uint32_t web, shop; /* services */
    uint32_t file;
    uint32_t page, buy; /* observed */
};

static struct scene it;

static void
add_code(struct scene *s)
{
    code_fixture_open(&s->fixture, s->db.dir);
    fixture_service(&s->fixture, "web", "web");
    fixture_service(&s->fixture, "shop", "shop");
    uint32_t web = fixture_file(&s->fixture, "web/app.py");
    s->file = fixture_file(&s->fixture, "shop/app.py");
    uint32_t page = fixture_function(&s->fixture, web, "page", 10, 0);
    uint32_t buy = fixture_function(&s->fixture, s->file, "buy", 10, 0);
    fixture_route(&s->fixture, web, "GET", "/page", page, 0);
    fixture_route(&s->fixture, s->file, "POST", "/buy", buy, 0);
}

static void
add_traces(struct scene *s)
{
    s->web = db_service(&s->db, "web");
    s->shop = db_service(&s->db, "shop");
    s->page = db_route(&s->db, s->web, "GET /page");
    s->buy = db_route(&s->db, s->shop, "POST /buy");
    uint32_t edge = db_edge(&s->db, s->page, s->buy, EDGE_CALL, 0);
    db_daily(&s->db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 24, 1);
    uint32_t pg = db_node(&s->db, NODE_DATABASE, 0, "pg", "");
    edge = db_edge(&s->db, s->buy, pg, EDGE_DB, 0);
    db_daily(&s->db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 24, 1);
}

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    add_code(&it);
    add_traces(&it);
    return 0;
}

static void
drop(struct scene *s)
{
    joined_free(s->joined);
    code_drop(s->code);
    query_end(s->view);
    query_close(s->query);
}

static int
teardown(void **state)
{
    (void)state;
    drop(&it);
    db_fixture_close(&it.db);
    return 0;
}

static void
look(struct scene *s)
{
    struct buf why = {0};

    assert_int_equal(query_open(&s->query, s->db.dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(query_begin(s->query, FIXTURE_NOW_S, &s->view), OK);
    assert_int_equal(joined_make(&s->joined, s->view, s->code), OK);
    buf_fini(&why);
}

static void
make(void)
{
    it.code = code_fixture_load(&it.fixture);
    look(&it);
}

static void
add_place(const struct scene *s, uint32_t place, struct buf *out)
{
    uint32_t vertex = joined_vertex(s->joined, place);

    if (vertex)
        buf_add(out, code_node(s->code, vertex)->qualified);
    else
        query_qualified(s->view, joined_node(s->joined, place), out);
}

static void
print(const struct scene *s, struct buf *out)
{
    const struct joined *joined = s->joined;

    for (uint32_t p = 1; p < joined->place_len; p++)
        for (uint32_t i = joined->out_at[p]; i < joined->out_at[p + 1]; i++) {
            const struct joined_arc *arc = &joined->out[i];
            add_place(s, p, out);
            buf_add(out, STR(" -> "));
            add_place(s, arc->place, out);
            buf_printf(out, " %s %u %u %u %lld\n", joined_type_str(arc->type),
                       arc->evidence, arc->provenance, arc->permille,
                       (long long)arc->count);
        }
}

static void
what_was_observed_runs_from_function_to_function(void **state)
{
    (void)state;
    make();
    uint32_t page = fixture_vertex(it.code, "page");
    uint32_t buy = fixture_vertex(it.code, "buy");
    assert_int_equal(joined_place(it.joined, it.page), page);
    assert_int_equal(joined_place(it.joined, it.buy), buy);
    const struct joined_arc *arc =
        joined_arc_between(it.joined, page, buy, JOINED_CALLS, BY_OBSERVED);
    assert_non_null(arc);
    assert_int_equal(arc->type, JOINED_RUNTIME_CALLS);
    assert_int_equal(arc->evidence, BY_OBSERVED);
    assert_int_equal(arc->count, 6 * 24);
    assert_null(
        joined_arc_between(it.joined, page, buy, JOINED_CALLS, BY_STATIC));
    assert_null(joined_arc_between(it.joined, 0, buy, JOINED_CALLS, BY_BOTH));
}

static void
code_and_spans_of_one_call_are_both(void **state)
{
    (void)state;
    /* The code of web asks for the route that spans saw it ask for. */
    uint32_t web = it.fixture.build.nodes[1].file;
    uint32_t asker = 1;
    while (!str_eq(
        texts_get(&it.fixture.build.texts, it.fixture.build.nodes[asker].name),
        STR("page")))
        asker++;
    fixture_route(&it.fixture, web, "POST", "/buy", asker, ROUTE_IS_CLIENT);
    make();
    uint32_t page = fixture_vertex(it.code, "page");
    uint32_t buy = fixture_vertex(it.code, "buy");
    const struct joined_arc *seen = joined_arc_between(
        it.joined, page, buy, JOINED_BIT(JOINED_RUNTIME_CALLS), BY_BOTH);
    const struct joined_arc *told = joined_arc_between(
        it.joined, page, buy, JOINED_BIT(CODE_CONSUMES), BY_BOTH);
    assert_non_null(seen);
    assert_non_null(told);
    assert_int_equal(seen->evidence, BY_BOTH);
    assert_int_equal(told->evidence, BY_BOTH);
}

static void
which_came_first_makes_no_difference(void **state)
{
    (void)state;
    struct scene other = {0};
    struct buf ours = {0};
    struct buf theirs = {0};

    make();
    print(&it, &ours);
    db_fixture_open(&other.db);
    add_traces(&other);
    struct buf why = {0};
    struct code_db *db = NULL;
    /* Looked at without code, and then again. */
    assert_int_equal(code_db_open(&db, other.db.dir), OK);
    assert_int_equal(code_db_hold(db, &other.code, &why), OK);
    look(&other);
    assert_int_equal(
        joined_vertex(other.joined, joined_place(other.joined, other.page)), 0);
    drop(&other);
    code_db_close(db);
    add_code(&other);
    other.code = code_fixture_load(&other.fixture);
    look(&other);
    print(&other, &theirs);
    assert_true(ours.len > 0);
    assert_string_equal(buf_cstr(&ours), buf_cstr(&theirs));
    drop(&other);
    db_fixture_close(&other.db);
    buf_fini(&ours);
    buf_fini(&theirs);
    buf_fini(&why);
}

/* ---- walks ---- */

static uint32_t
add(const char *name, uint32_t line)
{
    return fixture_function(&it.fixture, it.file, name, line, 0);
}

/* a -> b -> c -> d, and a -> d that is less sure, and d -> a. */
static void
make_ring(void)
{
    uint32_t a = add("a", 100);
    uint32_t b = add("b", 110);
    uint32_t c = add("c", 120);
    uint32_t d = add("d", 130);

    fixture_call(&it.fixture, a, b);
    fixture_edge(&it.fixture, b, c, CODE_CALLS, 900);
    fixture_call(&it.fixture, c, d);
    fixture_edge(&it.fixture, a, d, CODE_CALLS, 400);
    fixture_call(&it.fixture, d, a);
    make();
}

static struct joined_walk
reach(const char *name, bool is_backward, uint32_t depth, uint32_t max)
{
    uint32_t from = fixture_vertex(it.code, name);
    struct joined_walk walk;

    assert_int_equal(joined_reach(it.joined,
                                  &(struct joined_ask){
                                      .from = &from,
                                      .from_len = 1,
                                      .is_backward = is_backward,
                                      .max_depth = depth,
                                      .max_places = max,
                                  },
                                  &walk),
                     OK);
    return walk;
}

static const struct joined_step *
step_of(const struct joined_walk *walk, const char *name)
{
    uint32_t place = fixture_vertex(it.code, name);

    for (size_t i = 0; i < walk->len; i++)
        if (walk->steps[i].place == place)
            return &walk->steps[i];
    return NULL;
}

static void
a_cycle_is_walked_once(void **state)
{
    (void)state;
    make_ring();
    struct joined_walk walk = reach("a", false, 10, 0);
    assert_int_equal(walk.len, 4);
    assert_int_equal(step_of(&walk, "a")->depth, 0);
    assert_int_equal(step_of(&walk, "d")->depth, 1);
    assert_int_equal(step_of(&walk, "c")->depth, 2);
    assert_false(walk.is_truncated);
    assert_false(walk.has_more);
    assert_int_equal(walk.steps[step_of(&walk, "c")->parent].place,
                     fixture_vertex(it.code, "b"));
    joined_walk_fini(&walk);
    walk = reach("a", true, 10, 0);
    assert_int_equal(walk.len, 4);
    assert_int_equal(step_of(&walk, "b")->depth, 3);
    joined_walk_fini(&walk);
}

static void
confidence_is_of_the_best_way(void **state)
{
    (void)state;
    make_ring();
    struct joined_walk walk = reach("a", false, 10, 0);
    assert_int_equal(step_of(&walk, "d")->permille, 900);
    assert_int_equal(step_of(&walk, "a")->permille, 1000);
    joined_walk_fini(&walk);
    walk = reach("a", false, 1, 0);
    assert_int_equal(step_of(&walk, "d")->permille, 400);
    joined_walk_fini(&walk);
}

static void
depth_and_number_are_limits(void **state)
{
    (void)state;
    make_ring();
    struct joined_walk walk = reach("a", false, 1, 0);
    assert_int_equal(walk.len, 3);
    assert_true(walk.has_more);
    assert_false(walk.is_truncated);
    joined_walk_fini(&walk);
    walk = reach("a", false, 10, 4);
    assert_int_equal(walk.len, 4);
    assert_false(walk.is_truncated);
    joined_walk_fini(&walk);
    walk = reach("a", false, 10, 3);
    assert_int_equal(walk.len, 3);
    assert_true(walk.is_truncated);
    joined_walk_fini(&walk);
}

static void
evidence_chooses_the_arcs(void **state)
{
    (void)state;
    make();
    uint32_t from = fixture_vertex(it.code, "buy");
    struct joined_ask ask = {
        .from = &from, .from_len = 1, .is_backward = true, .max_depth = 5};
    struct joined_walk walk;

    ask.evidence = BY_OBSERVED;
    assert_int_equal(joined_reach(it.joined, &ask, &walk), OK);
    assert_non_null(step_of(&walk, "page"));
    joined_walk_fini(&walk);
    ask.evidence = BY_STATIC;
    assert_int_equal(joined_reach(it.joined, &ask, &walk), OK);
    assert_null(step_of(&walk, "page"));
    joined_walk_fini(&walk);
}

static void
paths(size_t max, uint32_t depth, size_t len, bool is_truncated)
{
    uint32_t from = fixture_vertex(it.code, "a");
    uint32_t to = fixture_vertex(it.code, "d");
    struct joined_paths out;

    assert_int_equal(
        joined_find_paths(it.joined,
                          &(struct joined_ask){
                              .from = &from, .from_len = 1, .max_depth = depth},
                          &(struct ids){.ids = &to, .len = 1}, max, &out),
        OK);
    assert_int_equal(out.len, len);
    assert_int_equal(out.is_truncated, is_truncated);
    for (size_t i = 0; i < out.len; i++) {
        assert_int_equal(out.places[out.at[i]], from);
        assert_int_equal(out.places[out.at[i + 1] - 1], to);
        assert_true(i == 0 ||
                    out.at[i + 1] - out.at[i] >= out.at[i] - out.at[i - 1]);
    }
    joined_paths_fini(&out);
}

static void
paths_are_the_shortest_and_limited(void **state)
{
    (void)state;
    make_ring();
    paths(10, 10, 2, false);
    paths(2, 10, 2, false);
    paths(1, 10, 1, true);
    paths(10, 3, 2, false);
    paths(10, 2, 1, false);
    paths(10, 0, 0, false);
}

/* `rows.map(x => save(x))` saves for who wrote it; what is run for a route or
 * by a name of its own is not run by who passes it. */
static void
who_passes_a_nameless_function_runs_it(void **state)
{
    struct code_fixture *f = &it.fixture;
    uint32_t save = fixture_function(f, it.file, "save", 20, 0);
    uint32_t maps = fixture_function(f, it.file, "maps", 24, 0);
    uint32_t start = fixture_function(f, it.file, "start", 28, 0);
    uint32_t each = fixture_function(f, it.file, "each", 32, CODE_ANONYMOUS);
    uint32_t serve = fixture_function(f, it.file, "serve", 36, CODE_ANONYMOUS);
    uint32_t named = fixture_function(f, it.file, "named", 40, 0);

    (void)state;
    fixture_edge(f, maps, each, CODE_REFERENCES, 990);
    fixture_edge(f, start, serve, CODE_REFERENCES, 990);
    fixture_edge(f, start, named, CODE_REFERENCES, 990);
    fixture_route(f, it.file, "GET", "/serve", serve, 0);
    fixture_call(f, each, save);
    fixture_call(f, serve, save);
    fixture_call(f, named, save);
    make();
    uint32_t from = fixture_vertex(it.code, "save");
    struct joined_ask ask = {
        .from = &from, .from_len = 1, .is_backward = true, .max_depth = 5};
    struct joined_walk walk;
    assert_int_equal(joined_reach(it.joined, &ask, &walk), OK);
    const struct joined_step *step = step_of(&walk, "maps");
    assert_non_null(step);
    assert_int_equal(step->depth, 2);
    assert_int_equal(step->permille, 900);
    assert_int_equal(it.joined->in[step->arc].type, JOINED_HANDS_ON);
    assert_int_equal(it.joined->in[step->arc].evidence, BY_STATIC);
    assert_non_null(step_of(&walk, "serve"));
    assert_null(step_of(&walk, "start"));
    joined_walk_fini(&walk);
}

static void
types_are_read_as_written(void **state)
{
    (void)state;
    assert_int_equal(joined_type_of(STR("runtime_rpc")), JOINED_RUNTIME_RPC);
    assert_int_equal(joined_type_of(str_of(joined_type_str(CODE_CALLS))),
                     CODE_CALLS);
    assert_int_equal(joined_type_of(STR("hands_on")), JOINED_HANDS_ON);
    assert_int_equal(joined_type_of(STR("no such type")), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_was_observed_runs_from_function_to_function),
        T(code_and_spans_of_one_call_are_both),
        T(which_came_first_makes_no_difference),
        T(a_cycle_is_walked_once),
        T(confidence_is_of_the_best_way),
        T(depth_and_number_are_limits),
        T(evidence_chooses_the_arcs),
        T(paths_are_the_shortest_and_limited),
        T(who_passes_a_nameless_function_runs_it),
        T(types_are_read_as_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
