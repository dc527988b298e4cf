/*
 * A stub begins with two bytes of `have` bits, which say what follows:
 *
 *     trace   hi and lo, or how many stubs ago it was, unless that is one
 *     span    u64
 *     parent  u64, unless 0
 *     owner   service, version, scope; unless as in the stub before
 *     ids     endpoint, peer, symbol, each unless 0
 *     start   difference to the stub before (the first: to the receive time)
 *     lasted, flags
 *     weight  unless 1
 *     links   their number, then three u64 each
 *
 * Ids of traces and spans are random and are written whole; all else is in
 * varints.  A request has the spans of one service behind one another, so those
 * of a trace are apart: its id is written once.  Every field is bounded by its
 * own type when it is read back: the checksum finds what decayed, the bounds
 * what was forged.
 */
#include "store/journal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/coded.h"
#include "base/hash.h"

enum {
    HAVE_TRACE = 1 << 0,
    HAVE_TRACE_HI = 1 << 1,
    HAVE_PARENT = 1 << 2,
    HAVE_OWNER = 1 << 3,
    HAVE_ENDPOINT = 1 << 4,
    HAVE_PEER = 1 << 5,
    HAVE_SYMBOL = 1 << 6,
    HAVE_WEIGHT = 1 << 7,
    HAVE_LINKS = 1 << 8,
    KIND_SHIFT = 9,           /* three bits of enum span_kind */
    HAVE_TRACE_AGO = 1 << 12, /* and not HAVE_TRACE */
    HAVE_END = 1 << 13,
};

enum {
    HEAD_MAX = 1 + 4 * 5 + 8,
    STUB_MAX = 2 + 4 * 8 + 6 * 5 + 2 * 10 + 5 + 10 + 3,
    STUB_MIN = 2 + 8 + 3,
    LINK_BYTES = 24,
    CHECKSUM_BYTES = 8,
};

/* ---- traces that were there before ---- */

enum { SEEN_MIN_LOG2 = 4, SEEN_MAX_LOG2 = 9 };

/* Which stub had a trace last, by the hash of that.  What falls on the same
 * place is forgotten, and only costs its bytes. */
struct seen {
    unsigned shift;
    uint32_t last[1 << SEEN_MAX_LOG2];
};

static void
seen_init(struct seen *seen, uint32_t stubs)
{
    unsigned log2 = SEEN_MIN_LOG2;

    while (log2 < SEEN_MAX_LOG2 && 1U << log2 < stubs)
        log2++;
    seen->shift = 64 - log2;
    memset(seen->last, 0, sizeof(*seen->last) << log2);
}

/* How many stubs before |stubs[i]| its trace was already; 0: never. */
static uint32_t
seen_ago(struct seen *seen, const struct stub *stubs, uint32_t i)
{
    uint64_t lo = stubs[i].trace_lo;
    uint32_t *last =
        &seen->last[lo * UINT64_C(0x9e3779b97f4a7c15) >> seen->shift];
    uint32_t before = *last;
    bool is_same = (stubs[before].trace_lo == lo) &
                   (stubs[before].trace_hi == stubs[i].trace_hi);

    *last = i;
    return is_same ? i - before : 0;
}

/* ---- writing ---- */

static char *
put_u16(char *to, uint32_t value)
{
    uint16_t little = htole16((uint16_t)value);

    memcpy(to, &little, sizeof(little));
    return to + sizeof(little);
}

static uint32_t
have_of(const struct stub *stub, const struct stub *last, uint32_t ago)
{
    uint32_t have = (uint32_t)stub->kind << KIND_SHIFT;

    if (ago > 1)
        have |= HAVE_TRACE_AGO;
    else if (ago == 0)
        have |= HAVE_TRACE | (stub->trace_hi ? HAVE_TRACE_HI : 0);
    if (stub->service != last->service || stub->version != last->version ||
        stub->scope != last->scope)
        have |= HAVE_OWNER;
    have |= stub->parent_id ? HAVE_PARENT : 0;
    have |= stub->endpoint ? HAVE_ENDPOINT : 0;
    have |= stub->peer ? HAVE_PEER : 0;
    have |= stub->symbol ? HAVE_SYMBOL : 0;
    have |= stub->weight != WEIGHT_ONE ? HAVE_WEIGHT : 0;
    have |= stub->link_len ? HAVE_LINKS : 0;
    return have;
}

