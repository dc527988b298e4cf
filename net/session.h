/*
 * session - one connection's protocol, without its socket.
 *
 * HTTP/1.1 and HTTP/2 are each a machine that is fed bytes, makes requests of
 * them, and produces bytes when asked.  Sockets, TLS and clocks stay outside:
 * what owns the session (net/conn.c, a test, a fuzzer) tells it the time and
 * moves the bytes.
 *
 *     session_place(s, now, &room)       where to read to, if it matters
 *     session_feed(s, now, bytes)        bytes came, each piece by itself
 *     session_produce(s, now, &out)      append what is to be sent
 *     session_deadline(s)                call session_expire then
 *
 * Threads    The loop's only.
 */
#ifndef NET_SESSION_H
#define NET_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "net/session_machine.h"

/* What one round of session_produce fills at most, about: |out_high| of the
 * session, which is SESSION_OUT_HIGH unless its owner has less room. */
enum { SESSION_OUT_HIGH = 256 << 10, SESSION_OUT_LOW = 4 << 10 };

static inline void
session_feed(struct session *session, uint64_t now_ms, str bytes)
{
    session->now_ms = now_ms;
    session->ops->feed(session, bytes);
}

/*
 * session_place may set the place in |room|, or make its spare part shorter.
 * Bytes fed from the place are not copied again; they are fed alone and before
 * those of the spare part, with no other call of the session between.
 */
static inline void
session_place(struct session *session, uint64_t now_ms,
              struct session_room *room)
{
    session->now_ms = now_ms;
    session->ops->place(session, room);
}

/* session_eof: the peer will send no more. */
static inline void
session_eof(struct session *session, uint64_t now_ms)
{
    session->now_ms = now_ms;
    session->ops->eof(session);
}

static inline void
session_produce(struct session *session, uint64_t now_ms, struct buf *out)
{
    session->now_ms = now_ms;
    session->ops->produce(session, out);
}

/* session_deadline is when to call session_expire, or SESSION_NEVER. */
static inline uint64_t
session_deadline(const struct session *session)
{
    return session->is_over ? SESSION_NEVER : session->ops->deadline(session);
}

static inline void
session_expire(struct session *session, uint64_t now_ms)
{
    session->now_ms = now_ms;
    session->ops->expire(session);
}

/* session_drain: take no new requests, finish those under way, be over. */
static inline void
session_drain(struct session *session, uint64_t now_ms)
{
    session->now_ms = now_ms;
    session->ops->drain(session);
}

/* session_free forgets the peer; requests under way are cancelled. */
static inline void
session_free(struct session *session)
{
    if (session)
        session->ops->free(session);
}

/* http1_new and http2_new return NULL without memory. */
struct session *http1_new(const struct session_env *env,
                          const struct session_peer *peer, uint64_t now_ms);
struct session *http2_new(const struct session_env *env,
                          const struct session_peer *peer, uint64_t now_ms);

#endif
