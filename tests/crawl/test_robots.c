/*
 * robots.txt as RFC 9309 has it; the examples are the RFC's where it has some.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "crawl/robots.h"

static bool
allows(const char *text, const char *agent, const char *path)
{
    struct robots robots;
    bool out;

    assert_int_equal(robots_read(&robots, str_of(text), str_of(agent)), OK);
    out = robots_allows(&robots, str_of(path));
    robots_fini(&robots);
    return out;
}

struct row {
    const char *text;
    const char *path;
    bool allows;
};

static void
check(const struct row *rows, size_t len, const char *agent)
{
    for (size_t i = 0; i < len; i++)
        if (allows(rows[i].text, agent, rows[i].path) != rows[i].allows)
            fail_msg("%s of %s", rows[i].path, rows[i].text);
}
#define CHECK(rows, agent) check(rows, sizeof(rows) / sizeof((rows)[0]), agent)

/* RFC 9309, 5.1 and 5.2. */
static void
the_examples_of_the_rfc_hold(void **state)
{
#define SIMPLE                                                  \
    "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\n"    \
    "Allow: /publications/\n\nUser-Agent: foobot\nDisallow:/\n" \
    "Allow:/example/page.html\nAllow:/example/allowed.gif\n\n"  \
    "User-Agent: barbot\nUser-Agent: bazbot\n"                  \
    "Disallow: /example/page.html\n\nUser-Agent: quxbot\n"
    static const struct row any[] = {
        {SIMPLE, "/a.gif", false},     {SIMPLE, "/a.gifs", true},
        {SIMPLE, "/example/x", false}, {SIMPLE, "/publications/x", true},
        {SIMPLE, "/other", true},
    };
    static const struct row foo[] = {
        {SIMPLE, "/other", false},
        {SIMPLE, "/example/page.html", true},
        {SIMPLE, "/example/allowed.gif", true},
    };
    static const struct row bar[] = {
        {SIMPLE, "/example/page.html", false},
        {SIMPLE, "/example/x", true},
    };
    static const struct row qux[] = {
        {SIMPLE, "/example/page.html", true},
        {SIMPLE, "/a.gif", true},
    };
#define LONGEST                              \
    "User-Agent: *\nAllow: /example/page/\n" \
    "Disallow: /example/page/disallowed.gif\n"
    static const struct row longest[] = {
        {LONGEST, "/example/page/disallowed.gif", false},
        {LONGEST, "/example/page/other.gif", true},
    };

    (void)state;
    CHECK(any, "spangraph");
    CHECK(foo, "foobot");
    CHECK(bar, "barbot");
    CHECK(bar, "bazbot");
    CHECK(qux, "quxbot");
    CHECK(longest, "spangraph");
}

static void
groups_and_lines_are_read_as_the_rfc_says(void **state)
{
    static const struct row rows[] = {
        {"", "/x", true},
        {"Disallow: /", "/x", true}, /* of no group */
        {"User-agent: *\nDisallow:", "/x", true},
        {"User-agent: *\nDisallow: /", "/x", false},
        {"User-agent: *\nDisallow: /", "/robots.txt", true},
        {"user-AGENT : *\r\nDISALLOW :\t/x # no\r\n", "/x1", false},
        {"User-agent: *\rDisallow: /x\r", "/x", false},
        {"\xef\xbb\xbfUser-agent: *\nDisallow: /x", "/x", false},
        {"# c\n\nUser-agent: *\n\n# c\n\nDisallow: /x", "/x", false},
        /* A group of our own counts alone, wherever it stands. */
        {"User-agent: spangraph\nDisallow: /a\n\nUser-agent: *\nDisallow: /",
         "/b", true},
        {"User-agent: *\nDisallow: /\n\nUser-agent: SpanGraph\nDisallow: /a",
         "/b", true},
        {"User-agent: *\nDisallow: /\n\nUser-agent: spangraph/1.0\n"
         "Disallow: /a",
         "/a", false},
        {"User-agent: spangraphs\nDisallow: /\n", "/b", true},
        {"User-agent: span\nDisallow: /\n", "/b", true},
        /* Two groups of one name are one. */
        {"User-agent: spangraph\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n"
         "\nUser-agent: spangraph\nDisallow: /b",
         "/b", false},
        {"User-agent: spangraph\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n"
         "\nUser-agent: spangraph\nDisallow: /b",
         "/c", true},
        /* A sitemap ends no group, an unknown line does not either. */
        {"User-agent: *\nSitemap: http://a/s.xml\nDisallow: /x", "/x", false},
        {"User-agent: *\nHost: a\nDisallow: /x", "/x", false},
        {"User-agent: *\nDisallow /x", "/x", true},
    };

    (void)state;
    CHECK(rows, "spangraph");
}

