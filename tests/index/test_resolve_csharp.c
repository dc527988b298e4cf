/*
 * C#: what names mean, and which of several methods a call.
 */
#include "tests/index/resolve_fixture.h"

LINK_LANG(csharp);

static void
qualified_names_begin_with_their_namespace(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Ui.cs",
              "namespace Shop.Ui {\n"
              "  public class Box { public static void Show() {} }\n"
              "}\n");
    world_add(&w, "App.cs",
              "using System;\n"
              "namespace Other {\n"
              "  class App {\n"
              "    void Static() { Shop.Ui.Box.Show(); }\n"
              "    void Made() { var box = new Shop.Ui.Box(); }\n"
              "  }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "App.Static", "Box.Show", NULL);
    assert_edge(&w, "calls", "App.Made", "Box", NULL);
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qualified_names_begin_with_their_namespace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
