/*
 * Symfony's configuration: what it takes in, and what it does not.
 */
#include "index/routes_symfony_glob.h"
#include "index/routes_symfony_take.h"
#include "tests/index/routes_fixture.h"
#include "tests/support/cpu.h"

LINK_LANG(php);

#define ROUTE "use Symfony\\Component\\Routing\\Attribute\\Route;\n"
#define CONFIGURATOR                                                 \
    "use Symfony\\Component\\Routing\\Loader\\Configurator\\Routing" \
    "Configurator;\n"

#define SHOP                                                      \
    {                                                             \
        "src/Controller/ShopController.php",                      \
            "<?php\nnamespace App\\Controller;\n" ROUTE           \
            "class ShopController {\n"                            \
            "    #[Route('/carts/{id<\\d+>?1}', name: 'cart')]\n" \
            "    public function cart() {}\n"                     \
            "}\n"                                                 \
    }

static void
what_is_not_taken_in_is_not_known(void **state)
{
    (void)state;
    assert_routes(FILES({"config/routes.yaml", "api:\n"
                                               "    resource: ../src/Api/\n"
                                               "    type: attribute\n"
                                               "    prefix: /api\n"},
                        SHOP),
                  "ANY /carts/{id} -> /carts/{} symfony cart "
                  "src/Controller/ShopController.php:5 tail\n");
    assert_routes(FILES(SHOP), "ANY /carts/{id} -> /carts/{} symfony cart "
                               "src/Controller/ShopController.php:5\n"
                               "ANY cart -> /cart symfony cart "
                               "src/Controller/ShopController.php:5\n");
}

static void
controllers_are_taken_in_by_service_or_class(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.yaml", "controllers:\n"
                                     "    resource: routing.controllers\n"
                                     "    prefix: shop\n"
                                     "    name_prefix: shop_\n"},
              SHOP),
        "ANY /shop/carts/{id} -> /shop/carts/{} symfony cart "
        "src/Controller/ShopController.php:5\n"
        "ANY shop_cart -> /shop_cart symfony cart "
        "src/Controller/ShopController.php:5\n");
    assert_routes(FILES({"app/config/routing.yml",
                         "one:\n"
                         "    resource: App\\Controller\\ShopController\n"
                         "    type: annotation\n"
                         "    prefix: /{_locale}\n"},
                        SHOP),
                  "ANY /{_locale}/carts/{id} -> /{}/carts/{} symfony cart "
                  "src/Controller/ShopController.php:5\n"
                  "ANY cart -> /cart symfony cart "
                  "src/Controller/ShopController.php:5\n");
}

static void
bundles_are_found_by_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app/config/routing.yml",
               "shop:\n"
               "    resource: '@ShopBundle/Resources/config/routing.yml'\n"
               "    prefix: /shop\n"},
              {"src/Acme/ShopBundle/Resources/config/routing.yml",
               "list:\n"
               "    path: /list\n"
               "    defaults: { _controller: "
               "'Acme\\ShopBundle\\Controller\\ListController::all' }\n"
               "    methods: [get]\n"
               "gone:\n"
               "    path: /gone\n"
               "    controller: Acme\\Elsewhere\\Controller::all\n"},
              {"src/Acme/ShopBundle/Controller/ListController.php",
               "<?php\nnamespace Acme\\ShopBundle\\Controller;\n"
               "class ListController {\n"
               "    public function all() {}\n"
               "}\n"}),
        "GET /shop/list -> /shop/list symfony all "
        "src/Acme/ShopBundle/Controller/ListController.php:4\n"
        "GET list -> /list symfony all "
        "src/Acme/ShopBundle/Controller/ListController.php:4\n");
}

static void
a_kernel_has_routes_of_its_own(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/Kernel.php",
               "<?php\nnamespace App;\n" CONFIGURATOR "class Kernel {\n"
               "    protected function configureRoutes(RoutingConfigurator "
               "$routes): void {\n"
               "        $routes->import('../config/{routes}/*.yaml');\n"
               "        $routes->add('home', '/')->controller([$this, "
               "'home']);\n"
               "        $routes->import('Controller/', 'attribute')"
               "->prefix('v1');\n"
               "    }\n"
               "    public function home() {}\n"
               "}\n"},
              SHOP),
        "ANY / -> / symfony home src/Kernel.php:7\n"
        "ANY home -> /home symfony home src/Kernel.php:7\n"
        "ANY /v1/carts/{id} -> /v1/carts/{} symfony cart "
        "src/Controller/ShopController.php:5\n"
        "ANY cart -> /cart symfony cart "
        "src/Controller/ShopController.php:5\n");
}

