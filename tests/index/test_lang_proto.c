/*
 * Protocol buffers and Thrift: what the reader says of each construct.
 */
#include "tests/index/lang_fixture.h"

/* As LINK_LANG, for what has no grammar. */
void linked_proto(struct extract *x) __asm__("lang_extract_proto");
void (*const link_proto)(struct extract *x) = linked_proto;

static void
services_are_interfaces_of_abstract_methods(void **state)
{
    (void)state;
    assert_facts("a.proto",
                 "// comment\n"
                 "syntax = \"proto3\";\n"
                 "package shop.cart.v1;\n"
                 "/* rpc No(A) returns (B);\n */\n"
                 "service Cart {\n"
                 "  rpc Get(GetRequest) returns (.shop.cart.v1.Item);\n"
                 "  rpc Watch (stream Req) returns (stream other.Res) {}\n"
                 "}\n",
                 "package shop.cart.v1", "!partial",
                 "def #1 interface Cart in #0 line 6:8-9 exported",
                 "def #2 method Get in #1 line 7:6-7 exported abstract type "
                 "shop.cart.v1.Item",
                 "bind #2 param request@0: GetRequest",
                 "def #3 method Watch in #1 line 8:6-8 exported abstract type "
                 "stream<other.Res>",
                 "bind #3 param request@0: stream<Req>", NULL);
}

static void
http_options_are_marks(void **state)
{
    (void)state;
    assert_facts(
        "a.proto",
        "service S {\n"
        "  option (google.api.default_host) = \"h\";\n"
        "  rpc A(B) returns (C) {\n"
        "    option (google.api.http) = {\n"
        "      get: \"/v1/{name=items/*}\", body: \"*\";\n"
        "      additional_bindings { post: '/v1/' 'x' }\n"
        "      list: [ {a: 1}, 2 ] [x.y]: true\n"
        "    };\n"
        "    option deprecated = true;\n"
        "  };\n"
        "  rpc D(E) returns (F) { option (google.api.http).get = \"/d\"; }\n"
        "}\n",
        "!partial",
        "def #1 interface S in #0 line 1:8-12 exported marks "
        "google.api.default_host(\"h\")",
        "def #2 method A in #1 line 3:6-10 exported abstract type C marks "
        "google.api.http(get: \"/v1/{name=items/*}\", body: \"*\", "
        "additional_bindings: {post: \"/v1/x\"}, list: [{a: 1}, 2], "
        "x.y: true), deprecated(true)",
        "def #3 method D in #1 line 11:6-11 exported abstract type F marks "
        "google.api.http(get: \"/d\")",
        NULL);
}

static void
messages_and_enums_nest(void **state)
{
    (void)state;
    assert_facts("a.proto",
                 "edition = \"2023\";\n"
                 "message Get {\n"
                 "  string name = 1 [(a.b) = \"x\", deprecated = true];\n"
                 "  repeated Item items = 2;\n"
                 "  map<string, a.Item> by = 3;\n"
                 "  oneof kind { int32 a = 4; Nested b = 5; }\n"
                 "  message Nested { optional bool ok = 1; reserved 2 to 5; }\n"
                 "  enum Color { option allow_alias = true; RED = 0;\n"
                 "    BLUE = -1 [(x) = {}]; reserved 3; }\n"
                 "  repeated group Old = 7 { int32 deep = 8; }\n"
                 "  extensions 100 to max;\n"
                 "}\n"
                 "extend google.protobuf.MethodOptions { string x = 1; }\n",
                 "!partial", "def #1 type Get in #0 line 2:8-12 exported",
                 "bind #1 field name: string", "bind #1 field items: []<Item>",
                 "bind #1 field by: map<string, a.Item>",
                 "bind #1 field a: int32", "bind #1 field b: Nested",
                 "def #2 type Nested in #1 line 7:10-7 exported",
                 "bind #2 field ok: bool",
                 "def #3 type Color in #1 line 8:7-9 exported enum",
                 "bind #3 field RED = 0 const", "bind #3 field BLUE = -1 const",
                 "bind #1 field deep: int32", "!bind #0 field x: string", NULL);
}

