/*
 * Routes of Go's other routers, and what the routers' own names for paths are.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);

static void
gorilla_joins_without_the_slash_of_the_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go", "package main\n"
                          "import (\"net/http\"; \"github.com/gorilla/mux\")\n"
                          "func h(w http.ResponseWriter, r *http.Request) {}\n"
                          "func main() {\n"
                          "  r := mux.NewRouter()\n"
                          "  top := r.PathPrefix(\"/\").Subrouter()\n"
                          "  api := top.PathPrefix(\"/api/\").Subrouter()\n"
                          "  api.HandleFunc(\"/users\", h)\n"
                          "  api.HandleFunc(\"/\", h)\n"
                          "  api.Path(\"\").HandlerFunc(h)\n"
                          "  http.ListenAndServe(\":1\", r)\n"
                          "}\n"}),
        "ANY /api/users -> /api/users gorilla/mux h main.go:8\n"
        "ANY /api/ -> /api gorilla/mux h main.go:9\n"
        "ANY /api -> /api gorilla/mux h main.go:10\n");
}

static void
the_fork_of_gorilla_is_read_as_gorilla(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go", "package main\n"
                          "import (\"net/http\"; \"github.com/minio/mux\")\n"
                          "func h(w http.ResponseWriter, r *http.Request) {}\n"
                          "func add(r *mux.Router) {\n"
                          "  s := r.PathPrefix(\"/minio\").Subrouter()\n"
                          "  s.Methods(http.MethodGet).Path(\"/live\")."
                          "HandlerFunc(h)\n"
                          "}\n"
                          "func main() { r := mux.NewRouter(); add(r); "
                          "http.ListenAndServe(\":1\", r) }\n"}),
        "GET /minio/live -> /minio/live gorilla/mux h main.go:6\n");
}

static void
httprouter_has_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\n"
               "  \"net/http\"\n"
               "  hr \"github.com/julienschmidt/httprouter\"\n"
               ")\n"
               "type app struct{ r *hr.Router }\n"
               "func (a *app) show(w http.ResponseWriter, r *http.Request, "
               "p hr.Params) {}\n"
               "func plain(w http.ResponseWriter, r *http.Request) {}\n"
               "func auth(h hr.Handle) hr.Handle { return nil }\n"
               "func main() {\n"
               "  a := &app{r: hr.New()}\n"
               "  a.r.GET(\"/users/:id\", a.show)\n"
               "  a.r.POST(\"/users\", auth(a.show))\n"
               "  a.r.Handle(\"PATCH\", \"/users/:id\", a.show)\n"
               "  a.r.Handler(http.MethodPut, \"/h\", "
               "http.HandlerFunc(plain))\n"
               "  add(a.r)\n"
               "  http.ListenAndServe(\":1\", a.r)\n"
               "}\n"
               "func add(r *hr.Router) "
               "{ r.HandlerFunc(\"DELETE\", \"/f/*rest\", plain) }\n"}),
        "GET /users/:id -> /users/{} httprouter show main.go:12\n"
        "POST /users -> /users httprouter show main.go:13\n"
        "PATCH /users/:id -> /users/{} httprouter show main.go:14\n"
        "PUT /h -> /h httprouter plain main.go:15\n"
        "DELETE /f/*rest -> /f/{**} httprouter plain main.go:19\n");
}

static void
fiber_chains_routes_of_a_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({"f.go", "package main\n"
                       "import \"github.com/gofiber/fiber/v3\"\n"
                       "func h(c fiber.Ctx) error { return nil }\n"
                       "func log(c fiber.Ctx) error { return c.Next() }\n"
                       "func main() {\n"
                       "  app := fiber.New()\n"
                       "  app.RouteChain(\"/a\").Get(h).Post(log, h)\n"
                       "  g := app.Group(\"/g\")\n"
                       "  g.RouteChain(\"/b\").RouteChain(\"/c\").Put(h)\n"
                       "  app.Listen(\":80\")\n"
                       "}\n"}),
        "GET /a -> /a fiber h f.go:7\n"
        "POST /a -> /a fiber h f.go:7\n"
        "PUT /g/b/c -> /g/b/c fiber h f.go:9\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gorilla_joins_without_the_slash_of_the_prefix),
        cmocka_unit_test(httprouter_has_routes),
        cmocka_unit_test(the_fork_of_gorilla_is_read_as_gorilla),
        cmocka_unit_test(fiber_chains_routes_of_a_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
