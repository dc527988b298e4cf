/*
 * grpc_headers - bounds the headers that a connection of gRPC core may send.
 *
 * Core 1.51 keeps a header block until it has ended, however long it becomes,
 * with each CONTINUATION (CVE-2023-33953), and not in its memory quota.  So
 * what core reads is followed here, frame by frame, before core has it.
 *
 * A peer that has not acknowledged core's settings core holds to none of them:
 * neither to a number of streams, of 12 KiB each, nor to a size of headers, of
 * which it keeps 160 bytes for each byte that came.  So before that all headers
 * of a connection together have a bound.  To acknowledge them in the peer's
 * stead is no way: they bound windows, too, and under pressure more narrowly
 * than the peer knows.
 *
 * What does not begin as HTTP/2, as TLS does not, is let through as it is: what
 * core reads out of TLS is followed instead (net/grpc_headers_tls.c).
 *
 * Bounds     HEADERS_BLOCK_MAX bytes a header block as sent, each of its frames
 *            being HEADERS_PIECE at least: what core says of the size of
 *            headers it counts anew in each.  HEADERS_EARLY_MAX for all frames
 *            of headers before the acknowledgement, HEADERS_EARLY_PIECE added
 *            to each: some 200 calls, where clients make 100 (RFC 9113, 6.5.2)
 *            at most of a server whose settings they do not know.
 * Errors     Are logged.
 * Threads    None.
 */
#ifndef NET_GRPC_HEADERS_H
#define NET_GRPC_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADERS_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

enum {
    HEADERS_PREFACE_LEN = sizeof(HEADERS_PREFACE) - 1,
    HEADERS_FRAME_LEN = 9,
    HEADERS_BLOCK_MAX = 64 << 10,
    HEADERS_PIECE = 16 << 10,
    HEADERS_EARLY_MAX = 64 << 10,
    HEADERS_EARLY_PIECE = 256,
};

struct headers {
    uint32_t left;  /* of the frame's payload */
    uint32_t block; /* of a header block that has not ended */
    uint32_t early; /* of headers that came before the acknowledgement */
    uint8_t frame[HEADERS_FRAME_LEN];
    uint8_t frame_len; /* of it that came */
    uint8_t preface;   /* of it that came */
    bool is_other;     /* no HTTP/2 */
    bool is_sent;      /* what core sends first, its settings; set by whoever
                          sees it: what came before acknowledges nothing */
    bool is_acknowledged;
    bool is_refused;
};

/* headers_take follows what was read; false: there is too much, now and for
 * ever. */
bool headers_take(struct headers *h, const uint8_t *bytes, size_t len);

#endif
