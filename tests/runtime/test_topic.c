/* Names of topics as instrumentations send them, so that both ends are one.
 * The comment of a group says whose spans have these attributes. */
#include "tests/runtime/intake_fixture.h"

static void
producers_and_consumers_name_one_topic(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        /* .NET's NATS client: a subscription may be to a pattern of subjects;
         * what a reply is sent to has another name each time. */
        {SPAN_PRODUCER, "publish", {"messaging.system=nats",
         "messaging.operation=publish",
         "messaging.destination.name=orders.eu.new"}, NULL,
         "topic nats:orders.eu.new", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "receive", {"messaging.system=nats",
         "messaging.operation=receive",
         "messaging.destination.template=orders.*.new",
         "messaging.destination.temporary=false",
         "messaging.destination.name=orders.eu.new",
         "messaging.destination_publish.name=orders.eu.new"},
         "consumer nats:orders.eu.new", "topic nats:orders.eu.new",
         IN | STUB_RECEIVE},
        {SPAN_CONSUMER, "receive", {"messaging.system=nats",
         "messaging.destination.template=orders.>",
         "messaging.destination.name=orders.eu.new"},
         "consumer nats:orders.eu.new", "topic nats:orders.eu.new", IN},
        {SPAN_PRODUCER, "publish", {"messaging.system=nats",
         "messaging.destination.name=_INBOX.Vq8ZtK3.1"}, NULL,
         "topic nats:_INBOX", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "receive", {"messaging.system=nats",
         "messaging.destination.template=_INBOX.Vq8ZtK3.>",
         "messaging.destination.temporary=true",
         "messaging.destination.name=_INBOX.Vq8ZtK3.1"},
         "consumer nats:_INBOX", "topic nats:_INBOX", IN},
        /* The same, of a stream: it comes by an inbox. */
        {SPAN_CONSUMER, "receive", {"messaging.system=nats",
         "messaging.destination.template=_INBOX.Vq8ZtK3.>",
         "messaging.destination.temporary=true",
         "messaging.destination.name=orders.eu.new"},
         "consumer nats:orders.eu.new", "topic nats:orders.eu.new", IN},
        /* Java's agent, NATS: a template where it is an inbox, its prefix. */
        {SPAN_PRODUCER, "(temporary) publish", {"messaging.system=nats",
         "messaging.destination.template=_INBOX.",
         "messaging.destination.temporary=true",
         "messaging.destination.name=_INBOX.Vq8ZtK3"}, NULL,
         "topic nats:_INBOX", OUT | STUB_PUBLISH},
        /* Spring AMQP by Micrometer: no system, but who was called. */
        {SPAN_PRODUCER, "/jobs send", {"messaging.destination.name=",
         "messaging.rabbitmq.destination.routing_key=jobs",
         "peer.service=RabbitMQ"}, NULL, "topic rabbitmq:jobs",
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "mail/new send", {"messaging.destination.name=mail",
         "messaging.rabbitmq.destination.routing_key=new",
         "peer.service=RabbitMQ"}, NULL, "topic rabbitmq:mail",
         OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "jobs receive", {"messaging.destination.name=jobs",
         "peer.service=RabbitMQ"}, "consumer rabbitmq:jobs",
         "topic rabbitmq:jobs", IN},
        /* Told by hand. */
        {SPAN_CONSUMER, "x", {"messaging.destination.name=jobs",
         "peer.service=RabbitMQ", "messaging.system=jms"},
         "consumer jms:jobs", "topic jms:jobs", IN},
        {SPAN_PRODUCER, "x", {"messaging.system=nats",
         "messaging.destination.template=orders.{region}.new",
         "messaging.destination.name=orders.eu.new"}, NULL,
         "topic nats:orders.{region}.new", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=nats",
         "messaging.destination.template=orders.*"}, "consumer nats:orders.*",
         "topic nats:orders.*", IN},
        {SPAN_PRODUCER, "x", {"messaging.system=nats",
         "messaging.destination.name=mine.17",
         "messaging.destination.temporary=true"}, NULL, NULL,
         OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=mq",
         "messaging.destination.template=orders.*",
         "messaging.destination.name=orders.eu"}, NULL, "topic mq:orders.*",
         OUT | STUB_PUBLISH},
        /* Python's FastStream: consumers say where it was published. */
        {SPAN_CONSUMER, "orders process", {"messaging.system=nats",
         "messaging.operation=process",
         "messaging.destination_publish.name=orders"}, "consumer nats:orders",
         "topic nats:orders", IN},
        {SPAN_CONSUMER, "ex.key process", {"messaging.system=rabbitmq",
         "messaging.destination_publish.name=ex",
         "messaging.rabbitmq.destination.routing_key=key"},
         "consumer rabbitmq:ex", "topic rabbitmq:ex", IN},
        {SPAN_CONSUMER, "default.q process", {"messaging.system=rabbitmq",
         "messaging.destination_publish.name=",
         "messaging.rabbitmq.destination.routing_key=q"},
         "consumer rabbitmq:q", "topic rabbitmq:q", IN},
        /* RabbitMQ by the conventions since 1.28, .NET's client and Java's
         * agent where they are asked for: exchange, key and queue. */
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=ex:key",
         "messaging.rabbitmq.destination.routing_key=key"}, NULL,
         "topic rabbitmq:ex", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=ex:key:q",
         "messaging.rabbitmq.destination.routing_key=key"},
         "consumer rabbitmq:ex", "topic rabbitmq:ex", IN},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=q",
         "messaging.rabbitmq.destination.routing_key=q"}, NULL,
         "topic rabbitmq:q", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=amq.default:q",
         "messaging.rabbitmq.destination.routing_key=q"},
         "consumer rabbitmq:q", "topic rabbitmq:q", IN},
        /* MassTransit has such names for exchanges, and mostly no keys. */
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=Shop.Contracts:OrderPlaced"}, NULL,
         "topic rabbitmq:Shop.Contracts:OrderPlaced", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=Shop.Contracts:OrderPlaced:eu",
         "messaging.rabbitmq.destination.routing_key=eu"}, NULL,
         "topic rabbitmq:Shop.Contracts:OrderPlaced", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=ex:keys",
         "messaging.rabbitmq.destination.routing_key=key"}, NULL,
         "topic rabbitmq:ex:keys", OUT | STUB_PUBLISH},
        {SPAN_PRODUCER, "x", {"messaging.system=rabbitmq",
         "messaging.destination.name=:key",
         "messaging.rabbitmq.destination.routing_key=key"}, NULL,
         "topic rabbitmq::key", OUT | STUB_PUBLISH},
        /* Azure's SDKs, Service Bus: .NET and Java tell a consumer's path ... */
        {SPAN_CONSUMER, "ServiceBusProcessor.ProcessMessage",
         {"messaging.system=servicebus", "messaging.operation=process",
         "messaging.destination.name=orders/Subscriptions/billing"},
         "consumer servicebus:orders", "topic servicebus:orders", IN},
        {SPAN_CONSUMER, "ServiceBus.process", {"messaging.system=servicebus",
         "messaging.operation=process",
         "messaging.destination.name=orders/subscriptions/billing"},
         "consumer servicebus:orders", "topic servicebus:orders", IN},
        /* ... JavaScript a source ... */
        {SPAN_CONSUMER, "ServiceBusReceiver.process",
         {"messaging.system=servicebus", "messaging.operation=process",
         "messaging.source.name=orders/Subscriptions/billing"},
         "consumer servicebus:orders", "topic servicebus:orders", IN},
        /* ... Python a bus, and its sender too. */
        {SPAN_CLIENT, "ServiceBus.send", {"messaging.system=servicebus",
         "messaging.operation=publish", "message_bus.destination=orders"},
         NULL, "topic servicebus:orders", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "ServiceBus.receive", {"messaging.system=servicebus",
         "messaging.operation=receive", "message_bus.destination=orders"},
         NULL, "topic servicebus:orders", STUB_RECEIVE},
        {SPAN_CLIENT, "EventHubs.send", {"messaging.system=eventhubs",
         "messaging.operation=publish", "message_bus.destination=clicks"},
         NULL, "topic eventhubs:clicks", OUT | STUB_PUBLISH},
        /* A destination that is told goes before all of them. */
        {SPAN_CONSUMER, "x", {"messaging.system=kafka",
         "messaging.destination.name=a",
         "messaging.destination_publish.name=b", "messaging.source.name=c",
         "message_bus.destination=d"}, "consumer kafka:a", "topic kafka:a", IN},
        /* .NET's instrumentation of Kafka. */
        {SPAN_PRODUCER, "send o", {"messaging.system=kafka",
         "messaging.operation.name=send", "messaging.operation.type=send",
         "messaging.destination.name=o"}, NULL, "topic kafka:o",
         OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "poll o", {"messaging.system=kafka",
         "messaging.operation.name=poll", "messaging.operation.type=receive",
         "messaging.destination.name=o"}, NULL, "topic kafka:o", STUB_RECEIVE},
        /* Amazon's SDK by what it is asked, as .NET's instrumentation has it. */
        {SPAN_CLIENT, "SQS.SendMessage", {"rpc.system=aws-api",
         "rpc.service=SQS", "rpc.method=SendMessage",
         "aws.sqs.queue.url=https://sqs.eu-west-1.amazonaws.com/12/orders"},
         NULL, "topic aws_sqs:orders", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "SQS.ReceiveMessage", {"rpc.system=aws-api",
         "rpc.service=SQS", "rpc.method=ReceiveMessage",
         "aws.queue_url=https://sqs.eu-west-1.amazonaws.com/12/orders"},
         NULL, "topic aws_sqs:orders", STUB_RECEIVE},
        {SPAN_CLIENT, "SQS.DeleteMessage", {"rpc.system=aws-api",
         "rpc.service=SQS", "rpc.method=DeleteMessage",
         "aws.sqs.queue.url=https://sqs.eu-west-1.amazonaws.com/12/orders"},
         NULL, NULL, 0},
        {SPAN_CLIENT, "SNS.Publish", {"rpc.system=aws-api", "rpc.service=SNS",
         "rpc.method=Publish",
         "aws.sns.topic.arn=arn:aws:sns:eu-west-1:12:news"},
         NULL, "topic aws.sns:news", OUT | STUB_PUBLISH},
        {SPAN_CLIENT, "SQS.GetQueueAttributes", {"rpc.system=aws-api",
         "rpc.service=SQS", "rpc.method=GetQueueAttributes",
         "aws.sqs.queue.url=https://sqs.eu-west-1.amazonaws.com/12/orders"},
         NULL, NULL, OUT},
        /* A destination that is told goes before them. */
        {SPAN_CLIENT, "SQS.SendMessage", {"messaging.system=aws_sqs",
         "messaging.destination.name=orders", "messaging.operation.type=send",
         "aws.sqs.queue.url=https://sqs.eu-west-1.amazonaws.com/12/other"},
         NULL, "topic aws_sqs:orders", OUT | STUB_PUBLISH},
        /* Brave's Kafka, through a collector; the broker is its peer. */
        {SPAN_PRODUCER, "send", {"kafka.topic=orders", "peer.service=kafka"},
         NULL, "topic kafka:orders", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "poll", {"kafka.topic=orders", "peer.service=kafka"},
         "consumer kafka:orders", "topic kafka:orders", IN},
        /* Python's Celery has no system. */
        {SPAN_PRODUCER, "apply_async/pay", {"messaging.destination=celery"},
         NULL, "topic celery", OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "run/pay", {"messaging.destination=celery"},
         "consumer celery", "topic celery", IN},
        /* Google's SDKs of Python and JavaScript, Pub/Sub: a subscriber tells
         * its subscription and no topic. */
        {SPAN_PRODUCER, "orders create", {"messaging.system=gcp_pubsub",
         "messaging.destination.name=orders"}, NULL, "topic gcp_pubsub:orders",
         OUT | STUB_PUBLISH},
        {SPAN_CONSUMER, "orders-billing subscribe",
         {"messaging.system=gcp_pubsub",
         "messaging.destination.name=orders-billing"},
         "consumer gcp_pubsub:orders-billing",
         "topic gcp_pubsub:orders-billing", IN},
    };
    /* clang-format on */

    CHECK(rows);
}

