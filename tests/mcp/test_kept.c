/*
 * Answers that are kept: how long, how many, and that no question gets the
 * answer of another.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/kept.h"
#include "mcp/question.h"

enum { BYTES = 4096 };

static struct kept *kept;

static int
setup(void **state)
{
    (void)state;
    kept = kept_new(BYTES);
    return kept ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    kept_free(kept);
    return 0;
}

static void
add(const char *question, const char *answer, uint64_t version,
    uint64_t asked_ns)
{
    kept_add(kept, &(struct kept_item){.question = str_of(question),
                                       .answer = str_of(answer),
                                       .version = version,
                                       .asked_ns = asked_ns});
}

static bool
finds(const char *question, const char *answer, uint64_t version,
      uint64_t now_ns)
{
    bool renews = false;
    struct kept_answer *found =
        kept_find(kept, str_of(question), version, now_ns, &renews);
    bool is_same = found && str_eq(kept_text(found), str_of(answer));

    assert_false(found && renews);
    kept_drop(found);
    return is_same;
}

static void
an_answer_is_found_by_its_question_and_version(void **state)
{
    (void)state;
    add("who", "nobody", 7, 100);
    assert_true(finds("who", "nobody", 7, 100));
    assert_false(finds("whom", "nobody", 7, 100));
    assert_false(finds("wh", "nobody", 7, 100));
    assert_false(finds("who", "nobody", 8, 100));
    assert_true(finds("who", "nobody", 7, 100));
    add("who", "somebody", 8, 100);
    assert_true(finds("who", "somebody", 8, 100));
    assert_false(finds("who", "nobody", 7, 100));
    assert_int_equal(kept_bytes(kept), kept_cost(STR("who"), STR("somebody")));
}

static void
an_answer_ends_with_its_age(void **state)
{
    bool renews = false;

    (void)state;
    add("who", "nobody", 7, 100);
    assert_true(finds("who", "nobody", 7, 100 + KEPT_RENEW_NS - 1));
    /* One makes it anew, the others have the old one meanwhile. */
    assert_null(kept_find(kept, STR("who"), 7, 100 + KEPT_RENEW_NS, &renews));
    assert_true(renews);
    assert_true(finds("who", "nobody", 7, 100 + KEPT_RENEW_NS));
    assert_true(finds("who", "nobody", 7, 100 + KEPT_AGE_NS - 1));
    assert_false(finds("who", "nobody", 7, 100 + KEPT_AGE_NS));
    add("who", "nobody now", 7, 100 + KEPT_RENEW_NS);
    assert_true(finds("who", "nobody now", 7, 100 + KEPT_AGE_NS));
}

/* A question whose entry takes |cost| bytes. */
static void
add_of(size_t cost, char name, uint64_t asked_ns)
{
    char question[2] = {name, '\0'};
    size_t len = cost - kept_cost(str_of(question), STR(""));
    char *answer = malloc(len + 1);

    assert_non_null(answer);
    memset(answer, name, len);
    answer[len] = '\0';
    add(question, answer, 1, asked_ns);
    assert_true(finds(question, answer, 1, asked_ns));
    free(answer);
}

static bool
has(const char *question, uint64_t now_ns)
{
    bool renews = false;
    struct kept_answer *found =
        kept_find(kept, str_of(question), 1, now_ns, &renews);

    kept_drop(found);
    return found != NULL;
}

static void
at_the_bound_nothing_goes_and_beyond_the_oldest(void **state)
{
    (void)state;
    add_of(BYTES / 4, 'a', 1);
    add_of(BYTES / 4, 'b', 2);
    add_of(BYTES / 2, 'c', 3);
    assert_int_equal(kept_bytes(kept), BYTES);
    assert_true(has("a", 3) && has("b", 3) && has("c", 3));
    kept_free(kept);
    kept = kept_new(BYTES);
    add_of(BYTES / 4, 'a', 1);
    add_of(BYTES / 4, 'b', 2);
    add_of(BYTES / 2 + 1, 'c', 3);
    assert_false(has("a", 3));
    assert_true(has("b", 3) && has("c", 3));
    assert_int_equal(kept_bytes(kept), BYTES / 4 + BYTES / 2 + 1);
}

static void
what_is_larger_than_all_is_not_kept(void **state)
{
    char answer[BYTES];
    size_t len = BYTES - kept_cost(STR("q"), STR(""));

    (void)state;
    memset(answer, 'x', sizeof(answer));
    answer[len] = '\0';
    add("q", answer, 1, 1);
    assert_int_equal(kept_bytes(kept), BYTES);
    assert_true(finds("q", answer, 1, 1));
    answer[len] = 'x';
    answer[len + 1] = '\0';
    add("r", answer, 1, 1);
    assert_false(has("r", 1));
    assert_true(has("q", 1));
}

static void
what_has_ended_goes_with_the_next_one(void **state)
{
    (void)state;
    for (char name = 'a'; name <= 'd'; name++)
        add_of(256, name, 1);
    assert_int_equal(kept_bytes(kept), 4 * 256);
    add_of(256, 'e', 1 + KEPT_AGE_NS);
    assert_int_equal(kept_bytes(kept), 256);
}

static void
an_answer_that_is_read_outlives_its_place(void **state)
{
    bool renews = false;

    (void)state;
    add("q", "first", 1, 1);
    struct kept_answer *held = kept_find(kept, STR("q"), 1, 1, &renews);
    add("q", "second", 1, 1);
    assert_true(str_eq(kept_text(held), STR("first")));
    kept_drop(held);
    kept_drop(NULL);
    assert_true(finds("q", "second", 1, 1));
}

