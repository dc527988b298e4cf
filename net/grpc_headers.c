/*
 * A frame is nine bytes and its payload (RFC 9113, 4.1).  A header block is a
 * HEADERS frame and the CONTINUATION frames behind it, up to one that says it
 * is the last (6.2, 6.10); that nothing comes between them is core's to see.
 */
#include "net/grpc_headers.h"

#include <string.h>

#include "base/log.h"

enum {
    TYPE_HEADERS = 1,
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

static size_t
take_preface(struct headers *h, const uint8_t *bytes, size_t len)
{
    size_t now = least(len, HEADERS_PREFACE_LEN - h->preface);

    h->is_other = memcmp(bytes, &HEADERS_PREFACE[h->preface], now) != 0;
    h->preface += (uint8_t)now;
    return now;
}

static bool
refuse(const char *why)
{
    log_warn("connection ended", "error", "%s", why);
    return false;
}

/* False: with this frame, of |flags| and |h->left|, there is too much. */
static bool
begin_headers(struct headers *h, uint8_t flags)
{
    h->block += h->left > HEADERS_PIECE ? h->left : HEADERS_PIECE;
    if (h->block > HEADERS_BLOCK_MAX)
        return refuse("its headers have too many bytes, or too many frames");
    if (flags & END_HEADERS)
        h->block = 0;
    if (h->is_acknowledged)
        return true;
    h->early += h->left + HEADERS_EARLY_PIECE;
    return h->early <= HEADERS_EARLY_MAX ||
           refuse("it has not acknowledged our settings (SETTINGS_TIMEOUT)");
}

static bool
begin_frame(struct headers *h)
{
    const uint8_t *head = h->frame;
    uint8_t flags = head[4];

    h->frame_len = 0;
    h->left = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
    switch (head[3]) {
    case TYPE_SETTINGS:
        h->is_acknowledged |= h->is_sent && flags & ACK;
        return true;
    case TYPE_HEADERS:
        h->block = 0;
        return begin_headers(h, flags);
    case TYPE_CONTINUATION:
        return begin_headers(h, flags);
    default:
        return true;
    }
}

static size_t
take_frame(struct headers *h, const uint8_t *bytes, size_t len)
{
    size_t now;

    if (h->left) {
        now = least(len, h->left);
        h->left -= (uint32_t)now;
        return now;
    }
    now = least(len, (size_t)(HEADERS_FRAME_LEN - h->frame_len));
    memcpy(&h->frame[h->frame_len], bytes, now);
    h->frame_len += (uint8_t)now;
    if (h->frame_len == HEADERS_FRAME_LEN)
        h->is_refused = !begin_frame(h);
    return now;
}

bool
headers_take(struct headers *h, const uint8_t *bytes, size_t len)
{
    while (len && !h->is_other && !h->is_refused) {
        size_t now = h->preface < HEADERS_PREFACE_LEN
                         ? take_preface(h, bytes, len)
                         : take_frame(h, bytes, len);
        bytes += now;
        len -= now;
    }
    return !h->is_refused;
}
