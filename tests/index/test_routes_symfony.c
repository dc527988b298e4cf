/*
 * Symfony's configuration: what it takes in, and what it does not.
 */
#include "tests/index/routes_fixture.h"

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
        cmocka_unit_test(attributes_of_a_class_name_its_own_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
