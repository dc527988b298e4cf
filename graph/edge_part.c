/*
 * An entry:
 *
 *     id, 2 * kind + is_new, src, dst
 *     deltas     their number; hour, versions, first, last, count, errors,
 *                known, weight
 *     durations  their number; day and bucket as one number, less that of the
 *                one before; count
 *     exemplars  their number; 2 * time + failed; the id of the trace in two
 *                words
 *
 * All in varints but for that, what may be negative in zigzag.
 */
#include "graph/edge_part.h"

#include <stdlib.h>

#include "base/hash.h"
#include "graph/sketch.h"

enum {
    CHECKSUM_BYTES = 8,
    HEAD_MAX = 7 * 5 + CODED_VARINT_MAX,
    DELTA_MAX = 5 * 5 + 3 * 5 + CODED_VARINT_MAX,
    DELTA_MIN = 9,
    DURATION_MAX = 5 + CODED_VARINT_MAX,
    DURATION_MIN = 2,
    EXEMPLAR_MAX = 5 + 2 * 8,
};

/* ---- writing ---- */

static size_t
end_of(const struct edge_parts *parts, uint32_t at)
{
    size_t end;

    memcpy(&end, parts->ends.ptr + at * sizeof(end), sizeof(end));
    return end;
}

uint32_t
edge_parts_len(const struct edge_parts *parts)
{
    return (uint32_t)(parts->ends.len / sizeof(size_t));
}

/* Where the part that is open begins, or would. */
static size_t
begin_of(const struct edge_parts *parts)
{
    uint32_t len = edge_parts_len(parts);

    return len ? end_of(parts, len - 1) : 0;
}

static char *
put_delta(char *to, const struct part_delta *delta)
{
    to = coded_put_varint(to, delta->hour);
    to = coded_put_varint(to, delta->src_version);
    to = coded_put_varint(to, delta->dst_version);
    to = coded_put_varint(to, delta->first_s);
    to = coded_put_varint(to, delta->last_s);
    to = coded_put_varint(to, coded_zigzag((uint64_t)delta->count));
    to = coded_put_varint(to, coded_zigzag((uint64_t)delta->errors));
    to = coded_put_varint(to, coded_zigzag((uint64_t)delta->known));
    return coded_put_varint(to, coded_zigzag((uint64_t)delta->weight));
}

static char *
put_durations(char *to, const struct part_duration *durations, size_t len)
{
    uint32_t last = 0;

    for (size_t i = 0; i < len; i++) {
        to = coded_put_varint(to, durations[i].day_bucket - last);
        to = coded_put_varint(to, coded_zigzag((uint64_t)durations[i].count));
        last = durations[i].day_bucket;
    }
    return to;
}

static char *
put_exemplars(char *to, const struct exemplar *exemplars, uint32_t len)
{
    to = coded_put_varint(to, len);
    for (uint32_t i = 0; i < len; i++) {
        to = coded_put_varint(to, 2 * (uint64_t)exemplars[i].at_s +
                                      exemplars[i].failed);
        to = coded_put_u64(to, exemplars[i].trace_hi);
        to = coded_put_u64(to, exemplars[i].trace_lo);
    }
    return to;
}

void
edge_parts_put(struct edge_parts *parts, const struct edge_entry *entry)
{
    struct buf *out = &parts->bytes;
    size_t most = 1 + HEAD_MAX + EXEMPLARS_EDGE_MAX * EXEMPLAR_MAX +
                  (size_t)entry->delta_len * DELTA_MAX +
                  entry->duration_len * DURATION_MAX;
    char *begin = buf_grow(out, most);
    char *to = begin;

    if (!begin)
        return;
    if (out->len == begin_of(parts))
        to = coded_put_varint(to, EDGE_PART_VERSION);
    to = coded_put_varint(to, entry->id);
    to = coded_put_varint(to, 2 * entry->key.kind + entry->is_new);
    to = coded_put_varint(to, entry->key.src);
    to = coded_put_varint(to, entry->key.dst);
    to = coded_put_varint(to, entry->delta_len);
    for (uint32_t i = 0; i < entry->delta_len; i++)
        to = put_delta(to, &entry->delta[i]);
    to = coded_put_varint(to, entry->duration_len);
    to = put_durations(to, entry->duration, entry->duration_len);
    to = put_exemplars(to, entry->exemplar, entry->exemplar_len);
    out->len += (size_t)(to - begin);
}

