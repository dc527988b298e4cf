/*
 * Brokers: who publishes to which topic, who is told.  A topic is called as
 * spans call it, `kafka:orders` (graph/topic_name.h).
 */
#include <string.h>

#include "base/redact.h"
#include "graph/topic_name.h"
#include "index/routes_asked.h"
#include "index/routes_called.h"
#include "index/routes_marks.h"

enum topic_role { TOPIC_OUT, TOPIC_IN };

/* A call of |path|, or the making of such a thing.  The topic is argument
 * |arg|, or what is named |key|; lists are several. */
struct topic_rule {
    const char *path;
    const char *system;
    uint8_t role;
    int8_t arg; /* -1: none */
    const char *key;
};

#define SARAMA   "github.com/IBM/sarama."
#define SHOPIFY  "github.com/Shopify/sarama."
#define SEGMENT  "github.com/segmentio/kafka-go."
#define CONFL    "github.com/confluentinc/confluent-kafka-go/kafka."
#define AMQP     "github.com/rabbitmq/amqp091-go."
#define STREADW  "github.com/streadway/amqp."
#define NATS     "github.com/nats-io/nats.go."
#define CHANNEL  "amqplib.connect.createChannel."
#define CONFIRM  "amqplib.connect.createConfirmChannel."
#define PIKA     "pika.BlockingConnection.channel."
#define PIKA2    "pika.adapters.blocking_connection.BlockingChannel."
#define SPRINGK  "org.springframework.kafka.core.KafkaTemplate."
#define APACHE   "org.apache.kafka.clients."
#define RABBIT_T "org.springframework.amqp.rabbit.core.RabbitTemplate."

