#include "runtime/lane.h"
#include "tests/runtime/intake_fixture.h"

static void
messages_by_old_and_new_attributes(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_PRODUCER, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=send"},
         NULL, "topic kafka:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=kafka",
         "messaging.destination=o", "messaging.operation=publish"}, NULL,
         "topic kafka:o", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=send"},
         NULL, "topic kafka:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=create"},
         NULL, "topic kafka:o", OUT | STUB_CREATE},
        {SPAN_PRODUCER, "x", {"messaging.system=kafka",
         "messaging.destination.name=o"}, NULL, "topic kafka:o",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "ServiceBus.message", {"messaging.system=servicebus",
         "messaging.destination.name=o"}, NULL, "topic servicebus:o",
         OUT | STUB_CREATE},
        {SPAN_PRODUCER, "Message", {"messaging.system=eventhubs",
         "messaging.destination.name=o"}, NULL, "topic eventhubs:o",
         OUT | STUB_CREATE},
        {SPAN_PRODUCER, "Message", {"messaging.system=servicebus",
         "messaging.destination.name=o", "messaging.operation=publish"}, NULL,
         "topic servicebus:o", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=receive"},
         NULL, "topic kafka:o", STUB_RECEIVE},
        {SPAN_CLIENT, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=settle"},
         NULL, NULL, 0},
        {SPAN_CONSUMER, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.type=process"},
         "consumer kafka:o", "topic kafka:o", IN},
        {SPAN_CONSUMER, "x", {"messaging.system=kafka",
         "messaging.destination=o", "messaging.operation=deliver"},
         "consumer kafka:o", "topic kafka:o", IN},
        {SPAN_CONSUMER, "x", {"messaging.system=kafka",
         "messaging.destination=o", "messaging.operation=receive"},
         "consumer kafka:o", "topic kafka:o", IN | STUB_RECEIVE},
        {SPAN_CONSUMER, "x", {"messaging.system=kafka",
         "messaging.destination.name=o", "messaging.operation.name=poll"},
         "consumer kafka:o", "topic kafka:o", IN | STUB_RECEIVE},
        {SPAN_CONSUMER, "x", {NULL}, "service s", NULL, IN},
        /* The destination. */
        {SPAN_PRODUCER, "x", {"messaging.system=mq",
         "messaging.destination.template=t/{id}",
         "messaging.destination.name=t/1"}, NULL, "topic mq:t/{id}",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=mq",
         "messaging.destination.name=new", "messaging.destination=old"}, NULL,
         "topic mq:new", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=mq",
         "messaging.destination.name=tmp1",
         "messaging.destination.temporary=true", "server.address=b",
         "server.port=5672"}, NULL, "topic mq:b:5672", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=mq",
         "messaging.destination.name=tmp1",
         "messaging.destination.anonymous=true"}, NULL, NULL,
         OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=mq",
         "messaging.destination.name=amq.gen-Xa0Bc"}, "service s", NULL, IN},
        /* RabbitMQ's exchange without a name sends to the queue of the key. */
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination=", "messaging.rabbitmq.routing_key=q",
         "server.address=b"}, NULL, "topic rabbitmq:q", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination=ex", "messaging.rabbitmq.routing_key=q"}, NULL,
         "topic rabbitmq:ex", OUT | STUB_PUBLISH},
        /* Java's agent and .NET's client give it a name. */
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=<default>",
         "messaging.rabbitmq.destination.routing_key=q"}, NULL,
         "topic rabbitmq:q", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=amq.default",
         "messaging.rabbitmq.destination.routing_key=q"}, "consumer rabbitmq:q",
         "topic rabbitmq:q", IN},
        {SPAN_CONSUMER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=<default>",
         "messaging.rabbitmq.destination.routing_key=amq.gen-Xa0Bc"},
         "service s", NULL, IN},
        {SPAN_PRODUCER, "x", {"messaging.system=kafka",
         "messaging.destination.name=amq.default",
         "messaging.rabbitmq.destination.routing_key=q"}, NULL,
         "topic kafka:amq.default", OUT | STUB_PUBLISH},
        /* Python's aio-pika sends to `exchange,key` and receives from one. */
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination=,q"}, NULL, "topic rabbitmq:q",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination=ex,q"}, NULL, "topic rabbitmq:ex",
         OUT | STUB_PUBLISH},
        /* BullMQ has attributes of its own. */
        {SPAN_PRODUCER, "add o.paint", {"bullmq.queue.name=o"}, NULL,
         "topic bullmq:o", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "process o", {"bullmq.queue.name=o"},
         "consumer bullmq:o", "topic bullmq:o", IN},
        {SPAN_CONSUMER, "x", {"messaging.system=rabbitmq",
         "messaging.rabbitmq.routing_key=amq.gen-Xa0Bc"}, "service s", NULL,
         IN},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.rabbitmq.routing_key=amq.rabbitmq.reply-to.g2dkABVyZXBs",
         "server.address=b", "server.port=5672"}, NULL,
         "topic rabbitmq:b:5672", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=mq", "net.peer.name=b"}, NULL,
         NULL, OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=aws_sqs", "messaging.destination.name=o"},
         NULL, "topic aws_sqs:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=AmazonSQS", "messaging.destination.name=o"},
         NULL, "topic aws_sqs:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=aws.sqs", "messaging.destination.name=https://sqs.r.example/1/o"},
         NULL, "topic aws_sqs:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=AmazonSNS", "messaging.destination.name=arn:aws:sns:r:1:o"},
         NULL, "topic aws.sns:o", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=aws_lambda",
         "messaging.destination.name=arn:aws:lambda:r:1:function:bill:1"},
         NULL, "topic aws_lambda:arn:aws:lambda:r:1:function:bill:1",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=Kafka", "messaging.destination.name=a/b:c"},
         NULL, "topic kafka:a/b:c", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x",
         {"messaging.system=Tibco", "messaging.destination.name=a/b:c"},
         NULL, "topic Tibco:a/b:c", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "x",
         {"messaging.system=aws_sqs", "messaging.destination=o",
         "rpc.system=aws-api", "rpc.method=SendMessage"},
         NULL, "topic aws_sqs:o", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "x",
         {"messaging.system=aws_sqs", "messaging.destination=o",
         "rpc.system=aws-api", "rpc.method=SQS/SendMessageBatch"},
         NULL, "topic aws_sqs:o", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "x",
         {"messaging.system=aws_sqs", "messaging.destination=o",
         "rpc.system=aws-api", "rpc.method=ReceiveMessage"},
         NULL, "topic aws_sqs:o", STUB_RECEIVE},
        {SPAN_CLIENT, "x",
         {"messaging.system=aws_sqs", "messaging.destination=o",
         "rpc.system=aws-api", "rpc.method=DeleteMessage"},
         NULL, NULL, 0},
        {SPAN_CONSUMER, "x",
         {"messaging.system=aws_sqs", "messaging.destination.name=o",
         "messaging.operation.type=receive", "messaging.batch.message_count=0"},
         NULL, NULL, 0},
        {SPAN_CLIENT, "x",
         {"messaging.system=aws_sqs", "messaging.destination.name=o",
         "messaging.operation.type=receive", "messaging.batch.message_count=0"},
         NULL, NULL, 0},
        {SPAN_PRODUCER, "x", {"messaging.destination.name=o"}, NULL, "topic o",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"peer.service=push"}, NULL, "external push",
         OUT},
        {SPAN_PRODUCER, "x", {NULL}, NULL, NULL, OUT | STUB_PUBLISH},
        /* A CLIENT that does not say what it does is no publisher. */
        {SPAN_CLIENT, "x", {"messaging.system=kafka",
         "messaging.destination.name=o"}, NULL, NULL, OUT},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
