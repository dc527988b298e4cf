/*
 * Words of a task and what they find in a small joined shop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "graph/words.h"
#include "graph/words_exact.h"
#include "tests/support/context_shop.h"

static struct context_shop shop;
static struct query_view *view;
static const struct joined *joined;

static int
open_shop(void **state)
{
    struct buf why = {0};

    (void)state;
    context_shop_open(&shop);
    return query_begin(shop.query, FIXTURE_NOW_S, &view) ||
           world_hold(shop.world, view, &joined, &why);
}

static int
close_shop(void **state)
{
    (void)state;
    world_drop(joined);
    query_end(view);
    context_shop_close(&shop);
    return 0;
}

static void
add_part(void *ctx, str part)
{
    buf_printf(ctx, "%.*s ", (int)part.len, part.ptr);
}

static void
identifiers_are_split_where_people_read_them_so(void **state)
{
    static const char *const cases[][2] = {
        {"getUserById", "get user by id "},
        {"HTTPServer", "http server "},
        {"parse_header-line", "pars header lin "},
        {"charging charged charges charge", "charg charg charg charg "},
        {"class address", "class address "},
        {"utf8Text v2", "utf8 text v2 "},
        {"queries query", "quer quer "},
        {"", ""},
        {"...", ""},
        {"the", "th "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf out = {0};
        words_split(str_of(cases[i][0]), add_part, &out);
        assert_string_equal(buf_cstr(&out), cases[i][1]);
        buf_fini(&out);
    }
}

static void
a_part_of_any_length_is_cut_at_its_bound(void **state)
{
    char text[200];
    struct buf out = {0};

    (void)state;
    memset(text, 'a', sizeof(text));
    words_split((str){text, sizeof(text)}, add_part, &out);
    assert_int_equal(out.len, WORD_LEN_MAX + 1);
    buf_fini(&out);
}

static void
words_are_told_apart_by_how_they_are_written(void **state)
{
    static const struct {
        const char *word;
        enum words_kind kind;
    } cases[] = {
        {"order", WORD_PLAIN},       {"Order", WORD_PLAIN},
        {"2.5", WORD_PLAIN},         {"getUser", WORD_IDENTIFIER},
        {"a_b", WORD_IDENTIFIER},    {"Cart::Add", WORD_IDENTIFIER},
        {"src/cart.go", WORD_PATH},  {"cart.go", WORD_PATH},
        {"/users/{id}", WORD_ROUTE}, {"/", WORD_PLAIN},
    };
    str word;
    enum words_kind kind;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        str rest = str_of(cases[i].word);
        assert_true(words_next(&rest, &word, &kind));
        if (kind != cases[i].kind)
            fail_msg("%s is %d", cases[i].word, (int)kind);
    }
    str rest = STR("  `a_b`, (\"c\"). ");
    assert_true(words_next(&rest, &word, &kind));
    assert_true(str_eq(word, STR("a_b")));
    assert_true(words_next(&rest, &word, &kind));
    assert_true(str_eq(word, STR("c")));
    assert_true(words_next(&rest, &word, &kind));
    assert_true(str_eq(word, STR(".")));
    assert_false(words_next(&rest, &word, &kind));
}

static struct words_hits
find(const char *task, size_t max)
{
    struct words_hits hits;

    assert_int_equal(words_find(joined, view, str_of(task), max, &hits), OK);
    assert_true(hits.len <= max);
    for (size_t i = 0; i < hits.len; i++) {
        assert_true(hits.rows[i].place > 0 &&
                    hits.rows[i].place < joined->place_len);
        assert_true(hits.rows[i].score >= 0 && hits.rows[i].score <= 1);
    }
    return hits;
}

static const char *
name(const struct words_hits *hits, size_t i)
{
    static char out[300];
    struct buf text = {0};

    assert_true(i < hits->len);
    uint32_t place = hits->rows[i].place;
    uint32_t vertex = joined_vertex(joined, place);
    if (vertex)
        buf_add(&text, code_node(joined->code, vertex)->qualified);
    else
        query_qualified(view, joined_node(joined, place), &text);
    snprintf(out, sizeof(out), "%s", buf_cstr(&text));
    buf_fini(&text);
    return out;
}

static void
the_best_fit_is_first(void **state)
{
    static const char *const cases[][2] = {
        {"where is a card charged", "chargeCard"},
        {"logging of text", "util.Log"},
        {"show the shopping cart", "web.ShowCart"},
        {"the kafka orders", "kafka:orders"},
        {"authent", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct words_hits hits = find(cases[i][0], 10);
        if (!cases[i][1])
            assert_int_equal(hits.len, 0);
        else if (!strstr(name(&hits, 0), cases[i][1]))
            fail_msg("'%s' finds %s", cases[i][0], name(&hits, 0));
        words_fini(&hits);
    }
}

static void
exact_names_come_before_better_fits(void **state)
{
    struct words_hits hits = find("card charge in checkout.OldBuy", 10);

    (void)state;
    assert_non_null(strstr(name(&hits, 0), "OldBuy"));
    assert_true(hits.rows[0].is_exact);
    for (size_t i = 1; i < hits.len; i++)
        assert_false(hits.rows[i].is_exact);
    words_fini(&hits);
    /* A route is its handler, whatever the parameter is called. */
    hits = find("/cart/:id", 1);
    assert_non_null(strstr(name(&hits, 0), "web.ShowCart"));
    words_fini(&hits);
    hits = find("/cart/{}", 1);
    assert_non_null(strstr(name(&hits, 0), "web.ShowCart"));
    words_fini(&hits);
}

