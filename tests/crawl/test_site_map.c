/*
 * What a site tells of itself: how sitemaps and llms.txt are read, and what is
 * asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crawl/fields.h"
#include "crawl/site_map.h"
#include "tests/support/gzip.h"

/* The places, each with a blank behind it. */
static const char *
joined(const struct site_places *places)
{
    static char text[4096];
    str rest = buf_str(&places->fields);
    str one;
    size_t len = 0;

    text[0] = '\0';
    while (field_next(&rest, &one) && len + one.len + 2 < sizeof(text))
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%.*s ",
                                (int)one.len, one.ptr);
    return text;
}

static void
expect_map(const char *text, bool is_index, const char *places)
{
    struct site_places out = {.max = 100};
    bool index = !is_index;

    site_map_read(str_of(text), &out, &index);
    assert_string_equal(joined(&out), places);
    assert_int_equal(index, is_index);
    buf_fini(&out.fields);
}

static void
a_sitemap_is_read(void **state)
{
    (void)state;
    expect_map("<?xml version=\"1.0\"?><urlset xmlns=\"x\"><url>\n"
               "<loc>http://a/1</loc><lastmod>2026-01-01</lastmod></url>"
               "<url><loc>\n http://a/?x=1&amp;y=2 </loc></url>"
               "<url><loc><![CDATA[http://a/?x=1&y=3]]></loc></url></urlset>",
               false, "http://a/1 http://a/?x=1&y=2 http://a/?x=1&y=3 ");
    expect_map("<sitemapindex><sitemap><loc>http://a/m.xml</loc></sitemap>"
               "</sitemapindex>",
               true, "http://a/m.xml ");
    expect_map("\xef\xbb\xbfhttp://a/1\r\nhttps://a/2\nnonsense\n\nhttp://a/3",
               false, "http://a/1 https://a/2 http://a/3 ");
}

static void
what_is_no_sitemap_tells_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "<",
        "<html><a href=http://a/1>one</a>http://a/2</html>",
        "<loc></loc>",
        "<loc> \n </loc>",
        "<loc>http://a/",
        "<loc><![CDATA[]]></loc>",
        "</loc><loc>",
        "words\nof text\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_map(texts[i], false, "");
}

/* Wherever it is cut off: what is whole of it, and no more. */
static void
every_prefix_of_a_sitemap_is_read(void **state)
{
    static const char text[] = "<urlset><url><loc>http://a/1</loc></url><url>"
                               "<loc>http://a/&amp;&#38;&#x26;&lt;&nbsp;</loc>"
                               "<loc><![CDATA[http://a/2]]></loc></urlset>";

    (void)state;
    for (size_t len = 0; len <= strlen(text); len++) {
        struct site_places out = {.max = 100};
        char *copy = malloc(len + 1); /* exact, for the sanitizer */
        bool is_index;

        assert_non_null(copy);
        memcpy(copy, text, len);
        site_map_read((str){copy, len}, &out, &is_index);
        assert_true(out.len <= 3);
        if (len == strlen(text))
            assert_string_equal(joined(&out), "http://a/1 "
                                              "http://a/&&&<&nbsp; "
                                              "http://a/2 ");
        buf_fini(&out.fields);
        out = (struct site_places){.max = 100};
        site_map_links((str){copy, len}, &out);
        assert_int_equal(out.len, 0);
        free(copy);
    }
}

static void
addresses_have_a_limit_each_and_together(void **state)
{
    struct buf text = {0};
    bool is_index;

    (void)state;
    for (size_t long_by = 0; long_by < 2; long_by++) {
        struct site_places out = {.max = 100};

        buf_reset(&text);
        buf_add(&text, STR("<loc>"));
        for (size_t i = 0; i < URL_MAX + long_by; i++)
            buf_add_char(&text, 'x');
        buf_add(&text, STR("</loc>"));
        site_map_read(buf_str(&text), &out, &is_index);
        assert_int_equal(out.len, long_by == 0);
        buf_fini(&out.fields);
    }
    buf_reset(&text);
    for (int i = 0; i < 101; i++)
        buf_add(&text, STR("<loc>http://a/</loc>[a](b)"));
    struct site_places maps = {.max = 100};
    struct site_places links = {.max = 100};
    site_map_read(buf_str(&text), &maps, &is_index);
    site_map_links(buf_str(&text), &links);
    assert_int_equal(maps.len, 100);
    assert_int_equal(links.len, 100);
    buf_fini(&maps.fields);
    buf_fini(&links.fields);
    buf_fini(&text);
}