static const struct topic_rule call_rules[] = {
    {"kafkajs.Kafka.producer.send", "kafka", TOPIC_OUT, -1, "topic"},
    {"kafkajs.Kafka.consumer.subscribe", "kafka", TOPIC_IN, -1, "topic"},
    {"kafkajs.Kafka.consumer.subscribe", "kafka", TOPIC_IN, -1, "topics"},
    {"kafkajs.Producer.send", "kafka", TOPIC_OUT, -1, "topic"},
    {"kafkajs.Consumer.subscribe", "kafka", TOPIC_IN, -1, "topic"},
    {CHANNEL "sendToQueue", "rabbitmq", TOPIC_OUT, 0, NULL},
    {CHANNEL "publish", "rabbitmq", TOPIC_OUT, 0, NULL},
    {CHANNEL "consume", "rabbitmq", TOPIC_IN, 0, NULL},
    {CONFIRM "sendToQueue", "rabbitmq", TOPIC_OUT, 0, NULL},
    {CONFIRM "publish", "rabbitmq", TOPIC_OUT, 0, NULL},
    {"amqplib.Channel.sendToQueue", "rabbitmq", TOPIC_OUT, 0, NULL},
    {"amqplib.Channel.publish", "rabbitmq", TOPIC_OUT, 0, NULL},
    {"amqplib.Channel.consume", "rabbitmq", TOPIC_IN, 0, NULL},
    {"nats.connect.publish", "nats", TOPIC_OUT, 0, NULL},
    {"nats.connect.request", "nats", TOPIC_OUT, 0, NULL},
    {"nats.connect.subscribe", "nats", TOPIC_IN, 0, NULL},
    {"@aws-sdk/client-sqs.SendMessageCommand", "aws_sqs", TOPIC_OUT, -1,
     "QueueUrl"},
    {"@aws-sdk/client-sqs.ReceiveMessageCommand", "aws_sqs", TOPIC_IN, -1,
     "QueueUrl"},
    {"@aws-sdk/client-sns.PublishCommand", "aws.sns", TOPIC_OUT, -1,
     "TopicArn"},

    {"kafka.KafkaProducer.send", "kafka", TOPIC_OUT, 0, "topic"},
    {"kafka.KafkaConsumer", "kafka", TOPIC_IN, 0, NULL},
    {"kafka.KafkaConsumer.subscribe", "kafka", TOPIC_IN, 0, "topics"},
    {"aiokafka.AIOKafkaProducer.send", "kafka", TOPIC_OUT, 0, "topic"},
    {"aiokafka.AIOKafkaProducer.send_and_wait", "kafka", TOPIC_OUT, 0, "topic"},
    {"aiokafka.AIOKafkaConsumer", "kafka", TOPIC_IN, 0, NULL},
    {"confluent_kafka.Producer.produce", "kafka", TOPIC_OUT, 0, "topic"},
    {"confluent_kafka.Consumer.subscribe", "kafka", TOPIC_IN, 0, "topics"},
    {PIKA "basic_publish", "rabbitmq", TOPIC_OUT, -1, "exchange"},
    {PIKA "basic_publish", "rabbitmq", TOPIC_OUT, -1, "routing_key"},
    {PIKA "basic_consume", "rabbitmq", TOPIC_IN, 0, "queue"},
    {PIKA2 "basic_publish", "rabbitmq", TOPIC_OUT, -1, "routing_key"},
    {PIKA2 "basic_consume", "rabbitmq", TOPIC_IN, 0, "queue"},
    {"boto3.client.send_message", "aws_sqs", TOPIC_OUT, -1, "QueueUrl"},
    {"boto3.client.receive_message", "aws_sqs", TOPIC_IN, -1, "QueueUrl"},
    {"boto3.client.publish", "aws.sns", TOPIC_OUT, -1, "TopicArn"},

    {SARAMA "ProducerMessage", "kafka", TOPIC_OUT, -1, "Topic"},
    {SHOPIFY "ProducerMessage", "kafka", TOPIC_OUT, -1, "Topic"},
    {SARAMA "Consumer.ConsumePartition", "kafka", TOPIC_IN, 0, NULL},
    {SHOPIFY "Consumer.ConsumePartition", "kafka", TOPIC_IN, 0, NULL},
    {SARAMA "ConsumerGroup.Consume", "kafka", TOPIC_IN, 1, NULL},
    {SHOPIFY "ConsumerGroup.Consume", "kafka", TOPIC_IN, 1, NULL},
    {SARAMA "NewConsumerGroup.Consume", "kafka", TOPIC_IN, 1, NULL},
    {SHOPIFY "NewConsumerGroup.Consume", "kafka", TOPIC_IN, 1, NULL},
    {SEGMENT "Writer", "kafka", TOPIC_OUT, -1, "Topic"},
    {SEGMENT "WriterConfig", "kafka", TOPIC_OUT, -1, "Topic"},
    {SEGMENT "ReaderConfig", "kafka", TOPIC_IN, -1, "Topic"},
    {SEGMENT "Message", "kafka", TOPIC_OUT, -1, "Topic"},
    {CONFL "NewConsumer.Subscribe", "kafka", TOPIC_IN, 0, NULL},
    {CONFL "NewConsumer.SubscribeTopics", "kafka", TOPIC_IN, 0, NULL},
    {CONFL "Consumer.Subscribe", "kafka", TOPIC_IN, 0, NULL},
    {CONFL "Consumer.SubscribeTopics", "kafka", TOPIC_IN, 0, NULL},
    {AMQP "Channel.Publish", "rabbitmq", TOPIC_OUT, 0, NULL},
    {AMQP "Channel.PublishWithContext", "rabbitmq", TOPIC_OUT, 1, NULL},
    {AMQP "Channel.Consume", "rabbitmq", TOPIC_IN, 0, NULL},
    {STREADW "Channel.Publish", "rabbitmq", TOPIC_OUT, 0, NULL},
    {STREADW "Channel.Consume", "rabbitmq", TOPIC_IN, 0, NULL},
    {NATS "Connect.Publish", "nats", TOPIC_OUT, 0, NULL},
    {NATS "Connect.Subscribe", "nats", TOPIC_IN, 0, NULL},
    {NATS "Connect.QueueSubscribe", "nats", TOPIC_IN, 0, NULL},
    {NATS "Conn.Publish", "nats", TOPIC_OUT, 0, NULL},
    {NATS "Conn.Subscribe", "nats", TOPIC_IN, 0, NULL},
    {NATS "Conn.QueueSubscribe", "nats", TOPIC_IN, 0, NULL},

    {SPRINGK "send", "kafka", TOPIC_OUT, 0, NULL},
    {APACHE "producer.ProducerRecord", "kafka", TOPIC_OUT, 0, NULL},
    {APACHE "consumer.KafkaConsumer.subscribe", "kafka", TOPIC_IN, 0, NULL},
    {RABBIT_T "convertAndSend", "rabbitmq", TOPIC_OUT, 0, NULL},
    {"org.springframework.jms.core.JmsTemplate.convertAndSend", "jms",
     TOPIC_OUT, 0, NULL},

    {"Confluent.Kafka.IProducer.ProduceAsync", "kafka", TOPIC_OUT, 0, NULL},
    {"Confluent.Kafka.IProducer.Produce", "kafka", TOPIC_OUT, 0, NULL},
    {"Confluent.Kafka.IConsumer.Subscribe", "kafka", TOPIC_IN, 0, NULL},
    {"IProducer.ProduceAsync", "kafka", TOPIC_OUT, 0, NULL},
    {"IProducer.Produce", "kafka", TOPIC_OUT, 0, NULL},
    {"IConsumer.Subscribe", "kafka", TOPIC_IN, 0, NULL},
    {"ProducerBuilder.Build.ProduceAsync", "kafka", TOPIC_OUT, 0, NULL},
    {"ProducerBuilder.Build.Produce", "kafka", TOPIC_OUT, 0, NULL},
    {"ConsumerBuilder.Build.Subscribe", "kafka", TOPIC_IN, 0, NULL},
};

