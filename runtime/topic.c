/*
 * The kind of a span and its messaging operation can disagree across versions
 * of the conventions: `receive` was a CONSUMER and is a CLIENT, `publish` is
 * now `send`.  So the operation is read by itself, and the roles follow from
 * both (runtime/intake.c).
 */
#include "runtime/topic.h"

#include <strings.h>

#include "base/redact.h"
#include "graph/topic_name.h"

static const struct {
    str word;
    enum topic_operation operation;
} operations[] = {
    {STR_INIT("send"), TOPIC_SEND},
    {STR_INIT("publish"), TOPIC_SEND},
    {STR_INIT("create"), TOPIC_CREATE},
    {STR_INIT("receive"), TOPIC_RECEIVE},
    {STR_INIT("process"), TOPIC_PROCESS},
    {STR_INIT("deliver"), TOPIC_PROCESS},
    {STR_INIT("settle"), TOPIC_SETTLE},
    {STR_INIT("poll"), TOPIC_RECEIVE},
    {STR_INIT("pull"), TOPIC_RECEIVE},
    {STR_INIT("consume"), TOPIC_PROCESS},
    {STR_INIT("ack"), TOPIC_SETTLE},
    {STR_INIT("nack"), TOPIC_SETTLE},
    {STR_INIT("acknowledge"), TOPIC_SETTLE},
    {STR_INIT("complete"), TOPIC_SETTLE},
    {STR_INIT("abandon"), TOPIC_SETTLE},
    {STR_INIT("commit"), TOPIC_SETTLE},
    {STR_INIT("reject"), TOPIC_SETTLE},
    {STR_INIT("delete"), TOPIC_SETTLE},
    /* of SQS and SNS, whose SDKs may say no other word */
    {STR_INIT("SendMessage"), TOPIC_SEND},
    {STR_INIT("SendMessageBatch"), TOPIC_SEND},
    {STR_INIT("Publish"), TOPIC_SEND},
    {STR_INIT("PublishBatch"), TOPIC_SEND},
    {STR_INIT("ReceiveMessage"), TOPIC_RECEIVE},
    {STR_INIT("DeleteMessage"), TOPIC_SETTLE},
    {STR_INIT("DeleteMessageBatch"), TOPIC_SETTLE},
    {STR_INIT("ChangeMessageVisibility"), TOPIC_SETTLE},
    {STR_INIT("ChangeMessageVisibilityBatch"), TOPIC_SETTLE},
};

/* Azure's libraries have a span for each message that a later one sends, and
 * say so by its name alone. */
static bool
is_azure_message(const struct span *span)
{
    static const str names[] = {STR_INIT("Message"),
                                STR_INIT("ServiceBus.message"),
                                STR_INIT("EventHubs.message")};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(span->name, names[i]))
            return span->kind == SPAN_PRODUCER;
    return false;
}

/* Python's boto3sqs has a span for each message, too, and none for the request
 * that they go in.  Of that botocore's tells: within the one of a message that
 * goes alone, beside those of a batch. */
static bool
is_boto_message(const struct intake_lane *lane, const struct span *span)
{
    return span->kind == SPAN_PRODUCER &&
           str_eq(lane->scope_name,
                  STR("opentelemetry.instrumentation.boto3sqs"));
}

/* The agent of Java has a span for what RabbitMQ's client hands over and one
 * for the listener of a framework that it is handed to: beside each other, and
 * both say that they are the process.  So it is with Python's confluent_kafka
 * below FastStream. */
static bool
is_handover(str scope)
{
    return str_starts(scope, STR("io.opentelemetry.rabbitmq-")) ||
           str_eq(scope, STR("opentelemetry.instrumentation.confluent_kafka"));
}

static enum topic_operation
told_operation(const struct span *span)
{
    static const enum attr ids[] = {ATTR_MSG_OPERATION, ATTR_MSG_OPERATION_OLD,
                                    ATTR_MSG_OPERATION_NAME, ATTR_RPC_METHOD,
                                    ATTR_COUNT};
    str word = lane_first(span->attrs, ids);
    const char *slash = word.len ? memrchr(word.ptr, '/', word.len) : NULL;

    if (slash) /* `SQS/SendMessage` */
        word = str_cut(word, (size_t)(slash + 1 - word.ptr), word.len);
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (word.len > 0 && str_eq(word, operations[i].word))
            return operations[i].operation;
    return is_azure_message(span) ? TOPIC_CREATE : TOPIC_NONE;
}

