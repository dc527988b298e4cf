/*
 * net/http, gin, echo, chi, gorilla/mux, fiber.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);

static void
patterns_of_net_http_are_told_from_their_slash(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\n"
               "  \"net/http\"\n"
               "  "
               "\"go.opentelemetry.io/contrib/instrumentation/net/http/"
               "otelhttp\"\n"
               ")\n"
               "const base = \"/api\"\n"
               "type server struct{}\n"
               "func (s *server) view(w http.ResponseWriter, r *http.Request) "
               "{}\n"
               "func home(w http.ResponseWriter, r *http.Request) {}\n"
               "type item struct{}\n"
               "func (i item) ServeHTTP(w http.ResponseWriter, r "
               "*http.Request) {}\n"
               "func main() {\n"
               "  s := &server{}\n"
               "  mux := http.NewServeMux()\n"
               "  mux.HandleFunc(\"GET example.com/p/{id}\", s.view)\n"
               "  mux.HandleFunc(base+\"/home\", home)\n"
               "  mux.Handle(\"POST /wrapped\", "
               "otelhttp.NewHandler(http.HandlerFunc(home), \"w\"))\n"
               "  mux.Handle(\"/item/\", item{})\n"
               "  mux.HandleFunc(\"/inline\", func(w http.ResponseWriter, r "
               "*http.Request) {})\n"
               "  http.HandleFunc(\"/default\", home)\n"
               "  http.HandleFunc(\"/\", home)\n"
               "  sub := http.NewServeMux()\n"
               "  sub.HandleFunc(\"GET /deep\", home)\n"
               "  mux.Handle(\"/v1/\", http.StripPrefix(\"/v1\", sub))\n"
               "  http.ListenAndServe(\":80\", mux)\n"
               "}\n"}),
        "GET /p/{id} -> /p/{} net/http view main.go:15\n"
        "ANY /api/home -> /api/home net/http home main.go:16\n"
        "POST /wrapped -> /wrapped net/http home main.go:17\n"
        "ANY /item/ -> /item/{**} net/http ServeHTTP main.go:18\n"
        "ANY /inline -> /inline net/http lambda main.go:19\n"
        "ANY /default -> /default net/http home main.go:20\n"
        "ANY / -> / net/http home main.go:21\n"
        "GET /v1/deep -> /v1/deep net/http home main.go:23 mounted\n");
}

static void
what_a_branch_assigns_is_for_the_run_to_say(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import \"github.com/gin-gonic/gin\"\n"
               "func h(c *gin.Context) {}\n"
               "func fill(r *gin.Engine, on bool) {\n"
               "  if r == nil {\n"
               "    r = gin.New()\n"
               "  }\n"
               "  r.GET(\"/sure\", h)\n"
               "  g := r.Group(\"/a\")\n"
               "  if on {\n"
               "    g = r.Group(\"/b\")\n"
               "    g.GET(\"/in\", h)\n"
               "  }\n"
               "  g.GET(\"/either\", h)\n"
               "  g.Group(\"/below\").GET(\"/x\", h)\n"
               "  g = r.Group(\"/c\")\n"
               "  g.GET(\"/again\", h)\n"
               "  base := \"\"\n"
               "  if on {\n"
               "    base = \"/b\"\n"
               "  }\n"
               "  r.GET(base+\"/sum\", h)\n"
               "  r.Group(base).GET(\"/group\", h)\n"
               "}\n"
               "func main() { r := gin.New(); fill(r, true); r.Run() }\n"}),
        "GET /sure -> /sure gin h main.go:8\n"
        "GET /b/in -> /b/in gin h main.go:12\n"
        "GET /either -> /either gin h main.go:14 tail\n"
        "GET /below/x -> /below/x gin h main.go:15 tail\n"
        "GET /c/again -> /c/again gin h main.go:17\n"
        "GET /sum -> /sum gin h main.go:22 tail\n"
        "GET /group -> /group gin h main.go:23 tail\n");
}

static void
methods_of_net_http_are_known_by_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\n"
               "  web \"net/http\"\n"
               "  \"ex.com/own\"\n"
               ")\n"
               "const bound = web.MethodPatch + \" /bound\"\n"
               "func h(w web.ResponseWriter, r *web.Request) {}\n"
               "func main() {\n"
               "  mux := web.NewServeMux()\n"
               "  mux.HandleFunc(web.MethodGet+\" /x\", h)\n"
               "  mux.HandleFunc(web.MethodDelete+\" \"+\"/y/{id}\", h)\n"
               "  mux.HandleFunc(bound, h)\n"
               "  mux.HandleFunc(own.MethodGet+\" /own\", h)\n"
               "  mux.HandleFunc(own.Prefix+\"/tail\", h)\n"
               "  web.ListenAndServe(\":80\", mux)\n"
               "}\n"}),
        "GET /x -> /x net/http h main.go:10\n"
        "DELETE /y/{id} -> /y/{} net/http h main.go:11\n"
        "PATCH /bound -> /bound net/http h main.go:12\n"
        "ANY /own -> /own net/http h main.go:13\n"
        "ANY /tail -> /tail net/http h main.go:14 tail\n");
}

static void
what_wraps_is_not_the_handler(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import \"net/http\"\n"
               "func h(w http.ResponseWriter, r *http.Request) {}\n"
               "func mw(n http.Handler) http.Handler {\n"
               "  return http.HandlerFunc(func(w http.ResponseWriter, r "
               "*http.Request) { n.ServeHTTP(w, r) })\n"
               "}\n"
               "func mwf(n http.HandlerFunc) http.HandlerFunc {\n"
               "  return func(w http.ResponseWriter, r *http.Request) { n(w, "
               "r) }\n"
               "}\n"
               "func make1() http.HandlerFunc {\n"
               "  return func(w http.ResponseWriter, r *http.Request) { }\n"
               "}\n"
               "func chain(h http.HandlerFunc, m ...func(http.HandlerFunc) "
               "http.HandlerFunc) http.HandlerFunc {\n"
               "  for _, x := range m { h = x(h) }\n"
               "  return h\n"
               "}\n"
               "func install(mux *http.ServeMux, g http.HandlerFunc) {\n"
               "  mux.HandleFunc(\"GET /given\", mwf(g))\n"
               "}\n"
               "func main() {\n"
               "  mux := http.NewServeMux()\n"
               "  mux.HandleFunc(http.MethodGet+\" /const\", h)\n"
               "  mux.Handle(\"GET /one\", mw(http.HandlerFunc(h)))\n"
               "  mux.HandleFunc(\"GET /two\", chain(h, mwf))\n"
               "  mux.HandleFunc(\"GET /three\", mwf(mwf(h)))\n"
               "  mux.HandleFunc(\"GET /four\", make1())\n"
               "  mux.HandleFunc(\"GET /five\", mwf(make1()))\n"
               "  mux.Handle(\"GET /opts\", wrap(http.HandlerFunc(h), "
               "func(o *opts) {}))\n"
               "  mux.HandleFunc(\"GET /either\", chain(h, h2))\n"
               "  mux.HandleFunc(\"GET /made\", chain(make1(), h))\n"
               "  mux.Handle(\"GET /none\", mw(mw))\n"
               "  install(mux, h)\n"
               "  http.ListenAndServe(\":1\", mux)\n"
               "}\n"
               "type opts struct{}\n"
               "func wrap(n http.Handler, o func(*opts)) http.Handler { "
               "return n }\n"
               "func h2(w http.ResponseWriter, r *http.Request) {}\n"}),
        "GET /given -> /given net/http - main.go:18\n"
        "GET /const -> /const net/http h main.go:22\n"
        "GET /one -> /one net/http h main.go:23\n"
        "GET /two -> /two net/http h main.go:24\n"
        "GET /three -> /three net/http h main.go:25\n"
        "GET /four -> /four net/http lambda main.go:26\n"
        "GET /five -> /five net/http lambda main.go:27\n"
        "GET /opts -> /opts net/http h main.go:28\n"
        "GET /either -> /either net/http - main.go:29\n"
        "GET /made -> /made net/http - main.go:30\n"
        "GET /none -> /none net/http - main.go:31\n");
}

static void
a_mux_behind_another_router_is_mounted_there(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\n"
               "  \"net/http\"\n"
               "  \"github.com/gin-gonic/gin\"\n"
               "  \"github.com/go-chi/chi/v5\"\n"
               "  \"github.com/gorilla/mux\"\n"
               ")\n"
               "func h(w http.ResponseWriter, r *http.Request) {}\n"
               "func sub() *http.ServeMux {\n"
               "  m := http.NewServeMux()\n"
               "  m.HandleFunc(\"/in\", h)\n"
               "  return m\n"
               "}\n"
               "func main() {\n"
               "  r := mux.NewRouter()\n"
               "  r.PathPrefix(\"/m\").Handler(http.StripPrefix(\"/m\", "
               "sub()))\n"
               "  r.PathPrefix(\"/f\").Handler(http.StripPrefix(\"/f\", "
               "http.FileServer(http.Dir(\".\"))))\n"
               "  g := gin.Default()\n"
               "  g.Any(\"/g/*any\", gin.WrapH(http.StripPrefix(\"/g\", "
               "sub())))\n"
               "  c := chi.NewRouter()\n"
               "  c.Handle(\"/c/*\", http.StripPrefix(\"/c\", sub()))\n"
               "  c.Mount(\"/o\", http.StripPrefix(\"/o\", sub()))\n"
               "  d := chi.NewRouter()\n"
               "  d.Get(\"/d\", h)\n"
               "  c.Mount(\"/own\", d)\n"
               "  root := http.NewServeMux()\n"
               "  e := chi.NewRouter()\n"
               "  e.Get(\"/e\", h)\n"
               "  root.Handle(\"/\", e)\n"
               "  go r.ServeHTTP(nil, nil)\n"
               "  http.ListenAndServe(\":1\", wrap(c, root))\n"
               "}\n"}),
        "ANY /m/in -> /m/in net/http h main.go:11 mounted\n"
        "ANY /g/in -> /g/in net/http h main.go:11 mounted\n"
        "ANY /c/in -> /c/in net/http h main.go:11 mounted\n"
        "ANY /o/in -> /o/in net/http h main.go:11 mounted\n"
        "ANY /f -> /f/{**} gorilla/mux - main.go:17\n"
        "GET /own/d -> /own/d chi h main.go:24\n"
        "GET /e -> /e chi h main.go:28 mounted\n");
}

/* A local name is all that has it, and puts routes on it. */
static void
a_router_that_nothing_serves_is_none(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"main.go",
             "package main\n"
             "import (\n"
             "  \"net/http\"\n"
             "  \"github.com/go-chi/chi/v5\"\n"
             "  \"github.com/gorilla/mux\"\n"
             ")\n"
             "type app struct{ h http.Handler }\n"
             "func h(w http.ResponseWriter, r *http.Request) {}\n"
             "func a() { r := chi.NewRouter(); r.Use(nil); r.Get(\"/a\", h) }\n"
             "func b() { r := mux.NewRouter().StrictSlash(true); "
             "r.HandleFunc(\"/b\", h).Methods(\"GET\") }\n"
             "func c() { r := http.NewServeMux(); r.HandleFunc(\"/c\", h) }\n"
             "func d() { r := http.NewServeMux(); r.HandleFunc(\"/d\", h); "
             "http.ListenAndServe(\":1\", http.HandlerFunc(r.ServeHTTP)) }\n"
             "func e() http.Handler { r := chi.NewRouter(); "
             "r.Get(\"/e\", h); return r }\n"
             "func f(s *http.Server) { r := mux.NewRouter(); "
             "r.HandleFunc(\"/f\", h); s.Handler = r }\n"
             "func g() *app { r := chi.NewRouter(); r.Get(\"/g\", h); "
             "return &app{h: r} }\n"}),
        "ANY /d -> /d net/http h main.go:12\n"
        "GET /e -> /e chi h main.go:13\n"
        "ANY /f -> /f gorilla/mux h main.go:14\n"
        "GET /g -> /g chi h main.go:15\n");
}

