/*
 * What a page says: pages and what is kept of them, in every charset we read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "crawl/fields.h"
#include "crawl/reader.h"

static struct html_page
read_html(const char *type, str html)
{
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    assert_int_equal(reader_work(true, str_of(type), html, &page), OK);
    assert_true(utf8_valid(buf_str(&page.text)));
    assert_true(utf8_valid(buf_str(&page.title)));
    return page;
}

static void
a_page_becomes_markdown(void **state)
{
    static const struct {
        const char *html;
        const char *text;
    } rows[] = {
        {"<p>one</p><p>two", "one\n\ntwo"},
        {"a  b\n\tc", "a b c"},
        {"a<br>b", "a\nb"},
        {"<h1>T</h1>x<h3>U</h3>y", "# T\n\nx\n\n### U\n\ny"},
        {"<h2>a <b>b</b></h2>", "## a b"},
        {"<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd"},
        {"<ol><li>a</li><li><p>b</p></li></ol>", "- a\n\n- b"},
        {"use <code>f()</code>.", "use `f()`."},
        {"<pre>a\n  b\n</pre>c", "```\na\n  b\n```\n\nc"},
        {"<pre><code>x &lt; y</code></pre>", "```\nx < y\n```"},
        {"<pre>a ``` b</pre>", "````\na ``` b\n````"},
        {"<pre></pre>x", "x"},
        {"<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n1 | 2"},
        {"<a href=/x>link</a>ed", "linked"},
        {"<p># no heading", "\\# no heading"},
        {"<p>```", "\\```"},
        {"a # b", "a # b"},
        {"<script>secret()</script><style>p{}</style>a<noscript>n</noscript>",
         "a"},
        {"<nav>menu</nav><p>text</p><footer>foot</footer><aside>b</aside>",
         "text"},
        {"<header>site</header><article><header><h1>T</h1></header>x"
         "</article>",
         "# T\n\nx"},
        {"before<main>only <b>this</b></main>after", "only this"},
        {"before<div role=main>only this</div>after", "only this"},
        {"<template><p>t</p></template>a<select><option>o</select>", "a"},
        {"<svg><title>drawn</title><text>x</text></svg>a", "a"},
        {"&amp;&lt;&eacute;&#x2014;", "&<\xc3\xa9\xe2\x80\x94"},
        {"a&#x110000;&#xd800;b&#xffffff80;c", "a\xef\xbf\xbd\xef\xbf\xbd"
                                              "b\xef\xbf\xbd"
                                              "c"},
        {"a&#27;b&#x7f;c", "a b c"},
        {"<pre>a&#27;b&#xffffff80;", "```\na b\xef\xbf\xbd\n```"},
        {"<!-- <p>no</p> -->a", "a"},
        {"<body", ""},
        {"", ""},
        {"<p>a<script>//<p>b</p>", "a"},
        {"<dl><dt>a<dd>b</dl>", "a\nb"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct html_page page =
            read_html("text/html; charset=utf-8", str_of(rows[i].html));

        if (strcmp(buf_cstr(&page.text), rows[i].text) != 0)
            fail_msg("%s gives \"%s\"", rows[i].html, buf_cstr(&page.text));
        html_page_fini(&page);
    }
}

static void
what_stands_in_the_head_is_told(void **state)
{
    struct html_page page = read_html(
        "", STR("<head><title> A\n  title&#27;</title><base href='/b/'>"
                "<link rel=canonical href='/c'>"
                "<meta name=Robots content='NOINDEX, nofollow'></head>"
                "<a href=1>x</a><nav><a href='2?a=1&amp;b'>y</a></nav>"
                "<a rel=nofollow href=3>z</a><a name=4>n</a>"
                "<map><area href=5></map>"));
    str rest = buf_str(&page.links);
    str link;

    (void)state;
    assert_string_equal(buf_cstr(&page.title), "A title");
    assert_string_equal(buf_cstr(&page.base), "/b/");
    assert_string_equal(buf_cstr(&page.canonical), "/c");
    assert_true(page.no_index);
    assert_true(page.no_follow);
    assert_int_equal(page.link_len, 3);
    assert_true(field_next(&rest, &link) && str_eq(link, STR("1")));
    assert_true(field_next(&rest, &link) && str_eq(link, STR("2?a=1&b")));
    assert_true(field_next(&rest, &link) && str_eq(link, STR("5")));
    assert_false(field_next(&rest, &link));
    html_page_fini(&page);
}

static void
a_charset_is_found_and_undone(void **state)
{
    static const struct {
        const char *type;
        str bytes;
        const char *text;
    } rows[] = {
        {"text/html", STR_INIT("caf\xc3\xa9"), "caf\xc3\xa9"},
        {"text/html", STR_INIT("caf\xe9"), "caf\xc3\xa9"},
        {"text/html; charset=ISO-8859-1", STR_INIT("\x80 \xe9"),
         "\xe2\x82\xac \xc3\xa9"},
        {"text/html; charset=\"utf-8\"", STR_INIT("caf\xe9!"),
         "caf\xef\xbf\xbd!"},
        {"", STR_INIT("<meta charset=latin1>\xe9"), "\xc3\xa9"},
        {"",
         STR_INIT("<meta http-equiv=Content-Type content='text/html; "
                  "charset=windows-1252'>\x93q\x94"),
         "\xe2\x80\x9cq\xe2\x80\x9d"},
        {"text/html; charset=latin1", STR_INIT("\xef\xbb\xbf\xc3\xa9"),
         "\xc3\xa9"},
        {"",
         STR_INIT("\xff\xfe"
                  "h\0i\0\xe9\0=\xd8\x00\xde"),
         "hi\xc3\xa9\xf0\x9f\x98\x80"},
        {"", STR_INIT("\xfe\xff\0h\0i\xd8\0"), "hi\xef\xbf\xbd"},
        {"text/html; charset=utf-16le", STR_INIT("h\0i\0"), "hi"},
        {"text/html; charset=utf-8", STR_INIT("a\0b\x01\xc2\x85"), "a b"},
        {"text/html; charset=utf-8", STR_INIT("\xed\xa0\x80|\xc0\xaf|\xf4\x90"),
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
         "\xef\xbf\xbd\xef\xbf\xbd"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct html_page page = read_html(rows[i].type, rows[i].bytes);

        if (strcmp(buf_cstr(&page.text), rows[i].text) != 0)
            fail_msg("row %zu gives \"%s\"", i, buf_cstr(&page.text));
        html_page_fini(&page);
    }
}

static void
a_charset_we_do_not_read_is_refused(void **state)
{
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    (void)state;
    assert_int_equal(
        reader_work(true, STR("text/html; charset=Shift_JIS"), STR("x"), &page),
        ERR_UNSUPPORTED);
    html_page_fini(&page);
}

static void
plain_text_stays_as_it_is(void **state)
{
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    (void)state;
    assert_int_equal(reader_work(false, STR("text/markdown"),
                                 STR("# T\n\n    code <p>\n"), &page),
                     OK);
    assert_string_equal(buf_cstr(&page.text), "# T\n\n    code <p>\n");
    html_page_fini(&page);
}

static struct buf
repeat(const char *what, size_t count)
{
    struct buf out = {0};

    for (size_t i = 0; i < count; i++)
        buf_add(&out, str_of(what));
    return out;
}

static void
a_hostile_page_is_read_or_refused_in_time(void **state)
{
    static const struct {
        const char *what;
        size_t count;
    } rows[] = {
        {"<div>", 10000},
        {"<b><i>", 2000},
        {"<table><tr><td>", 3000},
        {"<a href=x>y", 20000},
        {"<svg><foreignObject>", 2000},
        {"<p a=1 b=2 c=3>", 100000},
        {"&", 500000},
        {"<!--", 100000},
        {"<pre>`", 5000},
        {"<ul><li>", 3000},
        {"\xf0", 500000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf html = repeat(rows[i].what, rows[i].count);
        struct html_page page = {.text = {.cap_max = 1 << 20}};
        uint64_t start_ns = clock_mono_ns();
        enum err err = reader_work(true, STR("text/html; charset=utf-8"),
                                   buf_str(&html), &page);

        assert_true(err == OK || err == ERR_TOO_LARGE);
        assert_true(utf8_valid(buf_str(&page.text)));
        if (clock_mono_ns() - start_ns > 10 * NS_PER_S)
            fail_msg("%s takes too long", rows[i].what);
        html_page_fini(&page);
        buf_fini(&html);
    }
}

static void
a_text_at_the_limit_is_kept_and_one_past_it_refused(void **state)
{
    struct buf html = repeat("x", 1000);
    struct html_page page = {.text = {.cap_max = 1000}};
    struct html_page less = {.text = {.cap_max = 999}};

    (void)state;
    assert_int_equal(html_read(buf_str(&html), &page), OK);
    assert_int_equal(page.text.len, 1000);
    assert_int_equal(html_read(buf_str(&html), &less), ERR_TOO_LARGE);
    html_page_fini(&page);
    html_page_fini(&less);
    buf_fini(&html);
}

static void
links_have_a_limit(void **state)
{
    struct buf html = repeat("<a href=x>", HTML_LINKS + 1);
    struct html_page page = read_html("", buf_str(&html));

    (void)state;
    assert_int_equal(page.link_len, HTML_LINKS);
    html_page_fini(&page);
    buf_fini(&html);
}

/* ---- the process that reads ---- */