static void
collections_hold_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"web/front.php",
               "<?php\n"
               "use Symfony\\Component\\Routing\\Route;\n"
               "use Symfony\\Component\\Routing\\RouteCollection;\n"
               "class Page { public function show() {} }\n"
               "$routes = new RouteCollection();\n"
               "$routes->add('page', new Route('/pages/{slug}', "
               "['_controller' => [Page::class, 'show']], [], [], '', [], "
               "['GET']));\n"
               "$list->add('none', '/none');\n"}),
        "GET /pages/{slug} -> /pages/{} symfony show web/front.php:6\n"
        "GET page -> /page symfony show web/front.php:6\n");
}

static void
attributes_of_a_class_name_its_own_constants(void **state)
{
    (void)state;
    assert_routes(FILES({"src/Controller/Base.php",
                         "<?php\nnamespace App\\Controller;\n"
                         "class Base { const NAMES = 'base_'; }\n"},
                        {"src/Controller/PageController.php",
                         "<?php\nnamespace App\\Controller;\n" ROUTE
                         "#[Route(self::PATH . '/v1', name: self::NAMES)]\n"
                         "class PageController extends Base {\n"
                         "    public const PATH = '/pages';\n"
                         "    #[Route(self::PATH, name: 'show')]\n"
                         "    public function show() {}\n"
                         "}\n"}),
                  "ANY /pages/v1/pages -> /pages/v1/pages symfony show "
                  "src/Controller/PageController.php:7\n"
                  "ANY base_show -> /base_show symfony show "
                  "src/Controller/PageController.php:7\n");
}

static void
the_last_route_of_a_name_is_the_one(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/Controller/PageController.php",
               "<?php\nnamespace App\\Controller;\n" ROUTE
               "class PageController {\n"
               "    #[Route(['en' => '/a', 'nl' => '/b'], name: 'x')]\n"
               "    public function one() {}\n"
               "    #[Route('/c', name: 'y', methods: ['GET', 'PUT'])]\n"
               "    public function two() {}\n"
               "    #[Route('/d', name: 'y')]\n"
               "    public function three() {}\n"
               "}\n"}),
        "ANY /a -> /a symfony one src/Controller/PageController.php:5\n"
        "ANY /b -> /b symfony one src/Controller/PageController.php:5\n"
        "ANY x -> /x symfony one src/Controller/PageController.php:5\n"
        "ANY /d -> /d symfony three src/Controller/PageController.php:9\n"
        "ANY y -> /y symfony three src/Controller/PageController.php:9\n");
}

/* A file that takes itself in, and two that take in each other. */
static void
a_circle_is_walked_once(void **state)
{
    (void)state;
    struct buf self = {0};

    for (unsigned i = 0; i < 12; i++)
        buf_printf(&self, "a%u: {resource: routes.yaml, prefix: /a}\n", i);
    buf_printf(&self, "c: {resource: ../src/, type: attribute}\n");
    assert_routes(
        FILES({"config/routes.yaml", buf_cstr(&self)}, SHOP),
        "ANY /carts/{id} -> /carts/{} symfony cart "
        "src/Controller/ShopController.php:5\n"
        "ANY cart -> /cart symfony cart src/Controller/ShopController.php:5\n");
    assert_routes(
        FILES({"config/routes.yaml", "a: {resource: x/b.yaml, prefix: b}\n"},
              {"config/x/b.yaml",
               "a: {resource: ../routes.yaml, prefix: a}\n"
               "b: {resource: ../../src/, type: attribute, prefix: c}\n"},
              SHOP),
        "ANY /b/c/carts/{id} -> /b/c/carts/{} symfony cart "
        "src/Controller/ShopController.php:5\n"
        "ANY cart -> /cart symfony cart src/Controller/ShopController.php:5\n");
    buf_fini(&self);
}

/* |count| takings of one file by another, the last one of the controllers. */
static void
assert_takings(unsigned count, const char *expected)
{
    struct buf text = {0};

    for (unsigned i = 1; i < count; i++)
        buf_printf(&text, "a%u: {resource: x/none.php}\n", i);
    buf_printf(&text, "c: {resource: ../src/, type: attribute, prefix: p}\n");
    assert_routes(FILES({"config/routes.yaml", buf_cstr(&text)}, SHOP),
                  expected);
    buf_fini(&text);
}

static void
what_is_above_the_takings_is_not_known(void **state)
{
    (void)state;
    assert_takings(SYMFONY_TAKINGS_MAX,
                   "ANY /p/carts/{id} -> /p/carts/{} symfony cart "
                   "src/Controller/ShopController.php:5\n"
                   "ANY cart -> /cart symfony cart "
                   "src/Controller/ShopController.php:5\n");
    assert_takings(SYMFONY_TAKINGS_MAX + 1,
                   "ANY /carts/{id} -> /carts/{} symfony cart "
                   "src/Controller/ShopController.php:5 tail\n");
}

