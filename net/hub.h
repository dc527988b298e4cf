/*
 * hub - where other threads leave answers for the event loop.
 *
 * A request is answered on any thread, but only the loop touches sockets.  An
 * answer is a message; the hub is the one queue the loop takes them from, and
 * the account of the memory that bodies and answers under way have reserved.  A
 * request keeps the hub alive, so that one answered after the server is gone
 * finds a closed hub and not freed memory.
 *
 * Bound      A message belongs to a request under way, of which the limits of
 *            the connections allow only so many; pieces of a streamed answer
 *            are bounded by EXCHANGE_QUEUE_MAX each.
 * Threads    Any, except where said.
 */
#ifndef NET_HUB_H
#define NET_HUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stay.h"
#include "base/str.h"
#include "net/request.h"

struct exchange;
struct hub;

enum message_kind {
    MESSAGE_REPLY,  /* the whole answer */
    MESSAGE_OPEN,   /* its head and first piece */
    MESSAGE_WRITE,  /* one more piece */
    MESSAGE_CLOSE,  /* the end */
    MESSAGE_BACK,   /* not an answer: the body is decompressed */
    MESSAGE_WORK,   /* not an answer: |payload| for the pool */
    MESSAGE_GLANCE, /* not an answer: a question to the loop (net/glance.h) */
};

struct message {
    struct message *next;
    enum message_kind kind;
    struct exchange *exchange;
    void *payload;
    struct reply head; /* views into the message's own memory */
    str bytes;         /* what to send, framed for gRPC */
    bool is_embedded;  /* lies in the exchange; not to be freed */
};

struct hub *hub_new(void);
struct hub *hub_ref(struct hub *hub);
void hub_unref(struct hub *hub);

/* hub_open makes the calling thread the loop; |wake| (may be NULL) is called
 * on any thread when the queue is no longer empty. */
void hub_open(struct hub *hub, void (*wake)(void *ctx), void *ctx);

/* hub_close refuses all later messages; false, and nothing changed, while
 * there are messages not yet taken. */
bool hub_close(struct hub *hub);

/* hub_is_loop says whether the calling thread is the one of hub_open. */
bool hub_is_loop(const struct hub *hub);

/* hub_post queues |message|; false when the hub is not open. */
bool hub_post(struct hub *hub, struct message *message);

/* hub_take returns all messages in the order they were posted. */
struct message *hub_take(struct hub *hub);

/* Whose bodies and answers are counted together; 0: nobody's. */
enum { HUB_SHARES = 1024 };

/* What one body has of the budget, or one answer, or a connection. */
struct hub_claim {
    uint32_t share; /* below HUB_SHARES */
    size_t held;    /* bytes; starts as 0 */
};

/*
 * hub_raise_budget sets the budget of all bodies to |bytes| if it is less.
 * hub_reserve adds |bytes| of it to |claim|; hub_shrink gives back all but
 * |bytes|, hub_release all; hub_left tells what is left, hub_budget the budget
 * itself.
 *
 * hub_reserve is false, and nothing changed, when that much is not left, or
 * when the bodies of a share, if it has more than this one, would then have
 * more than is left for all others: so whoever sends slowly, or to harm, finds
 * an end before they do.  Share 0 has no such bound, nor has hub_follow: for
 * what comes of something that had its room, such as an answer on its way out.
 */
void hub_raise_budget(struct hub *hub, size_t bytes);
bool hub_reserve(struct hub *hub, struct hub_claim *claim, size_t bytes);
bool hub_follow(struct hub *hub, struct hub_claim *claim, size_t bytes);
void hub_shrink(struct hub *hub, struct hub_claim *claim, size_t keep);
void hub_release(struct hub *hub, struct hub_claim *claim);
size_t hub_left(struct hub *hub);
size_t hub_budget(struct hub *hub);

/* hub_stay is what those who have room in the budget take; the hub's. */
struct stay *hub_stay(struct hub *hub);

#endif