a_receive_that_failed_is_told_though_it_has_no_message(void **state)
{
    static const struct {
        uint8_t kind;
        uint8_t status;
        const char *peer;
        uint32_t flags;
    } rows[] = {
        {SPAN_CONSUMER, SPAN_ERROR, "topic aws_sqs:o",
         IN | STUB_RECEIVE | STUB_FAILED},
        {SPAN_CLIENT, SPAN_ERROR, "topic aws_sqs:o",
         STUB_RECEIVE | STUB_FAILED},
        {SPAN_CONSUMER, SPAN_OK, NULL, 0},
        {SPAN_CLIENT, SPAN_UNSET, NULL, 0},
    };
    struct fixture *f = *state;

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    set_all(&f->attrs,
            (const char *const[]){"messaging.system=aws_sqs",
                                  "messaging.destination.name=o",
                                  "messaging.operation.type=receive",
                                  "messaging.batch.message_count=0", NULL});
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stub stub = send(
            f, (struct span){.kind = rows[i].kind, .status = rows[i].status});
        check_node(f, "peer", stub.peer, rows[i].peer);
        assert_int_equal(stub.flags & ~STUB_WEIGHT_KNOWN, rows[i].flags);
    }
}

static void
databases_by_old_and_new_attributes(void **state)
{
    struct fixture *f = *state;
    const uint32_t db = OUT | STUB_DB;
    const uint32_t unplaced = db | STUB_UNPLACED;
    /* clang-format off */
    const struct row rows[] = {
        {SPAN_CLIENT, "x", {"db.system.name=postgresql", "server.address=pg1",
         "server.port=5432", "net.peer.name=old", "db.namespace=n"}, NULL,
         "database pg1:5432", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "net.peer.name=pg1",
         "net.peer.port=5432"}, NULL, "database pg1:5432", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1"},
         NULL, "database pg1:5432", db},
        {SPAN_CLIENT, "x", {"db.system.name=mysql",
         "server.address=db"}, NULL, "database db:3306", db},
        {SPAN_CLIENT, "x", {"db.system.name=redis",
         "server.address=10.0.0.5"}, NULL, "database 10.0.0.5:6379", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=::1"}, NULL, "database [::1]:5432", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=[::1]:5433"}, NULL, "database [::1]:5433", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=pg1:5433"}, NULL, "database pg1:5433", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=/var/run/postgresql"}, NULL, "database /var/run/postgresql", db},
        /* The port that was connected to, before the usual one. */
        {SPAN_CLIENT, "x", {"db.system.name=postgresql", "server.address=pg1",
         "network.peer.port=5433", "net.peer.port=1"}, NULL,
         "database pg1:5433", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "net.peer.name=pg1",
         "net.sock.peer.port=5433"}, NULL, "database pg1:5433", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "net.peer.port=5433"}, NULL, "database pg1:5433", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "server.port=5434", "network.peer.port=5433"}, NULL,
         "database pg1:5434", db},
        /* As JSON has it: a double. */
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "server.port=5434.0"}, NULL, "database pg1:5434", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "server.port=5434.5", "network.peer.port=5433"}, NULL,
         "database pg1:5433", db},
        {SPAN_CLIENT, "x", {"db.system=PostgreSQL", "server.address=pg1"},
         NULL, "database pg1:5432", db},
        /* Not where the address means another, or has one. */
        {SPAN_CLIENT, "x", {"db.system=couchdb", "server.address=c.example"},
         NULL, "database c.example:5984", db},
        {SPAN_CLIENT, "x", {"db.system=couchdb",
         "url.full=https://c.example/db", "network.peer.port=443"}, NULL,
         "database c.example", db},
        {SPAN_CLIENT, "x", {"db.system=couchdb", "server.address=c.example",
         "http.url=https://c.example/db"}, NULL, "database c.example", db},
        {SPAN_CLIENT, "x", {"db.system=couchdb", "http.host=c.example"}, NULL,
         "database c.example", db},
        {SPAN_CLIENT, "x", {"db.system=mssql",
         "server.address=sql1\\INST2", "network.peer.port=50123"}, NULL,
         "database sql1\\INST2", db},
        {SPAN_CLIENT, "x", {"db.system=mssql", "server.address=sql1\\INST2",
         "server.port=1434"}, NULL, "database sql1\\INST2:1434", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql",
         "server.address=/tmp/pg", "network.peer.port=5433"}, NULL,
         "database /tmp/pg", db},
        /* A socket is its folder and port, whichever of the two is told. */
        {SPAN_CLIENT, "x", {"db.system=postgresql",
         "net.peer.name=/run/pg/.s.PGSQL.5433"}, NULL,
         "database /run/pg:5433", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "net.peer.name=/run/pg",
         "net.peer.port=5433"}, NULL, "database /run/pg:5433", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql",
         "net.peer.name=/run/pg/.s.PGSQL.99999"}, NULL,
         "database /run/pg/.s.PGSQL.99999", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql",
         "net.peer.name=/run/pg/.s.PGSQL."}, NULL,
         "database /run/pg/.s.PGSQL.", db},
        {SPAN_CLIENT, "x", {"db.system.name=dynamodb",
         "server.address=dynamodb.r.example", "network.peer.port=443"}, NULL, "database dynamodb.r.example", db},
        {SPAN_CLIENT, "x", {"db.system=redis", "network.peer.address=10.0.0.5",
         "network.peer.port=6379"}, NULL, "database 10.0.0.5:6379", db},
        {SPAN_CLIENT, "x", {"db.system=redis", "net.sock.peer.addr=::1",
         "net.sock.peer.port=6379"}, NULL, "database [::1]:6379", db},
        {SPAN_CLIENT, "x", {"db.system=redis", "net.peer.ip=10.0.0.5"}, NULL,
         "database 10.0.0.5:6379", db},
        {SPAN_CLIENT, "x", {"db.system=redis",
         "network.peer.address=somebody"}, NULL, "database redis", unplaced},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "service.peer.name=users-db", "service.peer.namespace=shop",
         "peer.service=old"}, NULL, "database shop/users-db", db},
        {SPAN_CLIENT, "x", {"db.system=postgresql", "server.address=pg1",
         "peer.service=users-db"}, NULL, "database users-db", db},
        {SPAN_CLIENT, "x", {"db.system.name=postgresql", "db.namespace=new",
         "db.name=old"}, NULL, "database new", unplaced},
        {SPAN_CLIENT, "x", {"db.name=old"}, NULL, "database old", unplaced},
        {SPAN_CLIENT, "x", {"db.system=elasticsearch",
         "db.elasticsearch.cluster.name=c"}, NULL, "database c", unplaced},
        {SPAN_CLIENT, "x", {"db.system.name=mysql", "db.system=old"}, NULL,
         "database mysql", unplaced},
        {SPAN_CLIENT, "x", {"db.system=couchdb", "http.host=h:5984",
         "http.url=http://other/"}, NULL, "database h:5984", db},
        {SPAN_CLIENT, "x", {"db.system.name=elasticsearch",
         "url.full=http://u:p@es:9200/i/_search",
         "network.peer.address=10.0.0.5"}, NULL, "database es:9200", db},
        {SPAN_CLIENT, "x", {"db.system=elasticsearch",
         "http.url=https://es/i"}, NULL, "database es", db},
        /* What pools and cursors do is no call; not every `connect` is that. */
        {SPAN_CLIENT, "pg-pool.connect", {"db.system.name=postgresql",
         "server.address=pg1"}, NULL, NULL, 0},
        {SPAN_CLIENT, "sql.conn.reset_session", {"db.system=postgresql"}, NULL,
         NULL, 0},
        {SPAN_CLIENT, "sql.rows", {"db.system=postgresql"}, NULL, NULL, 0},
        {SPAN_CLIENT, "PDO::prepare", {"db.system.name=mysql"}, NULL, NULL, 0},
        {SPAN_CLIENT, "PDOStatement::fetchAll", {"db.system.name=mysql"}, NULL,
         NULL, 0},
        {SPAN_CLIENT, "PDOStatement::execute", {"db.system.name=mysql",
         "server.address=m1"}, NULL, "database m1:3306", db},
        {SPAN_CLIENT, "pool.acquire", {"db.system.name=postgresql",
         "server.address=pg1"}, NULL, "database pg1:5432", db},
        {SPAN_CLIENT, "pg.connect", {"db.system.name=postgresql",
         "server.address=pg1"}, NULL, "database pg1:5432", db},
        {SPAN_CLIENT, "sql.rows", {NULL}, NULL, NULL, OUT},
        {SPAN_CLIENT, "connection", {"jdbc.datasource.name=dataSource"},
         NULL, NULL, 0},
        {SPAN_CLIENT, "result-set", {"jdbc.datasource.name=dataSource",
         "peer.service=shop"}, NULL, NULL, 0},
        {SPAN_CLIENT, "query", {"jdbc.datasource.name=dataSource",
         "peer.service=shop"}, NULL, "database shop", db},
        {SPAN_CLIENT, "connection", {"peer.service=shop"}, NULL,
         "external shop", OUT},
        {SPAN_CLIENT, "query", {"r2dbc.connection=PostgreSQL",
         "peer.service=PostgreSQL", "network.peer.address=pg1",
         "network.peer.port=5432"}, NULL, "database pg1:5432", db},
        {SPAN_CLIENT, "query", {"r2dbc.connection=H2", "peer.service=H2"},
         NULL, "database H2", unplaced},
        {SPAN_CLIENT, "x", {"db.operation.name=GET"}, NULL, NULL, OUT},
        {SPAN_INTERNAL, "x", {"db.system=h2"}, NULL, NULL, STUB_INPROC_DB},
        {SPAN_INTERNAL, "x", {"db.system.name=sqlite"}, NULL, NULL,
         STUB_INPROC_DB},
        {SPAN_INTERNAL, "x", {NULL}, NULL, NULL, 0},
        {SPAN_UNSPECIFIED, "x", {"db.system=h2"}, NULL, NULL, 0},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