static uint32_t
count_unserved(unsigned routers)
{
    struct buf text = {0};
    struct fixture f;

    buf_add(&text, STR("package main\n"
                       "import \"net/http\"\n"
                       "func h(w http.ResponseWriter, r *http.Request) {}\n"));
    for (unsigned i = 0; i < routers; i++)
        buf_printf(&text,
                   "func f%u() { m := http.NewServeMux(); "
                   "m.HandleFunc(\"/%u\", h) }\n",
                   i, i);
    fixture_open(&f, FILES({"main.go", buf_cstr(&text)}));
    assert_int_equal(fixture_find(&f), OK);
    uint32_t told = f.build.route_len;
    fixture_close(&f);
    buf_fini(&text);
    return told;
}

/* Of 256 it is asked whether anything serves them. */
static void
not_all_routers_are_asked_who_serves_them(void **state)
{
    (void)state;
    assert_int_equal(count_unserved(256), 0);
    assert_int_equal(count_unserved(257), 1);
}

static void
groups_of_gin_nest_through_functions(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go", "package main\n"
                          "import (\n"
                          "  \"github.com/gin-gonic/gin\"\n"
                          ")\n"
                          "type api struct{}\n"
                          "func (a *api) list(c *gin.Context) {}\n"
                          "func auth() gin.HandlerFunc { return nil }\n"
                          "func main() {\n"
                          "  r := gin.Default()\n"
                          "  r.GET(\"/ping\", func(c *gin.Context) {})\n"
                          "  v1 := r.Group(\"/v1\", auth())\n"
                          "  install(v1, &api{})\n"
                          "  v1.Use(auth()).POST(\"/x\", (&api{}).list)\n"
                          "  r.Handle(\"PUT\", \"/raw\", auth())\n"
                          "  r.Any(\"/any/*rest\", auth())\n"
                          "}\n"},
              {"routes.go", "package main\n"
                            "import \"github.com/gin-gonic/gin\"\n"
                            "func install(g *gin.RouterGroup, a *api) {\n"
                            "  carts := g.Group(\"/carts\")\n"
                            "  {\n"
                            "    carts.GET(\"\", a.list)\n"
                            "    carts.DELETE(\"/:id\", auth(), a.list)\n"
                            "  }\n"
                            "}\n"
                            "func loose(g *gin.RouterGroup) {\n"
                            "  g.GET(\"/lost\", auth())\n"
                            "}\n"}),
        "GET /ping -> /ping gin lambda main.go:10\n"
        "POST /v1/x -> /v1/x gin list main.go:13\n"
        "PUT /raw -> /raw gin - main.go:14\n"
        "ANY /any/*rest -> /any/{**} gin - main.go:15\n"
        "GET /v1/carts -> /v1/carts gin list routes.go:6\n"
        "DELETE /v1/carts/:id -> /v1/carts/{} gin list routes.go:7\n"
        "GET /lost -> /lost gin - routes.go:11 tail\n");
}

