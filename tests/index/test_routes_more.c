/*
 * Laravel, Slim, Symfony; axum, actix-web, Rocket; Ktor; Next.js.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(csharp);
LINK_LANG(javascript);
LINK_LANG(kotlin);
LINK_LANG(php);
LINK_LANG(rust);

static void
laravel_groups_prefix_their_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "use App\\Http\\Controllers\\UserController;\n"
               "Route::get('/users/{id}', [UserController::class, 'show']);\n"
               "Route::post('x', 'UserController@make');\n"
               "Route::middleware('auth')->prefix('admin')->group(function () "
               "{\n"
               "    Route::get('/y', function () { return 1; });\n"
               "    Route::apiResource('users', UserController::class);\n"
               "});\n"
               "Route::group(['prefix' => 'z'], function () {\n"
               "    Route::match(['get', 'post'], '/m', 'None@x');\n"
               "});\n"
               "Cache::get('/no', 1);\n"},
              {"routes/api.php", "<?php\n"
                                 "use Illuminate\\Support\\Facades\\Route;\n"
                                 "Route::delete('/u', fn () => 1);\n"},
              {"app/Http/Controllers/UserController.php",
               "<?php\n"
               "namespace App\\Http\\Controllers;\n"
               "class UserController {\n"
               "    public function show($id) {}\n"
               "    public function make() {}\n"
               "    public function index() {}\n"
               "}\n"}),
        "GET users/{id} -> /users/{} laravel show routes/web.php:4\n"
        "POST x -> /x laravel make routes/web.php:5\n"
        "GET admin/y -> /admin/y laravel lambda routes/web.php:7\n"
        "GET admin/users -> /admin/users laravel index routes/web.php:8\n"
        "POST admin/users -> /admin/users laravel - routes/web.php:8\n"
        "GET admin/users/{user} -> /admin/users/{} laravel show "
        "routes/web.php:8\n"
        "PUT admin/users/{user} -> /admin/users/{} laravel - "
        "routes/web.php:8\n"
        "PATCH admin/users/{user} -> /admin/users/{} laravel - "
        "routes/web.php:8\n"
        "DELETE admin/users/{user} -> /admin/users/{} laravel - "
        "routes/web.php:8\n"
        "GET z/m -> /z/m laravel - routes/web.php:11\n"
        "POST z/m -> /z/m laravel - routes/web.php:11\n"
        "DELETE api/u -> /api/u laravel lambda routes/api.php:3\n");
}

static void
laravel_resources_have_the_actions_that_are_left(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "use App\\C;\n"
               "Route::resource('photos', C::class)->names('x')"
               "->only(['index', 'show']);\n"
               "Route::resource('one', C::class)->only('show');\n"
               "Route::apiResource('two', C::class, ['except' => ['index', "
               "'store', 'update']]);\n"
               "Route::resource('shops.big-items', C::class)->shallow()"
               "->only(['store', 'destroy']);\n"
               "Route::prefix('v1')->group(function () {\n"
               "  Route::apiResources(['a/bs' => C::class]);\n"
               "});\n"
               "Route::view('/hi', 'hi');\n"},
              {"app/C.php", "<?php\n"
                            "namespace App;\n"
                            "class C { public function show($id) {} }\n"}),
        "GET photos -> /photos laravel - routes/web.php:4\n"
        "GET photos/{photo} -> /photos/{} laravel show routes/web.php:4\n"
        "GET one/{one} -> /one/{} laravel show routes/web.php:5\n"
        "GET two/{two} -> /two/{} laravel show routes/web.php:6\n"
        "DELETE two/{two} -> /two/{} laravel - routes/web.php:6\n"
        "POST shops/{shop}/big-items -> /shops/{}/big-items laravel - "
        "routes/web.php:7\n"
        "DELETE big-items/{big_item} -> /big-items/{} laravel - "
        "routes/web.php:7\n"
        "GET v1/a/bs -> /v1/a/bs laravel - routes/web.php:9\n"
        "POST v1/a/bs -> /v1/a/bs laravel - routes/web.php:9\n"
        "GET v1/a/bs/{b} -> /v1/a/bs/{} laravel show routes/web.php:9\n"
        "PUT v1/a/bs/{b} -> /v1/a/bs/{} laravel - routes/web.php:9\n"
        "PATCH v1/a/bs/{b} -> /v1/a/bs/{} laravel - routes/web.php:9\n"
        "DELETE v1/a/bs/{b} -> /v1/a/bs/{} laravel - routes/web.php:9\n"
        "GET hi -> /hi laravel - routes/web.php:11\n");
}

static void
laravel_limits_are_lists_arguments_and_options(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "Route::apiResources(['as' => A::class, 'bs' => B::class], "
               "['only' => ['index']]);\n"
               "Route::resource('cs', C::class)->only('index', 'show');\n"
               "Route::apiResource('ds', D::class)->except('store', 'update', "
               "'destroy');\n"
               "Route::apiResource('es', E::class)->only($list)"
               "->except(['index', ...$more]);\n"
               "Route::apiResource('fs', F::class, ['only' => f('x')])"
               "->only(['show', $other])->except('show');\n"
               "Route::resource('gs', G::class)->only([]);\n"
               "Route::resource('hs', H::class)->names(h(1, [2, 3]))"
               "->only('index');\n"}),
        "GET as -> /as laravel - routes/web.php:3\n"
        "GET bs -> /bs laravel - routes/web.php:3\n"
        "GET cs -> /cs laravel - routes/web.php:4\n"
        "GET cs/{c} -> /cs/{} laravel - routes/web.php:4\n"
        "GET ds -> /ds laravel - routes/web.php:5\n"
        "GET ds/{d} -> /ds/{} laravel - routes/web.php:5\n"
        "POST es -> /es laravel - routes/web.php:6\n"
        "GET es/{e} -> /es/{} laravel - routes/web.php:6\n"
        "PUT es/{e} -> /es/{} laravel - routes/web.php:6\n"
        "PATCH es/{e} -> /es/{} laravel - routes/web.php:6\n"
        "DELETE es/{e} -> /es/{} laravel - routes/web.php:6\n"
        "GET fs -> /fs laravel - routes/web.php:7\n"
        "POST fs -> /fs laravel - routes/web.php:7\n"
        "PUT fs/{f} -> /fs/{} laravel - routes/web.php:7\n"
        "PATCH fs/{f} -> /fs/{} laravel - routes/web.php:7\n"
        "DELETE fs/{f} -> /fs/{} laravel - routes/web.php:7\n"
        "GET hs -> /hs laravel - routes/web.php:9\n");
}

static void
symfony_and_slim_have_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/C.php",
               "<?php\n"
               "namespace App\\Controller;\n"
               "use Symfony\\Component\\Routing\\Attribute\\Route;\n"
               "#[Route('/api')]\n"
               "class C {\n"
               "    #[Route('/posts/{id}', name: 'show_post', methods: "
               "['GET'])]\n"
               "    public function show($id) {}\n"
               "    #[Route('/edit', name: 'edit', methods: ['GET', 'POST'])]\n"
               "    public function edit() {}\n"
               "    #[Route(['en' => '/about', 'de' => '/was'], name: "
               "'about', methods: ['GET'])]\n"
               "    public function about() {}\n"
               "    #[Route('/ancient', name: 'show_old')]\n"
               "    #[Route('/fresh', name: 'show_new', methods: ['GET'])]\n"
               "    public function twice() {}\n"
               "}\n"},
              {"public/index.php",
               "<?php\n"
               "use Slim\\Factory\\AppFactory;\n"
               "use Slim\\Routing\\RouteCollectorProxy;\n"
               "$app = AppFactory::create();\n"
               "$app->get('/hello/{name}', function ($q, $r) { return $r; });\n"
               "$app->group('/g', function (RouteCollectorProxy $group) {\n"
               "    $group->post('/x', function ($q, $r) { return $r; });\n"
               "});\n"}),
        "GET /api/posts/{id} -> /api/posts/{} symfony show src/C.php:6\n"
        "GET show_post -> /show_post symfony show src/C.php:6\n"
        "GET /api/edit -> /api/edit symfony edit src/C.php:8\n"
        "POST /api/edit -> /api/edit symfony edit src/C.php:8\n"
        "GET edit -> /edit symfony edit src/C.php:8\n"
        "POST edit -> /edit symfony edit src/C.php:8\n"
        "GET /api/about -> /api/about symfony about src/C.php:10\n"
        "GET /api/was -> /api/was symfony about src/C.php:10\n"
        "GET about -> /about symfony about src/C.php:10\n"
        "ANY /api/ancient -> /api/ancient symfony twice src/C.php:12\n"
        "ANY show_old -> /show_old symfony twice src/C.php:12\n"
        "GET /api/fresh -> /api/fresh symfony twice src/C.php:13\n"
        "GET show_new -> /show_new symfony twice src/C.php:13\n"
        "GET /hello/{name} -> /hello/{} slim lambda public/index.php:5\n"
        "POST /g/x -> /g/x slim lambda public/index.php:7\n");
}

static void
axum_routers_nest(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/main.rs",
               "use axum::{routing::{get, post}, Router};\n"
               "async fn root() -> i32 { 1 }\n"
               "async fn make() -> i32 { 1 }\n"
               "fn api() -> Router {\n"
               "    Router::new().route(\"/users/{id}\", "
               "get(root).post(make))\n"
               "}\n"
               "fn main() {\n"
               "    let app = Router::new().route(\"/\", get(root))\n"
               "        .nest(\"/api\", api())\n"
               "        .with_state(1);\n"
               "}\n"}),
        "POST /api/users/{id} -> /api/users/{} axum make src/main.rs:5\n"
        "GET /api/users/{id} -> /api/users/{} axum root src/main.rs:5\n"
        "GET / -> / axum root src/main.rs:8\n");
}

/* Only the second way has a guard: axum's documents do it so. */
static void
axum_methods_merge(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/main.rs",
               "use axum::{routing::{delete, get, post}, Router};\n"
               "async fn show() -> i32 { 1 }\n"
               "async fn make() -> i32 { 1 }\n"
               "async fn drop() -> i32 { 1 }\n"
               "fn kept() -> axum::routing::MethodRouter { delete(drop) }\n"
               "fn main() {\n"
               "    let app = Router::new().route(\"/x\", get(show)\n"
               "        .merge(post(make).route_layer(guard()))\n"
               "        .merge(kept()));\n"
               "}\n"}),
        "GET /x -> /x axum show src/main.rs:7\n"
        "POST /x -> /x axum make src/main.rs:7\n"
        "DELETE /x -> /x axum drop src/main.rs:7\n");
}

