/*
 * grpc_headers - bounds the headers that a connection of gRPC core may send.
 *
 * Core 1.51 keeps a header block until it has ended, however long it becomes,
 * with each CONTINUATION (CVE-2023-33953), and not in its memory quota.  So
 * what core reads is followed here, frame by frame, before core has it.
 *
 * Not bounded is what a block becomes by HPACK: core holds a peer to what it
 * says of the size of headers only once the peer has acknowledged its settings,
 * and takes 16 MiB in each stream of who does not.  To acknowledge them in its
 * stead is no way: they bound windows, too, and under pressure more narrowly
 * than the peer knows.
 *
 * What does not begin as HTTP/2, as TLS does not, is let through as it is: what
 * core reads out of TLS is followed instead (net/grpc_headers_tls.c).
 *
 * Bound      HEADERS_BLOCK_MAX bytes a header block as sent, each of its frames
 *            being HEADERS_PIECE at least: what core says of the size of
 *            headers it counts anew in each.
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
    HEADERS_PIECE = 4 << 10,
};

struct headers {
    uint32_t left;  /* of the frame's payload */
    uint32_t block; /* of a header block that has not ended */
    uint8_t frame[HEADERS_FRAME_LEN];
    uint8_t frame_len; /* of it that came */
    uint8_t preface;   /* of it that came */
    bool is_other;     /* no HTTP/2 */
    bool is_refused;
};

/* headers_take follows what was read; false: there is too much, now and for
 * ever. */
bool headers_take(struct headers *h, const uint8_t *bytes, size_t len);

#endif
