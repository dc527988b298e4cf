/*
 * AWS Lambda: the routes of serverless.yml and of templates of SAM.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);
LINK_LANG(python);
LINK_LANG(java);

#define USERS                                                       \
    {                                                               \
        "src/users.ts", "export const list = async () => find();\n" \
                        "export async function create(e: any) {}\n" \
                        "function find() {}\n"                      \
    }

static void
serverless_says_what_a_function_is_asked_for(void **state)
{
    (void)state;
    assert_routes(
        FILES({"serverless.yml", "service: shop\n"
                                 "functions:\n"
                                 "  list:\n"
                                 "    handler: src/users.list\n"
                                 "    events:\n"
                                 "      - http: GET users\n"
                                 "      - http:\n"
                                 "          path: users/{id}\n"
                                 "          method: get\n"
                                 "      - schedule: rate(1 hour)\n"
                                 "  create:\n"
                                 "    handler: ./src/users.create\n"
                                 "    events:\n"
                                 "      - httpApi: 'POST /users'\n"
                                 "      - httpApi:\n"
                                 "          path: /v2/{all+}\n"
                                 "          method: any\n"
                                 "      - httpApi: '*'\n"},
              USERS),
        "GET /users -> /users aws-lambda list src/users.ts:1\n"
        "GET /users/{id} -> /users/{} aws-lambda list src/users.ts:1\n"
        "POST /users -> /users aws-lambda create src/users.ts:2\n"
        "ANY /v2/{all+} -> /v2/{**} aws-lambda create src/users.ts:2\n"
        "ANY /{proxy+} -> /{**} aws-lambda create src/users.ts:2\n");
}

static void
a_variable_before_the_path_is_not_known(void **state)
{
    (void)state;
    assert_routes(
        FILES({"serverless.yml",
               "functions:\n"
               "  - list:\n"
               "      handler: src/users.list\n"
               "      events:\n"
               "        - http: { path: '${self:custom.b}/u', method: GET }\n"
               "        - http: { path: '${self:custom.all}', method: GET }\n"
               "        - http: 'GET ${opt:b, ${self:custom.b}}/own/{id}'\n"
               "        - http: 'GET ${a}/mid/${b, {}}/last/{all+}'\n"
               "        - http: 'GET /open/${opt:b, ${self:custom.b}'\n"
               "        - http: { path: '/x', method: '${env:M}' }\n"},
              USERS),
        "GET /u -> /u aws-lambda list src/users.ts:1 tail\n"
        "GET /own/{id} -> /own/{} aws-lambda list src/users.ts:1 tail\n"
        "GET /last/{all+} -> /last/{**} aws-lambda list src/users.ts:1 "
        "tail\n");
}

static void
what_a_tag_refers_to_is_not_known(void **state)
{
    (void)state;
    assert_routes(
        FILES({"template.yaml",
               "Resources:\n"
               "  List:\n"
               "    Type: AWS::Serverless::Function\n"
               "    Properties:\n"
               "      Handler: src/users.list\n"
               "      Events:\n"
               "        A: { Type: Api, Properties: { Path: !Ref Base } }\n"
               "        B: { Type: Api, Properties: { Path: !GetAtt A.B } }\n"
               "        C: { Type: Api, Properties: { Path: !Sub '/c' } }\n"
               "        D:\n"
               "          Type: HttpApi\n"
               "          Properties: { Path: !ImportValue d, Method: get }\n"
               "        E:\n"
               "          Type: HttpApi\n"
               "          Properties: { Path: /e, Method: !Ref Method }\n"},
              USERS),
        "ANY /c -> /c aws-lambda list src/users.ts:1\n");
}

static void
an_empty_path_is_the_root(void **state)
{
    (void)state;
    assert_routes(
        FILES({"serverless.yml",
               "functions:\n"
               "  list:\n"
               "    handler: src/users.list\n"
               "    events:\n"
               "      - http: { path: '', method: get }\n"
               "      - http: { method: put }\n"
               "      - http: { path: { Ref: Base }, method: patch }\n"},
              USERS),
        "GET / -> / aws-lambda list src/users.ts:1\n");
}

static void
a_handler_is_below_the_folder_of_its_file(void **state)
{
    (void)state;
    assert_routes(FILES({"one/serverless.yaml", "functions:\n"
                                                "  a:\n"
                                                "    handler: tasks.jobs.run\n"
                                                "    events:\n"
                                                "      - http: DELETE a/{id}\n"
                                                "  b:\n"
                                                "    handler: ../lib/b.go\n"
                                                "    events:\n"
                                                "      - http: GET b\n"
                                                "  out:\n"
                                                "    handler: ../../lib/b.go\n"
                                                "    events:\n"
                                                "      - http: GET out\n"
                                                "  built:\n"
                                                "    handler: bootstrap\n"
                                                "    events:\n"
                                                "      - http: GET built\n"},
                        {"one/tasks/jobs.py", "def run(event, context):\n"
                                              "    return {}\n"},
                        {"lib/b.js", "const w = require('w');\n"
                                     "exports.go = w.made();\n"}),
                  "DELETE /a/{id} -> /a/{} aws-lambda run one/tasks/jobs.py:1\n"
                  "GET /b -> /b aws-lambda - lib/b.js:2\n");
}

static void
a_template_of_sam_has_functions_of_a_folder_of_code(void **state)
{
    (void)state;
    assert_routes(
        FILES({"api/template.yaml",
               "Globals:\n"
               "  Function:\n"
               "    CodeUri: hello/\n"
               "Resources:\n"
               "  Table: { Type: AWS::DynamoDB::Table }\n"
               "  Hello:\n"
               "    Type: AWS::Serverless::Function\n"
               "    Properties:\n"
               "      Handler: app.show\n"
               "      Role: !GetAtt Role.Arn\n"
               "      Events:\n"
               "        Get:\n"
               "          Type: Api\n"
               "          Properties:\n"
               "            Path: /hello/{name}\n"
               "            Method: get\n"
               "            RestApiId: !Ref Api\n"
               "        Else: { Type: HttpApi }\n"
               "        Queue: { Type: SQS, Properties: { Path: /no } }\n"
               "  Orders:\n"
               "    Type: AWS::Serverless::Function\n"
               "    Properties:\n"
               "      CodeUri: ./orders\n"
               "      Handler: o.Orders\n"
               "      Events:\n"
               "        Post:\n"
               "          Type: Api\n"
               "          Properties: { Path: /orders, Method: POST }\n"},
              {"api/hello/app.js", "exports.show = async () => ({});\n"},
              {"api/orders/src/main/java/o/Orders.java",
               "package o;\n"
               "public class Orders {\n"
               "  public String handleRequest(String in) { return in; }\n"
               "}\n"},
              {"api/other/src/main/java/o/Orders.java",
               "package o;\n"
               "public class Orders {}\n"}),
        "GET /hello/{name} -> /hello/{} aws-lambda show api/hello/app.js:1\n"
        "ANY /{proxy+} -> /{**} aws-lambda show api/hello/app.js:1\n"
        "POST /orders -> /orders aws-lambda handleRequest "
        "api/orders/src/main/java/o/Orders.java:3\n");
}

static void
a_handler_is_found_in_what_wraps_it(void **state)
{
    (void)state;
    assert_routes(FILES({"serverless.yml", "functions:\n"
                                           "  a:\n"
                                           "    handler: a.handler\n"
                                           "    events: [{ http: GET a }]\n"
                                           "  b:\n"
                                           "    handler: b.handler\n"
                                           "    events: [{ http: GET b }]\n"
                                           "  c:\n"
                                           "    handler: c.handler\n"
                                           "    events: [{ http: GET c }]\n"},
                        {"a.js", "const middy = require('@middy/core');\n"
                                 "const json = require('@middy/http-json');\n"
                                 "const show = async (event) => ({});\n"
                                 "module.exports.handler = middy(show)\n"
                                 "  .use(json()).onError(() => {});\n"},
                        {"b.js", "import middy from '@middy/core';\n"
                                 "import { json } from './json';\n"
                                 "async function list(event) { return {}; }\n"
                                 "export const handler = middy()\n"
                                 "  .use(json()).handler(list);\n"},
                        {"c.js", "import { wrap } from 'w';\n"
                                 "const put = async (event) => ({});\n"
                                 "export const handler = wrap(put);\n"}),
                  "GET /a -> /a aws-lambda show a.js:5\n"
                  "GET /b -> /b aws-lambda list b.js:5\n"
                  "GET /c -> /c aws-lambda put c.js:3\n");
}

static void
what_only_has_the_name_of_such_a_file_says_nothing(void **state)
{
    (void)state;
    assert_routes(FILES({"serverless.yml", "functions: {{ .Values.x }}\n"},
                        {"template.yml", "functions: 3\nResources: [a]\n"},
                        {"a/template.yaml", "# AWS::Serverless::Function\n"
                                            "Resources: 1\n"},
                        {"b/serverless.yml", "functions:\n"
                                             "  list: x\n"
                                             "  more:\n"
                                             "    handler: src/users.list\n"
                                             "    events: { http: GET x }\n"},
                        USERS),
                  "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serverless_says_what_a_function_is_asked_for),
        cmocka_unit_test(a_variable_before_the_path_is_not_known),
        cmocka_unit_test(what_a_tag_refers_to_is_not_known),
        cmocka_unit_test(an_empty_path_is_the_root),
        cmocka_unit_test(a_handler_is_below_the_folder_of_its_file),
        cmocka_unit_test(a_template_of_sam_has_functions_of_a_folder_of_code),
        cmocka_unit_test(a_handler_is_found_in_what_wraps_it),
        cmocka_unit_test(what_only_has_the_name_of_such_a_file_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
