/*
 * One spelling for each address, and none for what could be read in two ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "crawl/url.h"

struct spelling {
    const char *text;
    const char *as; /* NULL: refused */
};

static void
check(const struct spelling *row, const struct url *base)
{
    struct url url;
    enum err err = base ? url_join(base, str_of(row->text), &url)
                        : url_parse(str_of(row->text), &url, NULL);

    if (!row->as) {
        if (err == OK)
            fail_msg("%s is taken as %s", row->text, buf_cstr(&url.text));
        return;
    }
    if (err)
        fail_msg("%s is refused", row->text);
    assert_string_equal(buf_cstr(&url.text), row->as);
    url_fini(&url);
}

static void
a_url_has_one_spelling(void **state)
{
    static const struct spelling rows[] = {
        {"http://Example.COM", "http://example.com/"},
        {"HTTPS://example.com:443/a", "https://example.com/a"},
        {"http://example.com:80", "http://example.com/"},
        {"http://example.com:8080/", "http://example.com:8080/"},
        {"http://example.com./", "http://example.com/"},
        {"http://example.com/a/./b/../c", "http://example.com/a/c"},
        {"http://example.com/../../x", "http://example.com/x"},
        {"http://example.com/a/%2e%2E/b", "http://example.com/b"},
        {"http://example.com/%7euser/%c3%a9",
         "http://example.com/~user/%C3%A9"},
        {"http://example.com/\xc3\xa9", "http://example.com/%C3%A9"},
        {"http://example.com/a b", "http://example.com/a%20b"},
        {"http://example.com/100%", "http://example.com/100%25"},
        {"http://example.com/a#part", "http://example.com/a"},
        {"http://example.com?q=1&r=%2F#x", "http://example.com/?q=1&r=%2F"},
        {"  http://example.com/ \n", "http://example.com/"},
        {"http://127.0.0.1/", "http://127.0.0.1/"},
        {"http://127.0.0.1./", "http://127.0.0.1/"},
        {"http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"},
        {"http://[0:0:0:0:0:0:0:1]:8080", "http://[::1]:8080/"},
        {"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(&rows[i], NULL);
}

static void
what_could_be_read_in_two_ways_is_refused(void **state)
{
    static const struct spelling rows[] = {
        {"http://0x7f.1/", NULL},
        {"http://0x7f000001/", NULL},
        {"http://2130706433/", NULL},
        {"http://017700000001/", NULL},
        {"http://127.1/", NULL},
        {"http://0177.0.0.1/", NULL},
        {"http://127.0.0.1.0x1/", NULL},
        {"http://1.2.3.4.5/", NULL},
        {"http://256.1.1.1/", NULL},
        {"http://user@example.com/", NULL},
        {"http://user:pass@example.com/", NULL},
        {"http://good.example@127.0.0.1/", NULL},
        {"http://good.example%40127.0.0.1/", NULL},
        {"http://good.example\\@127.0.0.1/", NULL},
        {"http://exa mple.com/", NULL},
        {"http://example.com\t.evil/", NULL},
        {"http://exam\xef\xbc\x8eple.com/", NULL}, /* full-width dot */
        {"http://\xe2\x91\xa0.0.0.1/", NULL},      /* circled one */
        {"http://[::1/", NULL},
        {"http://[fe80::1%25eth0]/", NULL},
        {"http://[1.2.3.4]/", NULL},
        {"http://[::1]x/", NULL},
        {"http:///path", NULL},
        {"http:example.com", NULL},
        {"http://", NULL},
        {"http://./", NULL},
        {"http://a..b/", NULL},
        {"http://a../", NULL},
        {"http://.a/", NULL},
        {"http://example.com:0/", NULL},
        {"http://example.com:65536/", NULL},
        {"http://example.com:80x/", NULL},
        {"http://example.com:22/", NULL},
        {"http://example.com:25/", NULL},
        {"http://example.com:1023/", NULL},
        {"ftp://example.com/", NULL},
        {"file:///etc/passwd", NULL},
        {"gopher://example.com/", NULL},
        {"javascript:alert(1)", NULL},
        {"data:text/html,x", NULL},
        {"example.com", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(&rows[i], NULL);
}

/* RFC 3986, 5.4, with the base's path; what leaves http is refused. */
static void
a_reference_is_read_as_the_rfc_says(void **state)
{
    static const struct spelling rows[] = {
        {"g", "http://a/b/c/g"},      {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},    {"/g", "http://a/g"},
        {"//g", "http://g/"},         {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},  {"#s", "http://a/b/c/d;p?q"},
        {"g#s", "http://a/b/c/g"},    {"g?y#s", "http://a/b/c/g?y"},
        {";x", "http://a/b/c/;x"},    {"g;x", "http://a/b/c/g;x"},
        {"", "http://a/b/c/d;p?q"},   {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},      {"..", "http://a/b/"},
        {"../", "http://a/b/"},       {"../g", "http://a/b/g"},
        {"../..", "http://a/"},       {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"}, {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},      {"g.", "http://a/b/c/g."},
        {"..g", "http://a/b/c/..g"},  {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"}, {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"}, {"https://b/x", "https://b/x"},
        {"mailto:a@b", NULL},         {"javascript:void(0)", NULL},
        {"//0x7f.1/", NULL},
    };
    struct url base;

    (void)state;
    assert_int_equal(url_parse(STR("http://a/b/c/d;p?q"), &base, NULL), OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(&rows[i], &base);
    url_fini(&base);
}

static void
a_url_has_a_limit(void **state)
{
    struct buf text = {0};
    struct url url;

    (void)state;
    buf_add(&text, STR("http://a/"));
    while (text.len < URL_MAX)
        buf_add_char(&text, 'x');
    assert_int_equal(url_parse(buf_str(&text), &url, NULL), OK);
    url_fini(&url);
    buf_add_char(&text, 'x');
    assert_int_equal(url_parse(buf_str(&text), &url, NULL), ERR_INVALID);
    buf_fini(&text);
}

static void
a_site_is_a_host_and_a_port(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        bool is;
    } rows[] = {
        {"http://a/", "http://a/x", true},
        {"http://a/", "https://a/x", true},
        {"http://a/", "http://a:8080/", false},
        {"http://a:8080/", "http://a:8080/x", true},
        {"http://a/", "http://www.a/", false},
        {"http://a.b/", "http://a.b.evil/", false},
        {"http://127.0.0.1/", "http://127.0.0.2/", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct url a;
        struct url b;

        assert_int_equal(url_parse(str_of(rows[i].a), &a, NULL), OK);
        assert_int_equal(url_parse(str_of(rows[i].b), &b, NULL), OK);
        assert_int_equal(url_same_site(&a, &b), rows[i].is);
        url_fini(&a);
        url_fini(&b);
    }
}

static void
a_refusal_says_why(void **state)
{
    static const struct spelling rows[] = {
        {"http://u:p@a/", "user or a password"},
        {"http://0x7f.1/", "four decimal numbers"},
        {"http://a:25/", "another service"},
        {"ftp://a/", "only http and https"},
        {"http://b\xc3\xbc.example/", "xn--"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf why = {0};
        struct url url;

        assert_int_not_equal(url_parse(str_of(rows[i].text), &url, &why), OK);
        assert_non_null(strstr(buf_cstr(&why), rows[i].as));
        buf_fini(&why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_has_one_spelling),
        cmocka_unit_test(what_could_be_read_in_two_ways_is_refused),
        cmocka_unit_test(a_reference_is_read_as_the_rfc_says),
        cmocka_unit_test(a_url_has_a_limit),
        cmocka_unit_test(a_site_is_a_host_and_a_port),
        cmocka_unit_test(a_refusal_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
