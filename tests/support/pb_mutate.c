/*
 * One pass cuts a message into fields; one of them is changed, or, if it may be
 * a message itself, entered.  The way back up writes each length again.
 */
#include "tests/support/pb_mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 4096, DEPTH_MAX = 40, HEAD_MAX = 20, LEAF_MAX = 4096 };

/* What a change may add: a leaf, and a longer head at each level. */
enum { ROOM = LEAF_MAX + 2 * HEAD_MAX * DEPTH_MAX };

struct field {
    size_t at;   /* of the tag */
    size_t body; /* of the value; of a length-delimited one, after the length */
    size_t end;
    uint64_t tag;
};

struct mutation {
    uint64_t random;
    pb_mutate_fn *leaf;
};

static uint32_t
draw(struct mutation *m, uint32_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return below ? (uint32_t)(m->random >> 33) % below : 0;
}

static bool
get_varint(const uint8_t *bytes, size_t len, size_t *at, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < len; shift += 7) {
        uint8_t byte = bytes[(*at)++];

        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static size_t
put_varint(uint8_t *out, uint64_t value)
{
    size_t len = 0;

    for (; value > 127; value >>= 7)
        out[len++] = (uint8_t)(value | 128);
    out[len++] = (uint8_t)value;
    return len;
}

static bool
get_field(const uint8_t *bytes, size_t len, size_t at, struct field *out)
{
    uint64_t size;

    out->at = at;
    if (!get_varint(bytes, len, &at, &out->tag) || out->tag >> 3 == 0)
        return false;
    out->body = at;
    switch (out->tag & 7) {
    case 0:
        if (!get_varint(bytes, len, &at, &size))
            return false;
        out->end = at;
        return true;
    case 1:
    case 5:
        out->end = at + ((out->tag & 7) == 1 ? 8 : 4);
        return out->end <= len;
    case 2:
        if (!get_varint(bytes, len, &at, &size) || size > len - at)
            return false;
        out->body = at;
        out->end = at + size;
        return true;
    default:
        return false;
    }
}

/* The number of fields if |bytes| are a message, else 0. */
static size_t
cut(const uint8_t *bytes, size_t len, struct field *out)
{
    size_t count = 0;

    for (size_t at = 0; at < len; at = out[count++].end)
        if (count == FIELDS_MAX || !get_field(bytes, len, at, &out[count]))
            return 0;
    return count;
}

static size_t
put_field(uint8_t *out, uint64_t tag, const uint8_t *body, size_t len)
{
    size_t at = put_varint(out, tag);

    if ((tag & 7) == 2)
        at += put_varint(out + at, len);
    memcpy(out + at, body, len);
    return at + len;
}

/* Writes another field in place of |field|; nothing takes it out. */
static size_t
change_field(struct mutation *m, const uint8_t *bytes,
             const struct field *fields, size_t count, size_t i, uint8_t *out)
{
    const struct field *field = &fields[i];
    const struct field *other = &fields[draw(m, (uint32_t)count)];
    size_t whole = field->end - field->at;
    size_t body = field->end - field->body;
    uint8_t leaf[LEAF_MAX];

    switch (draw(m, 8)) {
    case 0:
        return 0;
    case 1: /* twice */
        memcpy(out, bytes + field->at, whole);
        memcpy(out + whole, bytes + field->at, whole);
        return 2 * whole;
    case 2: /* another's value */
        return put_field(out, (field->tag & ~UINT64_C(7)) | (other->tag & 7),
                         bytes + other->body, other->end - other->body);
    case 3: /* another number */
        return put_field(out,
                         ((uint64_t)draw(m, 48) + 1) << 3 | (field->tag & 7),
                         bytes + field->body, body);
    case 4: /* another wire type, as it comes */
        return put_field(out, (field->tag & ~UINT64_C(7)) | draw(m, 8),
                         bytes + field->body, body);
    case 5: /* within itself */
        if ((field->tag & 7) != 2)
            break;
        return put_field(out, field->tag, bytes + field->at, whole);
    default:
        break;
    }
    if (body > LEAF_MAX / 2)
        body = LEAF_MAX / 2;
    memcpy(leaf, bytes + field->body, body);
    size_t len = m->leaf(leaf, body, (field->tag & 7) == 2 ? LEAF_MAX : 10);
    return put_field(out, field->tag, leaf, len);
}

/* |out| has room for twice |len| and some.  0: not a message. */
static size_t
change(struct mutation *m, const uint8_t *bytes, size_t len, uint8_t *out,
       int depth)
{
    struct field *fields = malloc(FIELDS_MAX * sizeof(*fields));
    size_t count = fields ? cut(bytes, len, fields) : 0;
    size_t made = 0;

    if (count) {
        size_t i = draw(m, (uint32_t)count);
        size_t body = fields[i].end - fields[i].body;
        uint8_t *inner = malloc(2 * body + ROOM);
        size_t inner_len = 0;

        made = fields[i].at;
        memcpy(out, bytes, made);
        if (inner && depth < DEPTH_MAX && (fields[i].tag & 7) == 2 &&
            draw(m, 8))
            inner_len =
                change(m, bytes + fields[i].body, body, inner, depth + 1);
        if (inner_len)
            made += put_field(out + made, fields[i].tag, inner, inner_len);
        else
            made += change_field(m, bytes, fields, count, i, out + made);
        memcpy(out + made, bytes + fields[i].end, len - fields[i].end);
        made += len - fields[i].end;
        free(inner);
    }
    free(fields);
    return made;
}

size_t
pb_mutate(uint8_t *bytes, size_t len, size_t cap, uint32_t seed,
          pb_mutate_fn *leaf)
{
    struct mutation m = {.random = seed, .leaf = leaf};
    uint8_t *out = malloc(2 * len + ROOM);
    size_t made = out ? change(&m, bytes, len, out, 0) : 0;

    if (made > cap)
        made = 0;
    if (made)
        memcpy(bytes, out, made);
    free(out);
    return made;
}

size_t
pb_mutate_some(uint8_t *bytes, size_t len, size_t cap, uint32_t seed,
               uint32_t by_bytes, pb_mutate_fn *leaf)
{
    size_t made = seed % by_bytes ? pb_mutate(bytes, len, cap, seed, leaf) : 0;

    return made ? made : leaf(bytes, len, cap);
}
