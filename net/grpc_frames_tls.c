/*
 * As in net/grpc_portion.c: the program's own SSL_read and SSL_write, which
 * core calls for all that it reads out of TLS and writes into it.  The other
 * servers of the program call SSL_read_ex; its clients are let through.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/grpc_frames.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int slot; /* of a connection's struct frames */

static void
free_frames(void *parent, void *frames, CRYPTO_EX_DATA *data, int index,
            long argl, void *argp)
{
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    if (frames)
        frames_end(frames);
    free(frames);
}

static void
make_slot(void)
{
    slot = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_frames);
}

/* NULL: no memory. */
static struct frames *
frames_of(SSL *ssl)
{
    struct frames *frames;

    pthread_once(&once, make_slot);
    frames = SSL_get_ex_data(ssl, slot);
    if (frames)
        return frames;
    frames = calloc(1, sizeof(*frames));
    if (frames && SSL_set_ex_data(ssl, slot, frames) != 1) {
        free(frames);
        frames = NULL;
    }
    return frames;
}

static int
refuse(void)
{
    ERR_raise(ERR_LIB_SSL, SSL_R_EXCESSIVE_MESSAGE_SIZE);
    return -1;
}

static int
read_followed(SSL *ssl, struct frames *frames, void *to, size_t len)
{
    size_t got = 0;

    if (frames->is_refused)
        return refuse();
    if (SSL_read_ex(ssl, to, len, &got) != 1)
        return -1;
    bool is_good = frames_take(frames, to, got) &&
                   frames_pace(frames, got, clock_mono_ns());

    return is_good ? (int)got : refuse();
}

int
SSL_read(SSL *ssl, void *buf, int num)
{
    size_t got = 0;

    if (!SSL_is_server(ssl))
        return SSL_read_ex(ssl, buf, (size_t)num, &got) == 1 ? (int)got : -1;
    struct frames *frames = frames_of(ssl);

    return frames ? read_followed(ssl, frames, buf, (size_t)num) : refuse();
}

int
SSL_write(SSL *ssl, const void *buf, int num)
{
    struct frames *frames = SSL_is_server(ssl) ? frames_of(ssl) : NULL;
    size_t done = 0;

    if (frames)
        frames->is_sent = true;
    if (SSL_write_ex(ssl, buf, (size_t)num, &done) != 1)
        return -1;
    if (frames)
        frames_sent(frames, buf, done, clock_mono_ns());
    return (int)done;
}