void
edge_parts_end(struct edge_parts *parts)
{
    struct buf *out = &parts->bytes;
    size_t begin = begin_of(parts);

    if (out->failed || out->len == begin)
        return;
    uint64_t sum = hash_bytes((str){out->ptr + begin, out->len - begin}, 0);
    char *to = buf_grow(out, CHECKSUM_BYTES);
    if (!to)
        return;
    (void)coded_put_u64(to, sum);
    out->len += CHECKSUM_BYTES;
    buf_add(&parts->ends, (str){(const char *)&out->len, sizeof(out->len)});
}

void
edge_parts_add(struct edge_parts *parts, str part)
{
    struct buf *out = &parts->bytes;

    buf_add(out, part);
    buf_add(&parts->ends, (str){(const char *)&out->len, sizeof(out->len)});
}

str
edge_parts_get(const struct edge_parts *parts, uint32_t at)
{
    size_t begin = at ? end_of(parts, at - 1) : 0;

    return (str){parts->bytes.ptr + begin, end_of(parts, at) - begin};
}

bool
edge_parts_failed(const struct edge_parts *parts)
{
    return parts->bytes.failed || parts->ends.failed;
}

void
edge_parts_fini(struct edge_parts *parts)
{
    buf_fini(&parts->bytes);
    buf_fini(&parts->ends);
    *parts = (struct edge_parts){0};
}

/* ---- reading ---- */

static int32_t
get_int(struct coded *in)
{
    int64_t value = (int64_t)coded_unzigzag(coded_get_varint(in, UINT32_MAX));

    return (int32_t)value;
}

static int64_t
get_long(struct coded *in)
{
    return (int64_t)coded_unzigzag(coded_get_varint(in, UINT64_MAX));
}

static uint32_t
get_u32(struct coded *in)
{
    return (uint32_t)coded_get_varint(in, UINT32_MAX);
}

static void
get_delta(struct coded *in, struct part_delta *out)
{
    out->hour = get_u32(in);
    out->src_version = get_u32(in);
    out->dst_version = get_u32(in);
    out->first_s = get_u32(in);
    out->last_s = get_u32(in);
    out->count = get_int(in);
    out->errors = get_int(in);
    out->known = get_int(in);
    out->weight = get_long(in);
}

/* How many of something follow, each of |min| bytes at least: so a forged
 * number cannot ask for more memory than it brought bytes. */
static uint32_t
get_len(struct coded *in, size_t min)
{
    return (uint32_t)coded_get_varint(in, (size_t)(in->end - in->at) / min);
}

static enum err
get_deltas(struct edge_reader *reader, struct edge_entry *out)
{
    uint32_t len = get_len(&reader->in, DELTA_MIN);

    if (len > reader->delta_cap) {
        struct part_delta *deltas =
            realloc(reader->deltas, len * sizeof(*reader->deltas));
        if (!deltas)
            return ERR_NOMEM;
        reader->deltas = deltas;
        reader->delta_cap = len;
    }
    for (uint32_t i = 0; i < len; i++) {
        get_delta(&reader->in, &reader->deltas[i]);
        reader->in.bad |=
            i > 0 && reader->deltas[i].hour < reader->deltas[i - 1].hour;
    }
    reader->in.bad |= len == 0;
    out->delta = reader->deltas;
    out->delta_len = len;
    return OK;
}