static void
links_of_markdown_are_read(void **state)
{
    struct site_places out = {.max = 100};

    (void)state;
    site_map_links(STR("# Site\n- [One](/one): first\n- [Two](http://a/two "
                       "\"title\")\n[broken](never\n[empty]() [x]"),
                   &out);
    assert_string_equal(joined(&out), "/one http://a/two never ");
    buf_fini(&out.fields);
}

/* ---- asking ---- */

struct world {
    const char *const (*pages)[2]; /* URL and body, up to NULL */
    struct buf log;
    uint64_t now_ms;
    int left; /* requests until it is cancelled; -1: never */
};

static enum err
get(void *ctx, const struct http_ask *ask, struct http_reply *reply)
{
    struct world *world = ctx;
    str url = buf_str(&ask->url->text);

    buf_printf(&world->log, "%.*s ", (int)url.len, url.ptr);
    world->now_ms += 10;
    *reply = (struct http_reply){.status = 404};
    if (world->left == 0)
        reply->end = HTTP_CANCELLED;
    world->left -= world->left > 0;
    for (size_t i = 0; world->pages[i][0]; i++)
        if (str_eq(str_of(world->pages[i][0]), url)) {
            str body = str_of(world->pages[i][1]);

            reply->status = 200;
            if (memcmp(url.ptr + url.len - 3, ".gz", 3) == 0)
                gzip_add(body, &reply->body);
            else
                buf_add(&reply->body, body);
        }
    return OK;
}

static bool
wait_ms(void *ctx, uint32_t ms)
{
    struct world *world = ctx;

    world->now_ms += ms;
    return true;
}

static uint64_t
now_ms(void *ctx)
{
    return ((const struct world *)ctx)->now_ms;
}

static void
find(const char *const (*pages)[2], int left, uint64_t until_ms,
     const char *places, const char *log)
{
    struct world world = {.pages = pages, .now_ms = 1, .left = left};
    const struct site_ops ops = {
        .ctx = &world, .get = get, .wait = wait_ms, .now_ms = now_ms};
    const struct site_ask ask = {.page_bytes = 1 << 20};
    struct url start;
    struct site_places out = {.max = SITE_MAP_PAGES};

    assert_int_equal(url_parse(STR("http://a/"), &start, NULL), OK);
    struct site_fetcher by = {.ask = &ask, .ops = &ops, .start = &start};
    assert_int_equal(site_map_find(&by, until_ms, &out), OK);
    assert_string_equal(joined(&out), places);
    assert_string_equal(buf_cstr(&world.log), log);
    buf_fini(&out.fields);
    buf_fini(&world.log);
    site_fetcher_fini(&by);
    url_fini(&start);
}

static void
sitemaps_are_where_robots_txt_says_or_at_the_root(void **state)
{
    static const char *const named[][2] = {
        {"http://a/robots.txt", "Sitemap: /m.xml\nSitemap: http://b/n.xml\n"
                                "User-agent: *\nDisallow: /no"},
        {"http://a/llms.txt", "[l](/l)"},
        {"http://a/m.xml", "<loc>http://a/1</loc>"},
        {"http://b/n.xml", "<loc>http://a/2</loc>"},
        {NULL, NULL},
    };
    static const char *const root[][2] = {
        {"http://a/llms.txt", "<html>front page [x](/x)</html>"},
        {"http://a/sitemap.xml", "<loc>http://a/1</loc>"},
        {NULL, NULL},
    };

    (void)state;
    find(named, -1, 10000, "/l http://a/1 ",
         "http://a/robots.txt http://a/llms.txt http://a/m.xml ");
    find(root, -1, 10000, "http://a/1 ",
         "http://a/robots.txt http://a/llms.txt http://a/sitemap.xml ");
}

