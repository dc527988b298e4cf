/* What memory the spans that are held take, and of which sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pages.h"
#include "runtime/pair_order.h"
#include "runtime/pair_state.h"
#include "tests/support/pair_check.h"
#include "tests/support/pair_rig.h"

enum { MIB = 1 << 20 };

static size_t
resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    char line[128] = {0};
    char *rest = line;

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    (void)strtoul(line, &rest, 10);
    return strtoul(rest, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static void
memory_is_small_before_a_rush_and_falls_after_it(void **state)
{
    enum { LEN = 300000, ENTRY = 112 };
    struct pair_cfg cfg = pair_rig_cfg();
    size_t before = resident_bytes();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 4000000;
    cfg.max_producers = 1000000;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 1, 0, API), 0);
    assert_in_range(resident_bytes() - before, 0, MIB);
    pair_rig_crowd(&rig, 2, LEN - 1);
    size_t rush = resident_bytes();
    assert_true(rush - before > (size_t)LEN * ENTRY);
    pair_rig_pass(&rig, 900 * NS_PER_S);
    assert_true(resident_bytes() < rush - (size_t)LEN * ENTRY / 2);
    pair_free(rig.pair);
}

/* Slots are gone through in a ring of which only a part is held. */
static void
memory_is_that_of_the_spans_held_however_many_came(void **state)
{
    enum { HELD = 40000, LEN = 15 * HELD };
    struct pair_cfg cfg = pair_rig_cfg();
    size_t before = resident_bytes();
    struct pair_rig rig;

    (void)state;
    cfg.wait_ns = NS_PER_S;
    cfg.horizon_ns = (HELD / 100) * NS_PER_S;
    cfg.max_spans = 4000000;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 1; i <= LEN; i++) {
        pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, i, i - 1, API), 0);
        if (i % 100 == 0)
            pair_rig_pass(&rig, NS_PER_S);
    }
    assert_int_equal(pair_stats(rig.pair).live, HELD - 100);
    /* All that came would take four times as much. */
    assert_in_range(resident_bytes() - before, 0, 24 * MIB);
    pair_check(rig.pair);
    pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, LEN - HELD + 100, 0, API),
                  0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, LEN - HELD + 101, 0, API),
                  0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 1);
    pair_rig_close(&rig);
}

/* Of mappings a process has few (vm.max_map_count); a chunk becomes two. */
static void
the_largest_table_has_few_chunks(void **state)
{
    const uint32_t sizes[] = {4000000, 600000000, 1000000000};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct pair_table table;
        assert_int_equal(pair_table_init(&table, sizes[i]), OK);
        assert_in_range(table.ids.span >> table.chunk_shift, 8, 8192);
        pair_table_fini(&table);
    }
}

/* ---- huge pages ---- */

/* Whether huge pages were asked for where |pages| is, or for nobody. */
static bool
asks_for_huge(const void *pages)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    uintptr_t from = 0;
    uintptr_t to = 0;
    bool asks = false;
    char line[512];

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *rest = line;
        uintptr_t first = strtoul(line, &rest, 16);
        if (rest > line && *rest == '-') {
            from = first;
            to = strtoul(rest + 1, NULL, 16);
        }
        if ((uintptr_t)pages >= from && (uintptr_t)pages < to &&
            strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg"))
            asks = true;
    }
    fclose(file);
    return asks;
}

/* Some kernels have none. */
static bool
can_be_huge(void)
{
    void *pages = pages_reserve(PAGES_HUGE);

    assert_non_null(pages);
    pages_be_huge(pages, PAGES_HUGE);
    bool can = asks_for_huge(pages);
    pages_release(pages, PAGES_HUGE);
    return can;
}

static void
entries_have_huge_pages_from_a_bound_on(void **state)
{
    struct pair_table table;

    (void)state;
    assert_int_equal(pair_table_init(&table, 4000000), OK);
    for (uint32_t i = 0; i < PAIR_HUGE_FROM; i++) {
        pair_table_fit(&table, 1);
        (void)pair_table_push(&table);
    }
    assert_false(asks_for_huge(table.entries));
    pair_table_fit(&table, 1);
    (void)pair_table_push(&table);
    assert_int_equal(asks_for_huge(table.entries), can_be_huge());
    assert_int_equal((uintptr_t)table.entries % PAGES_HUGE, 0);
    assert_int_equal((uintptr_t)&table.entries[table.ids.span] % PAGES_HUGE, 0);
    pair_table_fini(&table);
}

/* Its chunks are smaller than a huge page. */
static void
a_small_table_never_has_huge_pages(void **state)
{
    enum { LEN = 2 * PAIR_HUGE_FROM - 1 };
    struct pair_table table;

    (void)state;
    assert_int_equal(pair_table_init(&table, LEN), OK);
    for (uint32_t i = 0; i < LEN; i++) {
        pair_table_fit(&table, 1);
        (void)pair_table_push(&table);
    }
    assert_false(asks_for_huge(table.entries));
    pair_table_fini(&table);
}

/* As many are held all the time, and chunks that are left go on being used:
 * small ones until there are huge ones, and huge ones from then on. */
static void
memory_stays_where_it_is_while_many_are_held(void **state)
{
    enum { HELD = 200000, LEN = 5 * HELD, SPAN = 112, OTHERS = 20 };
    struct pair_cfg cfg = pair_rig_cfg();
    size_t before = resident_bytes();
    struct pair_rig rig;

    (void)state;
    cfg.wait_ns = NS_PER_S;
    cfg.horizon_ns = (HELD / 1000) * NS_PER_S;
    cfg.max_spans = 4000000;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 0; i < LEN; i += 1000) {
        pair_rig_crowd(&rig, i + 1, 1000);
        pair_rig_pass(&rig, NS_PER_S);
    }
    assert_int_equal(pair_stats(rig.pair).live, HELD - 1000);
    assert_in_range(resident_bytes() - before, (size_t)HELD * SPAN,
                    (size_t)HELD * SPAN + (size_t)OTHERS * MIB);
    for (uint64_t i = LEN - HELD + 1000; i < LEN; i += 777) {
        pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, i + 1, 0, API), 0);
        assert_int_equal(pair_stats(rig.pair).live, HELD - 1000);
    }
    pair_rig_pass(&rig, 900 * NS_PER_S);
    assert_int_equal(pair_stats(rig.pair).live, 0);
    assert_in_range(resident_bytes() - before, 0, (size_t)OTHERS * MIB);
    pair_rig_crowd(&rig, 1, 1000);
    pair_check(rig.pair);
    pair_free(rig.pair);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_small_before_a_rush_and_falls_after_it),
        cmocka_unit_test(memory_is_that_of_the_spans_held_however_many_came),
        cmocka_unit_test(the_largest_table_has_few_chunks),
        cmocka_unit_test(entries_have_huge_pages_from_a_bound_on),
        cmocka_unit_test(a_small_table_never_has_huge_pages),
        cmocka_unit_test(memory_stays_where_it_is_while_many_are_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
