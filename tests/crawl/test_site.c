/*
 * A walk over sites that exist in a table: what is asked, in what order, what
 * is told, and what is not asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "tests/support/site_table.h"

enum { ANSWERS = 24 };

static void
links_are_followed_breadth_first_to_a_depth(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2#x><a href=/>"},
        {.url = "http://a/1", .body = "1<a href=3><a href=2>"},
        {.url = "http://a/2", .body = "2<a href='//b/'><a href=x.png>"},
        {.url = "http://a/3", .body = "3<a href=4>"},
        {.url = "http://a/4", .body = "4<a href=5>"},
        {0},
    };

    (void)state;
    site_table_expect(
        site, &(struct site_ask){.depth = 1},
        "text http://a/ 0\ntext http://a/1 1\ntext http://a/2 2\n", NULL);
    site_table_expect(site, &(struct site_ask){.depth = 2},
                      "text http://a/ 0\ntext http://a/1 1\ntext http://a/2 2\n"
                      "text http://a/3 3\n",
                      NULL);
    struct site_outcome out =
        site_table_walk(site, &(struct site_ask){.depth = 2, .max_pages = 2});
    assert_true(out.sum.is_truncated);
    assert_int_equal(out.sum.asked, 2);
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/1\n");
    site_outcome_fini(&out);
}

static void
robots_txt_is_obeyed_unless_it_is_to_be_ignored(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/robots.txt",
         .body = "User-agent: *\nDisallow: /no\nCrawl-delay: 3\n"},
        {.url = "http://a/", .body = "0<a href=no><a href=yes>"},
        {.url = "http://a/no", .body = "no"},
        {.url = "http://a/yes", .body = "yes"},
        {0},
    };

    (void)state;
    struct site_outcome out =
        site_table_walk(site, &(struct site_ask){.delay_ms = 100});
    assert_string_equal(buf_cstr(&out.world.told),
                        "text http://a/ 0\ntext http://a/yes yes\n");
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/yes\n");
    assert_int_equal(out.world.waited_ms, 2 * 3000);
    assert_int_equal(out.sum.skipped, 1);
    site_outcome_fini(&out);
    site_table_expect(
        site, &(struct site_ask){.ignores_robots = true},
        "text http://a/ 0\ntext http://a/no no\ntext http://a/yes yes\n", NULL);
}

static void
robots_txt_that_cannot_be_had_closes_the_site(void **state)
{
    static const struct site_answer down[] = {
        {.url = "http://a/robots.txt", .status = 503},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct site_answer refused[] = {
        {.url = "http://a/robots.txt", .end = HTTP_REFUSED},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct site_answer forbidden[] = {
        {.url = "http://a/robots.txt", .status = 403},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct site_answer all[] = {
        {.url = "http://a/robots.txt", .body = "User-agent: *\nDisallow: /"},
        {.url = "http://a/", .body = "0"},
        {0},
    };

    (void)state;
    site_table_expect(down, &(struct site_ask){0}, "",
                      "robots.txt cannot be had");
    site_table_expect(refused, &(struct site_ask){0}, "", "made to fail");
    site_table_expect(forbidden, &(struct site_ask){0}, "text http://a/ 0\n",
                      NULL);
    site_table_expect(all, &(struct site_ask){0}, "", "does not allow");
}

static void
a_redirect_stays_on_the_site_and_ends(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/",
         .body = "0<a href=1><a href=off><a href=loop><a href=up><a href=no>"},
        {.url = "http://a/1", .status = 302, .location = "/real"},
        {.url = "http://a/real", .body = "real"},
        {.url = "http://a/off", .status = 301, .location = "http://b/"},
        {.url = "http://b/", .body = "b"},
        {.url = "http://a/loop", .status = 307, .location = "loop"},
        {.url = "http://a/up", .status = 308, .location = "https://a/up"},
        {.url = "https://a/up", .body = "up"},
        {.url = "http://a/no", .status = 302, .location = "http://0x7f.1/"},
        {0},
    };

    (void)state;
    struct site_outcome out = site_table_walk(site, &(struct site_ask){0});
    assert_string_equal(buf_cstr(&out.world.told),
                        "text http://a/ 0\ntext http://a/real real\n"
                        "failed http://a/off\nfailed http://a/loop\n"
                        "text https://a/up up\nfailed http://a/no\n");
    assert_null(strstr(buf_cstr(&out.world.log), "http://b/"));
    site_outcome_fini(&out);
}

static void
what_is_known_is_asked_with_its_validators(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/", .body = "0<a href=1>", .etag = "\"e0\""},
        {.url = "http://a/1", .body = "1", .etag = "\"e1\""},
        {.url = "http://a/alone", .body = "alone<a href=new>"},
        {.url = "http://a/down", .status = 500},
        {0},
    };
    static const struct site_known known[] = {
        {.url = STR_INIT("http://a/"), .etag = STR_INIT("\"e0\"")},
        {.url = STR_INIT("http://a/1"), .etag = STR_INIT("\"old\"")},
        {.url = STR_INIT("http://a/gone")},
        {.url = STR_INIT("http://a/alone")},
        {.url = STR_INIT("http://a/down")},
        {.url = STR_INIT("http://b/other")},
        {.url = STR_INIT("http://a/draft/x")},
    };
    static const str exclude[] = {STR_INIT("draft/**")};
    const struct site_ask ask = {
        .known = known,
        .known_len = sizeof(known) / sizeof(known[0]),
        .exclude = exclude,
        .exclude_len = 1,
    };

    (void)state;
    struct site_outcome out = site_table_walk(site, &ask);
    assert_string_equal(buf_cstr(&out.world.told),
                        "same http://a/\ntext http://a/1 1\n"
                        "gone http://a/gone\ntext http://a/alone alone\n"
                        "failed http://a/down\ngone http://b/other\n"
                        "gone http://a/draft/x\n");
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/ if \"e0\"\n"
                        "http://a/1 if \"old\"\nhttp://a/gone\n"
                        "http://a/alone\nhttp://a/down\n");
    site_outcome_fini(&out);
}

static void
patterns_choose_pages(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/docs/",
         .body = "0<a href=guide/1><a href=old/2><a href=/blog/3><a href=4>"},
        {.url = "http://a/docs/guide/1", .body = "1"},
        {.url = "http://a/docs/old/2", .body = "2"},
        {.url = "http://a/blog/3", .body = "3"},
        {.url = "http://a/docs/4", .body = "4"},
        {0},
    };
    static const str include[] = {STR_INIT("docs/**")};
    static const str exclude[] = {STR_INIT("old/"), STR_INIT("http://a/*/4")};
    const struct site_ask ask = {
        .start = STR("http://a/docs/"),
        .include = include,
        .include_len = 1,
        .exclude = exclude,
        .exclude_len = 2,
    };

    (void)state;
    site_table_expect(site, &ask,
                      "text http://a/docs/ 0\ntext http://a/docs/guide/1 1\n",
                      NULL);
}

