/*
 * Lists of routes that are longer than what the facts hold of a list.
 */
#include "index/visit.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

/* |count| patterns p0, p1, ...; the last two of them below another list. */
static void
add_patterns(struct buf *text, unsigned count)
{
    buf_add(text, STR("from django.urls import include, path\n"
                      "urlpatterns = [path('api/', include([\n"));
    for (unsigned i = 0; i + 2 < count; i++)
        buf_printf(text, "path('p%u', v),\n", i);
    buf_printf(text, "path('in/', include([path('p%u', v)])),\n", count - 2);
    buf_printf(text, "path('p%u', v),\n", count - 1);
    buf_add(text, STR("])), path('end', v)]\n"));
}

/* |path| of pattern |i| is told from the root if the list has it. */
static void
expect(struct buf *out, const char *path, unsigned i)
{
    bool is_held = i < VISIT_LIST_MAX;
    const char *front = is_held ? "api/" : "";

    buf_printf(out, "ANY %s%s%u -> /%s%s%u django - u.py:%u%s\n", front, path,
               i, front, path, i, i + 3, is_held ? "" : " tail");
}

static void
assert_patterns(unsigned count)
{
    struct buf text = {0};
    struct buf expected = {0};

    add_patterns(&text, count);
    for (unsigned i = 0; i + 2 < count; i++)
        expect(&expected, "p", i);
    expect(&expected, "in/p", count - 2);
    expect(&expected, "p", count - 1);
    buf_printf(&expected, "ANY end -> /end django - u.py:%u\n", count + 3);
    assert_routes(FILES({"u.py", buf_cstr(&text)}), buf_cstr(&expected));
    buf_fini(&text);
    buf_fini(&expected);
}

static void
what_a_long_list_of_django_holds_is_not_at_the_root(void **state)
{
    (void)state;
    assert_patterns(VISIT_LIST_MAX);
    assert_patterns(VISIT_LIST_MAX + 1);
    assert_patterns(VISIT_LIST_MAX + 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_long_list_of_django_holds_is_not_at_the_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