enum topic_operation
topic_operation(const struct intake_lane *lane, const struct span *span)
{
    enum topic_operation operation = told_operation(span);

    if (operation == TOPIC_NONE && is_boto_message(lane, span))
        return TOPIC_CREATE;
    return operation == TOPIC_PROCESS && is_handover(lane->scope_name)
               ? TOPIC_RECEIVE
               : operation;
}

/* Python's aiokafka has a span for what it was given at once, one for what is
 * of each partition, and one for each message. */
bool
topic_is_frame(const struct intake_lane *lane, const struct span *span)
{
    static const str aiokafka =
        STR_INIT("opentelemetry.instrumentation.aiokafka");
    int64_t count = 0;

    if (span->status == SPAN_ERROR ||
        !attr_int(span->attrs, ATTR_MSG_BATCH_COUNT, &count))
        return false;
    return (span->link_len == 0 && count == 0) ||
           str_eq(lane->scope_name, aiokafka);
}

/* Python's FastStream has a span that ends at once for what came without a
 * context and for what came together; the handler's is its child. */
bool
topic_is_arrival(const struct intake_lane *lane)
{
    return str_eq(lane->scope_name,
                  STR("opentelemetry.instrumentation.faststream"));
}

static bool
is_true(const struct attr_set *attrs, enum attr id)
{
    if (!attr_has(attrs, id))
        return false;
    if (attrs->value[id].type == ATTR_BOOL)
        return attrs->value[id].i != 0;
    return str_eq(attr_str(attrs, id), STR("true"));
}

/* A queue of RabbitMQ that lives as long as its consumer has a name like no
 * other. */
static bool
is_passing(str queue)
{
    return str_starts(queue, STR("amq.gen-")) ||
           str_starts(queue, STR("amq.rabbitmq.reply-to"));
}

static bool
is_system(str system, str name)
{
    return system.len == name.len &&
           strncasecmp(system.ptr, name.ptr, name.len) == 0;
}

/* Spans of BullMQ, of Amazon's SDK for .NET and of Brave's Kafka have their own
 * attributes alone, and those of Spring by Micrometer name the broker as who
 * was called. */
static str
system_of(const struct attr_set *attrs)
{
    static const struct {
        enum attr id;
        str system;
    } own[] = {
        {ATTR_BULLMQ_QUEUE, STR_INIT("bullmq")},
        {ATTR_AWS_QUEUE, STR_INIT("aws_sqs")},
        {ATTR_AWS_QUEUE_OLD, STR_INIT("aws_sqs")},
        {ATTR_AWS_TOPIC, STR_INIT("aws.sns")},
        {ATTR_KAFKA_TOPIC, STR_INIT("kafka")},
    };
    str rabbitmq = STR("rabbitmq");

    if (attr_has(attrs, ATTR_MSG_SYSTEM))
        return attr_str(attrs, ATTR_MSG_SYSTEM);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (attr_has(attrs, own[i].id))
            return own[i].system;
    return is_system(attr_str(attrs, ATTR_PEER_SERVICE), rabbitmq)
               ? rabbitmq
               : (str){NULL, 0};
}

/* RabbitMQ's exchange without a name, which some instrumentations give one. */
static bool
is_nameless(str exchange)
{
    return exchange.len == 0 || str_eq(exchange, STR("<default>")) ||
           str_eq(exchange, STR("amq.default"));
}

/* The exchange of `exchange:key` and `exchange:key:queue`, as the conventions
 * since 1.28 have it; another may be called so, too, hence only by the key.
 * None of the three is longer than AMQP has it. */
static str
without_key(str name, str key)
{
    enum { SHORT = 255 };

    if (key.len > SHORT || name.len > 3 * SHORT + 2)
        return name;
    for (size_t at = 1; key.len > 0 && at + key.len < name.len; at++) {
        size_t end = at + 1 + key.len;
        if (name.ptr[at] == ':' && (end == name.len || name.ptr[end] == ':') &&
            memcmp(name.ptr + at + 1, key.ptr, key.len) == 0)
            return str_cut(name, 0, at);
    }
    return name;
}

/* What is sent to the exchange without a name is for the queue that the routing
 * key names; Python's aio-pika tells both of what it sends as one name, and of
 * what it receives the one that is there. */
static str
rabbit_destination(const struct attr_set *attrs, str name)
{
    static const enum attr ids[] = {ATTR_MSG_ROUTING_KEY,
                                    ATTR_MSG_ROUTING_KEY_OLD, ATTR_COUNT};
    const char *comma = name.len ? memchr(name.ptr, ',', name.len) : NULL;
    size_t len = comma ? (size_t)(comma - name.ptr) : name.len;
    str key = lane_first(attrs, ids);

    if (comma && len == 0)
        return str_cut(name, 1, name.len);
    str exchange = without_key(str_cut(name, 0, len), key);
    if (!is_nameless(exchange))
        return exchange;
    return key.len > 0 ? key : name;
}

