/*
 * h2_kit - an HTTP/2 client of nghttp2's, for tests: calls and their answers,
 * and raw frames when a test must misbehave.
 *
 * Threads    None.
 */
#ifndef TESTS_H2_KIT_H
#define TESTS_H2_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nghttp2/nghttp2.h>

#include "base/buf.h"
#include "tests/support/net_kit.h"

enum { H2_STREAMS_MAX = 512 };

struct h2_answer {
    struct buf head; /* "name: value\n", trailers too */
    struct buf body;
    uint32_t error; /* of the reset or close */
    int heads;
    bool is_closed;
};

struct h2_kit {
    struct kit *kit; /* its session, or */
    int fd;          /* a socket, if there is no session */
    nghttp2_session *ng;
    struct h2_answer answers[H2_STREAMS_MAX]; /* by stream id / 2 */
    uint32_t goaway;                          /* its error code */
    int goaways;
    int32_t last_id;
};

/* h2_begin speaks to kit->session, or to a new connection if there is none. */
void h2_begin(struct h2_kit *h2, struct kit *kit);
void h2_end(struct h2_kit *h2);

/* h2_call sends a request; |headers| are "name: value\n".  Without |body| the
 * request ends with its header; |is_open| leaves it without an end. */
int32_t h2_call(struct h2_kit *h2, const char *method, const char *path,
                const char *headers);
int32_t h2_post(struct h2_kit *h2, const char *path, const char *headers,
                str body, bool is_open);

/* h2_move passes bytes both ways until nothing moves (or, on a socket, until
 * the answers of |id| are complete or time is up). */
void h2_move(struct h2_kit *h2, int32_t id);

/* h2_frame sends a frame as it is. */
void h2_frame(struct h2_kit *h2, uint8_t type, uint8_t flags, int32_t id,
              str payload);

struct h2_answer *h2_answer(struct h2_kit *h2, int32_t id);

#endif
