/*
 * status - how every answer of OTLP looks, in all four shapes: protobuf or
 * JSON over HTTP, and success or failure over gRPC.
 *
 * What went wrong is named by enum refusal.  One table in status.c says what
 * that is on the wire: HTTP status, gRPC code, headers, details, and whether
 * the client may come back.  Nothing else maps errors to either protocol.
 *
 * Bound      A message is at most STATUS_MESSAGE_MAX bytes, an answer under
 *            4 KiB.
 * Threads    Any; one request, one thread.
 */
#ifndef OTLP_STATUS_H
#define OTLP_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "net/request.h"

enum { STATUS_MESSAGE_MAX = 256 };

enum body_format { BODY_PROTOBUF, BODY_JSON };

enum refusal {
    REFUSE_MALFORMED,  /* does not decode: message, encoding, frame */
    REFUSE_TOO_LARGE,  /* over the size limit, for good */
    REFUSE_ENCODING,   /* a compression that is not known here */
    REFUSE_MEDIA_TYPE, /* HTTP: neither protobuf nor JSON */
    REFUSE_METHOD,     /* HTTP: not POST */
    REFUSE_PATH,       /* nothing here, or nothing that is taken */
    REFUSE_DENIED,     /* no token, or a wrong one */
    REFUSE_UNKNOWN,    /* health: a service that does not exist */
    REFUSE_FULL,       /* come back later: too much is under way */
    REFUSE_STORE,      /* come back later: the store failed */
    REFUSE_COUNT,
};

/* What an error, or the problem of a request that is not whole, means to the
 * client.  Neither takes success. */
enum refusal refusal_of_err(enum err err);
enum refusal refusal_of_problem(enum request_problem problem);

/* status_is_final: the sender is not told to come back, and drops it. */
bool status_is_final(enum refusal why);
/* status_words are the table's own. */
const char *status_words(enum refusal why);

/*
 * status_refuse answers |req| with |why|.  |message| says more than the
 * table's own words, if not empty.  |retry_ms| is how long the client should
 * wait; only the refusals that mean "come back" tell it.
 */
void status_refuse(struct request *req, enum body_format format,
                   enum refusal why, str message, uint32_t retry_ms);

/* status_accept answers success: |rejected| things were not taken, and
 * |message| says why or warns; 0 and empty is full success. */
void status_accept(struct request *req, enum body_format format,
                   uint64_t rejected, str message);

/* status_health answers grpc.health.v1. */
void status_health(struct request *req, bool serving);

#endif
