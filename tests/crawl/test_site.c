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

#include "crawl/reader.h"
#include "crawl/site.h"

/* An answer; |body| is HTML where |type| is NULL. */
struct answer {
    const char *url;
    long status; /* 0: 200 */
    const char *body;
    const char *location;
    const char *type;
    const char *etag;
    enum http_end end;
    uint32_t retry_s;
};

enum { ANSWERS = 24 };

struct world {
    const struct answer *answers;
    size_t answer_len;
    struct buf log;  /* what was asked */
    struct buf told; /* and told */
    uint64_t now_ms;
    uint64_t waited_ms;
    int asked;
    int cancel_after; /* requests; 0: never */
};

static enum err
get(void *ctx, const struct http_ask *ask, struct http_reply *reply)
{
    struct world *world = ctx;
    str url = buf_str(&ask->url->text);

    buf_printf(&world->log, "%.*s%s%s\n", (int)url.len, url.ptr,
               ask->etag ? " if " : "", ask->etag ? ask->etag : "");
    world->now_ms += 10;
    *reply = (struct http_reply){.status = 404};
    if (world->cancel_after && ++world->asked > world->cancel_after) {
        reply->end = HTTP_CANCELLED;
        return OK;
    }
    for (size_t i = 0; i < world->answer_len; i++) {
        const struct answer *answer = &world->answers[i];

        if (!str_eq(str_of(answer->url), url))
            continue;
        reply->end = answer->end;
        reply->status = answer->status ? answer->status : 200;
        reply->retry_s = answer->retry_s;
        if (answer->etag && ask->etag && strcmp(answer->etag, ask->etag) == 0)
            reply->status = 304;
        else
            buf_add(&reply->body, str_of(answer->body));
        buf_add(&reply->location, str_of(answer->location));
        buf_add(&reply->type,
                str_of(answer->type ? answer->type : "text/html"));
        buf_add(&reply->etag, str_of(answer->etag));
        if (answer->end)
            buf_add(&reply->why, STR("made to fail"));
        return OK;
    }
    return OK;
}

static enum err
read_page(void *ctx, bool is_html, str type, str bytes, struct html_page *out)
{
    (void)ctx;
    if (str_eq(bytes, STR("crash")))
        return ERR_CORRUPT;
    return reader_work(is_html, type, bytes, out);
}

static enum err
emit(void *ctx, const struct site_page *page)
{
    static const char *const whats[] = {"text", "same", "gone", "failed"};
    struct world *world = ctx;

    buf_printf(&world->told, "%s %.*s%s%.*s\n", whats[page->what],
               (int)page->url.len, page->url.ptr,
               page->what == SITE_TEXT ? " " : "",
               page->what == SITE_TEXT ? (int)page->text.len : 0,
               page->text.ptr ? page->text.ptr : "");
    return OK;
}

static bool
wait_ms(void *ctx, uint32_t ms)
{
    struct world *world = ctx;

    world->now_ms += ms;
    world->waited_ms += ms;
    return true;
}

static uint64_t
now_ms(void *ctx)
{
    const struct world *world = ctx;

    return world->now_ms;
}

struct outcome {
    struct world world;
    struct site_sum sum;
};

static struct outcome
walk(const struct answer *answers, const struct site_ask *asked)
{
    struct outcome out = {.world = {.answers = answers, .now_ms = 1000}};
    struct site_ask ask = *asked;
    const struct site_ops ops = {&out.world, get,     read_page,
                                 emit,       wait_ms, now_ms};

    while (answers[out.world.answer_len].url)
        out.world.answer_len++;
    if (!ask.start.ptr)
        ask.start = STR("http://a/");
    ask.depth = ask.depth ? ask.depth : 5;
    ask.max_pages = ask.max_pages ? ask.max_pages : 50;
    ask.max_ms = ask.max_ms ? ask.max_ms : 1000000;
    ask.page_bytes = 1 << 20;
    if (asked->delay_ms == UINT32_MAX) { /* a sign of a test: cancel */
        ask.delay_ms = 0;
        out.world.cancel_after = 2;
    }
    assert_int_equal(site_walk(&ask, &ops, &out.sum), OK);
    return out;
}

static void
outcome_fini(struct outcome *out)
{
    buf_fini(&out->world.log);
    buf_fini(&out->world.told);
    buf_fini(&out->sum.why);
}

