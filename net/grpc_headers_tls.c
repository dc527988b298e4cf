/*
 * As in net/grpc_portion.c: the program's own SSL_read and SSL_write, which
 * core calls for all that it reads out of TLS and writes into it.  The other
 * servers of the program call SSL_read_ex; its clients are let through.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>

#include "net/grpc_headers.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int slot; /* of a connection's struct headers */

static void
free_headers(void *parent, void *headers, CRYPTO_EX_DATA *data, int index,
             long argl, void *argp)
{
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    free(headers);
}

static void
make_slot(void)
{
    slot = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_headers);
}

/* NULL: no memory. */
static struct headers *
headers_of(SSL *ssl)
{
    struct headers *headers;

    pthread_once(&once, make_slot);
    headers = SSL_get_ex_data(ssl, slot);
    if (headers)
        return headers;
    headers = calloc(1, sizeof(*headers));
    if (headers && SSL_set_ex_data(ssl, slot, headers) != 1) {
        free(headers);
        headers = NULL;
    }
    return headers;
}

static int
refuse(void)
{
    ERR_raise(ERR_LIB_SSL, SSL_R_EXCESSIVE_MESSAGE_SIZE);
    return -1;
}

static int
read_followed(SSL *ssl, struct headers *headers, void *to, size_t len)
{
    size_t got = 0;

    if (headers->is_refused)
        return refuse();
    if (SSL_read_ex(ssl, to, len, &got) != 1)
        return -1;
    return headers_take(headers, to, got) ? (int)got : refuse();
}

int
SSL_read(SSL *ssl, void *buf, int num)
{
    size_t got = 0;

    if (!SSL_is_server(ssl))
        return SSL_read_ex(ssl, buf, (size_t)num, &got) == 1 ? (int)got : -1;
    struct headers *headers = headers_of(ssl);

    return headers ? read_followed(ssl, headers, buf, (size_t)num) : refuse();
}

int
SSL_write(SSL *ssl, const void *buf, int num)
{
    size_t done = 0;

    if (SSL_is_server(ssl)) {
        struct headers *headers = headers_of(ssl);
        if (headers)
            headers->is_sent = true;
    }
    return SSL_write_ex(ssl, buf, (size_t)num, &done) == 1 ? (int)done : -1;
}
