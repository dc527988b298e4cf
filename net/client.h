/*
 * client - HTTP/1.1 requests to one server, one after the other.
 *
 * Blocks, with a deadline for each request, and gives up at once when the
 * descriptor |stop_fd| can be read.  The connection is kept between requests
 * and made anew, name resolution and all, when it is gone.  Over https the
 * server must show a certificate for its name that the authorities of |ca_file|
 * vouch for, or the system's (or SSL_CERT_FILE) if there is none.  No redirect
 * is followed, so that a token goes where it was sent and nowhere else.
 *
 *     client_open(&client, &cfg, &why)
 *     client_send(client, &req, &answer, &why) ...
 *     client_close(client)
 *
 * Looking up a name is the C library's, which knows no deadline of ours.
 *
 * Threads    A client: one at a time.
 */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { CLIENT_ANSWER_MAX = 64 << 20 };

struct client_cfg {
    const char *url;       /* http:// or https:// host[:port]/path */
    const char *ca_file;   /* PEM; NULL: the system's */
    const char *cert_file; /* PEM chain to show, and its key; NULL: none */
    const char *key_file;
    const char *server_name; /* in the certificate; NULL: that of the URL */
    int stop_fd;             /* -1: none */
};

struct client_request {
    const char *method;
    const char *url;     /* of client_fetch; client_send goes to its own */
    const char *headers; /* lines that end with CRLF; NULL: none */
    str body;
    uint32_t timeout_ms; /* for all of it */
};

/* An answer.  Zero-initialise; buf_fini both. */
struct client_answer {
    int status;
    bool is_sent; /* the request went out whole: it may have had its effect,
                     whether an answer came or not */
    bool is_page; /* text/html, for people */
    struct buf retry_after; /* that header, as it came */
    struct buf body;
};

struct client;

enum { CLIENT_HOST_CAP = 256 };

/* client_port is the port of |url|, client_host its host, without brackets.
 * ERR_INVALID. */
enum err client_port(const char *url, uint16_t *out);
enum err client_host(const char *url, char out[CLIENT_HOST_CAP]);

/*
 * client_open copies |cfg| and reads its files; it does not connect.
 *
 * ERR_INVALID  not such a URL, or a file that is no certificate or key; |why|
 * ERR_NOMEM
 */
enum err
client_open(struct client **out, const struct client_cfg *cfg, struct buf *why);
void client_close(struct client *client);

/*
 * client_send sends |req| and waits for the answer.  A connection that was kept
 * and is found closed before anything of an answer came is made anew, once.
 *
 * ERR_IO         no connection, no trust, no whole answer in time; |why|
 * ERR_TOO_LARGE  an answer over the body's cap_max, or CLIENT_ANSWER_MAX
 * ERR_CANCELLED  stop_fd
 * ERR_NOMEM
 */
enum err client_send(struct client *client, const struct client_request *req,
                     struct client_answer *answer, struct buf *why);

/*
 * client_fetch is one request to req->url, and the connection is closed.
 * Errors as above.
 */
enum err client_fetch(const struct client_request *req, int *status,
                      struct buf *body, struct buf *why);

#endif