static void
the_longest_pattern_counts(void **state)
{
#define RULES(lines) "User-agent: *\n" lines
    static const struct row rows[] = {
        {RULES("Allow: /p\nDisallow: /"), "/page", true},
        {RULES("Disallow: /folder\nAllow: /folder/"), "/folder/page", true},
        {RULES("Allow: /folder\nDisallow: /folder"), "/folder/page", true},
        {RULES("Disallow: /folder\nAllow: /folder"), "/folder/page", true},
        {RULES("Allow: /page\nDisallow: /*.htm"), "/page.htm", false},
        {RULES("Allow: /page\nDisallow: /*.ph"), "/page.php5", true},
        {RULES("Allow: /$\nDisallow: /"), "/", true},
        {RULES("Allow: /$\nDisallow: /"), "/page.htm", false},
        {RULES("Disallow: /fish"), "/fish.html", false},
        {RULES("Disallow: /fish"), "/Fish.asp", true},
        {RULES("Disallow: /fish*"), "/fishheads/yummy.html", false},
        {RULES("Disallow: /fish/"), "/fish", true},
        {RULES("Disallow: /*.php$"), "/folder/a.php", false},
        {RULES("Disallow: /*.php$"), "/a.php?x=1", true},
        {RULES("Disallow: /*.php$"), "/a.php.php", false},
        {RULES("Disallow: /fish*.php"), "/fishheads/cat.php?p", false},
        {RULES("Disallow: /a*b*c$"), "/axxbxxc", false},
        {RULES("Disallow: /a*b*c$"), "/axxbxxcd", true},
        {RULES("Disallow: *"), "/x", false},
        {RULES("Disallow: /x$"), "/x", false},
        {RULES("Disallow: /x$"), "/xy", true},
        {RULES("Disallow: /x$y"), "/x$y", false},
        {RULES("Disallow: /?q="), "/?q=1", false},
        /* RFC 9309, 2.2.2: compared after escapes are undone or made. */
        {RULES("Disallow: /foo/bar/\xe3\x83\x84"), "/foo/bar/%E3%83%84", false},
        {RULES("Disallow: /foo/bar/%e3%83%84"), "/foo/bar/%E3%83%84", false},
        {RULES("Disallow: /foo/bar/%62%61%7A"), "/foo/bar/baz", false},
    };

    (void)state;
    CHECK(rows, "spangraph");
}

static void
a_delay_is_read(void **state)
{
    static const struct {
        const char *text;
        uint32_t ms;
    } rows[] = {
        {"User-agent: *\nCrawl-delay: 2", 2000},
        {"User-agent: *\nCrawl-delay: 0.5", 500},
        {"User-agent: *\nCrawl-delay: 1e9", 3600000},
        {"User-agent: *\nCrawl-delay: -1", 0},
        {"User-agent: *\nCrawl-delay: nan", 0},
        {"User-agent: x\nCrawl-delay: 2", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct robots robots;

        assert_int_equal(
            robots_read(&robots, str_of(rows[i].text), STR("spangraph")), OK);
        assert_int_equal(robots.delay_ms, rows[i].ms);
        robots_fini(&robots);
    }
}

static void
what_is_beyond_the_limit_does_not_count(void **state)
{
    struct buf text = {0};
    struct robots robots;

    (void)state;
    buf_add(&text, STR("User-agent: *\nDisallow: /first\n#"));
    while (text.len < ROBOTS_BYTES)
        buf_add_char(&text, 'x');
    buf_add(&text, STR("\nDisallow: /late\n"));
    assert_int_equal(robots_read(&robots, buf_str(&text), STR("x")), OK);
    assert_false(robots_allows(&robots, STR("/first")));
    assert_true(robots_allows(&robots, STR("/late")));
    robots_fini(&robots);
    buf_fini(&text);
}

static void
a_hostile_pattern_costs_little(void **state)
{
    struct buf text = {0};
    struct buf path = {0};
    struct robots robots;
    uint64_t start_ns = clock_mono_ns();

    (void)state;
    buf_add(&text, STR("User-agent: *\n"));
    for (int i = 0; i < 1000; i++)
        buf_add(&text, STR("Disallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b$\n"));
    buf_add_char(&path, '/');
    for (int i = 0; i < 1900; i++)
        buf_add_char(&path, 'a');
    assert_int_equal(robots_read(&robots, buf_str(&text), STR("x")), OK);
    assert_true(robots_allows(&robots, buf_str(&path)));
    assert_true(clock_mono_ns() - start_ns < 5 * NS_PER_S);
    robots_fini(&robots);
    buf_fini(&text);
    buf_fini(&path);
}

static void
sitemaps_are_kept_to_a_limit(void **state)
{
    struct buf text = {0};
    struct robots robots;

    (void)state;
    buf_add(&text, STR("sitemap: http://a/0\nUser-agent: *\nSiteMap:  /1 # x\n"
                       "Disallow: /no\nSitemap:\n"));
    assert_int_equal(robots_read(&robots, buf_str(&text), STR("spangraph")),
                     OK);
    assert_int_equal(robots.sitemap_len, 2);
    assert_false(robots_allows(&robots, STR("/no")));
    robots_fini(&robots);
    for (int i = 2; i <= ROBOTS_MAPS; i++)
        buf_add(&text, STR("Sitemap: http://a/more\n"));
    assert_int_equal(robots_read(&robots, buf_str(&text), STR("spangraph")),
                     OK);
    assert_int_equal(robots.sitemap_len, ROBOTS_MAPS);
    robots_fini(&robots);
    buf_fini(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_hold),
        cmocka_unit_test(groups_and_lines_are_read_as_the_rfc_says),
        cmocka_unit_test(the_longest_pattern_counts),
        cmocka_unit_test(a_delay_is_read),
        cmocka_unit_test(what_is_beyond_the_limit_does_not_count),
        cmocka_unit_test(a_hostile_pattern_costs_little),
        cmocka_unit_test(sitemaps_are_kept_to_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
