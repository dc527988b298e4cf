#include "runtime/lane.h"
#include "tests/runtime/intake_fixture.h"

static void
a_peer_keeps_its_name_without_its_password(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "x", {"peer.service=https://u:pw@pay/x"}, NULL,
         "external https://{}@pay/x", OUT},
        {SPAN_CLIENT, "x", {"service.peer.name=pay?token=pw",
         "service.peer.namespace=u@shop.example"}, NULL,
         "external {}@shop.example/pay?{}", OUT},
        {SPAN_CLIENT, "x", {"faas.invoked_name=f api_key=pw"}, NULL,
         "external f api_key={}", OUT},
        {SPAN_CLIENT, "x", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=AKIAIOSFODNN7EXAMPLE"}, NULL, "external {}",
         OUT},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=u:pw@db", "server.port=5432"}, NULL,
         "database {}@db:5432", OUT | STUB_DB},
        {SPAN_CLIENT, "x", {"db.system=mssql", "db.name=x;Password=pw"}, NULL,
         "database x;Password={}", OUT | STUB_DB | STUB_UNPLACED},
        {SPAN_CLIENT, "x", {"db.system=postgres://u:pw@db/x"}, NULL,
         "database postgres://{}@db/x", OUT | STUB_DB | STUB_UNPLACED},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=amqp://u:pw@mq/o"}, NULL,
         "topic rabbitmq:amqp://{}@mq/o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=servicebus",
         "messaging.destination.template=sb://h/o?sig=pw"}, NULL,
         "topic servicebus:sb://h/o?{}", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=mqtt",
         "messaging.destination.name=u/joe@shop.example/in",
         "messaging.operation.type=process"},
         "consumer mqtt:u/{}@shop.example/in",
         "topic mqtt:u/{}@shop.example/in", IN},
        /* Not that of a person, and no password. */
        {SPAN_PRODUCER, "x", {"messaging.system=celery",
         "messaging.destination.name=celery@worker1"}, NULL,
         "topic celery:celery@worker1", OUT | STUB_PUBLISH},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
what_is_served_does_so(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.method=Get?token=pw"},
         "rpc Get?{}", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.method=Get",
         "rpc.service=u:pw@h"}, "rpc {}@h/Get", NULL, IN},
        {SPAN_SERVER, "x", {"mcp.method.name=tools/call",
         "gen_ai.tool.name=ask token=pw"}, "rpc tools/call ask token={}", NULL,
         IN},
        {SPAN_SERVER, "x", {"faas.name=Bearer xY7Zpq0aab"}, "rpc Bearer {}",
         NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=GET",
         "http.route=/u/joe@shop.example"}, "route GET /u/{}@shop.example",
         NULL, IN},
        {SPAN_SERVER, "GET /u/{id}/joe@shop.example",
         {"http.request.method=GET"}, "route GET /u/{}/{}@shop.example", NULL,
         IN},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
who_sends_does_so(void **state)
{
    static const char *const resource[] = {
        "service.name=shop token=pw", "service.namespace=u:pw@ns",
        "service.version=https://u:pw@git/x#1",
        "deployment.environment.name=joe@shop.example", NULL};
    struct fixture *f = *state;

    set_all(&f->resource, resource);
    f->scope = STR("https://u:pw@scope/x");
    /* Twice: the second time everything is remembered. */
    for (int turn = 0; turn < 2; turn++) {
        set_all(&f->attrs, (const char *const[]){NULL});
        struct stub stub =
            send(f, (struct span){.kind = SPAN_SERVER, .name = STR("x")});
        check_node(f, "service", stub.service,
                   "service {}@ns/shop token={} @{}@shop.example");
        check_node(f, "version", stub.version, "version https://{}@git/x#1");
        check_node(f, "scope", stub.scope, "scope https://{}@scope/x");
    }
}

static void
no_function_is_called_so(void **state)
{
    static const char *const names[] = {
        "code.function.name=https://u:pw@h/x.js",
        "code.function.name=u:pw@h",
        "code.function.name=f password: pw",
    };
    struct fixture *f = *state;

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        set_all(&f->attrs, (const char *const[]){names[i], NULL});
        struct stub stub =
            send(f, (struct span){.kind = SPAN_SERVER, .name = STR("x")});
        check_node(f, names[i], stub.symbol, NULL);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_peer_keeps_its_name_without_its_password),
        TEST(what_is_served_does_so),
        TEST(who_sends_does_so),
        TEST(no_function_is_called_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
