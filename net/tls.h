/*
 * tls - certificates of a listener, and the encryption of one connection.
 *
 * A tls_source holds what a listener shows, and can read its files again; a
 * tls_stream turns bytes of the wire into plain ones and back, in memory.
 *
 *     tls_stream_put(s, wire)                  bytes came
 *     tls_stream_read(s, to, len, &got)        until nothing is got
 *     tls_stream_write(s, plain)
 *     tls_stream_take(s, &wire)                what is to be sent
 *
 * Threads    A source: any thread.  A stream: one at a time.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "net/server.h"

struct tls_source;
struct tls_stream;

/* tls_no_password is for whoever reads PEM: an encrypted key has nobody here to
 * ask for its password.  OpenSSL would ask the terminal, and wait for it. */
int tls_no_password(char *out, int cap, int writing, void *ctx);

/*
 * tls_source_new copies |cfg| and reads its files.  On failure |why| says
 * which and why not.
 *
 * ERR_DENIED   a file cannot be read
 * ERR_INVALID  it is no certificate or key, or they do not belong together
 * ERR_NOMEM
 */
enum err tls_source_new(struct tls_source **out, const struct server_tls *cfg,
                        struct buf *why);
void tls_source_free(struct tls_source *source);

/* tls_source_reload reads the files again, for streams to come; on failure,
 * as above, the source is as before. */
enum err tls_source_reload(struct tls_source *source, struct buf *why);

/* tls_source_is_stale says whether a file has changed since it was read. */
bool tls_source_is_stale(struct tls_source *source);

/* tls_stream_new returns NULL without memory. */
struct tls_stream *tls_stream_new(struct tls_source *source);
void tls_stream_free(struct tls_stream *stream);

/* tls_why: what OpenSSL says of what has just failed on this thread. */
const char *tls_why(void);

/* ERR_NOMEM. */
enum err tls_stream_put(struct tls_stream *stream, str wire);

/*
 * tls_stream_read moves plain bytes to |to|; |got| is 0 when more of the wire
 * is needed first.
 *
 * ERR_CANCELLED  the peer has ended its side
 * ERR_DENIED     handshake refused, or bytes that are no TLS; there may be an
 *                alert to take
 */
enum err
tls_stream_read(struct tls_stream *stream, char *to, size_t len, size_t *got);

/* ERR_IO: the stream is broken. */
enum err tls_stream_write(struct tls_stream *stream, str plain);

/* tls_stream_end says goodbye to the peer. */
void tls_stream_end(struct tls_stream *stream);

/* tls_stream_take appends to |out| what is to be sent; tls_stream_due is how
 * much that is. */
void tls_stream_take(struct tls_stream *stream, struct buf *out);
size_t tls_stream_due(const struct tls_stream *stream);

/* tls_stream_is_ready: the handshake is done.  Then tls_stream_protocol is
 * the ALPN name agreed on or empty, and tls_stream_peer the name of a
 * verified client: its first SAN (DNS, then URI), else its CN. */
bool tls_stream_is_ready(const struct tls_stream *stream);
str tls_stream_protocol(const struct tls_stream *stream);
str tls_stream_peer(struct tls_stream *stream);

#endif