static void
imports_and_file_options_are_kept(void **state)
{
    (void)state;
    assert_facts("a.proto",
                 "import \"google/api/annotations.proto\";\n"
                 "import public 'other.proto';\n"
                 "option go_package = \"example.com/shop;cart\";\n"
                 "option (my.file) = { a: 1 };\n",
                 "!partial", "import include google/api/annotations.proto",
                 "import include other.proto", "import export-star other.proto",
                 "bind #0 local go_package = \"example.com/shop;cart\" const",
                 NULL);
}

static void
damage_is_partial_and_what_follows_is_read(void **state)
{
    (void)state;
    assert_facts("a.proto",
                 "message { int32 = ; }\nservice S { rpc A(B) }\n"
                 "message After { int32 x = 1; }\n",
                 "partial", "def #2 interface S in #0 line 2:8-2 exported",
                 NULL);
    assert_facts("a.proto", "service S { rpc A(B) returns (C);", "partial",
                 "def #2 method A in #1 line 1:16-1 exported abstract type C",
                 NULL);
}

static void
thrift_is_read(void **state)
{
    (void)state;
    assert_facts(
        "a.thrift",
        "# comment\n"
        "namespace java com.shop\n"
        "namespace * shop\n"
        "include \"shared.thrift\"\n"
        "const string NAME = \"x\"\n"
        "const map<string,i32> M = {\"a\": 1}\n"
        "typedef list<shared.Item> Items\n"
        "enum Color { RED = 1, BLUE }\n"
        "struct Item { 1: required string name = \"n\", 2: list<i32> ids;\n"
        "  3: map<string, Item> by (a = \"b\") }\n"
        "exception Bad { 1: string why }\n"
        "service Cart extends shared.Base {\n"
        "  Items get(1: i32 id, 2: string who) throws (1: Bad bad),\n"
        "  oneway void ping();\n"
        "  void put(1: Item item) (deprecated = \"yes\")\n"
        "}\n",
        "!partial", "package shop", "import include shared.thrift",
        "def #1 const NAME in #0 line 5:13-5 exported type string",
        "bind #0 local NAME: string = \"x\" const",
        "def #3 type Items in #0 line 7:26-7 exported type []<shared.Item>",
        "bind #4 field RED = 1 const", "bind #4 field BLUE const",
        "bind #5 field name: string = \"n\"", "bind #5 field ids: []<i32>",
        "bind #5 field by: map<string, Item>", "bind #6 field why: string",
        "def #7 interface Cart in #0 line 12:8-16 exported bases(1) "
        "shared.Base",
        "def #8 method get in #7 line 13:8-13 exported abstract type Items",
        "bind #8 param id@0: i32", "bind #8 param who@1: string",
        "def #9 method ping in #7 line 14:14-14 exported abstract",
        "def #10 method put in #7 line 15:7-15 exported abstract",
        "bind #10 param item@0: Item", NULL);
}

static void
hostile_source_is_survived(void **state)
{
    (void)state;
    survive_hostile("a.proto");
    survive_hostile("a.thrift");
    survive_repeated("a.proto", "message a { ", 50000);
    survive_repeated("a.proto", "service s { rpc a(b) returns (c) {", 20000);
    survive_repeated("a.proto",
                     "service s { rpc a(b) returns (c) { option d "
                     "= { e {",
                     10000);
    survive_repeated("a.thrift", "typedef list<", 50000);
    survive_damage("a.proto",
                   "package a.b; import public \"c\"; message D { repeated E f "
                   "= 1 [g = \"h\"]; map<i, j> k = 2; oneof l { m n = 3; } }\n"
                   "service O { rpc P(stream Q) returns (R) { option (s.t) = { "
                   "get: \"u\" v: [1, {w: -2}] }; } }\n");
    survive_damage(
        "a.thrift",
        "namespace a b\nconst c D = [1]\nenum E { F = 1, }\n"
        "struct G { 1: optional map<h, list<i>> j = {} (k = 'l'); }\n"
        "service M extends n.O { oneway void p(1: q r) throws (1: s "
        "t), }\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(services_are_interfaces_of_abstract_methods),
        cmocka_unit_test(http_options_are_marks),
        cmocka_unit_test(messages_and_enums_nest),
        cmocka_unit_test(imports_and_file_options_are_kept),
        cmocka_unit_test(damage_is_partial_and_what_follows_is_read),
        cmocka_unit_test(thrift_is_read),
        cmocka_unit_test(hostile_source_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
