/*
 * A frame is nine bytes and its payload (RFC 9113, 4.1).  A header block is a
 * HEADERS frame and the CONTINUATION frames behind it, up to one that says it
 * is the last (6.2, 6.10); that nothing comes between them is core's to see.
 */
#include "net/grpc_frames.h"

#include <string.h>

#include "base/log.h"

enum {
    TYPE_HEADERS = 1,
    TYPE_RST_STREAM = 3,
    TYPE_SETTINGS = 4,
    TYPE_CONTINUATION = 9,
    ACK = 1,
    END_HEADERS = 4
};

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* |first| is the first byte of what is no HTTP/2. */
static void
log_other(const struct frames *f, uint8_t first)
{
    enum { HANDSHAKE = 22 }; /* of TLS (RFC 8446, 5.1) */

    if (first != HANDSHAKE)
        log_warn("a client speaks HTTP/1.1, or no HTTP, to gRPC's port", "hint",
                 "receivers.otlp.protocols.http.endpoint takes HTTP/1.1");
    else if (!f->is_tls)
        log_warn("a client speaks TLS to a port without it", "port", "gRPC's");
}

static size_t
take_preface(struct frames *f, const uint8_t *bytes, size_t len)
{
    size_t now = least(len, FRAMES_PREFACE_LEN - f->preface);

    f->is_other = memcmp(bytes, &FRAMES_PREFACE[f->preface], now) != 0;
    if (f->is_other)
        log_other(f, f->preface ? FRAMES_PREFACE[0] : bytes[0]);
    f->preface += (uint8_t)now;
    if (f->is_tls && f->preface == FRAMES_PREFACE_LEN && !f->is_other)
        log_warn("a client speaks to a port of TLS without it", "port",
                 "gRPC's");
    return now;
}

static bool
refuse(const char *why)
{
    log_warn("connection ended", "error", "%s", why);
    return false;
}

/* What is begun upwards is new; others are trailers. */
static void
count_call(struct frames *f)
{
    const uint8_t *id = &f->head[5];
    uint32_t stream = (uint32_t)(id[0] & 0x7f) << 24 | (uint32_t)id[1] << 16 |
                      (uint32_t)id[2] << 8 | id[3];

    if (stream <= f->stream)
        return;
    f->stream = stream;
    f->begun++;
    if (f->begun < FRAMES_LATELY)
        return;
    f->begun /= 2;
    f->resets /= 2;
}

static bool
count_reset(struct frames *f)
{
    f->resets++;
    return f->resets <= FRAMES_RESETS_MAX || f->resets <= f->begun / 2 ||
           refuse("it resets its calls (ENHANCE_YOUR_CALM)");
}

static bool
count_headers(struct frames *f, uint8_t flags)
{
    f->block += f->left > FRAMES_PIECE ? f->left : FRAMES_PIECE;
    if (f->block > FRAMES_BLOCK_MAX)
        return refuse("its headers have too many bytes, or too many frames");
    if (flags & END_HEADERS)
        f->block = 0;
    if (f->is_acknowledged)
        return true;
    f->early += f->left + FRAMES_EARLY_PIECE;
    return f->early <= FRAMES_EARLY_MAX ||
           refuse("it has not acknowledged our settings (SETTINGS_TIMEOUT)");
}

/* False: with this frame there is too much. */
static bool
begin_frame(struct frames *f)
{
    const uint8_t *head = f->head;
    uint8_t flags = head[4];

    f->head_len = 0;
    f->left = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
    switch (head[3]) {
    case TYPE_SETTINGS:
        f->is_acknowledged |= f->is_sent && flags & ACK;
        return true;
    case TYPE_RST_STREAM:
        return count_reset(f);
    case TYPE_HEADERS:
        count_call(f);
        f->block = 0;
        return count_headers(f, flags);
    case TYPE_CONTINUATION:
        return count_headers(f, flags);
    default:
        return true;
    }
}

static size_t
take_frame(struct frames *f, const uint8_t *bytes, size_t len)
{
    size_t now;

    if (f->left) {
        now = least(len, f->left);
        f->left -= (uint32_t)now;
        return now;
    }
    now = least(len, (size_t)(FRAMES_HEAD_LEN - f->head_len));
    memcpy(&f->head[f->head_len], bytes, now);
    f->head_len += (uint8_t)now;
    if (f->head_len == FRAMES_HEAD_LEN)
        f->is_refused = !begin_frame(f);
    return now;
}

bool
frames_take(struct frames *f, const uint8_t *bytes, size_t len)
{
    while (len && !f->is_other && !f->is_refused) {
        size_t now = f->preface < FRAMES_PREFACE_LEN
                         ? take_preface(f, bytes, len)
                         : take_frame(f, bytes, len);
        bytes += now;
        len -= now;
    }
    return !f->is_refused;
}
