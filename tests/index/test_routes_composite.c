/*
 * Go's composite literals of named types, and what chi and fiber make of a
 * pattern and of Use: as their own tables of routes say.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);

/* As generators of servers write them, in each form of a literal. */
static void
tables_of_named_types_are_gone_through(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"types.go", "package main\n"
                         "import \"net/http\"\n"
                         "type Route struct {\n"
                         "  Name, Method, Pattern string\n"
                         "  HandlerFunc http.HandlerFunc\n"
                         "}\n"
                         "type Routes []Route\n"
                         "type Named map[string]Route\n"},
            {"main.go",
             "package main\n"
             "import (\"net/http\"; \"strings\"; \"github.com/gorilla/mux\")\n"
             "func h(w http.ResponseWriter, r *http.Request) {}\n"
             "var bare = Routes{{\"A\", \"GET\", \"/bare\", h}}\n"
             "var typed = Routes{Route{\"A\", strings.ToUpper(\"Post\"), "
             "\"/typed\", h}}\n"
             "var keyed = Routes{{Method: \"PUT\", Pattern: \"/keyed\", "
             "HandlerFunc: h}}\n"
             "var named = Named{\"A\": {\"A\", \"GET\", \"/named\", h}}\n"
             "func main() {\n"
             "  r := mux.NewRouter()\n"
             "  for _, x := range bare { "
             "r.HandleFunc(x.Pattern, x.HandlerFunc).Methods(x.Method) }\n"
             "  for _, x := range typed { "
             "r.HandleFunc(x.Pattern, x.HandlerFunc).Methods(x.Method) }\n"
             "  for _, x := range keyed { "
             "r.HandleFunc(x.Pattern, x.HandlerFunc).Methods(x.Method) }\n"
             "  for _, x := range named { "
             "r.HandleFunc(x.Pattern, x.HandlerFunc).Methods(x.Method) }\n"
             "  http.ListenAndServe(\":1\", r)\n"
             "}\n"}),
        "GET /bare -> /bare gorilla/mux h main.go:10\n"
        "POST /typed -> /typed gorilla/mux h main.go:11\n"
        "PUT /keyed -> /keyed gorilla/mux h main.go:12\n"
        "GET /named -> /named gorilla/mux h main.go:13\n");
}

/* What is given and then wrapped is the handler; of two none is. */
static void
a_handler_may_be_given_to_a_variable(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\"net/http\"; \"github.com/gorilla/mux\")\n"
               "type Route struct { Method, Path string; H http.HandlerFunc }\n"
               "func a(w http.ResponseWriter, r *http.Request) {}\n"
               "func b(w http.ResponseWriter, r *http.Request) {}\n"
               "func log(h http.Handler, n string) http.Handler { return h }\n"
               "var one = []Route{{\"GET\", \"/a\", a}, {\"GET\", \"/b\", b}}\n"
               "var two = []Route{{\"PUT\", \"/b\", b}}\n"
               "func main() {\n"
               "  r := mux.NewRouter()\n"
               "  for _, x := range one {\n"
               "    var h http.Handler\n"
               "    h = x.H\n"
               "    h = log(h, x.Path)\n"
               "    r.Methods(x.Method).Path(x.Path).Handler(h)\n"
               "  }\n"
               "  for _, x := range two {\n"
               "    var h http.Handler\n"
               "    h = x.H\n"
               "    r.Methods(x.Method).Path(x.Path).Handler(h)\n"
               "  }\n"
               "  var c http.Handler\n"
               "  if len(two) > 1 { c = http.HandlerFunc(a) } else { "
               "c = http.HandlerFunc(b) }\n"
               "  r.Path(\"/c\").Handler(c)\n"
               "  http.ListenAndServe(\":1\", r)\n"
               "}\n"}),
        "GET /a -> /a gorilla/mux a main.go:15\n"
        "GET /b -> /b gorilla/mux b main.go:15\n"
        "PUT /b -> /b gorilla/mux b main.go:20\n"
        "ANY /c -> /c gorilla/mux - main.go:24\n");
}

static void
methods_of_a_list_with_a_name_are_each_told(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go", "package main\n"
                          "import \"github.com/labstack/echo/v4\"\n"
                          "func h(c echo.Context) error { return nil }\n"
                          "func main() {\n"
                          "  e := echo.New()\n"
                          "  ms := []string{\"GET\", \"DELETE\"}\n"
                          "  e.Match(ms, \"/mv\", h)\n"
                          "  e.Start(\":1\")\n"
                          "}\n"}),
        "GET /mv -> /mv echo h main.go:7\n"
        "DELETE /mv -> /mv echo h main.go:7\n");
}

/* chi has no host before it, and nothing below its last slash. */
static void
a_pattern_of_chi_may_begin_with_a_method(void **state)
{
    (void)state;
    assert_routes(FILES({"main.go",
                         "package main\n"
                         "import (\"net/http\"; \"github.com/go-chi/chi/v5\")\n"
                         "func h(w http.ResponseWriter, r *http.Request) {}\n"
                         "func main() {\n"
                         "  r := chi.NewRouter()\n"
                         "  r.HandleFunc(\"GET /m/{id}\", h)\n"
                         "  r.Handle(\"/any/\", http.HandlerFunc(h))\n"
                         "  http.ListenAndServe(\":1\", r)\n"
                         "}\n"}),
                  "GET /m/{id} -> /m/{} chi h main.go:6\n"
                  "ANY /any/ -> /any chi h main.go:7\n");
}

static void
fiber_mounts_by_use(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go", "package main\n"
                          "import \"github.com/gofiber/fiber/v3\"\n"
                          "func h(c fiber.Ctx) error { return nil }\n"
                          "func mw(c fiber.Ctx) error { return c.Next() }\n"
                          "func micro() *fiber.App {\n"
                          "  m := fiber.New()\n"
                          "  m.Get(\"/john\", h)\n"
                          "  return m\n"
                          "}\n"
                          "func main() {\n"
                          "  app := fiber.New()\n"
                          "  app.Use(mw)\n"
                          "  app.Use(\"/in\", mw)\n"
                          "  app.Use(\"/micro\", micro())\n"
                          "  app.Use([]string{\"/m1\", \"/m2\"}, micro())\n"
                          "  app.Get(\"/own\", h)\n"
                          "  app.Listen(\":1\")\n"
                          "}\n"}),
        "GET /micro/john -> /micro/john fiber h main.go:7\n"
        "GET /m1/john -> /m1/john fiber h main.go:7\n"
        "GET /m2/john -> /m2/john fiber h main.go:7\n"
        "GET /own -> /own fiber h main.go:16\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_named_types_are_gone_through),
        cmocka_unit_test(a_handler_may_be_given_to_a_variable),
        cmocka_unit_test(methods_of_a_list_with_a_name_are_each_told),
        cmocka_unit_test(a_pattern_of_chi_may_begin_with_a_method),
        cmocka_unit_test(fiber_mounts_by_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
