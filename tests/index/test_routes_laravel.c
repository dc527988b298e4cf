/*
 * Laravel's files of routes stand where they are taken in.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(php);

static void
files_of_routes_stand_where_they_are_taken_in(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"app/Providers/RouteServiceProvider.php",
             "<?php\n"
             "namespace App\\Providers;\n"
             "use Illuminate\\Support\\Facades\\Route;\n"
             "class RouteServiceProvider {\n"
             "    protected $namespace = 'App\\Http\\Controllers';\n"
             "    public function boot() {\n"
             "        $this->routes(function () {\n"
             "            "
             "Route::prefix('api')->middleware('api')->group(base_path('routes/"
             "api.php'));\n"
             "            "
             "Route::middleware('web')->group(base_path('routes/web.php'));\n"
             "            if (file_exists(base_path('routes/admin.php')))\n"
             "            "
             "Route::prefix('admin')->middleware('web')->group(base_path('"
             "routes/admin.php'));\n"
             "            "
             "Route::middleware('api')->prefix('api/v2')->group(function () { "
             "require base_path('routes/v2.php'); });\n"
             "        });\n"
             "    }\n"
             "    protected function mapPartner() {\n"
             "        Route::group(['prefix' => 'partner', 'namespace' => "
             "$this->namespace], base_path('routes/partner.php'));\n"
             "        "
             "Route::prefix('x')->group(__DIR__.'/../../routes/dir.php');\n"
             "    }\n"
             "}\n"},
            {"routes/web.php", "<?php\n"
                               "use Illuminate\\Support\\Facades\\Route;\n"
                               "Route::get('/w', fn () => 1);\n"
                               "require __DIR__.'/auth.php';\n"
                               "Route::prefix('inc')->group(function () { "
                               "require __DIR__.'/inc.php'; });\n"},
            {"routes/auth.php", "<?php\n"
                                "use Illuminate\\Support\\Facades\\Route;\n"
                                "Route::get('/login', fn () => 1);\n"},
            {"routes/inc.php", "<?php\n"
                               "use Illuminate\\Support\\Facades\\Route;\n"
                               "Route::get('/i', fn () => 1);\n"},
            {"routes/api.php", "<?php\n"
                               "use Illuminate\\Support\\Facades\\Route;\n"
                               "Route::get('/a', fn () => 1);\n"},
            {"routes/admin.php", "<?php\n"
                                 "use Illuminate\\Support\\Facades\\Route;\n"
                                 "Route::get('/d', fn () => 1);\n"},
            {"routes/v2.php", "<?php\n"
                              "use Illuminate\\Support\\Facades\\Route;\n"
                              "Route::get('/v', fn () => 1);\n"},
            {"routes/partner.php", "<?php\n"
                                   "use Illuminate\\Support\\Facades\\Route;\n"
                                   "Route::get('/p', fn () => 1);\n"},
            {"routes/dir.php", "<?php\n"
                               "use Illuminate\\Support\\Facades\\Route;\n"
                               "Route::get('/dir', fn () => 1);\n"},
            {"routes/other.php", "<?php\n"
                                 "use Illuminate\\Support\\Facades\\Route;\n"
                                 "Route::get('/o', fn () => 1);\n"},
            {"bootstrap/app.php",
             "<?php\n"
             "use Illuminate\\Foundation\\Application;\n"
             "return Application::configure()\n"
             "    ->withRouting(api: __DIR__.'/../sub/routes/api.php', "
             "apiPrefix: 'v9');\n"},
            {"sub/routes/api.php", "<?php\n"
                                   "use Illuminate\\Support\\Facades\\Route;\n"
                                   "Route::get('/nine', fn () => 1);\n"},
            {"Modules/Blog/Routes/web.php",
             "<?php\n"
             "use Illuminate\\Support\\Facades\\Route;\n"
             "Route::get('/blog', fn () => 1);\n"}),
        "GET w -> /w laravel lambda routes/web.php:3\n"
        "GET login -> /login laravel lambda routes/auth.php:3\n"
        "GET inc/i -> /inc/i laravel lambda routes/inc.php:3\n"
        "GET api/a -> /api/a laravel lambda routes/api.php:3\n"
        "GET admin/d -> /admin/d laravel lambda routes/admin.php:3\n"
        "GET api/v2/v -> /api/v2/v laravel lambda routes/v2.php:3\n"
        "GET partner/p -> /partner/p laravel lambda routes/partner.php:3\n"
        "GET x/dir -> /x/dir laravel lambda routes/dir.php:3\n"
        "GET o -> /o laravel lambda routes/other.php:3 tail\n"
        "GET v9/nine -> /v9/nine laravel lambda sub/routes/api.php:3\n"
        "GET blog -> /blog laravel lambda Modules/Blog/Routes/web.php:3 "
        "tail\n");
}

#define ROUTES_OF(path)                                                     \
    {                                                                       \
        "routes/" path ".php", "<?php\n"                                    \
                               "use Illuminate\\Support\\Facades\\Route;\n" \
                               "Route::get('/" path "', fn () => 1);\n"     \
    }

static void
what_a_group_requires_is_there_though_elsewhere_too(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app/Providers/RouteServiceProvider.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "class RouteServiceProvider {\n"
               "    public function boot() {\n"
               "        Route::middleware('web')->group(function () { require "
               "base_path('routes/both.php'); });\n"
               "        "
               "Route::prefix('p')->group(base_path('routes/both.php'));\n"
               "        Route::middleware('web')->group(function () { if "
               "(file_exists(base_path('routes/seen.php'))) "
               "Route::prefix('s')->group(base_path('routes/seen.php')); });\n"
               "        Route::domain('api.x.org')->group(function () { "
               "require base_path('routes/api.php'); });\n"
               "        $this->path = base_path('routes/both.php');\n"
               "    }\n"
               "}\n"},
              ROUTES_OF("both"), ROUTES_OF("seen"), ROUTES_OF("api")),
        "GET both -> /both laravel lambda routes/both.php:3\n"
        "GET p/both -> /p/both laravel lambda routes/both.php:3\n"
        "GET s/seen -> /s/seen laravel lambda routes/seen.php:3\n"
        "GET api -> /api laravel lambda routes/api.php:3\n");
}

static void
prefixes_of_single_routes_stand_before_their_groups(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "Route::prefix('g')->prefix('h')->group(function () {\n"
               "    Route::prefix('a')->get('x', fn () => 1);\n"
               "    Route::prefix('a')->apiResource('ys', C::class)"
               "->only('index');\n"
               "    Route::redirect('/old', '/new');\n"
               "    Route::fallback(fn () => 1);\n"
               "});\n"},
              {"routes/api.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "Route::prefix('v1')->get('z', fn () => 1);\n"}),
        "GET a/h/x -> /a/h/x laravel lambda routes/web.php:4\n"
        "GET h/ys -> /h/ys laravel - routes/web.php:5\n"
        "ANY h/old -> /h/old laravel - routes/web.php:6\n"
        "GET h/{fallbackPlaceholder} -> /h/{} laravel lambda "
        "routes/web.php:7\n"
        "GET z -> /z laravel lambda routes/api.php:3 tail\n");
}

static void
singletons_have_what_they_are_told(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "Route::singleton('profile', C::class);\n"
               "Route::apiSingleton('photos.thumb', C::class)->creatable();\n"
               "Route::singleton('last', C::class)->destroyable()"
               "->only('destroy', 'store');\n"}),
        "GET profile -> /profile laravel - routes/web.php:3\n"
        "GET profile/edit -> /profile/edit laravel - routes/web.php:3\n"
        "PUT profile -> /profile laravel - routes/web.php:3\n"
        "PATCH profile -> /profile laravel - routes/web.php:3\n"
        "POST photos/{photo}/thumb -> /photos/{}/thumb laravel - "
        "routes/web.php:4\n"
        "GET photos/{photo}/thumb -> /photos/{}/thumb laravel - "
        "routes/web.php:4\n"
        "PUT photos/{photo}/thumb -> /photos/{}/thumb laravel - "
        "routes/web.php:4\n"
        "PATCH photos/{photo}/thumb -> /photos/{}/thumb laravel - "
        "routes/web.php:4\n"
        "DELETE photos/{photo}/thumb -> /photos/{}/thumb laravel - "
        "routes/web.php:4\n"
        "DELETE last -> /last laravel - routes/web.php:5\n");
}

static void
classes_by_text_are_below_the_namespaces_around(void **state)
{
    (void)state;
    assert_routes(FILES({"routes/web.php",
                         "<?php\n"
                         "use Illuminate\\Support\\Facades\\Route;\n"
                         "Route::get('a', 'C@x');\n"
                         "Route::namespace('Admin')->group(function () {\n"
                         "    Route::get('b', 'C@x');\n"
                         "    Route::get('c', ['uses' => '\\Other\\C@x']);\n"
                         "    Route::resource('ds', 'C', ['only' => 'show']);\n"
                         "});\n"
                         "Route::get('e', [\\Other\\C::class, 'x']);\n"
                         "Route::get('f', 'Twice@x');\n"},
                        {"app/Http/Controllers/C.php",
                         "<?php\nnamespace App\\Http\\Controllers;\n"
                         "class C { function x() {} }\n"},
                        {"app/Http/Controllers/Admin/C.php",
                         "<?php\nnamespace App\\Http\\Controllers\\Admin;\n\n"
                         "class C { function x() {} function show() {} }\n"},
                        {"other/C.php", "<?php\nnamespace Other;\n\n\n"
                                        "class C { function x() {} }\n"},
                        {"one/Twice.php", "<?php\nnamespace One;\n"
                                          "class Twice { function x() {} }\n"},
                        {"two/Twice.php", "<?php\nnamespace Two;\n"
                                          "class Twice { function x() {} }\n"}),
                  "GET a -> /a laravel x routes/web.php:3\n"
                  "GET b -> /b laravel x routes/web.php:5\n"
                  "GET c -> /c laravel x routes/web.php:6\n"
                  "GET ds/{d} -> /ds/{} laravel show routes/web.php:7\n"
                  "GET e -> /e laravel x routes/web.php:9\n"
                  "GET f -> /f laravel - routes/web.php:10\n");
}

static void
the_last_route_of_a_method_and_path_is_the_one(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "Route::get('/a', [A::class, 'old']);\n"
               "Route::post('/a', [A::class, 'made']);\n"
               "Route::domain('x.test')->get('/a', [A::class, 'there']);\n"
               "Route::get('a', [A::class, 'now']);\n"
               "Route::get('/a/{id}', [A::class, 'old']);\n"
               "Route::get('/a/{slug}', [A::class, 'now']);\n"},
              {"app/A.php", "<?php\nclass A {\n"
                            "    public function old() {}\n"
                            "    public function now() {}\n"
                            "    public function made() {}\n"
                            "    public function there() {}\n"
                            "}\n"}),
        "POST a -> /a laravel made routes/web.php:4\n"
        "GET a -> /a laravel there routes/web.php:5\n"
        "GET a -> /a laravel now routes/web.php:6\n"
        "GET a/{id} -> /a/{} laravel old routes/web.php:7\n"
        "GET a/{slug} -> /a/{} laravel now routes/web.php:8\n");
}

static void
loops_over_arrays_are_gone_through(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes/web.php",
               "<?php\n"
               "use Illuminate\\Support\\Facades\\Route;\n"
               "foreach (['carts', 'orders'] as $name) {\n"
               "    Route::get('/all/' . $name, [A::class, 'show']);\n"
               "}\n"
               "foreach (['x' => 'show', 'y' => 'other'] as $at => $what) {\n"
               "    Route::get($at, [A::class, 'show']);\n"
               "}\n"},
              {"app/A.php", "<?php\nclass A {\n"
                            "    public function show() {}\n"
                            "    public function other() {}\n"
                            "}\n"}),
        "GET all/carts -> /all/carts laravel show routes/web.php:4\n"
        "GET all/orders -> /all/orders laravel show routes/web.php:4\n"
        "GET x -> /x laravel show routes/web.php:7\n"
        "GET y -> /y laravel show routes/web.php:7\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_routes_stand_where_they_are_taken_in),
        cmocka_unit_test(prefixes_of_single_routes_stand_before_their_groups),
        cmocka_unit_test(singletons_have_what_they_are_told),
        cmocka_unit_test(classes_by_text_are_below_the_namespaces_around),
        cmocka_unit_test(the_last_route_of_a_method_and_path_is_the_one),
        cmocka_unit_test(loops_over_arrays_are_gone_through),
        cmocka_unit_test(what_a_group_requires_is_there_though_elsewhere_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