static char *
put_stub(char *to, const struct stub *stub, const struct stub *last,
         uint32_t ago)
{
    uint32_t have = have_of(stub, last, ago);

    to = put_u16(to, have);
    if (have & HAVE_TRACE_HI)
        to = coded_put_u64(to, stub->trace_hi);
    if (have & HAVE_TRACE)
        to = coded_put_u64(to, stub->trace_lo);
    if (have & HAVE_TRACE_AGO)
        to = coded_put_varint(to, ago);
    to = coded_put_u64(to, stub->span_id);
    if (have & HAVE_PARENT)
        to = coded_put_u64(to, stub->parent_id);
    if (have & HAVE_OWNER) {
        to = coded_put_varint(to, stub->service);
        to = coded_put_varint(to, stub->version);
        to = coded_put_varint(to, stub->scope);
    }
    if (have & HAVE_ENDPOINT)
        to = coded_put_varint(to, stub->endpoint);
    if (have & HAVE_PEER)
        to = coded_put_varint(to, stub->peer);
    if (have & HAVE_SYMBOL)
        to = coded_put_varint(to, stub->symbol);
    to = coded_put_varint(to, coded_zigzag(stub->start_ns - last->start_ns));
    to = coded_put_varint(to, stub->duration_ns);
    to = coded_put_varint(to, stub->flags);
    if (have & HAVE_WEIGHT)
        to = coded_put_varint(to, stub->weight);
    if (have & HAVE_LINKS)
        to = coded_put_varint(to, stub->link_len);
    return to;
}

static char *
put_links(char *to, const struct span_link *links, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        to = coded_put_u64(to, links[i].trace_hi);
        to = coded_put_u64(to, links[i].trace_lo);
        to = coded_put_u64(to, links[i].span_id);
    }
    return to;
}

void
journal_pack(const struct stub_batch *batch, struct buf *out)
{
    size_t max = HEAD_MAX + (size_t)batch->stub_len * STUB_MAX +
                 (size_t)batch->link_len * LINK_BYTES + CHECKSUM_BYTES;
    struct stub first = {.start_ns = batch->received_ns};
    const struct stub *last = &first;
    char *begin = buf_grow(out, max);
    char *to = begin;
    struct seen seen;

    if (!begin)
        return;
    seen_init(&seen, batch->stub_len);
    to = coded_put_varint(to, JOURNAL_VERSION);
    to = coded_put_varint(to, batch->stub_len);
    to = coded_put_varint(to, batch->link_len);
    to = coded_put_varint(to, batch->clamped);
    to = coded_put_varint(to, batch->rejected);
    to = coded_put_u64(to, batch->received_ns);
    for (uint32_t i = 0; i < batch->stub_len; i++) {
        const struct stub *stub = &batch->stubs[i];
        to = put_stub(to, stub, last, seen_ago(&seen, batch->stubs, i));
        if (stub->link_len)
            to = put_links(to, batch->links + stub->link_at, stub->link_len);
        last = stub;
    }
    str packed = {begin, (size_t)(to - begin)};
    to = coded_put_u64(to, hash_bytes(packed, 0));
    out->len += (size_t)(to - begin);
}

/* ---- reading ---- */

static uint32_t
get_u16(struct coded *in)
{
    uint16_t little = 0;

    coded_get_bytes(in, &little, sizeof(little));
    return le16toh(little);
}

static uint32_t
get_id(struct coded *in, bool present)
{
    return present ? (uint32_t)coded_get_varint(in, UINT32_MAX) : 0;
}

/* The trace of |stub|, which is number |i|, is that of one before it. */
static void
get_trace_ago(struct coded *in, struct stub *stub, uint32_t i)
{
    uint64_t ago = coded_get_varint(in, i);

    in->bad |= ago == 0;
    stub->trace_hi = stub[-(ptrdiff_t)ago].trace_hi;
    stub->trace_lo = stub[-(ptrdiff_t)ago].trace_lo;
}

