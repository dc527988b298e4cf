/*
 * client - one HTTP/1.1 request and its answer, for the command line.
 *
 * Blocks.  Over https the server must show a certificate for its name that the
 * system's authorities (or SSL_CERT_FILE) vouch for.  No redirect is followed,
 * so that a token goes where it was sent and nowhere else.
 *
 * Threads    Any; nothing is shared.
 */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { CLIENT_ANSWER_MAX = 64 << 20 };

struct client_request {
    const char *method;
    const char *url;     /* http:// or https:// host[:port]/path */
    const char *headers; /* lines that end with CRLF; NULL: none */
    str body;
    uint32_t timeout_ms; /* for all of it */
};

/*
 * client_fetch sends |req|; |status| and |body| are the answer's.
 *
 * ERR_INVALID    not such a URL
 * ERR_IO         no connection, no trust, no whole answer in time; |why|
 * ERR_TOO_LARGE  an answer over CLIENT_ANSWER_MAX
 * ERR_NOMEM
 */
enum err client_fetch(const struct client_request *req, int *status,
                      struct buf *body, struct buf *why);

#endif
