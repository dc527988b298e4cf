/*
 * A frame is nine bytes and its payload (RFC 9113, 4.1).  A header block is a
 * HEADERS frame and the CONTINUATION frames behind it, up to one that says it
 * is the last (6.2, 6.10); that nothing comes between them is core's to see.
 *
 * A call is under way until its peer resets it, or core does, or has sent the
 * end of its answer.
 */
#include "net/grpc_frames.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "net/grpc_unary.h"
#include "net/stranger.h"

enum {
    TYPE_DATA = 0,
    TYPE_HEADERS = 1,
    TYPE_PRIORITY = 2,
    TYPE_RST_STREAM = 3,
    TYPE_SETTINGS = 4,
    TYPE_PING = 6,
    TYPE_GOAWAY = 7,
    TYPE_WINDOW_UPDATE = 8,
    TYPE_CONTINUATION = 9,
    ACK = 1,
    END_STREAM = 1,
    END_HEADERS = 4,
    PADDED = 8,
    CALLS_MAX = 256, /* of a connection: twice server_limits.streams */
    CALL_KIB = 12,
    GROWS = 160,    /* bytes of core's for a byte of headers, at most */
    BLOCK_KIB = 80, /* that 16 KiB of headers can be, in one frame */
    SLICE = 48,     /* bytes of core's for a frame of DATA, besides its own */
    KIB = 1 << 10,
};

struct call {
    uint32_t stream;
    uint32_t held_kib;
    uint32_t held_rest; /* bytes that are not yet a KiB of |held_kib| */
    struct unary message;
};

struct frames_calls {
    uint32_t len;
    struct call of[CALLS_MAX];
};

static atomic_size_t most_kib = SIZE_MAX;
static atomic_size_t held_kib; /* by all */
static atomic_size_t busy;     /* connections that hold something */
static atomic_uint least_rate; /* bytes a second */

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* |byte| is the first that came. */
static void
log_stranger(const struct frames *f, uint8_t byte)
{
    static struct stranger_log strangers;
    static _Atomic uint64_t other_ns;
    bool is_tls = stranger_is_tls(byte);

    if (f->is_tls && !is_tls)
        stranger_speaks_plain(&strangers, 0);
    else if (is_tls && !f->is_tls)
        stranger_speaks_tls(&strangers, 0);
    else if (!is_tls && f->is_other && log_is_due(&other_ns))
        log_warn("a client speaks HTTP/1.1, or no HTTP, to gRPC's port", "hint",
                 "receivers.otlp.protocols.http.endpoint takes HTTP/1.1");
}

static size_t
take_preface(struct frames *f, const uint8_t *bytes, size_t len)
{
    size_t now = least(len, FRAMES_PREFACE_LEN - f->preface);

    f->is_other = memcmp(bytes, &FRAMES_PREFACE[f->preface], now) != 0;
    if (f->is_other || f->is_tls)
        log_stranger(f, f->preface ? (uint8_t)FRAMES_PREFACE[0] : bytes[0]);
    f->preface += (uint8_t)now;
    return now;
}

static bool
refuse(const char *why)
{
    log_warn("connection ended", "error", "%s", why);
    return false;
}

/* ---- what calls hold ---- */

void
frames_limit(size_t bytes)
{
    atomic_store(&most_kib, bytes >> 10);
}

void
frames_rate(uint32_t bytes)
{
    atomic_store(&least_rate, bytes);
}

void
frames_release(uint32_t kib)
{
    if (kib == 0)
        return;
    atomic_fetch_sub(&held_kib, kib);
    atomic_fetch_sub(&busy, 1);
}

void
frames_end(struct frames *f)
{
    frames_release(f->held_kib);
    free(f->calls);
    f->held_kib = 0;
    f->calls = NULL;
}

static struct call *
find_call(const struct frames *f, uint32_t stream)
{
    for (uint32_t i = 0; f->calls && i < f->calls->len; i++)
        if (f->calls->of[i].stream == stream)
            return &f->calls->of[i];
    return NULL;
}

