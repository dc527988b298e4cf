#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/regroup.h"
#include "graph/code_write.h"
#include "knowledge/entity.h"
#include "knowledge/groups.h"
#include "knowledge/groups_kept.h"
#include "knowledge/near.h"
#include "store/code_store.h"
#include "tests/support/db_fixture.h"

enum { PARTS = 3, FUNCTIONS = 8 };

static struct {
    struct db_fixture db;
    struct code_store *cs;
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    struct buf why;
    uint32_t traffic_s;
    uint32_t shop;
} it;

static struct regroup_cfg
cfg(void)
{
    return (struct regroup_cfg){it.query, it.world, it.knowledge, it.traffic_s};
}

/* Three packages of functions that call one another; |but| leaves out that
 * function of the first package, |more| adds so many to it. */
static void
write_code(int but, int more)
{
    struct code_build b;
    struct code_written written;
    char name[32];

    assert_int_equal(code_build_init(&b), OK);
    b.repo_url = texts_add(&b.texts, STR("example.com/org/x"));
    for (int part = 0; part < PARTS; part++) {
        uint32_t nodes[2 * FUNCTIONS];
        uint32_t len = 0;

        (void)snprintf(name, sizeof(name), "p%d/f.go", part);
        uint32_t file = code_build_file(
            &b,
            &(struct build_file){.path = texts_add(&b.texts, str_of(name))});
        (void)snprintf(name, sizeof(name), "p%d", part);
        text_id package = texts_add(&b.texts, str_of(name));
        for (int i = 0; i < FUNCTIONS + (part ? 0 : more); i++) {
            if (!part && i == but)
                continue;
            (void)snprintf(name, sizeof(name), "Do%dx%d", part, i);
            nodes[len++] = code_build_node(
                &b, &(struct build_node){
                        .kind = CODE_FUNCTION,
                        .file = file,
                        .line = 1 + (uint32_t)i * 10,
                        .end_line = 9 + (uint32_t)i * 10,
                        .package = package,
                        .name = texts_add(&b.texts, str_of(name))});
        }
        for (uint32_t i = 0; i < len; i++)
            for (uint32_t k = 0; k < i; k++)
                code_build_edge(&b,
                                &(struct build_edge){.src = nodes[i],
                                                     .dst = nodes[k],
                                                     .type = CODE_CALLS,
                                                     .provenance = CODE_BY_TYPE,
                                                     .permille = 980});
    }
    if (!it.cs)
        assert_int_equal(code_store_open(&it.cs, it.db.dir, 1, &it.why), OK);
    assert_int_equal(code_write(it.cs, &b, 1700000000, &written, &it.why), OK);
    code_build_fini(&b);
}

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    it.shop = db_service(&it.db, "shop");
    write_code(-1, 0);
    assert_int_equal(
        query_open(&it.query, it.db.dir, &query_cfg_default, &it.why), OK);
    assert_int_equal(world_open(&it.world, it.db.dir), OK);
    return knowledge_open(&it.knowledge, it.db.dir, &knowledge_cfg_default);
}

static int
teardown(void **state)
{
    (void)state;
    knowledge_close(it.knowledge);
    world_close(it.world);
    query_close(it.query);
    code_store_close(it.cs);
    db_fixture_close(&it.db);
    buf_fini(&it.why);
    return 0;
}

static void
begin(struct moment *moment, bool writes)
{
    uint32_t now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);

    *moment = (struct moment){.now_s = now_s, .why = &it.why};
    assert_int_equal(query_begin(it.query, now_s, &moment->view), OK);
    assert_int_equal(
        world_hold(it.world, moment->view, &moment->joined, &it.why), OK);
    assert_int_equal(writes ? knowledge_write(it.knowledge, moment)
                            : knowledge_read(it.knowledge, moment),
                     OK);
}

static void
end(struct moment *moment)
{
    const struct joined *joined = moment->joined;
    struct query_view *view = moment->view;

    assert_int_equal(knowledge_end(it.knowledge, moment, OK), OK);
    world_drop(joined);
    query_end(view);
}

/* As manage rebuild_index does. */
static size_t
make_first(void)
{
    struct moment moment;
    size_t count = 0;

    begin(&moment, true);
    assert_int_equal(groups_make(&moment, &count), OK);
    end(&moment);
    return count;
}