static void
actix_scopes_and_macros_nest(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/main.rs",
               "use actix_web::{get, web, App, HttpServer};\n"
               "#[get(\"/hello/{name}\")]\n"
               "async fn hello() -> String { String::new() }\n"
               "async fn make() -> String { String::new() }\n"
               "fn cfg(c: &mut web::ServiceConfig) {\n"
               "    c.service(web::resource(\"/res\")\n"
               "        .route(web::get().to(make)));\n"
               "}\n"
               "fn main() {\n"
               "    HttpServer::new(|| {\n"
               "        App::new().service(web::scope(\"/s\").service(hello)\n"
               "            .route(\"/r\", web::post().to(make)))\n"
               "            .configure(cfg)\n"
               "    });\n"
               "}\n"}),
        "GET /res -> /res actix-web make src/main.rs:7\n"
        "POST /s/r -> /s/r actix-web make src/main.rs:12\n"
        "GET /s/hello/{name} -> /s/hello/{} actix-web hello src/main.rs:2\n");
}

static void
each_mark_of_a_method_is_a_route(void **state)
{
    (void)state;
    assert_routes(FILES({"U.cs", "using Microsoft.AspNetCore.Mvc;\n"
                                 "[ApiController]\n"
                                 "public class U : ControllerBase\n"
                                 "{\n"
                                 "    [HttpGet(\"a\")]\n"
                                 "    [HttpPost(\"b\")]\n"
                                 "    public int Two() => 1;\n"
                                 "    [HttpGet]\n"
                                 "    [HttpPut]\n"
                                 "    [Route(\"c\")]\n"
                                 "    [Route(\"d\")]\n"
                                 "    public int Lent() => 1;\n"
                                 "    [HttpGet(\"e\")]\n"
                                 "    [Route(\"f\")]\n"
                                 "    public int Any() => 1;\n"
                                 "}\n"},
                        {"m.rs", "use actix_web::{get, post};\n"
                                 "#[get(\"/one\")]\n"
                                 "#[post(\"/two\")]\n"
                                 "async fn both() -> String { x() }\n"
                                 "fn main() {\n"
                                 "    actix_web::App::new().service(both);\n"
                                 "}\n"}),
                  "GET a -> /a aspnetcore Two U.cs:5\n"
                  "POST b -> /b aspnetcore Two U.cs:6\n"
                  "GET c -> /c aspnetcore Lent U.cs:8\n"
                  "PUT c -> /c aspnetcore Lent U.cs:9\n"
                  "GET d -> /d aspnetcore Lent U.cs:8\n"
                  "PUT d -> /d aspnetcore Lent U.cs:9\n"
                  "GET e -> /e aspnetcore Any U.cs:13\n"
                  "ANY f -> /f aspnetcore Any U.cs:14\n"
                  "GET /one -> /one actix-web both m.rs:2\n"
                  "POST /two -> /two actix-web both m.rs:3\n");
}