static void
an_index_is_followed_to_a_limit_and_never_twice(void **state)
{
    static const char *const pages[][2] = {
        {"http://a/sitemap.xml",
         "<sitemapindex><loc>/sitemap.xml</loc><loc>/1</loc><loc>/2</loc>"
         "<loc>/3</loc><loc>/4</loc><loc>/5</loc><loc>/6</loc><loc>/7</loc>"
         "<loc>/8</loc><loc>/9</loc>"},
        {"http://a/1", "<sitemapindex><loc>/2</loc>"},
        {"http://a/2", "<loc>http://a/two</loc>"},
        {NULL, NULL},
    };

    (void)state;
    find(pages, -1, 10000, "http://a/two ",
         "http://a/robots.txt http://a/llms.txt http://a/sitemap.xml "
         "http://a/1 http://a/2 http://a/3 http://a/4 http://a/5 http://a/6 "
         "http://a/7 ");
}

static void
compressed_ones_are_read_like_others(void **state)
{
    static const char *const pages[][2] = {
        {"http://a/robots.txt", "Sitemap: /all.xml.gz"},
        {"http://a/all.xml.gz", "<sitemapindex><loc>/1.xml.gz</loc>"
                                "<loc>/2.gz</loc><loc>/3.xml</loc>"},
        {"http://a/1.xml.gz", "<loc>http://a/one</loc>"},
        {"http://a/2.gz", "http://a/two\n"},
        {"http://a/3.xml", "<loc>http://a/three</loc>"},
        {NULL, NULL},
    };

    (void)state;
    find(pages, -1, 10000, "http://a/one http://a/two http://a/three ",
         "http://a/robots.txt http://a/llms.txt http://a/all.xml.gz "
         "http://a/1.xml.gz http://a/2.gz http://a/3.xml ");
}

/* As large as a page may be, and one byte more. */
static void
a_compressed_one_is_no_larger_than_a_page(void **state)
{
    enum { PAGE = 1 << 20 }; /* as find has it */
    static const char loc[] = "<loc>http://a/1</loc>";
    char *text = malloc(PAGE + 2);

    (void)state;
    assert_non_null(text);
    for (size_t more = 0; more < 2; more++) {
        memset(text, ' ', PAGE + more);
        text[PAGE + more] = '\0';
        memcpy(text, loc, strlen(loc));
        const char *const pages[][2] = {
            {"http://a/robots.txt", "Sitemap: /m.xml.gz"},
            {"http://a/m.xml.gz", text},
            {NULL, NULL},
        };
        find(pages, -1, 10000, more ? "" : "http://a/1 ",
             "http://a/robots.txt http://a/llms.txt http://a/m.xml.gz ");
    }
    free(text);
}

static void
what_robots_txt_bars_is_not_asked_for(void **state)
{
    static const char *const pages[][2] = {
        {"http://a/robots.txt", "User-agent: *\nDisallow: /"},
        {"http://a/sitemap.xml", "<loc>http://a/1</loc>"},
        {NULL, NULL},
    };

    (void)state;
    find(pages, -1, 10000, "", "http://a/robots.txt ");
}

static void
it_ends_in_time_and_when_it_is_cancelled(void **state)
{
    static const char *const pages[][2] = {
        {"http://a/sitemap.xml", "<loc>http://a/1</loc>"},
        {NULL, NULL},
    };

    (void)state;
    find(pages, -1, 15, "", "http://a/robots.txt http://a/llms.txt ");
    find(pages, 1, 10000, "", "http://a/robots.txt http://a/llms.txt ");
    find(pages, 0, 10000, "", "http://a/robots.txt ");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sitemap_is_read),
        cmocka_unit_test(what_is_no_sitemap_tells_nothing),
        cmocka_unit_test(every_prefix_of_a_sitemap_is_read),
        cmocka_unit_test(addresses_have_a_limit_each_and_together),
        cmocka_unit_test(links_of_markdown_are_read),
        cmocka_unit_test(sitemaps_are_where_robots_txt_says_or_at_the_root),
        cmocka_unit_test(an_index_is_followed_to_a_limit_and_never_twice),
        cmocka_unit_test(compressed_ones_are_read_like_others),
        cmocka_unit_test(a_compressed_one_is_no_larger_than_a_page),
        cmocka_unit_test(what_robots_txt_bars_is_not_asked_for),
        cmocka_unit_test(it_ends_in_time_and_when_it_is_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