static void
chi_mounts_and_routes_nest(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.go", "package a\n"
                       "import (\n"
                       "  \"net/http\"\n"
                       "  \"github.com/go-chi/chi/v5\"\n"
                       ")\n"
                       "func h(w http.ResponseWriter, r *http.Request) {}\n"
                       "func users() http.Handler {\n"
                       "  r := chi.NewRouter()\n"
                       "  r.Get(\"/{id}\", h)\n"
                       "  return r\n"
                       "}\n"
                       "func Make() {\n"
                       "  r := chi.NewRouter()\n"
                       "  r.Route(\"/api\", func(r chi.Router) {\n"
                       "    r.With(nil).Post(\"/do\", h)\n"
                       "    r.Group(func(r chi.Router) {\n"
                       "      r.Put(\"/in\", h)\n"
                       "    })\n"
                       "    r.Mount(\"/users\", users())\n"
                       "  })\n"
                       "  r.Method(\"GET\", \"/m\", http.HandlerFunc(h))\n"
                       "  http.ListenAndServe(\":1\", r)\n"
                       "}\n"}),
        "GET /api/users/{id} -> /api/users/{} chi h a.go:9\n"
        "POST /api/do -> /api/do chi h a.go:15\n"
        "PUT /api/in -> /api/in chi h a.go:17\n"
        "GET /m -> /m chi h a.go:21\n");
}