/* Annotations: what a method listens to. */
static const struct topic_rule mark_rules[] = {
    {"org.springframework.kafka.annotation.KafkaListener", "kafka", TOPIC_IN,
     -1, "topics"},
    {"org.springframework.amqp.rabbit.annotation.RabbitListener", "rabbitmq",
     TOPIC_IN, -1, "queues"},
    {"org.springframework.jms.annotation.JmsListener", "jms", TOPIC_IN, -1,
     "destination"},
    {"io.awspring.cloud.sqs.annotation.SqsListener", "aws_sqs", TOPIC_IN, 0,
     "value"},
    {"io.micronaut.configuration.kafka.annotation.Topic", "kafka", TOPIC_IN, 0,
     "value"},
};

/* What holds several of them, before a language lets them stand by each other.
 */
static const char *const mark_containers[] = {
    "org.springframework.kafka.annotation.KafkaListeners",
    "org.springframework.amqp.rabbit.annotation.RabbitListeners",
    "org.springframework.jms.annotation.JmsListeners",
};

struct topic_use {
    struct parts *p;
    const struct topic_rule *rule;
    struct at at; /* call or mark */
    uint32_t node;
    bool told;
};

/* `${orders.topic}`, `#{names.orders}`: settings are not read. */
static bool
is_placeholder(str name)
{
    return name.len > 0 && (memmem(name.ptr, name.len, "${", 2) ||
                            memmem(name.ptr, name.len, "#{", 2));
}

static void
tell_topic(struct topic_use *use, str name)
{
    struct parts *p = use->p;
    struct buf canonical = {0};

    name = topic_name(str_of(use->rule->system), name);
    if (name.len == 0 || is_placeholder(name))
        return;
    buf_add(&canonical, str_of(use->rule->system));
    buf_add_char(&canonical, ':');
    redact_add(&canonical, name); /* as it is when it is observed */
    use->told = true;
    if (!canonical.failed)
        emit_route(
            p, &(struct emit_route){
                   .kind = CODE_TOPIC,
                   .handler = use->node,
                   .flags = use->rule->role == TOPIC_OUT ? ROUTE_IS_CLIENT : 0,
                   .edge = use->rule->role == TOPIC_OUT ? CODE_PUBLISHES
                                                        : CODE_SUBSCRIBES,
                   .raw = name,
                   .canonical = buf_str(&canonical),
                   .framework = str_of(use->rule->system),
                   .file = use->at.file,
                   .site = {part_expr(p, use->at)->line,
                            part_expr(p, use->at)->col},
               });
    p->failed |= canonical.failed;
    buf_fini(&canonical);
}

static void
use_topic(struct topic_use *use, struct at expr)
{
    struct parts *p = use->p;
    struct buf text = {0};
    enum { LIST_MAX = 64 };

    expr = part_bare(p, expr);
    enum expr_kind kind = part_kind(p, expr);
    bool is_list = kind == EXPR_ARRAY ||
                   (kind == EXPR_NEW && part_args(p, expr) > 0) ||
                   (kind == EXPR_CALL && part_args(p, expr) > 0);
    if (is_list) { /* List.of("a"), []string{"a"} */
        for (uint32_t i = 0; i < part_args(p, expr) && i < LIST_MAX; i++)
            if (part_text(p, part_arg(p, expr, i), false, &text).ok) {
                tell_topic(use, buf_str(&text));
                buf_reset(&text);
            }
    } else {
        struct folded folded = part_text(p, expr, false, &text);
        if (folded.ok && !folded.is_tail)
            tell_topic(use, buf_str(&text));
    }
    buf_fini(&text);
}

