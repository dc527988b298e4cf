/* What manifests say together: services and their folders, exposures, owners.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/manifest.h"

struct file {
    const char *path;
    const char *text;
};

/* One line a row: `service NAME in FOLDER rank N`, ... */
static char *
read_all(const struct file *files, size_t len)
{
    struct manifests m;
    struct code_build build;
    struct buf out = {0};

    assert_int_equal(manifests_init(&m), OK);
    assert_int_equal(code_build_init(&build), OK);
    build.repo_url = texts_add(&build.texts, STR("example.com/org/shop"));
    for (size_t i = 0; i < len; i++) {
        assert_true(manifests_wants(str_of(files[i].path)));
        (void)manifests_take(&m, str_of(files[i].path), str_of(files[i].text));
    }
    assert_int_equal(manifests_finish(&m, &build), OK);
#define TEXT(id) \
    (int)texts_get(&build.texts, (id)).len, texts_get(&build.texts, (id)).ptr
    for (uint32_t i = 0; i < build.service_len; i++)
        buf_printf(&out, "service %.*s in [%.*s] rank %u\n",
                   TEXT(build.services[i].name),
                   TEXT(build.services[i].directory), build.services[i].rank);
    for (uint32_t i = 0; i < build.exposure_len; i++)
        buf_printf(
            &out, "exposed %.*s%.*s to %.*s as [%.*s]\n",
            TEXT(build.exposures[i].host), TEXT(build.exposures[i].prefix),
            TEXT(build.exposures[i].service), TEXT(build.exposures[i].rewrite));
    for (uint32_t i = 0; i < build.owner_len; i++)
        buf_printf(&out, "owner %.*s of %.*s line %u\n",
                   TEXT(build.owners[i].owner), TEXT(build.owners[i].pattern),
                   build.owners[i].line);
#undef TEXT
    char *text = strdup(buf_cstr(&out));
    buf_fini(&out);
    manifests_fini(&m);
    code_build_fini(&build);
    return text;
}

#define READ(...)                                \
    read_all((const struct file[]){__VA_ARGS__}, \
             sizeof((const struct file[]){__VA_ARGS__}) / sizeof(struct file))