static size_t
regroup(void)
{
    const struct regroup_cfg how = cfg();
    size_t count = 0;
    enum err err = regroup_once(&how, &count, &it.why);

    if (err)
        fail_msg("%s %s", err_str(err), buf_cstr(&it.why));
    return count;
}

/* What is served as contained in the community of |oid|: how many, whether
 * |name| is one, and whether one is gone. */
struct served {
    size_t len;
    bool has_name;
    bool has_gone;
    char gid[64];
};

static struct served
serve(struct moment *moment, int64_t oid, const char *name)
{
    struct served served = {0};
    struct near *near;
    struct near_types types;
    struct near_arcs arcs = {0};
    struct object self = {0};

    assert_int_equal(near_open(&near, moment), OK);
    assert_int_equal(near_types_of(moment, NULL, &types), OK);
    assert_int_equal(object_of_oid(moment, oid, &self), OK);
    assert_int_equal(
        near_arcs_of(near, near_spot_of(&self), NEAR_OUT, &types, &arcs), OK);
    for (size_t i = 0; i < arcs.len; i++) {
        struct object other = {0};

        assert_int_equal(near_object(moment, arcs.items[i].spot, &other), OK);
        served.has_name |= str_eq(buf_str(&other.name), str_of(name));
        served.has_gone |= other.is_gone;
        object_fini(&other);
    }
    served.len = arcs.len;
    (void)snprintf(served.gid, sizeof(served.gid), "%s", buf_cstr(&self.gid));
    object_fini(&self);
    near_arcs_fini(&arcs);
    near_close(near);
    return served;
}

/* Of the community that has |name| in it; its len is 0 if there is none. */
static struct served
serve_with(const char *name)
{
    struct served served = {0};
    struct groups_kept kept;
    struct moment moment;

    begin(&moment, false);
    assert_int_equal(groups_kept_read(&moment, &kept), OK);
    for (size_t i = 0; i < kept.len && !served.has_name; i++)
        if (kept.items[i].level == 0)
            served = serve(&moment, kept.items[i].oid, name);
    groups_kept_fini(&kept);
    end(&moment);
    return served.has_name ? served : (struct served){0};
}

static bool
is_stale(void)
{
    struct moment moment;
    struct groups_age age;

    begin(&moment, false);
    assert_int_equal(groups_age_of(&moment, moment.joined->code, &age), OK);
    end(&moment);
    return age.is_code_old;
}

/* A service of |routes| that call one another, and one route of shop. */
static void
observe(const char *name, uint32_t routes)
{
    uint32_t service = db_service(&it.db, name);
    uint32_t ids[FUNCTIONS];
    char route[32];

    for (uint32_t i = 0; i < routes; i++) {
        (void)snprintf(route, sizeof(route), "GET /%s/%u", name, i);
        ids[i] = db_route(&it.db, service, route);
        for (uint32_t k = 0; k < i; k++)
            db_edge(&it.db, ids[k], ids[i], EDGE_CALL, 9);
    }
    db_edge(&it.db, it.shop, ids[0], EDGE_CALL, 1);
}

static void
without_communities_none_are_made(void **state)
{
    (void)state;
    assert_false(is_stale());
    assert_int_equal(regroup(), 0);
    assert_int_equal(serve_with("Do0x1").len, 0);
}

static void
they_are_made_anew_once_after_an_index(void **state)
{
    (void)state;
    size_t count = make_first();
    assert_true(count >= PARTS);
    assert_false(is_stale());
    assert_int_equal(regroup(), 0);
    write_code(-1, 2);
    assert_true(is_stale());
    assert_int_equal(regroup(), count);
    assert_false(is_stale());
    assert_int_equal(regroup(), 0);
}

static void
one_that_changes_keeps_its_id(void **state)
{
    (void)state;
    (void)make_first();
    struct served one = serve_with("Do0x0");
    struct served other = serve_with("Do1x1");
    assert_int_equal(one.len, FUNCTIONS);
    assert_int_equal(other.len, FUNCTIONS);
    assert_string_not_equal(one.gid, other.gid);
    for (int more = 1; more < 5; more++) {
        write_code(more, more);
        assert_true(regroup() >= PARTS);
        struct served after = serve_with("Do0x0");
        assert_int_equal(after.len, FUNCTIONS - 1 + more);
        assert_string_equal(after.gid, one.gid);
        assert_false(after.has_gone);
        struct served other_after = serve_with("Do1x1");
        assert_int_equal(other_after.len, FUNCTIONS);
        assert_string_equal(other_after.gid, other.gid);
    }
}