static enum err
get_durations(struct edge_reader *reader, struct edge_entry *out)
{
    uint32_t len = get_len(&reader->in, DURATION_MIN);
    uint64_t day_bucket = 0;

    if (len > reader->duration_cap) {
        struct part_duration *durations =
            realloc(reader->durations, len * sizeof(*reader->durations));
        if (!durations)
            return ERR_NOMEM;
        reader->durations = durations;
        reader->duration_cap = len;
    }
    for (uint32_t i = 0; i < len; i++) {
        uint32_t step = get_u32(&reader->in);
        day_bucket += step;
        reader->durations[i].day_bucket = (uint32_t)day_bucket;
        reader->durations[i].count = get_long(&reader->in);
        reader->in.bad |= (i > 0 && step == 0) || day_bucket > UINT32_MAX ||
                          (uint16_t)day_bucket >= SKETCH_BUCKETS;
    }
    out->duration = reader->durations;
    out->duration_len = len;
    return OK;
}

static void
get_exemplars(struct coded *in, struct edge_entry *out)
{
    out->exemplar_len = (uint32_t)coded_get_varint(in, EXEMPLARS_EDGE_MAX);
    for (uint32_t i = 0; i < out->exemplar_len; i++) {
        struct exemplar *exemplar = &out->exemplar[i];
        uint64_t at = coded_get_varint(in, 2 * (uint64_t)UINT32_MAX + 1);
        exemplar->at_s = (uint32_t)(at / 2);
        exemplar->failed = at % 2;
        exemplar->trace_hi = coded_get_u64(in);
        exemplar->trace_lo = coded_get_u64(in);
    }
}

void
edge_part_begin(struct edge_reader *reader, str part)
{
    const unsigned char *begin = (const unsigned char *)part.ptr;

    reader->in = (struct coded){.at = begin, .end = begin};
    if (part.len == 0)
        return;
    if (part.len < 1 + CHECKSUM_BYTES) {
        reader->in.bad = true;
        return;
    }
    reader->in.end = begin + part.len - CHECKSUM_BYTES;
    uint64_t version = coded_get_varint(&reader->in, EDGE_PART_VERSION);
    reader->in.bad |= version == 0;
    reader->has_exemplars = version > 1;
}

bool
edge_part_next(struct edge_reader *reader, struct edge_entry *out,
               enum err *err)
{
    struct coded *in = &reader->in;

    *err = in->bad ? ERR_CORRUPT : OK;
    if (in->bad || in->at == in->end)
        return false;
    *out = (struct edge_entry){.id = get_u32(in)};
    uint32_t kind = (uint32_t)coded_get_varint(in, 2 * UINT8_MAX + 1);
    out->key.kind = (uint8_t)(kind / 2);
    out->is_new = kind % 2;
    out->key.src = get_u32(in);
    out->key.dst = get_u32(in);
    in->bad |= out->id == 0 || out->id == UINT32_MAX || out->key.dst == 0;
    if ((*err = get_deltas(reader, out)) || (*err = get_durations(reader, out)))
        return false;
    if (reader->has_exemplars)
        get_exemplars(in, out);
    if (in->bad)
        *err = ERR_CORRUPT;
    return !in->bad;
}

enum err
edge_part_check(struct edge_reader *reader, str part, uint32_t nodes)
{
    struct edge_entry entry;
    enum err err = OK;

    edge_part_begin(reader, part);
    if (reader->in.bad)
        return ERR_CORRUPT;
    if (part.len > 0) {
        size_t len = part.len - CHECKSUM_BYTES;
        struct coded sum = {.at = reader->in.end,
                            .end = reader->in.end + CHECKSUM_BYTES};
        if (coded_get_u64(&sum) != hash_bytes((str){part.ptr, len}, 0))
            return ERR_CORRUPT;
    }
    while (edge_part_next(reader, &entry, &err)) {
        if (entry.key.src > nodes || entry.key.dst > nodes)
            return ERR_CORRUPT;
    }
    return err;
}

void
edge_reader_fini(struct edge_reader *reader)
{
    free(reader->deltas);
    free(reader->durations);
    *reader = (struct edge_reader){0};
}