static void
says(char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void
says_not(char *text, const char *line)
{
    if (strstr(text, line))
        fail_msg("line \"%s\" in:\n%s", line, text);
}

static void
compose_names_folders_and_the_sdk_goes_first(void **state)
{
    char *text =
        READ({"deploy/compose.yaml",
              "x-env: &env\n  OTEL_SERVICE_NAME: basket\n"
              "services:\n"
              "  cart:\n    build: ../services/cart\n    environment:\n"
              "      <<: *env\n"
              "  web:\n    build: {context: .., dockerfile: web/Dockerfile}\n"
              "    environment: "
              "[\"OTEL_RESOURCE_ATTRIBUTES=a=b,service.name=front\"]\n"
              "  db:\n    image: postgres:16\n"});

    (void)state;
    says(text, "service basket in [services/cart] rank 1\n");
    says(text, "service cart in [services/cart] rank 2\n");
    says(text, "service front in [web] rank 1\n");
    says_not(text, "service db");
    free(text);
}

static void
a_deployment_is_tied_to_the_folder_its_image_is_built_from(void **state)
{
    char *text =
        READ({"services/cart/Dockerfile", "FROM scratch\n"},
             {"services/pay/Dockerfile",
              "FROM scratch\nENV OTEL_SERVICE_NAME=payer\n"},
             {"k8s/all.yaml",
              "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n---\n"
              "apiVersion: apps/v1\nkind: Deployment\n"
              "metadata:\n  name: cart-v2\n"
              "spec:\n  template:\n    spec:\n      containers:\n"
              "      - image: registry/shop/cart:1.2\n        env:\n"
              "        - {name: OTEL_SERVICE_NAME, value: shop-cart}\n"});

    (void)state;
    says(text, "service shop-cart in [services/cart] rank 1\n");
    says(text, "service cart-v2 in [services/cart] rank 2\n");
    says(text, "service cart in [services/cart] rank 4\n");
    says(text, "service payer in [services/pay] rank 1\n");
    free(text);
}

static void
packages_and_spring_name_their_projects(void **state)
{
    char *text =
        READ({"web/package.json", "{\"name\": \"@shop/web\"}"},
             {"api/pyproject.toml",
              "[build]\nname = \"no\"\n[project]\nname = \"api\"\n"},
             {"go/go.mod", "module example.com/org/orders/v2\n\ngo 1.22\n"},
             {"pay/src/main/resources/application.yml",
              "spring:\n  application:\n    name: payments\n"},
             {"tax/src/main/resources/application.properties",
              "spring.application.name = taxes\n"},
             {"Dockerfile", "FROM scratch\n"});

    (void)state;
    says(text, "service @shop/web in [web] rank 3\n");
    says(text, "service web in [web] rank 3\n");
    says(text, "service api in [api] rank 3\n");
    says(text, "service orders in [go] rank 3\n");
    says(text, "service payments in [pay] rank 1\n");
    says(text, "service taxes in [tax] rank 1\n");
    says(text, "service shop in [] rank 4\n");
    says_not(text, "service no ");
    free(text);
}

static void
maven_names_a_project_by_its_own_artifact(void **state)
{
    char *text =
        READ({"bom/pom.xml", "<project><artifactId>bom</artifactId>"
                             "<packaging>pom</packaging></project>"},
             {"shop/pom.xml",
              "<?xml version=\"1.0\"?>\n"
              "<!-- <project><artifactId>old</artifactId> -->\n"
              "<project xmlns=\"urn:x\">\n"
              "  <parent><artifactId>starter</artifactId><relativePath/>"
              "</parent>\n"
              "  <name><![CDATA[a > <b> <artifactId>no</artifactId>]]></name>\n"
              "  <artifactId> shop-api </artifactId>\n"
              "  <dependencies><dependency><artifactId>dep</artifactId>\n"
              "  </dependency></dependencies>\n</project>\n"},
             {"cut/pom.xml", "<project><artifactId>cut"}, {"bare/pom.xml", "<"},
             {"q/src/main/resources/application.properties",
              "quarkus.application.name=quick\n"},
             {"m/src/main/resources/application.yml",
              "micronaut:\n  application:\n    name: tiny\n"});

    (void)state;
    says(text, "service shop-api in [shop] rank 3\n");
    says(text, "service quick in [q] rank 1\n");
    says(text, "service tiny in [m] rank 1\n");
    says(text, "service cut in [cut] rank 4\n");
    says(text, "service bare in [bare] rank 4\n");
    says(text, "service bom in [bom] rank 4\n");
    says_not(text, "service bom in [bom] rank 3");
    says_not(text, "service starter ");
    says_not(text, "service dep ");
    says_not(text, "service old ");
    free(text);
}

static void
functions_of_lambda_say_what_they_are_called(void **state)
{
    char *text =
        READ({"shop/serverless.yml",
              "service: shop\nprovider:\n  name: aws\n"
              "  environment: {OTEL_SERVICE_NAME: shop-api}\n"
              "functions:\n  list:\n    handler: a.list\n"
              "    environment: {OTEL_SERVICE_NAME: shop-list}\n"
              "  other:\n    handler: a.other\n"
              "    environment: {OTEL_SERVICE_NAME: '${self:service}-x'}\n"},
             {"old/serverless.yml", "service: {name: old-shop}\n"
                                    "provider: {name: aws}\nfunctions: {}\n"},
             {"pay/template.yaml",
              "Globals:\n  Function:\n    Environment:\n      Variables:\n"
              "        OTEL_RESOURCE_ATTRIBUTES: service.name=pay,a=b\n"
              "Resources:\n  Refund:\n    Type: AWS::Serverless::Function\n"
              "    Properties:\n      Environment:\n        Variables:\n"
              "          OTEL_SERVICE_NAME: refund\n"
              "  Void:\n    Type: AWS::Serverless::Function\n"
              "    Properties:\n      Environment:\n        Variables:\n"
              "          OTEL_SERVICE_NAME: !Ref ServiceName\n"
              "  Table:\n    Type: AWS::DynamoDB::Table\n    Properties:\n"
              "      Environment: {Variables: {OTEL_SERVICE_NAME: table}}\n"},
             {"ci/pipeline.yml", "service: no\nfunctions: [a]\n"});

    (void)state;
    says(text, "service shop in [shop] rank 3\n");
    says(text, "service shop-api in [shop] rank 1\n");
    says(text, "service shop-list in [shop] rank 1\n");
    says(text, "service old-shop in [old] rank 3\n");
    says(text, "service pay in [pay] rank 1\n");
    says(text, "service refund in [pay] rank 1\n");
    says_not(text, "table");
    says_not(text, "service no");
    says_not(text, "self");
    says_not(text, "ServiceName");
    free(text);
}

static void
gateways_say_what_is_reached_under_which_prefix(void **state)
{
    char *text = READ(
        {"k8s/ingress.yaml",
         "apiVersion: networking.k8s.io/v1\nkind: Ingress\n"
         "metadata: {annotations: "
         "{nginx.ingress.kubernetes.io/rewrite-target: /}}\n"
         "spec:\n  rules:\n  - host: shop.example\n    http:\n      paths:\n"
         "      - path: /api/cart\n        backend: {service: {name: cart}}\n"},
        {"k8s/route.yaml",
         "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
         "spec:\n  hostnames: [a.example]\n  rules:\n"
         "  - matches: [{path: {value: /pay}}]\n"
         "    filters: [{urlRewrite: {path: {replacePrefixMatch: /v1}}}]\n"
         "    backendRefs: [{name: pay}]\n"},
        {"k8s/vs.yaml",
         "apiVersion: networking.istio.io/v1\nkind: VirtualService\n"
         "spec:\n  hosts: [b.example]\n  http:\n"
         "  - match: [{uri: {prefix: /tax}}]\n"
         "    route: [{destination: {host: tax.shop.svc.cluster.local}}]\n"},
        {"gw/src/main/resources/application.yml",
         "spring:\n  cloud:\n    gateway:\n      routes:\n"
         "      - {uri: 'lb://orders', predicates: ['Path=/orders/**'], "
         "filters: [StripPrefix=1]}\n"},
        {"nginx.conf",
         "server { \n  server_name x.example;\n  location /img/ {\n"
         "    proxy_pass http://images:8080/;\n  }\n"
         "  location ~ \\.php$ {\n    proxy_pass http://php;\n  }\n}\n"});

    (void)state;
    says(text, "exposed shop.example/api/cart to cart as [/]\n");
    says(text, "exposed a.example/pay to pay as [/v1]\n");
    says(text, "exposed b.example/tax to tax as []\n");
    says(text, "exposed /orders to orders as [/]\n");
    says(text, "exposed x.example/img/ to images as [/]\n");
    says_not(text, "to php");
    free(text);
}

static void
the_first_place_of_codeowners_counts(void **state)
{
    char *text = READ({"docs/CODEOWNERS", "* @docs\n"},
                      {".github/CODEOWNERS",
                       "# who\n*  @all @ops\n/a\\ b/ @sp # why\n[Section]\n"
                       "/free/\n"},
                      {"CODEOWNERS", "* @root\n"});

    (void)state;
    says(text, "owner @all of * line 2\n");
    says(text, "owner @ops of * line 2\n");
    says(text, "owner @sp of /a b/ line 3\n");
    says(text, "owner  of /free/ line 5\n");
    says_not(text, "@docs");
    says_not(text, "@root");
    free(text);
}

static void
templates_and_broken_files_say_nothing(void **state)
{
    char *text =
        READ({"chart/templates/d.yaml",
              "kind: Deployment\nmetadata:\n  name: {{ .Values.name }}\n"},
             {"compose.yml", "services:\n  - not a map\n"},
             {"a/compose.yml", "services: {x: {build: [1]}}\n\t- bad"},
             {"b/compose.yml", "services:\n  ${NAME}:\n    build: .\n"},
             {"package.json", "{\"name\": 5"}, {"deep.yaml", "a: &a [*a]\n"},
             {"x/go.mod", "modul y\n"});

    (void)state;
    says_not(text, "Values");
    says_not(text, "NAME");
    says_not(text, "rank 2");
    free(text);
}

/* Ten levels of ten aliases each would be ten thousand million values. */
static void
aliases_are_no_bomb(void **state)
{
    struct manifests m;
    struct buf text = {0};

    (void)state;
    buf_add(&text, STR("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int i = 1; i < 10; i++) {
        buf_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            buf_printf(&text, "%s*a%d", k ? "," : "", i - 1);
        buf_add(&text, STR("]\n"));
    }
    buf_add(&text, STR("services: {cart: {build: .}}\n"));
    assert_int_equal(manifests_init(&m), OK);
    assert_int_equal(manifests_take(&m, STR("compose.yml"), buf_str(&text)),
                     OK);
    assert_int_equal(m.service_len, 0);
    manifests_fini(&m);
    buf_fini(&text);
}

static void
a_file_over_the_limit_is_refused(void **state)
{
    struct manifests m;
    char *text = malloc(MANIFEST_BYTES_MAX + 1);

    (void)state;
    assert_non_null(text);
    memset(text, '\n', MANIFEST_BYTES_MAX + 1);
    assert_int_equal(manifests_init(&m), OK);
    assert_int_equal(
        manifests_take(&m, STR("a/go.mod"), (str){text, MANIFEST_BYTES_MAX}),
        OK);
    assert_int_equal(manifests_take(&m, STR("b/go.mod"),
                                    (str){text, MANIFEST_BYTES_MAX + 1}),
                     ERR_INVALID);
    manifests_fini(&m);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compose_names_folders_and_the_sdk_goes_first),
        cmocka_unit_test(
            a_deployment_is_tied_to_the_folder_its_image_is_built_from),
        cmocka_unit_test(packages_and_spring_name_their_projects),
        cmocka_unit_test(maven_names_a_project_by_its_own_artifact),
        cmocka_unit_test(functions_of_lambda_say_what_they_are_called),
        cmocka_unit_test(gateways_say_what_is_reached_under_which_prefix),
        cmocka_unit_test(the_first_place_of_codeowners_counts),
        cmocka_unit_test(templates_and_broken_files_say_nothing),
        cmocka_unit_test(aliases_are_no_bomb),
        cmocka_unit_test(a_file_over_the_limit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