/* `ex:key:queue` with |key| letters of a key and |queue| of a queue. */
static void
check_exchange(struct fixture *f, size_t key, size_t queue, bool is_told)
{
    static const char *const attrs[] = {
        "messaging.system=rabbitmq", "messaging.destination.name=n",
        "messaging.rabbitmq.destination.routing_key=k", NULL};
    char name[1024];
    int len = snprintf(name, sizeof(name), "ex:%0*d:%0*d", (int)key, 0,
                       (int)queue, 0);

    set_all(&f->attrs, attrs);
    f->attrs.value[ATTR_MSG_DESTINATION].str = name;
    f->attrs.value[ATTR_MSG_DESTINATION].len = (uint32_t)len;
    f->attrs.value[ATTR_MSG_ROUTING_KEY].str = name + 3;
    f->attrs.value[ATTR_MSG_ROUTING_KEY].len = (uint32_t)key;
    struct stub stub = send(f, (struct span){.kind = SPAN_PRODUCER});
    str topic = nodes_get(f->nodes, stub.peer).name;
    if (str_eq(topic, STR("rabbitmq:ex")) != is_told)
        fail_msg("key of %zu, queue of %zu: %.*s", key, queue, (int)topic.len,
                 topic.ptr);
}

static void
an_exchange_is_told_from_keys_as_long_as_there_are(void **state)
{
    struct fixture *f = *state;

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    check_exchange(f, 255, 255, true);
    check_exchange(f, 256, 10, false);
    check_exchange(f, 10, 3 * 255 + 2 - 14, true);
    check_exchange(f, 10, 3 * 255 + 2 - 13, false);
}

/* Python's boto3sqs: no word of what is done, but by whom it is told. */
static void
a_message_of_boto3sqs_is_made_and_sent_by_another(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_PRODUCER, "jobs send", {"messaging.system=aws.sqs",
         "messaging.destination=jobs"}, NULL, "topic aws_sqs:jobs",
         OUT | STUB_CREATE},
        {SPAN_CONSUMER, "jobs process", {"messaging.system=aws.sqs",
         "messaging.destination=jobs", "messaging.operation=process"},
         "consumer aws_sqs:jobs", "topic aws_sqs:jobs", IN},
        {SPAN_CONSUMER, "jobs receive", {"messaging.system=aws.sqs",
         "messaging.destination=jobs", "messaging.operation=receive"},
         "consumer aws_sqs:jobs", "topic aws_sqs:jobs", IN | STUB_RECEIVE},
    };
    /* clang-format on */

    f->scope = STR("opentelemetry.instrumentation.boto3sqs");
    CHECK(rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_of_boto3sqs_is_made_and_sent_by_another),
        TEST(producers_and_consumers_name_one_topic),
        TEST(an_exchange_is_told_from_keys_as_long_as_there_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