static void
ktor_methods_may_be_of_blocks(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt",
               "package k\n"
               "import io.ktor.http.*\n"
               "import io.ktor.server.routing.*\n"
               "fun Application.module() {\n"
               "  routing {\n"
               "    route(\"/x\", HttpMethod.Get) { handle { call.r(1) } }\n"
               "    route(\"/any\") { handle { } }\n"
               "    route(\"/m\") {\n"
               "      method(HttpMethod.Post) { handle { } }\n"
               "      accept(ContentType.Text.Plain) { get(\"/t\") { } }\n"
               "      method(HttpMethod(\"PURGE\")) {\n"
               "        route(\"/p\") { handle { } }\n"
               "      }\n"
               "      webSocket(\"/ws\") { }\n"
               "    }\n"
               "    host(\"a.org\") { get(\"/h\") { } }\n"
               "    post<Body>(\"/b\") { body -> use(body) }\n"
               "    get(Regex(\"/r.*\")) { }\n"
               "    route(Regex(\"/q.*\")) { get(\"/z\") { } }\n"
               "  }\n"
               "}\n"
               "fun other() { handle { } }\n"}),
        "GET /x -> /x ktor lambda K.kt:6\n"
        "ANY /any -> /any ktor lambda K.kt:7\n"
        "POST /m -> /m ktor lambda K.kt:9\n"
        "GET /m/t -> /m/t ktor lambda K.kt:10\n"
        "PURGE /m/p -> /m/p ktor lambda K.kt:12\n"
        "GET /m/ws -> /m/ws ktor lambda K.kt:14\n"
        "GET /h -> /h ktor lambda K.kt:16\n"
        "POST /b -> /b ktor lambda K.kt:17\n"
        "GET /z -> /z ktor lambda K.kt:19 tail\n");
}

