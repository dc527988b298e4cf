#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/escape.h"

typedef void escape_fn(struct buf *out, str text);

static void
expect(escape_fn *fn, const char *text, const char *expected)
{
    struct buf out = {0};

    fn(&out, str_of(text));
    assert_string_equal(buf_cstr(&out), expected);
    buf_fini(&out);
}

static void
csv_quotes_what_parts_fields_and_disarms_formulas(void **state)
{
    (void)state;
    expect(escape_csv, "plain/{}", "plain/{}");
    expect(escape_csv, "", "");
    expect(escape_csv, "a,b", "\"a,b\"");
    expect(escape_csv, "a\"b", "\"a\"\"b\"");
    expect(escape_csv, "=1+1", "\"'=1+1\"");
    expect(escape_csv, "+1", "\"'+1\"");
    expect(escape_csv, "-1", "\"'-1\"");
    expect(escape_csv, "@sum", "\"'@sum\"");
    expect(escape_csv, "a=1", "a=1");
}

static void
markdown_stays_in_its_cell(void **state)
{
    (void)state;
    expect(escape_md, "a|b", "a\\|b");
    expect(escape_md, "\\|", "\\\\\\|");
    expect(escape_md, "<img>&", "&lt;img&gt;&amp;");
    expect(escape_md, "[x](y)", "\\[x\\](y)");
    expect(escape_md, "@team #1", "&#64;team &#35;1");
    expect(escape_md, "https://x", "https&#58;//x");
}

static void
xml_has_no_markup_and_no_character_it_forbids(void **state)
{
    (void)state;
    expect(escape_xml, "<a b='\"'>&", "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
    expect(escape_xml, "a\x01\x1f", "a\xef\xbf\xbd\xef\xbf\xbd");
    expect(escape_xml, "\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd");
    expect(escape_xml, "\xff", "\xef\xbf\xbd");
}

static void
graphs_have_names_as_labels_only(void **state)
{
    (void)state;
    expect(escape_dot, "a\"];\\N&", "\"a\\\"];\\\\N&amp;\"");
    expect(escape_mermaid, "a\"];`|#", "\"a#quot;]#59;#96;#124;#35;\"");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_quotes_what_parts_fields_and_disarms_formulas),
        cmocka_unit_test(markdown_stays_in_its_cell),
        cmocka_unit_test(xml_has_no_markup_and_no_character_it_forbids),
        cmocka_unit_test(graphs_have_names_as_labels_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