static void
gorilla_routes_are_built_in_any_order(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.go",
               "package a\n"
               "import (\n"
               "  \"net/http\"\n"
               "  \"github.com/gorilla/mux\"\n"
               ")\n"
               "func h(w http.ResponseWriter, r *http.Request) {}\n"
               "func Make() {\n"
               "  r := mux.NewRouter()\n"
               "  r.HandleFunc(\"/a/{id:[0-9]+}\", h).Methods(\"GET\", "
               "\"HEAD\")\n"
               "  r.Methods(http.MethodPost).Path(\"/b\").HandlerFunc(h)\n"
               "  s := r.PathPrefix(\"/sub\").Subrouter()\n"
               "  s.Handle(\"/c\", http.HandlerFunc(h))\n"
               "  r.PathPrefix(\"/static/\").Handler(http.FileServer(nil))\n"
               "  http.ListenAndServe(\":1\", r)\n"
               "}\n"}),
        "GET /a/{id:[0-9]+} -> /a/{} gorilla/mux h a.go:9\n"
        "HEAD /a/{id:[0-9]+} -> /a/{} gorilla/mux h a.go:9\n"
        "POST /b -> /b gorilla/mux h a.go:10\n"
        "ANY /sub/c -> /sub/c gorilla/mux h a.go:12\n"
        "ANY /static/ -> /static/{**} gorilla/mux - a.go:13\n");
}