static void
ktor_routes_stand_in_their_blocks(void **state)
{
    (void)state;
    assert_routes(FILES({"K.kt", "package k\n"
                                 "import io.ktor.server.routing.*\n"
                                 "import io.ktor.server.application.*\n"
                                 "fun Application.module() {\n"
                                 "    routing {\n"
                                 "        get(\"/\") { 1 }\n"
                                 "        route(\"/api\") {\n"
                                 "            post(\"/x/{id}\") { }\n"
                                 "            userRoutes()\n"
                                 "        }\n"
                                 "    }\n"
                                 "}\n"
                                 "fun Route.userRoutes() {\n"
                                 "    get(\"/users\") { }\n"
                                 "}\n"}),
                  "GET / -> / ktor lambda K.kt:6\n"
                  "POST /api/x/{id} -> /api/x/{} ktor lambda K.kt:8\n"
                  "GET /api/users -> /api/users ktor lambda K.kt:14\n");
}

static void
next_routes_are_the_places_of_files(void **state)
{
    (void)state;
    assert_routes(
        FILES({"web/next.config.js", "module.exports = {};\n"},
              {"web/src/app/api/(v1)/carts/[id]/route.ts",
               "export async function GET(req: Request) {}\n"
               "export const POST = async (req: Request) => {};\n"
               "function PUT() {}\n"},
              {"web/pages/api/products/[productId]/index.ts",
               "const handler = async (req, res) => {};\n"
               "export default handler;\n"},
              {"web/pages/cart.tsx", "export default function Cart() {}\n"},
              {"web/pages/_app.tsx", "export default function App() {}\n"},
              {"other/pages/api/x.ts", "export default function x() {}\n"}),
        "GET /api/carts/[id] -> /api/carts/{} next GET "
        "web/src/app/api/(v1)/carts/[id]/route.ts:1\n"
        "POST /api/carts/[id] -> /api/carts/{} next POST "
        "web/src/app/api/(v1)/carts/[id]/route.ts:2\n"
        "ANY /api/products/[productId] -> /api/products/{} next handler "
        "web/pages/api/products/[productId]/index.ts:1\n"
        "GET /cart -> /cart next Cart web/pages/cart.tsx:1\n");
}