/* False: that is too much. */
static bool
hold(struct frames *f, struct call *call, uint32_t kib)
{
    size_t most = atomic_load(&most_kib);

    if (!call || kib == 0)
        return true;
    if (f->held_kib == 0)
        atomic_fetch_add(&busy, 1);
    call->held_kib += kib;
    f->held_kib += kib;
    if (atomic_fetch_add(&held_kib, kib) + kib <= most ||
        f->held_kib <= most / atomic_load(&busy))
        return true;
    return refuse("its calls under way, with those of others, are too many "
                  "(ENHANCE_YOUR_CALM)");
}

static void
end_call(struct frames *f, uint32_t stream)
{
    struct call *call = find_call(f, stream);

    if (!call)
        return;
    atomic_fetch_sub(&held_kib, call->held_kib);
    f->held_kib -= call->held_kib;
    if (f->held_kib == 0)
        atomic_fetch_sub(&busy, 1);
    f->unfinished -= !unary_is_whole(&call->message);
    *call = f->calls->of[--f->calls->len];
}

/* Core looks at no call of an even number, and has fewer at once.  Without
 * memory they are not counted. */
static struct call *
begin_call(struct frames *f, uint32_t stream)
{
    if (!f->calls)
        f->calls = calloc(1, sizeof(*f->calls));
    if (!f->calls || f->calls->len == CALLS_MAX || stream % 2 == 0)
        return NULL;
    struct call *call = &f->calls->of[f->calls->len++];

    *call = (struct call){.stream = stream};
    f->unfinished++;
    return call;
}

/* ---- frames ---- */

static uint32_t
stream_of(const struct frames_side *side)
{
    const uint8_t *id = &side->head[5];

    return (uint32_t)(id[0] & 0x7f) << 24 | (uint32_t)id[1] << 16 |
           (uint32_t)id[2] << 8 | id[3];
}

/* What is begun upwards is new; others are trailers.  False: too much. */
static bool
count_call(struct frames *f, uint32_t stream)
{
    if (stream <= f->stream)
        return true;
    f->stream = stream;
    f->blanks -= (uint32_t)least(f->blanks, FRAMES_BLANKS_CALL);
    f->begun++;
    if (f->begun >= FRAMES_LATELY) {
        f->begun /= 2;
        f->resets /= 2;
    }
    return hold(f, begin_call(f, stream), CALL_KIB);
}

static bool
count_reset(struct frames *f)
{
    f->resets++;
    return f->resets <= FRAMES_RESETS_MAX || f->resets <= f->begun / 2 ||
           refuse("it resets its calls (ENHANCE_YOUR_CALM)");
}

/* Each costs core more than its bytes do elsewhere. */
static bool
count_blank(struct frames *f)
{
    f->blanks++;
    return f->blanks <= FRAMES_BLANKS_MAX ||
           refuse("its frames say nothing (ENHANCE_YOUR_CALM)");
}

/* Core owes an answer to each, of 390 bytes until it is sent, and counts them
 * only once it has read all there is: 60 MiB by then.  A client has one or two
 * under way. */
static bool
count_ping(struct frames *f)
{
    f->pings++;
    return f->pings <= FRAMES_PINGS_MAX ||
           refuse("it pings without end (ENHANCE_YOUR_CALM)");
}

static bool
count_headers(struct frames *f, uint32_t stream, uint8_t flags)
{
    uint32_t left = f->in.left;
    uint32_t kib = left < FRAMES_PIECE ? left * GROWS >> 10 : BLOCK_KIB;

    if (!hold(f, find_call(f, stream), kib < BLOCK_KIB ? kib : BLOCK_KIB))
        return false;
    f->block += left > FRAMES_PIECE ? left : FRAMES_PIECE;
    if (f->block > FRAMES_BLOCK_MAX)
        return refuse("its headers have too many bytes, or too many frames");
    if (flags & END_HEADERS)
        f->block = 0;
    if (f->is_acknowledged)
        return true;
    /* Of a server whose settings they do not know, clients make at most 100
     * calls (RFC 9113, 6.5.2). */
    f->early += left + FRAMES_EARLY_PIECE;
    return f->early <= FRAMES_EARLY_MAX ||
           refuse("it has not acknowledged our settings (SETTINGS_TIMEOUT)");
}

/* Core keeps a message as the pieces in which it came until all are there: a
 * byte in a frame of its own is 42 then, none of them in its memory quota. */