static void
a_reader_reads_in_a_process_of_its_own(void **state)
{
    struct reader reader;

    (void)state;
    reader_init(&reader, 10 * NS_PER_S);
    for (int i = 0; i < 3; i++) {
        struct html_page page = {.text = {.cap_max = 1 << 20}};

        assert_int_equal(
            reader_read(&reader, true, STR("text/html"),
                        STR("<title>T</title><h1>a</h1><a href=b>"), &page),
            OK);
        assert_string_equal(buf_cstr(&page.title), "T");
        assert_string_equal(buf_cstr(&page.text), "# a");
        assert_true(page.links.len > 0);
        html_page_fini(&page);
    }
    reader_fini(&reader);
}

static void
a_reader_that_died_takes_one_page_with_it(void **state)
{
    struct reader reader;
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    (void)state;
    reader_init(&reader, 10 * NS_PER_S);
    assert_int_equal(
        reader_read(&reader, false, STR("text/plain"), STR("a"), &page), OK);
    assert_int_equal(kill(reader.pid, SIGKILL), 0);
    html_page_fini(&page);
    page.text.cap_max = 1 << 20;
    assert_int_equal(
        reader_read(&reader, false, STR("text/plain"), STR("b"), &page),
        ERR_CORRUPT);
    assert_int_equal(
        reader_read(&reader, false, STR("text/plain"), STR("c"), &page), OK);
    assert_string_equal(buf_cstr(&page.text), "c");
    html_page_fini(&page);
    reader_fini(&reader);
}