static void
expect(const struct answer *answers, const struct site_ask *ask,
       const char *told, const char *why)
{
    struct outcome out = walk(answers, ask);

    assert_string_equal(buf_cstr(&out.world.told), told);
    if (why)
        assert_non_null(strstr(buf_cstr(&out.sum.why), why));
    else
        assert_string_equal(buf_cstr(&out.sum.why), "");
    outcome_fini(&out);
}

static void
links_are_followed_breadth_first_to_a_depth(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2#x><a href=/>"},
        {.url = "http://a/1", .body = "1<a href=3><a href=2>"},
        {.url = "http://a/2", .body = "2<a href='//b/'><a href=x.png>"},
        {.url = "http://a/3", .body = "3<a href=4>"},
        {.url = "http://a/4", .body = "4<a href=5>"},
        {0},
    };

    (void)state;
    expect(site, &(struct site_ask){.depth = 1},
           "text http://a/ 0\ntext http://a/1 1\ntext http://a/2 2\n", NULL);
    expect(site, &(struct site_ask){.depth = 2},
           "text http://a/ 0\ntext http://a/1 1\ntext http://a/2 2\n"
           "text http://a/3 3\n",
           NULL);
    struct outcome out =
        walk(site, &(struct site_ask){.depth = 2, .max_pages = 2});
    assert_true(out.sum.is_truncated);
    assert_int_equal(out.sum.asked, 2);
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/1\n");
    outcome_fini(&out);
}

static void
robots_txt_is_obeyed_unless_it_is_to_be_ignored(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/robots.txt",
         .body = "User-agent: *\nDisallow: /no\nCrawl-delay: 3\n"},
        {.url = "http://a/", .body = "0<a href=no><a href=yes>"},
        {.url = "http://a/no", .body = "no"},
        {.url = "http://a/yes", .body = "yes"},
        {0},
    };

    (void)state;
    struct outcome out = walk(site, &(struct site_ask){.delay_ms = 100});
    assert_string_equal(buf_cstr(&out.world.told),
                        "text http://a/ 0\ntext http://a/yes yes\n");
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/yes\n");
    assert_int_equal(out.world.waited_ms, 2 * 3000);
    assert_int_equal(out.sum.skipped, 1);
    outcome_fini(&out);
    expect(site, &(struct site_ask){.ignores_robots = true},
           "text http://a/ 0\ntext http://a/no no\ntext http://a/yes yes\n",
           NULL);
}

static void
robots_txt_that_cannot_be_had_closes_the_site(void **state)
{
    static const struct answer down[] = {
        {.url = "http://a/robots.txt", .status = 503},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct answer refused[] = {
        {.url = "http://a/robots.txt", .end = HTTP_REFUSED},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct answer forbidden[] = {
        {.url = "http://a/robots.txt", .status = 403},
        {.url = "http://a/", .body = "0"},
        {0},
    };
    static const struct answer all[] = {
        {.url = "http://a/robots.txt", .body = "User-agent: *\nDisallow: /"},
        {.url = "http://a/", .body = "0"},
        {0},
    };

    (void)state;
    expect(down, &(struct site_ask){0}, "", "robots.txt cannot be had");
    expect(refused, &(struct site_ask){0}, "", "made to fail");
    expect(forbidden, &(struct site_ask){0}, "text http://a/ 0\n", NULL);
    expect(all, &(struct site_ask){0}, "", "does not allow");
}

static void
a_redirect_stays_on_the_site_and_ends(void **state)
{
    static const struct answer site[] = {
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
    struct outcome out = walk(site, &(struct site_ask){0});
    assert_string_equal(buf_cstr(&out.world.told),
                        "text http://a/ 0\ntext http://a/real real\n"
                        "failed http://a/off\nfailed http://a/loop\n"
                        "text https://a/up up\nfailed http://a/no\n");
    assert_null(strstr(buf_cstr(&out.world.log), "http://b/"));
    outcome_fini(&out);
}

static void
what_is_known_is_asked_with_its_validators(void **state)
{
    static const struct answer site[] = {
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
    struct outcome out = walk(site, &ask);
    assert_string_equal(buf_cstr(&out.world.told),
                        "same http://a/\ntext http://a/1 1\n"
                        "gone http://a/gone\ntext http://a/alone alone\n"
                        "failed http://a/down\ngone http://b/other\n"
                        "gone http://a/draft/x\n");
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/ if \"e0\"\n"
                        "http://a/1 if \"old\"\nhttp://a/gone\n"
                        "http://a/alone\nhttp://a/down\n");
    outcome_fini(&out);
}

static void
patterns_choose_pages(void **state)
{
    static const struct answer site[] = {
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
    expect(site, &ask, "text http://a/docs/ 0\ntext http://a/docs/guide/1 1\n",
           NULL);
}

static void
a_page_may_ask_not_to_be_kept(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/",
         .body = "<meta name=robots content=noindex>0<a href=1><a href=2>"},
        {.url = "http://a/1",
         .body = "<meta name=robots content=nofollow>1<a href=3>"},
        {.url = "http://a/2", .type = "application/pdf", .body = "2"},
        {.url = "http://a/3", .body = "3"},
        {0},
    };

    (void)state;
    expect(site, &(struct site_ask){0}, "text http://a/1 1\n", NULL);
}

static void
one_page_under_two_addresses_is_one(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/",
         .body = "0<a href='p?ref=1'><a href='p?ref=2'>"
                 "<a href=q>"},
        {.url = "http://a/p?ref=1", .body = "<link rel=canonical href=/p>p"},
        {.url = "http://a/p?ref=2", .body = "<link rel=canonical href=/p>p"},
        {.url = "http://a/q", .body = "<link rel=canonical href=/>q"},
        {0},
    };

    (void)state;
    expect(site, &(struct site_ask){0},
           "text http://a/ 0\ntext http://a/p p\ntext http://a/q q\n", NULL);
}

