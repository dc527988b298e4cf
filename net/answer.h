/*
 * answer - the way back of an exchange: from any thread to its session.
 *
 * Threads    answer_ops: any, as net/request.h says.
 */
#ifndef NET_ANSWER_H
#define NET_ANSWER_H

#include "net/exchange.h"

extern const struct request_ops answer_ops;

/* For net/exchange.c and net/answer.c alone. */
void exchange_forget_body(struct exchange *ex);
void exchange_free(struct exchange *ex);

#endif
