/*
 * The kind of a span and its messaging operation can disagree across versions
 * of the conventions: `receive` was a CONSUMER and is a CLIENT, `publish` is
 * now `send`.  So the operation is read by itself, and the roles follow from
 * both (runtime/intake.c).
 */
#include "runtime/topic.h"

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

enum topic_operation
topic_operation(const struct span *span)
{
    static const enum attr ids[] = {ATTR_MSG_OPERATION, ATTR_MSG_OPERATION_OLD,
                                    ATTR_MSG_OPERATION_NAME, ATTR_COUNT};
    str word = lane_first(span->attrs, ids);

    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (word.len > 0 && str_eq(word, operations[i].word))
            return operations[i].operation;
    return is_azure_message(span) ? TOPIC_CREATE : TOPIC_NONE;
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

/* What is sent to RabbitMQ's exchange without a name is for the queue that the
 * routing key names. */
static str
lasting_destination(const struct attr_set *attrs)
{
    static const enum attr ids[] = {ATTR_MSG_DESTINATION,
                                    ATTR_MSG_DESTINATION_OLD,
                                    ATTR_MSG_ROUTING_KEY, ATTR_COUNT};
    str name = lane_first(attrs, ids);

    if (is_true(attrs, ATTR_MSG_TEMPORARY) ||
        is_true(attrs, ATTR_MSG_ANONYMOUS) || is_passing(name))
        return (str){NULL, 0};
    return name;
}

uint32_t
topic_find(struct intake_lane *lane, const struct span *span)
{
    const struct attr_set *attrs = span->attrs;
    struct memo_key key = {.use = MEMO_TOPIC};
    struct memo_value value = {0, 0};
    int64_t port = 0;

    key.a = attr_str(attrs, ATTR_MSG_SYSTEM);
    key.b = attr_str(attrs, ATTR_MSG_TEMPLATE);
    if (key.b.len == 0)
        key.b = lasting_destination(attrs);
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
    buf_add(&lane->text, key.a);
    if (key.a.len > 0)
        buf_add_char(&lane->text, ':');
    buf_add(&lane->text, key.b);
    if (key.owner) {
        buf_add_char(&lane->text, ':');
        buf_add_u64(&lane->text, key.owner);
    }
    if (lane->text.failed) {
        lane->err = ERR_NOMEM;
        return 0;
    }
    value.id = nodes_intern(lane->nodes, NODE_TOPIC, 0, buf_str(&lane->text),
                            (str){NULL, 0});
    lane_remember(lane, &key, value);
    return value.id;
}