static void
ktor_routes_may_stand_at_classes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt",
               "package a\n"
               "import io.ktor.resources.*\n"
               "import io.ktor.server.resources.*\n"
               "import io.ktor.server.routing.*\n"
               "@Resource(\"/items\")\n"
               "class Items(val sort: String? = null) {\n"
               "    @Resource(\"{id}\")\n"
               "    class One(val parent: Items = Items(), val id: Long)\n"
               "}\n"
               "fun Application.module() {\n"
               "    routing {\n"
               "        route(path = \"/api\") {\n"
               "            get<Items> { call.respondText(\"x\") }\n"
               "            put<Items.One> { call.respondText(\"x\") }\n"
               "            get<Unknown> { call.respondText(\"x\") }\n"
               "        }\n"
               "    }\n"
               "}\n"}),
        "GET /api/items -> /api/items ktor lambda K.kt:13\n"
        "PUT /api/items/{id} -> /api/items/{} ktor lambda K.kt:14\n");
}

static void
ktor_classes_may_begin_with_a_slash(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt",
               "package a\n"
               "import io.ktor.resources.*\n"
               "import io.ktor.server.resources.*\n"
               "import io.ktor.server.routing.*\n"
               "@Resource(\"/items\")\n"
               "class Items {\n"
               "    @Resource(\"/{id}\")\n"
               "    class One(val parent: Items = Items(), val id: Long)\n"
               "    @Resource(\"\") class All(val parent: Items = Items())\n"
               "}\n"
               "fun Application.module() {\n"
               "    routing {\n"
               "        get<Items> { call.respondText(\"x\") }\n"
               "        put<Items.One> { call.respondText(\"x\") }\n"
               "        post<Items.All> { call.respondText(\"x\") }\n"
               "    }\n"
               "}\n"}),
        "GET /items -> /items ktor lambda K.kt:13\n"
        "PUT /items/{id} -> /items/{} ktor lambda K.kt:14\n"
        "POST /items -> /items ktor lambda K.kt:15\n");
}

static void
kotlin_annotations_are_read_in_all_their_forms(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/A.kt",
               "package a\n"
               "import b.FAR\n"
               "import org.springframework.web.bind.annotation.*\n"
               "@RestController\n"
               "@RequestMapping(\"/api\")\n"
               "class A(private val other: String) : Base {\n"
               "    @GetMapping(FAR, \"$NEAR/x\")\n"
               "    fun both() = 1\n"
               "    @PostMapping(value = arrayOf(\"/old\"))\n"
               "    fun old() = 1\n"
               "    @Fetch(value = [\"/made\"])\n"
               "    fun made() = 1\n"
               "}\n"},
              {"src/a/Constants.kt", "package a\n"
                                     "const val NEAR = \"/near\"\n"},
              {"src/a/Fetch.kt",
               "package a\n"
               "import org.springframework.core.annotation.AliasFor\n"
               "import org.springframework.web.bind.annotation.*\n"
               "@RequestMapping(method = [RequestMethod.GET])\n"
               "annotation class Fetch(\n"
               "    @get:AliasFor(annotation = RequestMapping::class, "
               "attribute = \"path\")\n"
               "    val value: Array<String>\n"
               ")\n"},
              {"src/b/Constants.kt", "package b\n"
                                     "const val FAR = \"/far\"\n"}),
        "GET /api/far -> /api/far spring both src/a/A.kt:7\n"
        "GET /api/near/x -> /api/near/x spring both src/a/A.kt:7\n"
        "POST /api/old -> /api/old spring old src/a/A.kt:9\n"
        "GET /api/made -> /api/made spring made src/a/A.kt:11\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laravel_groups_prefix_their_routes),
        cmocka_unit_test(laravel_resources_have_the_actions_that_are_left),
        cmocka_unit_test(laravel_limits_are_lists_arguments_and_options),
        cmocka_unit_test(symfony_and_slim_have_routes),
        cmocka_unit_test(axum_routers_nest),
        cmocka_unit_test(axum_methods_merge),
        cmocka_unit_test(actix_scopes_and_macros_nest),
        cmocka_unit_test(each_mark_of_a_method_is_a_route),
        cmocka_unit_test(ktor_methods_may_be_of_blocks),
        cmocka_unit_test(ktor_routes_stand_in_their_blocks),
        cmocka_unit_test(next_routes_are_the_places_of_files),
        cmocka_unit_test(ktor_routes_may_stand_at_classes),
        cmocka_unit_test(ktor_classes_may_begin_with_a_slash),
        cmocka_unit_test(kotlin_annotations_are_read_in_all_their_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