static void
get_stub(struct coded *in, struct stub *out, const struct stub *last,
         uint32_t i)
{
    uint32_t have = get_u16(in);

    *out = (struct stub){
        .kind = (uint8_t)(have >> KIND_SHIFT & 7),
        .trace_hi = last->trace_hi,
        .trace_lo = last->trace_lo,
        .service = last->service,
        .version = last->version,
        .scope = last->scope,
        .weight = WEIGHT_ONE,
    };
    in->bad |= have >= HAVE_END || out->kind > SPAN_CONSUMER;
    in->bad |= (have & HAVE_TRACE_HI) && !(have & HAVE_TRACE);
    in->bad |= (have & HAVE_TRACE) && (have & HAVE_TRACE_AGO);
    if (have & HAVE_TRACE) {
        out->trace_hi = have & HAVE_TRACE_HI ? coded_get_u64(in) : 0;
        out->trace_lo = coded_get_u64(in);
    }
    if (have & HAVE_TRACE_AGO)
        get_trace_ago(in, out, i);
    out->span_id = coded_get_u64(in);
    if (have & HAVE_PARENT)
        out->parent_id = coded_get_u64(in);
    if (have & HAVE_OWNER) {
        out->service = get_id(in, true);
        out->version = get_id(in, true);
        out->scope = get_id(in, true);
    }
    out->endpoint = get_id(in, have & HAVE_ENDPOINT);
    out->peer = get_id(in, have & HAVE_PEER);
    out->symbol = get_id(in, have & HAVE_SYMBOL);
    out->start_ns =
        last->start_ns + coded_unzigzag(coded_get_varint(in, UINT64_MAX));
    out->duration_ns = coded_get_varint(in, UINT64_MAX);
    out->flags = (uint32_t)coded_get_varint(in, UINT32_MAX);
    if (have & HAVE_WEIGHT)
        out->weight = coded_get_varint(in, WEIGHT_MAX);
    in->bad |= out->weight == 0 || out->span_id == 0;
    if (have & HAVE_LINKS)
        out->link_len = (uint16_t)coded_get_varint(in, SPAN_LINKS_MAX);
}

static void
get_links(struct coded *in, struct stub_batch *out, struct stub *stub,
          uint32_t *used)
{
    stub->link_at = *used;
    if (stub->link_len > out->link_len - *used) {
        in->bad = true;
        return;
    }
    for (uint32_t i = 0; i < stub->link_len && !in->bad; i++) {
        struct span_link *link = &out->links[(*used)++];
        link->trace_hi = coded_get_u64(in);
        link->trace_lo = coded_get_u64(in);
        link->span_id = coded_get_u64(in);
    }
}

/* Reads the lengths and makes room; they are bounded by what the bytes could
 * hold, so that a forged row cannot ask for more memory than it brought. */
static enum err
get_head(struct coded *in, struct stub_batch *out)
{
    size_t len = (size_t)(in->end - in->at);

    if (coded_get_varint(in, JOURNAL_VERSION) < JOURNAL_OLDEST)
        return ERR_CORRUPT;
    out->stub_len = (uint32_t)coded_get_varint(in, len / STUB_MIN);
    out->link_len = (uint32_t)coded_get_varint(in, len / LINK_BYTES);
    out->clamped = (uint32_t)coded_get_varint(in, UINT32_MAX);
    out->rejected = (uint32_t)coded_get_varint(in, UINT32_MAX);
    out->received_ns = coded_get_u64(in);
    if (in->bad)
        return ERR_CORRUPT;
    out->stubs = calloc((size_t)out->stub_len + 1, sizeof(*out->stubs));
    out->links = calloc((size_t)out->link_len + 1, sizeof(*out->links));
    return out->stubs && out->links ? OK : ERR_NOMEM;
}

enum err
journal_unpack(struct stub_batch *out, str bytes)
{
    const unsigned char *begin = (const unsigned char *)bytes.ptr;
    uint32_t links = 0;
    enum err err = ERR_CORRUPT;

    *out = (struct stub_batch){0};
    if (bytes.len < 1 + 4 + 8 + CHECKSUM_BYTES)
        return ERR_CORRUPT;
    size_t len = bytes.len - CHECKSUM_BYTES;
    struct coded in = {.at = begin + len, .end = begin + bytes.len};
    if (coded_get_u64(&in) != hash_bytes((str){bytes.ptr, len}, 0))
        return ERR_CORRUPT;

    in = (struct coded){.at = begin, .end = begin + len};
    if ((err = get_head(&in, out)))
        goto out;
    struct stub first = {.start_ns = out->received_ns};
    for (uint32_t i = 0; i < out->stub_len && !in.bad; i++) {
        struct stub *stub = &out->stubs[i];
        get_stub(&in, stub, i ? stub - 1 : &first, i);
        get_links(&in, out, stub, &links);
        out->backwards += (stub->flags & STUB_BACKWARDS) != 0;
    }
    if (in.bad || in.at != in.end || links != out->link_len)
        err = ERR_CORRUPT;
out:
    if (err)
        journal_batch_fini(out);
    return err;
}

void
journal_batch_fini(struct stub_batch *batch)
{
    free(batch->stubs);
    free(batch->links);
    *batch = (struct stub_batch){0};
}