static void
a_page_may_ask_not_to_be_kept(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/",
         .body = "<meta name=robots content=noindex>0<a href=1><a href=2>"},
        {.url = "http://a/1",
         .body = "<meta name=robots content=nofollow>1<a href=3>"},
        {.url = "http://a/2", .type = "application/pdf", .body = "2"},
        {.url = "http://a/3", .body = "3"},
        {0},
    };

    (void)state;
    site_table_expect(site, &(struct site_ask){0}, "text http://a/1 1\n", NULL);
}

static void
one_page_under_two_addresses_is_one(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/",
         .body = "0<a href='p?ref=1'><a href='p?ref=2'>"
                 "<a href=q>"},
        {.url = "http://a/p?ref=1", .body = "<link rel=canonical href=/p>p"},
        {.url = "http://a/p?ref=2", .body = "<link rel=canonical href=/p>p"},
        {.url = "http://a/q", .body = "<link rel=canonical href=/>q"},
        {0},
    };

    (void)state;
    site_table_expect(
        site, &(struct site_ask){0},
        "text http://a/ 0\ntext http://a/p p\ntext http://a/q q\n", NULL);
}

static void
a_site_that_fails_is_left_alone(void **state)
{
    struct site_answer site[ANSWERS] = {
        {.url = "http://a/",
         .body = "0<a href=1><a href=2><a href=3><a "
                 "href=4><a href=5><a href=6><a href=7><a "
                 "href=8><a href=9><a href=10><a href=11>"
                 "<a href=12>"},
    };
    char urls[12][32];

    (void)state;
    for (int i = 0; i < 12; i++) {
        snprintf(urls[i], sizeof(urls[i]), "http://a/%d", i + 1);
        site[i + 1] = (struct site_answer){.url = urls[i], .end = HTTP_SLOW};
    }
    struct site_outcome out = site_table_walk(site, &(struct site_ask){0});
    assert_int_equal(out.sum.asked, 1 + SITE_FAILURES);
    assert_non_null(strstr(buf_cstr(&out.sum.why), "in a row"));
    site_outcome_fini(&out);
}

