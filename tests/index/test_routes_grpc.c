/*
 * gRPC services of .proto files, who implements and who asks them.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);
LINK_LANG(java);
LINK_LANG(javascript);
LINK_LANG(python);
extern void linked_proto(struct extract *) __asm__("lang_extract_proto");
void (*const link_proto)(struct extract *) = linked_proto;

#define CART_PROTO                                          \
    {                                                       \
        "pb/cart.proto", "syntax = \"proto3\";\n"           \
                         "package shop.v1;\n"               \
                         "service Cart {\n"                 \
                         "  rpc AddItem (A) returns (B);\n" \
                         "  rpc GetCart (A) returns (B);\n" \
                         "}\n"                              \
    }

static void
go_servers_and_clients_are_found(void **state)
{
    (void)state;
    assert_routes(
        FILES(CART_PROTO,
              {"main.go", "package main\n"
                          "import pb \"example.com/shop/pb\"\n"
                          "type cart struct{}\n"
                          "func (c *cart) AddItem(x int) {}\n"
                          "func (c *cart) GetCart(x int) {}\n"
                          "func serve(s int) {\n"
                          "  pb.RegisterCartServer(s, &cart{})\n"
                          "}\n"
                          "type front struct{ cc pb.CartClient }\n"
                          "func ask(conn int) {\n"
                          "  c := pb.NewCartClient(conn)\n"
                          "  c.AddItem(1)\n"
                          "}\n"
                          "func (f *front) ask() { f.cc.GetCart(1) }\n"}),
        "shop.v1.Cart/AddItem -> shop.v1.Cart/AddItem grpc AddItem "
        "main.go:7\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc GetCart "
        "main.go:7\n"
        "shop.v1.Cart/AddItem -> shop.v1.Cart/AddItem grpc ask main.go:12 "
        "asked\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc ask main.go:14 "
        "asked\n");
}

static void
python_javascript_and_java_serve(void **state)
{
    (void)state;
    assert_routes(
        FILES(CART_PROTO,
              {"a.py", "import cart_pb2_grpc\n"
                       "class Impl(cart_pb2_grpc.CartServicer):\n"
                       "    def AddItem(self, request, context):\n"
                       "        return 1\n"
                       "def serve(server):\n"
                       "    cart_pb2_grpc.add_CartServicer_to_server(Impl(), "
                       "server)\n"
                       "def ask(channel):\n"
                       "    stub = cart_pb2_grpc.CartStub(channel)\n"
                       "    stub.GetCart(1)\n"},
              {"a.js", "const grpc = require('@grpc/grpc-js');\n"
                       "const proto = load();\n"
                       "const server = new grpc.Server();\n"
                       "server.addService(proto.shop.v1.Cart.service, {\n"
                       "  addItem: addItem, GetCart: (c, cb) => cb() });\n"
                       "function addItem(call, cb) {}\n"},
              {"j/A.java", "class A extends CartGrpc.CartImplBase {\n"
                           "  public void addItem(int a) {}\n"
                           "  void ask(Object channel) {\n"
                           "    CartGrpc.newBlockingStub(channel).getCart(1);\n"
                           "  }\n"
                           "}\n"}),
        "shop.v1.Cart/AddItem -> shop.v1.Cart/AddItem grpc AddItem a.py:6\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc - a.py:6\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc ask a.py:9 "
        "asked\n"
        "shop.v1.Cart/AddItem -> shop.v1.Cart/AddItem grpc addItem a.js:4\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc GetCart a.js:4\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc ask j/A.java:4 "
        "asked\n"
        "shop.v1.Cart/AddItem -> shop.v1.Cart/AddItem grpc addItem "
        "j/A.java:1\n"
        "shop.v1.Cart/GetCart -> shop.v1.Cart/GetCart grpc - j/A.java:1\n");
}

static void
services_without_code_are_of_their_document(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, FILES(CART_PROTO));
    assert_int_equal(fixture_find(&f), OK);
    assert_int_equal(f.build.route_len, 2);
    assert_int_equal(f.build.routes[0].flags, ROUTE_FROM_DOCUMENT);
    assert_int_equal(f.build.routes[0].handler, 0);
    assert_int_equal(f.build.routes[0].line, 4);
    assert_int_equal(f.build.nodes[f.build.routes[0].node].kind, CODE_RPC);
    fixture_close(&f);
}

/* Each service has a copy; whichever comes first, the server has the routes. */
static void
a_copy_of_what_another_serves_declares_nothing(void **state)
{
    static const char proto[] = "syntax = \"proto3\";\n"
                                "package shop.v1;\n"
                                "service Cart { rpc Get (A) returns (B); }\n";
    static const char other[] = "package other.v1;\n"
                                "service Cart { rpc Get (A) returns (B); }\n";
    static const char server[] =
        "const cart = require('./cart');\n"
        "server.addService(proto.Cart.service, cart);\n";
    static const char cart[] =
        "module.exports = { get: (call, done) => done(null, {}) };\n";

    (void)state;
    assert_routes(
        FILES({"a/cart.proto", proto}, {"b/cart.proto", proto},
              {"b/cart.js", cart}, {"b/server.js", server},
              {"c/cart.proto", proto}, {"d/cart.proto", other}),
        "shop.v1.Cart/Get -> shop.v1.Cart/Get grpc get b/server.js:2\n"
        "other.v1.Cart/Get -> other.v1.Cart/Get grpc - d/cart.proto:2\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(go_servers_and_clients_are_found),
        cmocka_unit_test(python_javascript_and_java_serve),
        cmocka_unit_test(services_without_code_are_of_their_document),
        cmocka_unit_test(a_copy_of_what_another_serves_declares_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
