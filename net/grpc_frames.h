/*
 * grpc_frames - bounds what a connection of gRPC core may begin.
 *
 * Core 1.51 keeps a header block until it has ended, however long it becomes,
 * with each CONTINUATION (CVE-2023-33953), and not in its memory quota; and it
 * keeps for a while each call that its peer has reset (CVE-2023-44487).  So
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
 * core reads out of TLS is followed instead (net/grpc_frames_tls.c).
 *
 * Bounds     FRAMES_BLOCK_MAX bytes a header block as sent, each of its frames
 *            being FRAMES_PIECE at least: what core says of the size of headers
 *            it counts anew in each.
 *            FRAMES_EARLY_MAX for all frames of headers before the
 *            acknowledgement, FRAMES_EARLY_PIECE added to each: some 200 calls.
 *            What frames_limit says for the calls under way of all connections
 *            together, a call being 12 KiB, its headers 160 bytes for each
 *            that was sent, up to what core takes, and its message 48 for each
 *            frame of DATA.  Beyond it whoever has more than an equal share of
 *            it goes no further.
 *            What frames_rate says (net/grpc_pace.h).
 *            FRAMES_RESETS_MAX calls that the peer resets, twice what may be
 *            under way, or half of its last FRAMES_LATELY calls or more.
 *            FRAMES_BLANKS_MAX frames that say nothing, and for each call
 *            FRAMES_BLANKS_CALL more.
 *            FRAMES_PINGS_MAX that core has not answered yet.
 * Errors     Are logged, as are peers that speak what the port does not: core
 *            says no word of them.
 * Threads    frames_limit, frames_rate and frames_release: any.  For the rest,
 * of one connection one at a time.
 */
#ifndef NET_GRPC_FRAMES_H
#define NET_GRPC_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/grpc_pace.h"

#define FRAMES_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

enum {
    FRAMES_PREFACE_LEN = sizeof(FRAMES_PREFACE) - 1,
    FRAMES_HEAD_LEN = 9,
    FRAMES_BLOCK_MAX = 64 << 10,
    FRAMES_PIECE = 16 << 10,
    FRAMES_EARLY_MAX = 64 << 10,
    FRAMES_EARLY_PIECE = 256,
    FRAMES_RESETS_MAX = 256,
    FRAMES_LATELY = 1024,
    FRAMES_BLANKS_MAX = 1024,
    FRAMES_BLANKS_CALL = 8,
    FRAMES_PINGS_MAX = 256,
};

/* One direction. */
struct frames_side {
    uint32_t left; /* of the frame's payload */
    uint8_t head[FRAMES_HEAD_LEN];
    uint8_t head_len; /* of it that came */
};

struct frames {
    struct frames_side in;
    struct frames_side out;
    struct frames_calls *calls; /* under way; NULL: none yet */
    uint32_t held_kib;          /* by them */
    uint32_t block;             /* of a header block that has not ended */
    uint32_t early;      /* of headers that came before the acknowledgement */
    uint32_t stream;     /* the last that was begun */
    uint32_t begun;      /* calls, lately */
    uint32_t resets;     /* likewise */
    uint32_t blanks;     /* frames that said nothing, less what calls allow */
    uint32_t pings;      /* that core has not answered */
    uint32_t unfinished; /* calls whose message is not whole */
    struct pace pace;
    uint8_t preface; /* of it that came */
    bool is_other;   /* no HTTP/2 */
    bool is_tls;     /* what comes is to be TLS; set by whoever knows */
    bool is_sent;    /* what core sends first, its settings; set by whoever
                        sees it: what came before acknowledges nothing */
    bool is_acknowledged;
    bool is_refused;
};

/* frames_take follows what was read, and may change it (net/grpc_unary.h);
 * false: there is too much, now and for ever. */
bool frames_take(struct frames *f, uint8_t *bytes, size_t len);

/* frames_pace: |len| bytes were taken at |now_ns|; false: they come too slowly,
 * now and for ever. */
bool frames_pace(struct frames *f, size_t len, uint64_t now_ns);

/* frames_sent follows what core has sent, at |now_ns|. */
void frames_sent(struct frames *f, const uint8_t *bytes, size_t len,
                 uint64_t now_ns);

/* frames_limit: what the calls under way of all connections may hold; without
 * it, any number of bytes. */
void frames_limit(size_t bytes);

/* frames_rate: the least that is to come each second; without it, nothing. */
void frames_rate(uint32_t bytes);

/* frames_end forgets a connection; frames_release only that its calls held
 * |held_kib|, and takes no lock and no memory. */
void frames_end(struct frames *f);
void frames_release(uint32_t held_kib);

#endif
