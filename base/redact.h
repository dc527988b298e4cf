/*
 * redact - a name without what lets somebody in, or says who somebody is.
 *
 * Names of services, queues, databases and peers come from attributes that are
 * meant to be stored, and people put URLs and connection strings there, with
 * the password in them.  A name is worth keeping without it:
 *
 *     amqp://joe:hunter2@rabbit/orders    amqp://{}@rabbit/orders
 *     joe@shop.example                    {}@shop.example
 *     https://shop.example/a?sig=6f1c     https://shop.example/a?{}
 *     orders;SharedAccessKey=6f1c         orders;SharedAccessKey={}
 *     X-Api-Key: 6f1c                     X-Api-Key: {}
 *     Bearer xY7Zpq0aab                   Bearer {}
 *     eyJhbGciOi.eyJzdWIi.x, AKIA...      {}
 *
 * `worker@host`, `pkg@1.2.3`, `@scope/pkg`, `session:refresh` and `valid?`
 * are names as they are; so are `Orders::Import@high`, `urn:a:b@v2` and an
 * image with its digest, `nginx:1.21@sha256:6f1c`.  `celery` and
 * `rabbit` are processes and nobody, so that `celery@worker1.prod.internal` is
 * kept, and `rabbit@shop.example` with it.  A password that stands alone looks
 * like a word, and stays.
 *
 * Bound      Of a name REDACT_MAX bytes are looked at, and no more are kept.
 *            O(length); a name without any of the signs is read once.
 * Threads    Any; a pure function.
 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* More than a name in the graph may have, so that what is cut off behind it is
 * not what shows that a password stands before it. */
enum { REDACT_MAX = 1024 };

/* redact_add appends |name| without secrets; |out| is not what |name| views,
 * and it may have failed afterwards. */
void redact_add(struct buf *out, str name);

/* redact_has: redact_add would take something away. */
bool redact_has(str name);

#endif