a_pool_that_has_no_connection_is_told(void **state)
{
    struct fixture *f = *state;

    set_all(&f->attrs, (const char *const[]){"db.system.name=postgresql",
                                             "server.address=pg1", NULL});
    struct stub stub = send(f, (struct span){.kind = SPAN_CLIENT,
                                             .status = SPAN_ERROR,
                                             .name = STR("pg-pool.connect")});
    check_node(f, "peer", stub.peer, "database pg1:5432");
}

static void
a_database_namespace_of_digits_needs_its_system(void **state)
{
    struct fixture *f = *state;

    set_all(&f->attrs, (const char *const[]){"db.system=redis", NULL});
    f->attrs.mask[ATTR_DB_NAMESPACE / 64] |= UINT64_C(1)
                                             << (ATTR_DB_NAMESPACE % 64);
    f->attrs.value[ATTR_DB_NAMESPACE] =
        (struct attr_value){.type = ATTR_STR, .len = 1, .str = "3"};
    struct stub stub = send(f, (struct span){.kind = SPAN_CLIENT});
    check_node(f, "redis", stub.peer, "database redis:3");
}

static void
peers_by_old_and_new_attributes(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "x", {"service.peer.name=pay", "peer.service=old"}, NULL,
         "external pay", OUT},
        {SPAN_CLIENT, "x", {"service.peer.name=pay",
         "service.peer.namespace=shop"}, NULL, "external shop/pay", OUT},
        {SPAN_CLIENT, "x", {"peer.service=stripe",
         "service.peer.namespace=shop"}, NULL, "external stripe", OUT},
        {SPAN_CLIENT, "x", {"faas.invoked_name=fn"}, NULL, "external fn", OUT},
        {SPAN_CLIENT, "x", {"server.address=api.stripe.com"}, NULL, NULL, OUT},
        {SPAN_SERVER, "x", {"service.peer.name=web", "http.method=GET",
         "http.route=/"}, "route GET /", "external web", IN},
        {SPAN_SERVER, "x", {"peer.service=web"}, "service s", "external web",
         IN},
        {SPAN_INTERNAL, "x", {"peer.service=web"}, NULL, NULL, 0},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