static bool
fits(const char *pattern, const char *path, bool is_below)
{
    uint32_t left = 1000000;
    struct glob g;
    bool does = glob_read(str_of(pattern), &left, &g) &&
                glob_fits(&g, str_of(path), is_below, &left);

    glob_fini(&g);
    return does;
}

static void
patterns_fit_paths(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool is_below, fits;
    } rows[] = {
        {"src/*.php", "src/a.php", false, true},
        {"src/*.php", "src/a/b.php", false, false},
        {"src/**/*.php", "src/b.php", false, true},
        {"src/**/*.php", "src/a/c/b.php", false, true},
        {"src/**/x/*.php", "src/x/a/x/b.php", false, true},
        {"src/**/x/*.php", "src/ax/b.php", false, false},
        {"**/AppBundle/a.php", "AppBundle/a.php", false, true},
        {"**/AppBundle/a.php", "src/MyAppBundle/a.php", false, false},
        {"**/AppBundle", "src/AppBundle/x/a.php", true, true},
        {"src/**", "src/x/a.php", false, true},
        {"src/a*b*c", "src/abbcbc", false, true},
        {"src/a*b*c", "src/abbcb", false, false},
        {"src/*b/c", "src/bab/c", false, true},
        {"src/a?c", "src/abc", false, true},
        {"src/a?c", "src/a/c", false, false},
        {"src/{a,b}/{c,d}.php", "src/b/d.php", false, true},
        {"src/{a,b}/{c,d}.php", "src/b/e.php", false, false},
        {"src/{,x}a", "src/a", false, true},
        {"src/{a", "src/{a", false, true},
        {"src/a", "src/a/b.php", false, false},
        {"src/a*", "src/ab/b.php", true, true},
        {"src/a", "src/ab", true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (fits(rows[i].pattern, rows[i].path, rows[i].is_below) !=
            rows[i].fits)
            fail_msg("%s, %s", rows[i].pattern, rows[i].path);
}

static void
patterns_have_bounds(void **state)
{
    (void)state;
    uint32_t left = 1000000;
    char text[GLOB_LEN_MAX + 2];
    struct glob g;

    memset(text, 'a', sizeof(text));
    assert_true(glob_read((str){text, GLOB_LEN_MAX}, &left, &g));
    glob_fini(&g);
    assert_false(glob_read((str){text, GLOB_LEN_MAX + 1}, &left, &g));
    glob_fini(&g);
    /* 64 choices, and 128 */
    assert_true(fits("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "bbbbbb", false));
    assert_false(fits("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "aaaaaaa", false));
    /* A step for the choice, one for each letter, one for the end. */
    left = 3 + 5;
    assert_true(glob_read(STR("abc"), &left, &g));
    assert_true(glob_fits(&g, STR("abc"), false, &left));
    left = 4;
    assert_false(glob_fits(&g, STR("abc"), false, &left));
    assert_int_equal(left, 0);
    glob_fini(&g);
}

/* Patterns share one budget: thousands of them over long names end. */
static void
patterns_end(void **state)
{
    (void)state;
    struct buf yaml = {0};
    struct route_file files[62] = {{"config/routes.yaml", NULL}};
    char names[60][128];

    for (unsigned i = 0; i < 3000; i++)
        buf_printf(&yaml, "a%u:\n  resource: \"../src/*a*a*a*a*b%u\"\n", i, i);
    files[0].content = buf_cstr(&yaml);
    for (unsigned i = 0; i < 60; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "src/%060d%u.php", 0, i);
        memset(names[i] + 4, 'a', 60);
        files[i + 1] = (struct route_file){names[i], "<?php\nclass A {}\n"};
    }
    double start = cpu_seconds();
    assert_routes(files, "");
    assert_true(cpu_seconds() - start < 20);
    buf_fini(&yaml);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_taken_in_is_not_known),
        cmocka_unit_test(controllers_are_taken_in_by_service_or_class),
        cmocka_unit_test(bundles_are_found_by_name),
        cmocka_unit_test(a_kernel_has_routes_of_its_own),
        cmocka_unit_test(collections_hold_routes),
        cmocka_unit_test(the_last_route_of_a_name_is_the_one),
        cmocka_unit_test(a_circle_is_walked_once),
        cmocka_unit_test(what_is_above_the_takings_is_not_known),
        cmocka_unit_test(patterns_fit_paths),
        cmocka_unit_test(patterns_have_bounds),
        cmocka_unit_test(patterns_end),
        cmocka_unit_test(attributes_of_a_class_name_its_own_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
