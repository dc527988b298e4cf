/*
 * topic_name - how a destination of messages is called in the graph, however
 * the ends of it say its name.
 *
 * Threads    Any thread; no state.
 */
#ifndef GRAPH_TOPIC_NAME_H
#define GRAPH_TOPIC_NAME_H

#include "base/str.h"

/* topic_system is |system| as the conventions call it, `aws_sqs` for
 * `AmazonSQS`: a static string, or |system| itself. */
str topic_system(str system);

/* topic_name is what stands for the name in |destination|, for a |system| that
 * topic_system made: `orders` of `https://sqs.r.example/123/orders` and of
 * `arn:aws:sqs:r:123:orders`.  All else is |destination| itself. */
str topic_name(str system, str destination);

#endif
