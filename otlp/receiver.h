/*
 * receiver - OTLP over any transport: from request to acknowledged spans.
 *
 * Knows the paths, content types and status mapping of OTLP 1.11.0
 * (spec/otlp.md), and nothing of what is done with spans: it decodes into a
 * trace_sink and answers when the sink says that they are safe.
 *
 * Threads    receiver_handle may be called from several transport threads;
 *            each call borrows a decode lane (scratch and sink lane) from a
 *            pool of |lanes|, one per transport thread and
 *            each that takes large bodies for it.
 */
#ifndef OTLP_RECEIVER_H
#define OTLP_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/span.h"
#include "net/request.h"

/*
 * trace_sink - where spans go.  The program hands one in; otlp/ does not know
 * who is behind it.
 *
 * begin   starts one request on |lane| and says where its spans are to go.
 *         ERR_FULL: too much is waiting; answer "come back".
 * abort   forgets it.
 * submit  hands it on; |done| is called exactly once, from any thread, perhaps
 *         before submit returns: OK when all of it is as safe as configured,
 *         ERR_STORE or ERR_FULL when none of it is kept.  |bytes| are the
 *         request's, valid until submit returns, for it to know an exact retry
 *         of a kept request, which is done at once.
 */
struct trace_sink {
    void *ctx;
    enum err (*begin)(void *ctx, size_t lane, struct span_visitor *out);
    void (*abort)(void *ctx, size_t lane);
    void (*submit)(void *ctx, size_t lane, str bytes, uint32_t rejected,
                   void (*done)(void *done_ctx, enum err), void *done_ctx);
    /* retry_ms is how long a refused client should wait. */
    uint32_t (*retry_ms)(void *ctx);
};

enum other_signals { OTHER_SIGNALS_REJECT, OTHER_SIGNALS_DISCARD };

struct receiver_cfg {
    const char *traces_path; /* "/v1/traces" */
    enum other_signals other_signals;
    const char *const *tokens; /* accepted bearer tokens; none: no check */
    size_t token_len;
    size_t lanes;
};

struct receiver;

/* receiver_new: ERR_NOMEM, ERR_INVALID for an empty token.  |cfg| is copied,
 * its strings too.  It is not serving until receiver_set_serving says so. */
enum err receiver_new(struct receiver **out, const struct receiver_cfg *cfg,
                      const struct trace_sink *sink);
void receiver_free(struct receiver *receiver);

/* receiver_set_tokens replaces the tokens (reload); on failure, those of
 * receiver_new, the old ones stay.  Any thread. */
enum err receiver_set_tokens(struct receiver *receiver,
                             const char *const *tokens, size_t len);

/* receiver_set_serving is what grpc.health.v1 answers: SERVING or not. */
void receiver_set_serving(struct receiver *receiver, bool serving);

/*
 * receiver_handle answers |req|; a request_handler with a receiver as |ctx|.
 * It knows TraceService/Export, grpc.health.v1, and the other signals'
 * services and paths; everything else gets UNIMPLEMENTED or 404.
 */
void receiver_handle(void *ctx, struct request *req);

/* receiver_body_most: 0 for what is refused whatever its body; a
 * request_body_most with a receiver as |ctx|. */
size_t receiver_body_most(void *ctx, const struct request *req);

#endif
