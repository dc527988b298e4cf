#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/topic_name.h"

struct row {
    const char *system;
    const char *destination;
    const char *name;
};

static void
check(const struct row *row)
{
    str name = topic_name(str_of(row->system), str_of(row->destination));

    if (!str_eq(name, str_of(row->name)))
        fail_msg("%s %s is %.*s, not %s", row->system, row->destination,
                 (int)name.len, name.ptr, row->name);
}

#define CHECK(rows)                                               \
    for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) \
    check(&(rows)[i])

static void
urls_and_arns_of_queues_are_their_names(void **state)
{
    static const struct row rows[] = {
        {"aws_sqs", "orders", "orders"},
        {"aws_sqs", "https://sqs.eu-west-1.amazonaws.com/111111111111/orders",
         "orders"},
        {"aws_sqs", "https://queue.amazonaws.com/1/orders.fifo", "orders.fifo"},
        {"aws_sqs", "http://localhost:4566/queue/us-east-1/000000000000/o",
         "o"},
        {"aws_sqs", "http://localhost:9324/queue/orders/", "orders"},
        {"aws_sqs", "arn:aws:sqs:eu-west-1:111111111111:orders", "orders"},
        {"aws_sqs", "arn:aws-cn:sqs:cn-north-1:1:a_b-C.fifo", "a_b-C.fifo"},
        {"aws.sns", "arn:aws:sns:eu-west-1:1:orders", "orders"},
        {"aws.sns",
         "arn:aws:sns:eu-west-1:1:orders:"
         "0f1e2d3c-0000-4000-8000-0123456789ab",
         "orders"},
    };

    (void)state;
    CHECK(rows);
}

/* A queue of dead letters is another than its topic, or queue. */
static void
a_subscription_of_azure_is_to_its_topic(void **state)
{
    static const struct row rows[] = {
        {"servicebus", "orders", "orders"},
        {"servicebus", "orders/Subscriptions/billing", "orders"},
        {"servicebus", "orders/subscriptions/billing", "orders"},
        {"servicebus", "shop/orders/Subscriptions/b", "shop/orders"},
        {"servicebus", "orders/Subscriptions/b/$DeadLetterQueue",
         "orders/Subscriptions/b/$DeadLetterQueue"},
        {"servicebus", "orders/$DeadLetterQueue", "orders/$DeadLetterQueue"},
        {"servicebus", "orders/Subscriptions/", "orders/Subscriptions/"},
        {"servicebus", "/Subscriptions/billing", "/Subscriptions/billing"},
        {"servicebus", "", ""},
        {"servicebus", "arn:aws:sqs:r:1:o", "arn:aws:sqs:r:1:o"},
        {"kafka", "orders/Subscriptions/billing",
         "orders/Subscriptions/billing"},
    };

    (void)state;
    CHECK(rows);
}

/* What is no URL or ARN of a queue keeps all that it says. */
static void
all_else_is_its_own_name(void **state)
{
    static const char *const destinations[] = {
        "",
        "/",
        ":",
        "a:b",
        "a/1/b",
        "https://",
        "https://sqs.r.example",
        "https://sqs.r.example/",
        "https://sqs.r.example/orders",
        "https://sqs.r.example/team/orders",
        "https://sqs.r.example/1/orders?Action=SendMessage",
        "arn",
        "arn:aws:sqs",
        "arn:aws:sqs:r:1",
        "arn:aws:sqs:r:1:",
        "arn:aws:sqs::1:o",
        "arn:aws:sqs:r:me:o",
        "arn:aws:sqs:r:1:o p",
        "arn:aws:sqs:r:1:o:p/q",
        "arn:other:sqs:r:1:o",
        "arn:aws:lambda:r:1:function:bill:1",
    };
    static const struct row rows[] = {
        {"aws_sqs", "arn:aws:sns:r:1:o", "arn:aws:sns:r:1:o"},
        {"aws.sns", "arn:aws:sqs:r:1:o", "arn:aws:sqs:r:1:o"},
        {"aws.sns", "https://sqs.r.example/1/o", "https://sqs.r.example/1/o"},
        {"aws_lambda", "arn:aws:sqs:r:1:o", "arn:aws:sqs:r:1:o"},
        {"kafka", "arn:aws:sqs:r:1:o", "arn:aws:sqs:r:1:o"},
        {"", "https://sqs.r.example/1/o", "https://sqs.r.example/1/o"},
    };

    (void)state;
    CHECK(rows);
    for (size_t i = 0; i < sizeof(destinations) / sizeof(destinations[0]); i++)
        check(&(struct row){"aws_sqs", destinations[i], destinations[i]});
}

static void
systems_are_called_as_the_conventions_do(void **state)
{
    static const char *const pairs[][2] = {
        {"AmazonSQS", "aws_sqs"},     {"AWS_SQS", "aws_sqs"},
        {"aws.sqs", "aws_sqs"},       {"AmazonSNS", "aws.sns"},
        {"Kafka", "kafka"},           {"Tibco", "Tibco"},
        {"aws_lambda", "aws_lambda"}, {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_true(
            str_eq(topic_system(str_of(pairs[i][0])), str_of(pairs[i][1])));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_and_arns_of_queues_are_their_names),
        cmocka_unit_test(a_subscription_of_azure_is_to_its_topic),
        cmocka_unit_test(all_else_is_its_own_name),
        cmocka_unit_test(systems_are_called_as_the_conventions_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