static void
echo_and_fiber_have_groups(void **state)
{
    (void)state;
    assert_routes(
        FILES({"e.go", "package e\n"
                       "import \"github.com/labstack/echo/v4\"\n"
                       "func h(c echo.Context) error { return nil }\n"
                       "func mw(n echo.HandlerFunc) echo.HandlerFunc "
                       "{ return n }\n"
                       "func Make() {\n"
                       "  e := echo.New()\n"
                       "  e.GET(\"/users/:id\", h, mw)\n"
                       "  g := e.Group(\"/admin\", mw)\n"
                       "  g.POST(\"/x\", h)\n"
                       "  e.Add(\"PATCH\", \"/y\", h)\n"
                       "  e.Match([]string{\"GET\", \"PUT\"}, \"/z\", h)\n"
                       "}\n"},
              {"f/f.go", "package f\n"
                         "import \"github.com/gofiber/fiber/v2\"\n"
                         "func h(c *fiber.Ctx) error { return nil }\n"
                         "func Make() {\n"
                         "  app := fiber.New()\n"
                         "  api := app.Group(\"/api\")\n"
                         "  api.Get(\"/list\", h)\n"
                         "}\n"}),
        "GET /users/:id -> /users/{} echo h e.go:7\n"
        "POST /admin/x -> /admin/x echo h e.go:9\n"
        "PATCH /y -> /y echo h e.go:10\n"
        "GET /z -> /z echo h e.go:11\n"
        "PUT /z -> /z echo h e.go:11\n"
        "GET /api/list -> /api/list fiber h f/f.go:7\n");
}

static void
what_only_looks_like_a_route_is_none(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.go", "package a\n"
                       "type cache struct{}\n"
                       "func (c *cache) GET(k string, f func()) {}\n"
                       "func (c *cache) Handle(k string, f func()) {}\n"
                       "func Make(x map[string]int, m interface{}) {\n"
                       "  c := &cache{}\n"
                       "  c.GET(\"/x\", func() {})\n"
                       "  c.Handle(\"/y\", func() {})\n"
                       "  x[\"/z\"] = 1\n"
                       "}\n"}),
        "");
}

static void
tracers_name_spans(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.go", "package a\n"
                       "import \"go.opentelemetry.io/otel\"\n"
                       "var tracer = otel.Tracer(\"a\")\n"
                       "type engine struct{}\n"
                       "func (e *engine) Start(a int, b string) {}\n"
                       "func Work() {\n"
                       "  ctx, span := tracer.Start(nil, \"work.it\")\n"
                       "  _, _ = ctx, span\n"
                       "  (&engine{}).Start(1, \"no\")\n"
                       "}\n"}),
        "span work.it of Work\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_branch_assigns_is_for_the_run_to_say),
        cmocka_unit_test(patterns_of_net_http_are_told_from_their_slash),
        cmocka_unit_test(methods_of_net_http_are_known_by_name),
        cmocka_unit_test(what_wraps_is_not_the_handler),
        cmocka_unit_test(a_mux_behind_another_router_is_mounted_there),
        cmocka_unit_test(a_router_that_nothing_serves_is_none),
        cmocka_unit_test(not_all_routers_are_asked_who_serves_them),
        cmocka_unit_test(groups_of_gin_nest_through_functions),
        cmocka_unit_test(chi_mounts_and_routes_nest),
        cmocka_unit_test(gorilla_routes_are_built_in_any_order),
        cmocka_unit_test(echo_and_fiber_have_groups),
        cmocka_unit_test(what_only_looks_like_a_route_is_none),
        cmocka_unit_test(tracers_name_spans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