hosts_name_peers_only_where_configured(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "x", {"server.address=API.Stripe.com", "server.port=443",
         "net.peer.name=old"}, NULL, "external api.stripe.com", OUT},
        {SPAN_CLIENT, "x", {"net.peer.name=old", "http.host=h:1"}, NULL,
         "external old", OUT},
        {SPAN_CLIENT, "x", {"http.host=h:1"}, NULL, "external h", OUT},
        {SPAN_CLIENT, "x", {"http.url=https://u:p@h2:1/x"}, NULL,
         "external h2", OUT},
        {SPAN_CLIENT, "x", {"url.full=https://h3/x"}, NULL, "external h3",
         OUT},
        {SPAN_CLIENT, "x", {"server.address=10.0.0.1"}, NULL, NULL, OUT},
        {SPAN_CLIENT, "x", {"http.host=10.0.0.1:80"}, NULL, NULL, OUT},
        {SPAN_CLIENT, "x", {"http.host=[::1]:80"}, NULL, NULL, OUT},
        {SPAN_CLIENT, "x", {"url.full=http://[fe80::1]:80/x"}, NULL, NULL,
         OUT},
        {SPAN_CLIENT, "x", {"network.peer.address=somebody"}, NULL, NULL, OUT},
        {SPAN_CLIENT, "x", {"server.address=h", "peer.service=p"}, NULL,
         "external p", OUT},
    };
    /* clang-format on */

    f->cfg.external_by_address = true;
    CHECK(rows);
}