static void
a_site_that_fails_is_left_alone(void **state)
{
    struct answer site[ANSWERS] = {
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
        site[i + 1] = (struct answer){.url = urls[i], .end = HTTP_SLOW};
    }
    struct outcome out = walk(site, &(struct site_ask){0});
    assert_int_equal(out.sum.asked, 1 + SITE_FAILURES);
    assert_non_null(strstr(buf_cstr(&out.sum.why), "in a row"));
    outcome_fini(&out);
}

static void
a_start_that_cannot_be_had_is_told(void **state)
{
    static const struct answer none[] = {{0}};
    static const struct answer off[] = {
        {.url = "http://a/", .status = 301, .location = "http://www.a/"}, {0}};

    (void)state;
    expect(none, &(struct site_ask){0}, "", "http://a/: HTTP 404");
    expect(off, &(struct site_ask){0}, "failed http://a/\n",
           "another site: http://www.a/");
}

static void
a_page_its_reader_dies_of_fails_alone(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2>"},
        {.url = "http://a/1", .body = "crash"},
        {.url = "http://a/2", .body = "2"},
        {0},
    };

    (void)state;
    expect(site, &(struct site_ask){0},
           "text http://a/ 0\nfailed http://a/1\ntext http://a/2 2\n", NULL);
}

static void
a_server_that_says_when_is_asked_again_then(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2>"},
        {.url = "http://a/1", .status = 429, .retry_s = SITE_RETRY_MAX_S},
        {.url = "http://a/2", .status = 503, .retry_s = SITE_RETRY_MAX_S + 1},
        {0},
    };
    struct outcome out = walk(site, &(struct site_ask){0});

    (void)state;
    assert_string_equal(buf_cstr(&out.world.log),
                        "http://a/robots.txt\nhttp://a/\nhttp://a/1\n"
                        "http://a/1\nhttp://a/2\n");
    assert_int_equal(out.world.waited_ms, 1000 * SITE_RETRY_MAX_S);
    outcome_fini(&out);
}

static void
time_and_cancellation_end_a_walk(void **state)
{
    static const struct answer site[] = {
        {.url = "http://a/", .body = "0<a href=1><a href=2><a href=3>"},
        {.url = "http://a/1", .body = "1"},
        {.url = "http://a/2", .body = "2"},
        {0},
    };

    (void)state;
    expect(site, &(struct site_ask){.max_ms = 25},
           "text http://a/ 0\ntext http://a/1 1\n", "time for it is over");
    struct outcome out = walk(site, &(struct site_ask){.delay_ms = UINT32_MAX});
    assert_true(out.sum.is_cancelled);
    assert_string_equal(buf_cstr(&out.world.told), "text http://a/ 0\n");
    outcome_fini(&out);
}

static void
a_frontier_without_end_has_one(void **state)
{
    struct buf body = {0};
    struct answer site[] = {{.url = "http://a/"}, {0}};

    (void)state;
    for (int i = 0; i < HTML_LINKS + 10; i++)
        buf_printf(&body, "<a href=/%d>", i);
    buf_add(&body, STR("x"));
    site[0].body = buf_cstr(&body);
    struct outcome out =
        walk(site, &(struct site_ask){.depth = 1, .max_pages = 500});
    assert_true(out.sum.asked <= 500);
    outcome_fini(&out);
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
