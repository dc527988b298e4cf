/*
 * dial - a connection to the server of a URL, plain or TLS, that can be waited
 * for no longer than to a deadline.  Private to net/client.c.
 *
 * Threads    One at a time.
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/ssl.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct client_cfg;

struct dial {
    char host[256];
    char port[8];
    char path[1024];
    char name[256]; /* in the certificate */
    bool is_tls;
    SSL_CTX *ctx;
    SSL *ssl;
    int fd; /* -1: not connected */
    int stop_fd;
    uint64_t deadline_ns; /* by clock_mono_ns; the caller's to set */
    const char *trouble; /* static; of the last ERR_IO; NULL: it was too long */
};

/* dial_init reads the URL and the files; errors as client_open.  dial_fini
 * after any result. */
enum err
dial_init(struct dial *dial, const struct client_cfg *cfg, struct buf *why);
void dial_fini(struct dial *dial);

/* dial_read_url fills host, port, path and is_tls.  ERR_INVALID. */
enum err dial_read_url(struct dial *out, const char *url);

/* dial_connect: ERR_IO, |why|; ERR_CANCELLED; ERR_NOMEM. */
enum err dial_connect(struct dial *dial, struct buf *why);
void dial_disconnect(struct dial *dial);

/* dial_is_stale: connected to a server that has said something while nothing
 * was asked, which is goodbye. */
bool dial_is_stale(const struct dial *dial);

/* dial_send sends all of |bytes|; dial_recv waits for some, and gives 0 at the
 * end of the connection.  Errors as dial_connect; dial_recv leaves it to the
 * caller to say them, with |trouble|. */
enum err dial_send(struct dial *dial, str bytes, struct buf *why);
enum err dial_recv(struct dial *dial, char *to, size_t len, size_t *got);

#endif