static void
a_reader_that_hangs_is_given_up(void **state)
{
    struct reader reader;
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    (void)state;
    reader_init(&reader, 200 * NS_PER_MS);
    assert_int_equal(
        reader_read(&reader, false, STR("text/plain"), STR("a"), &page), OK);
    assert_int_equal(kill(reader.pid, SIGSTOP), 0);
    assert_int_equal(
        reader_read(&reader, false, STR("text/plain"), STR("b"), &page),
        ERR_CORRUPT);
    assert_int_equal(reader.pid, 0);
    html_page_fini(&page);
    reader_fini(&reader);
}

/* The parser looks through all open elements for each new one: 200,000 levels
 * would take it minutes. */
static void
a_page_that_takes_too_long_is_given_up(void **state)
{
    struct buf html = repeat("<div>", 200000);
    struct html_page page = {.text = {.cap_max = 1 << 20}};
    struct reader reader;

    (void)state;
    reader_init(&reader, 500 * NS_PER_MS);
    assert_int_equal(reader_read(&reader, true, STR("text/html; charset=utf-8"),
                                 buf_str(&html), &page),
                     ERR_CORRUPT);
    assert_int_equal(
        reader_read(&reader, true, STR("text/html"), STR("<p>a"), &page), OK);
    assert_string_equal(buf_cstr(&page.text), "a");
    html_page_fini(&page);
    reader_fini(&reader);
    buf_fini(&html);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_becomes_markdown),
        cmocka_unit_test(what_stands_in_the_head_is_told),
        cmocka_unit_test(a_charset_is_found_and_undone),
        cmocka_unit_test(a_charset_we_do_not_read_is_refused),
        cmocka_unit_test(plain_text_stays_as_it_is),
        cmocka_unit_test(a_hostile_page_is_read_or_refused_in_time),
        cmocka_unit_test(a_text_at_the_limit_is_kept_and_one_past_it_refused),
        cmocka_unit_test(links_have_a_limit),
        cmocka_unit_test(a_reader_reads_in_a_process_of_its_own),
        cmocka_unit_test(a_reader_that_died_takes_one_page_with_it),
        cmocka_unit_test(a_reader_that_hangs_is_given_up),
        cmocka_unit_test(a_page_that_takes_too_long_is_given_up),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
