/*
 * fake_request - a request from nowhere, whose answer is kept.
 *
 * Threads    The answer may come from any thread; read it after it has.
 */
#ifndef TESTS_SUPPORT_FAKE_REQUEST_H
#define TESTS_SUPPORT_FAKE_REQUEST_H

#include "base/buf.h"
#include "net/request.h"

struct fake_request {
    struct request req; /* first */
    struct header headers[4];
    char *padded; /* the body with REQUEST_PAD behind it */
    int replies;
    int status;
    struct buf type;
    struct buf body;
    struct buf message;
    struct buf details;
    struct buf answer_headers; /* "name: value\n" */
};

/* fake_request_init makes a POST to |path| with |body|, which is copied. */
void
fake_request_init(struct fake_request *fake, enum request_protocol protocol,
                  const char *path, str body);
void fake_request_header(struct fake_request *fake, const char *name,
                         const char *value);
void fake_request_fini(struct fake_request *fake);

/* fake_request_has says whether the answer has the header |line|. */
bool fake_request_has(const struct fake_request *fake, const char *line);

#endif
