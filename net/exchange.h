/*
 * exchange - one request and its answer, between a session and a handler.
 *
 * The session collects header and body here, dispatches, and pulls the answer
 * out again.  The handler sees only the struct request at its head.
 *
 * Memory     The exchange belongs to its session until exchange_release; then
 *            to whoever still owes the answer.
 * Threads    The loop's, but for the request_ functions behind ops.
 */
#ifndef NET_EXCHANGE_H
#define NET_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/aside.h"
#include "net/hub.h"
#include "net/inflate.h"
#include "net/request.h"
#include "net/session_machine.h"

/* The time a slow body is let pass, and then judged by. */
enum { EXCHANGE_RATE_MS = 5000 };

/* Header fields of one request, and no more. */
enum { EXCHANGE_HEADERS_MAX = 256 };

/* Positions in |text|, for the text still grows. */
struct exchange_span {
    uint32_t at;
    uint32_t len;
};

struct exchange_field {
    struct exchange_span name;
    struct exchange_span value;
};

struct exchange {
    struct request req; /* first: ops get this pointer */
    struct hub *hub;
    struct session *session; /* NULL once released; the loop's */
    const struct session_env *env;
    void *stream; /* the session's own */

    /* Received. */
    struct buf text;
    struct buf fields; /* struct exchange_field */
    size_t field_len;
    struct exchange_span target;
    struct header *headers;
    char *body;
    size_t body_len;
    size_t body_cap;
    size_t expected;        /* the declared length of the body, or 0 */
    struct hub_claim claim; /* of the body, then of the answer */
    atomic_bool had_room;   /* it holds room, or did */
    size_t most;            /* of it, by the handler's word */
    enum encoding encoding;
    bool is_resolved; /* |req| has the header */
    bool is_asked;
    bool is_dispatched;
    uint64_t begun_ms;
    uint64_t received; /* bytes of body, those thrown away too */
    uint64_t rate_ms;  /* start of the stretch the rate is taken over */
    uint64_t rate_len;

    /* The answer, as far as it has come. */
    const struct reply *answer; /* NULL: not yet */
    struct message *first;      /* pieces not yet pulled */
    struct message *last;
    size_t piece_at; /* pulled of the first piece */
    size_t pending;  /* bytes not yet pulled */
    bool is_stream;
    bool is_whole; /* nothing more will come */
    bool in_cancel;
    struct message *opening; /* holds what |answer| views */
    struct message spare;    /* when there is no memory for an answer */
    struct header spare_header;
    char spare_text[STAY_TEXT_CAP];
    struct message ending;
    struct aside_job job;

    /* Shared with the answering thread. */
    atomic_int state;
    atomic_size_t queued;
    atomic_bool is_gone; /* released: no answer will be read */
    atomic_bool
        is_broken; /* a piece was lost: the answer must not look whole */
};

/* exchange_new returns NULL without memory. */
struct exchange *exchange_new(struct session *session, void *stream);

/*
 * exchange_add appends |text| to what is collected; exchange_field records
 * one header field of it.  ERR_TOO_LARGE: more than header_bytes or
 * EXCHANGE_HEADERS_MAX.  ERR_NOMEM.
 */
enum err exchange_add(struct exchange *ex, str text, struct exchange_span *to);
enum err
exchange_add_field(struct exchange *ex, const struct exchange_field *field);

/* exchange_view is the text at |span|, until more is added. */
str exchange_view(const struct exchange *ex, struct exchange_span span);

/* exchange_find is the value of the header |name| (lower case), or empty;
 * |count| (may be NULL) is how often it occurs. */
str exchange_find(const struct exchange *ex, str name, size_t *count);

/* What a declared length is worth before any of the body came. */
enum { EXCHANGE_FIRST_MAX = 1 << 20 };

/*
 * exchange_expect prepares for a body of |len| bytes, or of unknown length if
 * |len| is SIZE_MAX, with room for EXCHANGE_FIRST_MAX at most; exchange_body
 * adds to it (bytes that lie in its place already are not copied) and doubles
 * the room when it is full.  A problem ends the body: dispatch.
 */
enum request_problem exchange_expect(struct exchange *ex, size_t len);
enum request_problem exchange_body(struct exchange *ex, str bytes);

/* exchange_place has |room| read |len| more bytes of the body, as far as there
 * is memory for them already, to where they stay. */
void exchange_place(const struct exchange *ex, size_t len,
                    struct session_room *room);

/* exchange_is_slow says whether the body came slower than body_rate since the
 * last time it was asked at or after exchange_rate_deadline. */
uint64_t exchange_rate_deadline(const struct exchange *ex);
bool exchange_is_slow(struct exchange *ex, uint64_t now_ms);

/* exchange_dispatch hands the request to the handler, with |problem|; a body
 * that takes long, later.  exchange_hand does so with one that has come back
 * from there. */
void exchange_dispatch(struct exchange *ex, enum request_problem problem);
void exchange_hand(struct exchange *ex);

/* exchange_refuse answers in the transport's name instead of a handler's. */
void exchange_refuse(struct exchange *ex, int status, str text);

#endif