static void
members_that_are_gone_are_not_served_even_before(void **state)
{
    (void)state;
    (void)make_first();
    write_code(3, 0);
    assert_true(is_stale());
    struct served one = serve_with("Do0x0");
    assert_int_equal(one.len, FUNCTIONS - 1);
    assert_false(one.has_gone);
    assert_int_equal(serve_with("Do0x3").len, 0);
}

static void
they_follow_what_is_observed_now_and_then(void **state)
{
    (void)state;
    it.traffic_s = 3600;
    size_t count = make_first();
    assert_int_equal(serve_with("GET /cart/1").len, 0);
    observe("cart", 5);
    assert_int_equal(regroup(), 0); /* too soon */
    assert_int_equal(serve_with("GET /cart/1").len, 0);
    it.traffic_s = 1;
    (void)usleep(1100000);
    assert_true(regroup() > count);
    assert_int_equal(serve_with("GET /cart/1").len, 6);
    (void)usleep(1100000);
    assert_int_equal(regroup(), 0); /* nothing came since */
    observe("pay", 3);
    assert_true(regroup() > count);
    /* New code does not wait. */
    it.traffic_s = 3600;
    write_code(-1, 2);
    assert_true(regroup() > count);
}

static void
the_thread_follows_what_is_observed_without_code(void **state)
{
    struct regroup_cfg how;
    struct regroup *thread;
    uint64_t begin_ns = clock_mono_ns();

    (void)state;
    (void)make_first();
    it.traffic_s = 1;
    how = cfg();
    assert_int_equal(regroup_start(&thread, &how), OK);
    observe("cart", 5);
    while (!serve_with("GET /cart/1").len &&
           clock_mono_ns() - begin_ns < 60 * NS_PER_S)
        (void)usleep(50000);
    regroup_stop(thread);
    assert_int_equal(serve_with("GET /cart/1").len, 6);
}

static void
the_thread_does_it_by_itself(void **state)
{
    const struct regroup_cfg how = cfg();
    struct regroup *thread;
    uint64_t begin_ns = clock_mono_ns();

    (void)state;
    (void)make_first();
    write_code(-1, 3);
    assert_int_equal(regroup_start(&thread, &how), OK);
    while (is_stale() && clock_mono_ns() - begin_ns < 60 * NS_PER_S)
        (void)usleep(50000);
    regroup_stop(thread);
    regroup_stop(NULL);
    assert_false(is_stale());
}

static void
after_each_failure_it_waits_longer(void **state)
{
    struct regroup_cfg how = {.traffic_s = 20};

    (void)state;
    assert_int_equal(regroup_pause_s(&how, 0, ERR_NOMEM), 3);
    assert_int_equal(regroup_pause_s(&how, 3, ERR_NOMEM), 6);
    assert_int_equal(regroup_pause_s(&how, 9, ERR_NOMEM), 18);
    assert_int_equal(regroup_pause_s(&how, 10, ERR_NOMEM), 20);
    assert_int_equal(regroup_pause_s(&how, 11, ERR_NOMEM), 20);
    assert_int_equal(regroup_pause_s(&how, 20, ERR_NOMEM), 20);
    assert_int_equal(regroup_pause_s(&how, 12, OK), 0);
    assert_int_equal(regroup_pause_s(&how, 12, ERR_BUSY), 0);
    how.traffic_s = 0;
    assert_int_equal(regroup_pause_s(&how, REGROUP_TRAFFIC_S, ERR_NOMEM),
                     REGROUP_TRAFFIC_S);
    how.traffic_s = 1;
    assert_int_equal(regroup_pause_s(&how, 0, ERR_NOMEM), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define IT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        IT(without_communities_none_are_made),
        IT(they_are_made_anew_once_after_an_index),
        IT(one_that_changes_keeps_its_id),
        IT(members_that_are_gone_are_not_served_even_before),
        IT(they_follow_what_is_observed_now_and_then),
        IT(the_thread_follows_what_is_observed_without_code),
        IT(the_thread_does_it_by_itself),
        cmocka_unit_test(after_each_failure_it_waits_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
