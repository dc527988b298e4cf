/*
 * One end of a queue says its URL or ARN and the other its name alone, which
 * tells no account and no region.  A span is looked at by itself, so the name
 * is all that both have: queues of one name in two accounts are one topic, as
 * topics of Kafka are that have one name in two clusters.
 */
#include "graph/topic_name.h"

#include <strings.h>

#include "graph/route_text.h"

/* Letters in lower case. */
str
topic_system(str system)
{
    static const struct {
        str other;
        str usual;
    } names[] = {
        {STR_INIT("aws_sqs"), STR_INIT("aws_sqs")},
        {STR_INIT("amazonsqs"), STR_INIT("aws_sqs")},
        {STR_INIT("aws.sqs"), STR_INIT("aws_sqs")},
        {STR_INIT("aws.sns"), STR_INIT("aws.sns")},
        {STR_INIT("amazonsns"), STR_INIT("aws.sns")},
        {STR_INIT("aws_sns"), STR_INIT("aws.sns")},
        {STR_INIT("google_pubsub"), STR_INIT("gcp_pubsub")},
        {STR_INIT("google_cloud_pubsub"), STR_INIT("gcp_pubsub")},
        {STR_INIT("microsoft.servicebus"), STR_INIT("servicebus")},
        {STR_INIT("microsoft.eventhub"), STR_INIT("eventhubs")},
        {STR_INIT("kafka"), STR_INIT("kafka")},
        {STR_INIT("rabbitmq"), STR_INIT("rabbitmq")},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (system.len == names[i].other.len &&
            strncasecmp(system.ptr, names[i].other.ptr, system.len) == 0)
            return names[i].usual;
    return system;
}

/* What Amazon lets queues and topics be called. */
static bool
is_amazon_name(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!text_is_alnum(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '_' &&
            s.ptr[i] != '.')
            return false;
    return s.len > 0;
}

static bool
is_account(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!text_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

/* What |rest| begins with before the next |sign|, which is taken, too. */
static str
take_field(str *rest, char sign)
{
    const char *end = rest->len ? memchr(rest->ptr, sign, rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    str field = str_cut(*rest, 0, len);

    *rest = str_cut(*rest, end ? len + 1 : len, rest->len);
    return field;
}

/* `orders` of `https://host/123/orders`; an emulator may say `/queue/orders`.
 * Empty if |url| is none of a queue. */
static str
name_of_url(str url)
{
    str none = {NULL, 0};
    str rest = text_strip_host(url);
    str account = none;
    str name = none;

    if (text_authority(url).len == 0)
        return none;
    while (rest.len > 0) {
        account = name;
        name = take_field(&rest, '/');
    }
    bool is_queue = is_account(account) || str_eq(account, STR("queue"));
    return is_queue && is_amazon_name(name) ? name : none;
}

/* `orders` of `arn:PARTITION:SERVICE:REGION:ACCOUNT:orders`, behind which a
 * subscription may stand.  Empty if |arn| is no such thing. */
static str
name_of_arn(str arn, str service)
{
    str none = {NULL, 0};
    bool is_arn = str_eq(take_field(&arn, ':'), STR("arn")) &&
                  str_starts(take_field(&arn, ':'), STR("aws")) &&
                  str_eq(take_field(&arn, ':'), service) &&
                  take_field(&arn, ':').len > 0 &&
                  is_account(take_field(&arn, ':'));
    str name = is_arn ? take_field(&arn, ':') : none;

    if (!is_amazon_name(name) || (arn.len > 0 && !is_amazon_name(arn)))
        return none;
    return name;
}

/* `orders` of `orders/Subscriptions/billing`, whom a consumer of Azure takes
 * from.  Behind a subscription there may be a queue of its dead letters, which
 * nobody sends to by the topic's name. */
static str
without_subscription(str path)
{
    str mark = STR("/subscriptions/");

    for (size_t at = 1; at + mark.len < path.len; at++)
        if (strncasecmp(path.ptr + at, mark.ptr, mark.len) == 0)
            return memchr(path.ptr + at + mark.len, '/',
                          path.len - at - mark.len)
                       ? path
                       : str_cut(path, 0, at);
    return path;
}

str
topic_name(str system, str destination)
{
    bool is_sqs = str_eq(system, STR("aws_sqs"));
    str name = {NULL, 0};

    if (str_eq(system, STR("servicebus")))
        return without_subscription(destination);
    if (is_sqs)
        name = name_of_url(destination);
    if (name.len == 0 && (is_sqs || str_eq(system, STR("aws.sns"))))
        name = name_of_arn(destination, is_sqs ? STR("sqs") : STR("sns"));
    return name.len > 0 ? name : destination;
}