static void
a_page_that_loads_is_called_by_nobody(void **state)
{
    static const struct {
        const char *sdk;
        str name;
        uint64_t parent;
    } rows[] = {
        {"telemetry.sdk.language=webjs", STR_INIT("documentLoad"), 0},
        {"telemetry.sdk.language=webjs", STR_INIT("resourceFetch"), 7},
        {"telemetry.sdk.language=java", STR_INIT("documentLoad"), 7},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        set_all(&f->resource,
                (const char *const[]){"service.name=page", rows[i].sdk, NULL});
        struct stub stub = send(f, (struct span){.kind = SPAN_INTERNAL,
                                                 .parent_id = 7,
                                                 .name = rows[i].name});
        assert_int_equal(stub.parent_id, rows[i].parent);
    }
}

static void
a_name_that_memory_was_short_for_is_asked_for_again(void **state)
{
    static const struct span spans[] = {
        {.kind = SPAN_CLIENT, .name = {"x", 1}},
        {.kind = SPAN_SERVER, .name = {"GET /a", 6}},
    };
    static const char *const pairs[] = {
        "peer.service=pay", "http.request.method=GET", "http.route=/a",
        "code.function.name=f", NULL};
    struct fixture *f = *state;
    struct stub_batch *batch;

    set_all(&f->resource, (const char *const[]){"service.name=s",
                                                "service.namespace=n", NULL});
    set_all(&f->attrs, pairs);
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        struct span span = spans[i];
        span.attrs = &f->attrs;
        f->lane->text.cap_max = 1; /* as if there were none */
        intake_begin(f->lane, NOW, &f->to);
        f->to.resource(f->to.ctx, &f->resource);
        f->to.span(f->to.ctx, &span);
        assert_int_equal(intake_take(f->lane, &batch), ERR_NOMEM);
        f->lane->text.cap_max = 0;
        struct stub stub = send(f, spans[i]);
        check_node(f, "service", stub.service, "service n/s");
        check_node(f, "peer", stub.peer, "external pay");
        check_node(f, "endpoint", stub.endpoint,
                   spans[i].kind == SPAN_SERVER ? "route GET /a" : NULL);
        check_node(f, "symbol", stub.symbol, "symbol f");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(messages_by_old_and_new_attributes),
        TEST(a_receive_that_failed_is_told_though_it_has_no_message),
        TEST(databases_by_old_and_new_attributes),
        TEST(a_pool_that_has_no_connection_is_told),
        TEST(a_database_namespace_of_digits_needs_its_system),
        TEST(peers_by_old_and_new_attributes),
        TEST(hosts_name_peers_only_where_configured),
        TEST(a_page_that_loads_is_called_by_nobody),
        TEST(a_name_that_memory_was_short_for_is_asked_for_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
