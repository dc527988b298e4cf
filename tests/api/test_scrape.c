#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "api/scrape.h"
#include "base/clock.h"

/* What is asked for a text, and what that costs. */
struct maker {
    uint64_t cost_ns;
    enum err err;
    int made;
};

static enum err
make(void *ctx, struct buf *out)
{
    struct maker *maker = ctx;
    uint64_t begin_ns = clock_thread_ns();

    maker->made++;
    while (clock_thread_ns() - begin_ns < maker->cost_ns)
        ;
    buf_printf(out, "made %d\n", maker->made);
    return maker->err;
}

/* What is told, without its age. */
static enum err
tell(struct scrape *scrape, struct maker *maker, struct buf *out)
{
    buf_reset(out);
    buf_add(out, STR("before\n"));
    enum err err = scrape_tell(scrape, make, maker, out);
    char *age = strstr(buf_cstr(out), "# TYPE spangraph_service_graph_age_");
    if (age)
        out->len = (size_t)(age - out->ptr);
    return err;
}

static void
what_is_cheap_is_made_each_time(void **state)
{
    struct scrape scrape;
    struct maker maker = {0};
    struct buf out = {0};

    (void)state;
    scrape_init(&scrape);
    assert_int_equal(tell(&scrape, &maker, &out), OK);
    assert_string_equal(buf_cstr(&out), "before\nmade 1\n");
    assert_int_equal(tell(&scrape, &maker, &out), OK);
    assert_string_equal(buf_cstr(&out), "before\nmade 2\n");
    assert_null(scrape.text.ptr);
    buf_fini(&out);
    scrape_fini(&scrape);
}

/* At most a twentieth of the time goes there. */
static void
what_is_dear_is_told_again_for_a_while(void **state)
{
    const struct timespec pause = {0, 10000000};
    struct scrape scrape;
    struct maker maker = {.cost_ns = SCRAPE_CHEAP_NS};
    struct buf out = {0};

    (void)state;
    scrape_init(&scrape);
    uint64_t begin_ns = clock_mono_ns();
    while (maker.made < 2) {
        assert_int_equal(tell(&scrape, &maker, &out), OK);
        if (maker.made == 1)
            assert_string_equal(buf_cstr(&out), "before\nmade 1\n");
        (void)nanosleep(&pause, NULL);
    }
    assert_true(clock_mono_ns() - begin_ns >=
                SCRAPE_SHARE * (uint64_t)SCRAPE_CHEAP_NS);
    assert_string_equal(buf_cstr(&out), "before\nmade 2\n");
    buf_fini(&out);
    scrape_fini(&scrape);
}

static void
its_age_is_told(void **state)
{
    static const char name[] = "\nspangraph_service_graph_age_seconds ";
    const struct timespec pause = {0, 20000000};
    struct scrape scrape;
    struct maker maker = {.cost_ns = SCRAPE_CHEAP_NS};
    struct buf out = {0};

    (void)state;
    scrape_init(&scrape);
    for (int i = 0; i < 2; i++) {
        buf_reset(&out);
        assert_int_equal(scrape_tell(&scrape, make, &maker, &out), OK);
        const char *at = strstr(buf_cstr(&out), name);
        assert_non_null(at);
        assert_int_equal(strncmp(at + strlen(name), "0.000\n", 6) != 0, i);
        (void)nanosleep(&pause, NULL);
    }
    buf_fini(&out);
    scrape_fini(&scrape);
}

static void
an_error_leaves_nothing_behind(void **state)
{
    struct scrape scrape;
    struct maker maker = {.cost_ns = SCRAPE_CHEAP_NS, .err = ERR_STORE};
    struct buf out = {0};

    (void)state;
    scrape_init(&scrape);
    assert_int_equal(tell(&scrape, &maker, &out), ERR_STORE);
    assert_string_equal(buf_cstr(&out), "before\n");
    /* Nor what does not fit. */
    maker.err = OK;
    out.cap_max = out.cap = 8;
    assert_int_equal(tell(&scrape, &maker, &out), ERR_NOMEM);
    assert_string_equal(buf_cstr(&out), "before\n");
    assert_false(out.failed);
    assert_int_equal(maker.made, 2);
    buf_fini(&out);
    scrape_fini(&scrape);
}

struct asker {
    struct scrape *scrape;
    struct maker *maker;
    struct buf out;
};

static void *
ask(void *ctx)
{
    struct asker *asker = ctx;

    (void)tell(asker->scrape, asker->maker, &asker->out);
    return NULL;
}

static void
many_at_once_have_one_make_it(void **state)
{
    enum { ASKERS = 4 };
    struct scrape scrape;
    struct maker maker = {.cost_ns = 2 * SCRAPE_CHEAP_NS};
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];

    (void)state;
    scrape_init(&scrape);
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){&scrape, &maker, {0}};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < ASKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_string_equal(buf_cstr(&askers[i].out), "before\nmade 1\n");
        buf_fini(&askers[i].out);
    }
    assert_int_equal(maker.made, 1);
    scrape_fini(&scrape);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cheap_is_made_each_time),
        cmocka_unit_test(what_is_dear_is_told_again_for_a_while),
        cmocka_unit_test(its_age_is_told),
        cmocka_unit_test(an_error_leaves_nothing_behind),
        cmocka_unit_test(many_at_once_have_one_make_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