static void
stop_words_and_none_find_nothing(void **state)
{
    static const char *const tasks[] = {"", "how to fix the", "?!", "a b c",
                                        "* ** /*"};

    (void)state;
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        struct words_hits hits = find(tasks[i], 10);
        assert_int_equal(hits.len, 0);
        words_fini(&hits);
    }
}

static void
hits_end_at_the_bound_and_are_counted(void **state)
{
    struct words_hits hits = find("checkout", 2);

    (void)state;
    assert_int_equal(hits.len, 2);
    assert_true(hits.matched > 2);
    words_fini(&hits);
}

static void
more_words_than_there_is_room_for_are_left_out(void **state)
{
    struct buf task = {0};

    (void)state;
    for (int i = 0; i < 3 * WORDS_MAX; i++)
        buf_printf(&task, "word%d ", i);
    buf_add(&task, STR("checkout"));
    struct words_hits hits = find(buf_cstr(&task), 5);
    words_fini(&hits);
    buf_fini(&task);
}

/* A name that is the last word looked up, and one behind it. */
static void
what_a_long_task_names_late_is_not_looked_up(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct words_hits hits;
        struct buf task = {0};

        for (size_t i = 1; i < WORDS_READ_MAX + more; i++)
            buf_add(&task, STR("of "));
        buf_add(&task, STR("kafka:orders"));
        assert_int_equal(words_find(joined, view, buf_str(&task), 5, &hits),
                         OK);
        assert_true(hits.len > 0 && hits.rows[0].is_exact == (more == 0));
        words_fini(&hits);
        buf_fini(&task);
    }
}

#define SHOP(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_split_where_people_read_them_so),
        cmocka_unit_test(a_part_of_any_length_is_cut_at_its_bound),
        cmocka_unit_test(words_are_told_apart_by_how_they_are_written),
        SHOP(the_best_fit_is_first),
        SHOP(exact_names_come_before_better_fits),
        SHOP(stop_words_and_none_find_nothing),
        SHOP(hits_end_at_the_bound_and_are_counted),
        SHOP(more_words_than_there_is_room_for_are_left_out),
        SHOP(what_a_long_task_names_late_is_not_looked_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