/* Who is told: the function passed, else the one it stands in. */
static uint32_t
user_of(struct parts *p, struct at call, const struct topic_rule *rule)
{
    uint32_t node = 0;

    for (uint32_t i = part_args(p, call);
         rule->role == TOPIC_IN && i > 0 && !node; i--) {
        struct at def;
        if (part_function(p, part_arg(p, call, i - 1), &def))
            node = resolve_node(p->r, def.file, def.id);
    }
    struct at named = part_named(p, call, "on_message_callback");
    if (!node && named.id)
        node = part_handler(p, named);
    return node ? node : asked_by(p, call);
}

static void
use_rule(struct topic_use *use)
{
    struct parts *p = use->p;
    struct at topic = {use->at.file, 0};

    if (use->rule->key)
        topic = part_named(p, use->at, use->rule->key);
    if (!topic.id && use->rule->arg >= 0)
        topic = part_arg(p, use->at, (uint32_t)use->rule->arg);
    if (topic.id)
        use_topic(use, topic);
}

str
topic_word(size_t i)
{
    if (i >= sizeof(call_rules) / sizeof(call_rules[0]))
        return STR("");
    str path = str_of(call_rules[i].path);
    const char *dot = memrchr(path.ptr, '.', path.len);
    return str_cut(path, dot ? (size_t)(dot + 1 - path.ptr) : 0, path.len);
}

/* What |word| is the end of, after a dot, may be called by it. */
static bool
is_last_name(str word)
{
    for (size_t i = 0; i < sizeof(call_rules) / sizeof(call_rules[0]); i++) {
        str path = str_of(call_rules[i].path);
        if (path.len > word.len && path.ptr[path.len - word.len - 1] == '.' &&
            memcmp(path.ptr + path.len - word.len, word.ptr, word.len) == 0)
            return true;
    }
    return false;
}

static void
look_at_call(struct parts *p, struct at call)
{
    str word = part_word(p, part_callee(p, call));
    struct asked asked;

    if (!is_last_name(word) || !asked_of(p, call, &asked))
        return;
    bool told = false;
    for (size_t i = 0; i < sizeof(call_rules) / sizeof(call_rules[0]); i++) {
        const struct topic_rule *rule = &call_rules[i];
        struct topic_use use = {.p = p, .rule = rule, .at = call};
        if (told || !str_eq((str){asked.path, asked.len}, str_of(rule->path)))
            continue;
        use.node = user_of(p, call, rule);
        use_rule(&use);
        told = use.told;
    }
}

static bool
is_container(struct parts *p, struct at callee)
{
    for (size_t i = 0; i < sizeof(mark_containers) / sizeof(mark_containers[0]);
         i++)
        if (part_is(p, callee, mark_containers[i]))
            return true;
    return false;
}

static void
look_at_mark(struct parts *p, struct at def, struct at mark)
{
    struct topic_use use = {
        .p = p,
        .at = mark,
        .node = resolve_node(p->r, def.file, def.id),
    };

    if (part_kind(p, mark) != EXPR_CALL)
        return;
    for (size_t k = 0; k < sizeof(mark_rules) / sizeof(mark_rules[0]); k++)
        if (part_is(p, part_callee(p, mark), mark_rules[k].path)) {
            use.rule = &mark_rules[k];
            use_rule(&use);
        }
}

/* `@KafkaListeners({@KafkaListener(..), ..})`: those that it holds. */
static void
look_at_held(struct parts *p, struct at def, struct at mark)
{
    if (part_kind(p, mark) != EXPR_CALL ||
        !is_container(p, part_callee(p, mark)))
        return;
    struct at held = part_named(p, mark, "value");
    if (!held.id)
        held = part_arg(p, mark, 0);
    if (held.id && part_kind(p, held) != EXPR_ARRAY)
        look_at_mark(p, def, held);
    for (uint32_t i = 0; held.id && part_kind(p, held) == EXPR_ARRAY &&
                         i < part_expr(p, held)->list_len;
         i++)
        look_at_mark(p, def, part_list(p, held, i));
}

static void
look_at_marks(struct parts *p, struct at def)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        look_at_mark(p, def, mark);
        look_at_held(p, def, mark);
    }
}

void
routes_topics(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    const struct called_file *called = called_in(p, file);

    for (uint32_t i = 0; i < called->len && !p->failed; i++)
        if (called->calls[i].rules & CALLED_TOPIC)
            look_at_call(p, (struct at){file, called->calls[i].expr});
    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++)
        if (facts->defs[d].marks_len > 0)
            look_at_marks(p, (struct at){file, d});
}
