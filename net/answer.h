/*
 * answer - the way back of an exchange: from any thread to its session, which
 * takes the messages, pulls the bytes out of them and lets go of the exchange.
 *
 * Threads    answer_ops: any, as net/request.h says.  The rest the loop's, but
 *            where said.
 */
#ifndef NET_ANSWER_H
#define NET_ANSWER_H

#include "net/exchange.h"

/* What a streamed answer may hold that the peer has not taken. */
enum { EXCHANGE_QUEUE_MAX = 1 << 20 };

extern const struct request_ops answer_ops;

/* exchange_pull moves at most |len| bytes of the answer to |to|. */
size_t exchange_pull(struct exchange *ex, char *to, size_t len);

/* exchange_is_done: the whole answer has been pulled. */
bool exchange_is_done(const struct exchange *ex);

/* exchange_take accepts a message posted for |ex|; it may be freed by that. */
void exchange_take(struct exchange *ex, struct message *message);

/* exchange_cancel: the peer sends no more and has likely gone; the handler is
 * told, once, unless it has answered.  The answer is still the peer's, should
 * it have shut its half only. */
void exchange_cancel(struct exchange *ex);

/* exchange_release: the session is through with |ex|, answered or not. */
void exchange_release(struct exchange *ex);

/* exchange_return gives |ex| back to the loop, for exchange_hand; any thread.
 */
void exchange_return(struct exchange *ex);

/* For net/exchange.c and net/answer.c alone. */
/* exchange_reserve takes |bytes| more of the budget, by the thread that has
 * |ex|; false: there are none. */
bool exchange_reserve(struct exchange *ex, size_t bytes);
void exchange_forget_body(struct exchange *ex);
void exchange_free(struct exchange *ex);

#endif