static void *
ask_and_add(void *ctx)
{
    const char *name = ctx;

    for (uint64_t i = 0; i < 2000; i++) {
        char question[16];
        char answer[24];
        bool renews = false;

        (void)snprintf(question, sizeof(question), "%d.", (int)(i % 40));
        (void)snprintf(answer, sizeof(answer), "%s %s", question, name);
        struct kept_answer *found =
            kept_find(kept, str_of(question), 1, i, &renews);
        if (found)
            assert_true(str_starts(kept_text(found), str_of(question)));
        kept_drop(found);
        add(question, answer, 1, i);
    }
    return NULL;
}

static void
several_may_ask_at_once(void **state)
{
    pthread_t threads[3];
    static char names[3][2] = {"x", "y", "z"};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, ask_and_add, names[i]), 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_in_range(kept_bytes(kept), 1, BYTES);
}

/* ---- questions ---- */

static bool
is_same_as(const char *a, const char *b, const char *tool, enum mcp_rev rev)
{
    struct buf first = {0};
    struct buf second = {0};
    cJSON *args = cJSON_Parse(a);
    cJSON *others = cJSON_Parse(b);

    assert_non_null(args);
    assert_non_null(others);
    question_add(&first, "tool", REV_2025_11_25, args);
    question_add(&second, tool, rev, others);
    assert_false(first.failed || second.failed);
    bool is_same = str_eq(buf_str(&first), buf_str(&second));
    cJSON_Delete(args);
    cJSON_Delete(others);
    buf_fini(&first);
    buf_fini(&second);
    return is_same;
}

static bool
is_same(const char *a, const char *b)
{
    return is_same_as(a, b, "tool", REV_2025_11_25);
}

static void
the_order_of_arguments_does_not_count(void **state)
{
    (void)state;
    assert_true(is_same("{}", "{}"));
    assert_true(is_same("{\"a\":1,\"b\":[1,{\"c\":null,\"d\":true}]}",
                        "{\"b\":[1,{\"d\":true,\"c\":null}],\"a\":1.0}"));
}

static void
whatever_else_differs_is_another_question(void **state)
{
    static const char *const all[] = {
        "{}",
        "{\"a\":1}",
        "{\"a\":2}",
        "{\"b\":1}",
        "{\"a\":\"1\"}",
        "{\"a\":true}",
        "{\"a\":false}",
        "{\"a\":null}",
        "{\"a\":[]}",
        "{\"a\":{}}",
        "{\"a\":[1]}",
        "{\"a\":[1,2]}",
        "{\"a\":[2,1]}",
        "{\"a\":[[1],2]}",
        "{\"a\":[[1,2]]}",
        "{\"a\":{\"b\":1}}",
        "{\"a\":{\"b\":1},\"c\":2}",
        "{\"a\":{\"b\":1,\"c\":2}}",
        "{\"a\":\"\"}",
        "{\"\":\"a\"}",
        "{\"\":1}",
        "{\"a\":{\"\":1}}",
        "{\"a\":\"x\",\"b\":\"y\"}",
        "{\"a\":\"xb\",\"y\":\"\"}",
        "{\"a\":\"x\\u200b\"}",
        "{\"a\":\"x\\ufffd\"}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":2,\"a\":1}",
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };

    (void)state;
    for (size_t i = 0; i < ALL; i++)
        for (size_t j = 0; j < ALL; j++)
            if (is_same(all[i], all[j]) != (i == j))
                fail_msg("%s and %s", all[i], all[j]);
    assert_false(is_same_as("{}", "{}", "tools", REV_2025_11_25));
    assert_false(is_same_as("{}", "{}", "tool", REV_2025_03_26));
    assert_false(is_same_as("{}", "{}", "tool", REV_2026_07_28));
}

static void
a_question_is_taken_up_to_its_limit(void **state)
{
    struct buf empty = {0};
    cJSON *args = cJSON_Parse("{\"a\":\"\"}");

    (void)state;
    question_add(&empty, "tool", REV_2025_11_25, args);
    for (size_t over = 0; over < 2; over++) {
        size_t len = QUESTION_BYTES_MAX - empty.len + over;
        char *text = calloc(1, len + 1);
        struct buf out = {0};

        assert_non_null(text);
        memset(text, 'x', len);
        cJSON *long_args = cJSON_CreateObject();
        cJSON_AddStringToObject(long_args, "a", text);
        question_add(&out, "tool", REV_2025_11_25, long_args);
        assert_int_equal(out.failed, over);
        buf_fini(&out);
        cJSON_Delete(long_args);
        free(text);
    }
    buf_fini(&empty);
    cJSON_Delete(args);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            an_answer_is_found_by_its_question_and_version, setup, teardown),
        cmocka_unit_test_setup_teardown(an_answer_ends_with_its_age, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            at_the_bound_nothing_goes_and_beyond_the_oldest, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_larger_than_all_is_not_kept,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_ended_goes_with_the_next_one,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            an_answer_that_is_read_outlives_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(several_may_ask_at_once, setup,
                                        teardown),
        cmocka_unit_test(the_order_of_arguments_does_not_count),
        cmocka_unit_test(whatever_else_differs_is_another_question),
        cmocka_unit_test(a_question_is_taken_up_to_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