static void
a_start_that_cannot_be_had_is_told(void **state)
{
    static const struct site_answer none[] = {{0}};
    static const struct site_answer off[] = {
        {.url = "http://a/", .status = 301, .location = "http://www.a/"}, {0}};

    (void)state;
    site_table_expect(none, &(struct site_ask){0}, "", "http://a/: HTTP 404");
    site_table_expect(off, &(struct site_ask){0}, "failed http://a/\n",
                      "another site: http://www.a/");
}

static void
a_page_its_reader_dies_of_fails_alone(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2>"},
        {.url = "http://a/1", .body = "crash"},
        {.url = "http://a/2", .body = "2"},
        {0},
    };

    (void)state;
    site_table_expect(
        site, &(struct site_ask){0},
        "text http://a/ 0\nfailed http://a/1\ntext http://a/2 2\n", NULL);
}

static void
a_server_that_says_when_is_asked_again_then(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2>"},
        {.url = "http://a/1", .status = 429, .retry_s = SITE_RETRY_MAX_S},
        {.url = "http://a/2", .status = 503, .retry_s = SITE_RETRY_MAX_S + 1},
        {0},
    };
    struct site_outcome out = site_table_walk(site, &(struct site_ask){0});

    (void)state;
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/1\n"
                        "http://a/1\nhttp://a/2\n");
    assert_int_equal(out.world.waited_ms, 1000 * SITE_RETRY_MAX_S);
    site_outcome_fini(&out);
}

static void
time_and_cancellation_end_a_walk(void **state)
{
    static const struct site_answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2><a href=3>"},
        {.url = "http://a/1", .body = "1"},
        {.url = "http://a/2", .body = "2"},
        {0},
    };

    (void)state;
    site_table_expect(site, &(struct site_ask){.max_ms = 25},
                      "text http://a/ 0\ntext http://a/1 1\n",
                      "time for it is over");
    struct site_outcome out =
        site_table_walk(site, &(struct site_ask){.delay_ms = UINT32_MAX});
    assert_true(out.sum.is_cancelled);
    assert_string_equal(buf_cstr(&out.world.told), "text http://a/ 0\n");
    site_outcome_fini(&out);
}

static void
a_frontier_without_end_has_one(void **state)
{
    struct buf body = {0};
    struct site_answer site[] = {{.url = "http://a/"}, {0}};

    (void)state;
    for (int i = 0; i < HTML_LINKS + 10; i++)
        buf_printf(&body, "<a href=/%d>", i);
    buf_add(&body, STR("x"));
    site[0].body = buf_cstr(&body);
    struct site_outcome out =
        site_table_walk(site, &(struct site_ask){.depth = 1, .max_pages = 500});
    assert_true(out.sum.asked <= 500);
    site_outcome_fini(&out);
    buf_fini(&body);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_followed_breadth_first_to_a_depth),
        cmocka_unit_test(robots_txt_is_obeyed_unless_it_is_to_be_ignored),
        cmocka_unit_test(robots_txt_that_cannot_be_had_closes_the_site),
        cmocka_unit_test(a_redirect_stays_on_the_site_and_ends),
        cmocka_unit_test(what_is_known_is_asked_with_its_validators),
        cmocka_unit_test(patterns_choose_pages),
        cmocka_unit_test(a_page_may_ask_not_to_be_kept),
        cmocka_unit_test(one_page_under_two_addresses_is_one),
        cmocka_unit_test(a_site_that_fails_is_left_alone),
        cmocka_unit_test(a_start_that_cannot_be_had_is_told),
        cmocka_unit_test(a_page_its_reader_dies_of_fails_alone),
        cmocka_unit_test(a_server_that_says_when_is_asked_again_then),
        cmocka_unit_test(time_and_cancellation_end_a_walk),
        cmocka_unit_test(a_frontier_without_end_has_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
