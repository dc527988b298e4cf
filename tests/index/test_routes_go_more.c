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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gorilla_joins_without_the_slash_of_the_prefix),
        cmocka_unit_test(the_fork_of_gorilla_is_read_as_gorilla),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