/* The address of NATS's replies, which is another each time. */
static bool
is_inbox(str subject)
{
    return str_starts(subject, STR("_INBOX."));
}

/* A subscription of NATS is to a pattern of subjects, or has an inbox of its
 * own where a stream puts what it took from a subject. */
static bool
is_subscription(str subject)
{
    return is_inbox(subject) ||
           (subject.len > 0 && (memchr(subject.ptr, '*', subject.len) ||
                                memchr(subject.ptr, '>', subject.len)));
}

/* Consumers may say where they take from by another name than producers where
 * they send to: to where it was published (FastStream), a source (Azure's SDK
 * of JavaScript, conventions 1.17 to 1.20), a bus (that of Python). */
static str
name_of(const struct attr_set *attrs)
{
    static const enum attr ids[] = {ATTR_MSG_DESTINATION,
                                    ATTR_MSG_DESTINATION_OLD,
                                    ATTR_MSG_PUBLISHED_TO,
                                    ATTR_MSG_SOURCE,
                                    ATTR_MSG_BUS,
                                    ATTR_BULLMQ_QUEUE,
                                    ATTR_AWS_QUEUE,
                                    ATTR_AWS_QUEUE_OLD,
                                    ATTR_AWS_TOPIC,
                                    ATTR_KAFKA_TOPIC,
                                    ATTR_COUNT};

    return lane_first(attrs, ids);
}

static bool
is_temporary(const struct attr_set *attrs)
{
    return is_true(attrs, ATTR_MSG_TEMPORARY) ||
           is_true(attrs, ATTR_MSG_ANONYMOUS);
}

static str
lasting_destination(const struct attr_set *attrs, str system)
{
    str name = name_of(attrs);

    if (name.len == 0 || is_system(system, STR("rabbitmq")))
        name = rabbit_destination(attrs, name);
    if (is_temporary(attrs) || is_passing(name))
        return (str){NULL, 0};
    return name;
}

/* Of NATS: the subject, for both ends have that, and for all replies one name.
 * What is said to be temporary is the subscription of an inbox. */
static str
nats_destination(const struct attr_set *attrs, str template)
{
    str subject = name_of(attrs);

    if (subject.len == 0 || (template.len > 0 && !is_subscription(template)))
        subject = template;
    if (is_inbox(subject))
        return STR("_INBOX");
    if (is_temporary(attrs) && !is_inbox(template))
        return (str){NULL, 0};
    return subject;
}

static str
destination_of(const struct attr_set *attrs, str system)
{
    str template = attr_str(attrs, ATTR_MSG_TEMPLATE);

    if (is_system(system, STR("nats")))
        return nats_destination(attrs, template);
    return template.len > 0 ? template : lasting_destination(attrs, system);
}

static void
put_name(struct buf *out, const struct memo_key *key)
{
    str system = topic_system(key->a);

    redact_add(out, system);
    if (system.len > 0)
        buf_add_char(out, ':');
    if (!key->owner) {
        redact_add(out, topic_name(system, key->b));
        return;
    }
    redact_add(out, key->b);
    buf_add_char(out, ':');
    buf_add_u64(out, key->owner);
}

uint32_t
topic_find(struct intake_lane *lane, const struct span *span)
{
    const struct attr_set *attrs = span->attrs;
    struct memo_key key = {.use = MEMO_TOPIC};
    struct memo_value value = {0, 0};
    int64_t port = 0;

    key.a = system_of(attrs);
    key.b = destination_of(attrs, key.a);
    if (key.b.len == 0 && key.a.len > 0) {
        key.b = attr_str(attrs, ATTR_SERVER_ADDRESS);
        (void)attr_int(attrs, ATTR_SERVER_PORT, &port);
        key.owner = port > 0 && port <= UINT16_MAX ? (uint32_t)port : 0;
    }
    if (key.b.len == 0)
        return 0;
    if (memo_find(lane->memo, &key, &value))
        return value.id;

    buf_reset(&lane->text);
    put_name(&lane->text, &key);
    if (lane->text.failed) {
        lane->err = ERR_NOMEM;
        return 0;
    }
    value.id = nodes_intern(lane->nodes, NODE_TOPIC, 0, buf_str(&lane->text),
                            (str){NULL, 0});
    lane_remember(lane, &key, value);
    return value.id;
}
