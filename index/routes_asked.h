/*
 * routes_asked - what clients of libraries are: of HTTP, of brokers.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_ASKED_H
#define INDEX_ROUTES_ASKED_H

#include "index/routes_router.h"

enum { ASKED_PATH_MAX = 200 };

/* The path of what is called, `requests.Session.get`: by its import, or by
 * what made or is the type of the receiver, `kafkajs.Kafka.producer.send`. */
struct asked {
    char path[ASKED_PATH_MAX];
    size_t len;
    bool is_written; /* nothing explains its first name */
    struct at made;  /* call or `new` that made the receiver; id 0: unknown */
};
bool asked_of(struct parts *p, struct at call, struct asked *out);

/* asked_split cuts the last name off. */
static inline str
asked_owner(const struct asked *asked)
{
    size_t len = asked->len;

    while (len > 0 && asked->path[len - 1] != '.')
        len--;
    return (str){asked->path, len ? len - 1 : 0};
}

/* asked_by is the vertex of who asks: function, or file. */
uint32_t asked_by(struct parts *p, struct at expr);

#endif