static bool
count_piece(struct frames *f, uint32_t stream)
{
    struct call *call = find_call(f, stream);

    if (!call)
        return true;
    call->held_rest += SLICE;
    uint32_t kib = call->held_rest / KIB;
    call->held_rest %= KIB;
    return hold(f, call, kib);
}

/* False: with this frame there is too much. */
static bool
came(struct frames *f)
{
    uint8_t flags = f->in.head[4];
    uint32_t stream = stream_of(&f->in);

    switch (f->in.head[3]) {
    case TYPE_DATA:
        return f->in.left > 0 ? count_piece(f, stream)
                              : flags & END_STREAM || count_blank(f);
    case TYPE_SETTINGS:
        f->is_acknowledged |= f->is_sent && flags & ACK;
        return flags & ACK || count_blank(f);
    case TYPE_PRIORITY:
    case TYPE_GOAWAY:
    case TYPE_WINDOW_UPDATE:
        return count_blank(f);
    case TYPE_PING:
        return flags & ACK || count_ping(f);
    case TYPE_RST_STREAM:
        end_call(f, stream);
        return count_reset(f);
    case TYPE_HEADERS:
        f->block = 0;
        return count_call(f, stream) && count_headers(f, stream, flags);
    case TYPE_CONTINUATION:
        return count_headers(f, stream, flags);
    default:
        return true;
    }
}

static void
went(struct frames *f, uint64_t now_ns)
{
    uint8_t type = f->out.head[3];

    if (type == TYPE_WINDOW_UPDATE)
        pace_restart(&f->pace, now_ns);
    if (type == TYPE_PING && f->out.head[4] & ACK && f->pings > 0)
        f->pings--;
    if (type == TYPE_RST_STREAM ||
        (type == TYPE_HEADERS && f->out.head[4] & END_STREAM))
        end_call(f, stream_of(&f->out));
}

/* What is padded core resets by itself. */
static void
follow_message(struct frames *f, uint8_t *bytes, size_t len)
{
    struct call *call = find_call(f, stream_of(&f->in));

    if (!call || f->in.head[4] & PADDED)
        return;
    f->unfinished -= !unary_is_whole(&call->message);
    unary_take(&call->message, bytes, len);
    f->unfinished += !unary_is_whole(&call->message);
}

/* Takes some of |bytes|; |*is_head|: with it the head of a frame is there. */
static size_t
take_frame(struct frames_side *side, const uint8_t *bytes, size_t len,
           bool *is_head)
{
    const uint8_t *head = side->head;
    size_t now;

    *is_head = false;
    if (side->left) {
        now = least(len, side->left);
        side->left -= (uint32_t)now;
        return now;
    }
    now = least(len, (size_t)(FRAMES_HEAD_LEN - side->head_len));
    memcpy(&side->head[side->head_len], bytes, now);
    side->head_len += (uint8_t)now;
    if (side->head_len == FRAMES_HEAD_LEN) {
        side->head_len = 0;
        side->left = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
        *is_head = true;
    }
    return now;
}

bool
frames_take(struct frames *f, uint8_t *bytes, size_t len)
{
    while (len && !f->is_other && !f->is_refused) {
        bool is_head = false;

        if (f->in.left && f->in.head[3] == TYPE_DATA)
            follow_message(f, bytes, least(len, f->in.left));
        size_t now = f->preface < FRAMES_PREFACE_LEN
                         ? take_preface(f, bytes, len)
                         : take_frame(&f->in, bytes, len, &is_head);
        if (is_head)
            f->is_refused = !came(f);
        bytes += now;
        len -= now;
    }
    return !f->is_refused;
}

void
frames_sent(struct frames *f, const uint8_t *bytes, size_t len, uint64_t now_ns)
{
    while (len && !f->is_other) {
        bool is_head;
        size_t now = take_frame(&f->out, bytes, len, &is_head);

        if (is_head)
            went(f, now_ns);
        bytes += now;
        len -= now;
    }
}

bool
frames_pace(struct frames *f, size_t len, uint64_t now_ns)
{
    if (!f->is_refused && !pace_take(&f->pace, len, now_ns, f->unfinished > 0,
                                     atomic_load(&least_rate)))
        f->is_refused = !refuse("its messages come too slowly");
    return !f->is_refused;
}
