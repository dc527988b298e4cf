/*
 * Spans and attributes as they are usually written: members in the order of
 * their numbers, no white space, no escapes, numbers of a few digits.  Nothing
 * here has to be right about anything else: what does not match is left to the
 * readers of any form, which begin where this one stopped.
 *
 * Mispredicted branches are the cost here, too.  So names are compared as whole
 * words with their quotes, digits are read eight at a time and hex digits
 * sixteen, and whether a key is known is no branch.
 */
#include "otlp/attr_find.h"
#include "otlp/decode_json_state.h"
#include "otlp/json_scan.h"

/* If |word| of |len| bytes is next, the position behind it, else NULL.  Inline,
 * so that the word is a constant of the comparison. */
static inline __attribute__((always_inline)) const uint8_t *
behind(const struct decode_scratch *s, const uint8_t *p, str word)
{
    if (memcmp(p, word.ptr, word.len) != 0 ||
        s->json.end - p < (ptrdiff_t)word.len)
        return NULL;
    return p + word.len;
}

/* Is |c| next, before the end? */
static inline bool
is_next(const struct decode_scratch *s, const uint8_t *p, char c)
{
    return p < s->json.end && *p == (uint8_t)c;
}

/* Up to seven digits without a leading zero; NULL if there are none or more. */
static inline const uint8_t *
short_number(const uint8_t *p, uint64_t *out)
{
    size_t len = json_digits8(p, out);

    return len == 0 || len == 8 || (*p == '0' && len > 1) ? NULL : p + len;
}

/* 17 to 19 digits, as a time has, which fit 64 bits. */
static inline const uint8_t *
time_number(const uint8_t *p, uint64_t *out)
{
    uint64_t high;
    uint64_t middle;
    uint64_t low;
    static const uint64_t scale[] = {1, 10, 100, 1000};

    if (*p == '0' || json_digits8(p, &high) != 8 ||
        json_digits8(p + 8, &middle) != 8)
        return NULL;
    size_t len = json_digits8(p + 16, &low);
    if (len == 0 || len > 3)
        return NULL;
    *out = (high * 100000000 + middle) * scale[len] + low;
    return p + 16 + len;
}

/* The value of an attribute, behind `"value":{"`, up to its end. */
static inline const uint8_t *
usual_value(const struct decode_scratch *s, const uint8_t *p,
            struct attr_value *out)
{
    const uint8_t *q;
    uint64_t number;

    if ((q = behind(s, p, STR("stringValue\":\"")))) {
        out->type = ATTR_STR;
        out->str = (const char *)q;
        if (!(p = json_scan_plain(q, s->json.end)))
            return NULL;
        out->len = (uint32_t)(p - q);
        return p + 1;
    }
    out->len = 0;
    if ((q = behind(s, p, STR("intValue\":")))) {
        bool quoted = *q == '"';
        out->type = ATTR_INT;
        if (!(p = short_number(q + quoted, &number)) || (quoted && *p != '"'))
            return NULL;
        out->i = (int64_t)number;
        return p + quoted;
    }
    out->type = ATTR_BOOL;
    out->i = 0;
    if ((q = behind(s, p, STR("boolValue\":true"))))
        out->i = 1;
    else
        q = behind(s, p, STR("boolValue\":false"));
    return q;
}

const uint8_t *
decode_json_usual_attribute(const struct decode_scratch *s, const uint8_t *p,
                            struct attr_set *set)
{
    struct attr_value value;
    const uint8_t *key = behind(s, p, STR("{\"key\":\""));

    if (!key || !(p = json_scan_plain(key, s->json.end)))
        return NULL;
    size_t len = (size_t)(p - key);
    if (!(p = behind(s, p, STR("\",\"value\":{\""))) ||
        !(p = usual_value(s, p, &value)) || !(p = behind(s, p, STR("}}"))))
        return NULL;
    if (!set)
        return p;
    size_t place = attr_place(&s->index, key, len);
    *attr_value_at(set, place) = value;
    set->mask[0] |= attr_key_at(&s->index, place)->bits[0];
    set->mask[1] |= attr_key_at(&s->index, place)->bits[1];
    return p;
}

/* Notes that |member| was read. */
static inline void
done(struct json_walk *walk, uint32_t member)
{
    walk->begun = true;
    walk->inside = true;
    walk->seen |= UINT32_C(1) << member;
    walk->next = member + 1;
}

static inline const uint8_t *
usual_text(const struct decode_scratch *s, const uint8_t *p, str *out)
{
    const uint8_t *quote = json_scan_plain(p, s->json.end);

    if (!quote)
        return NULL;
    *out = (str){(const char *)p, (size_t)(quote - p)};
    return quote + 1;
}

/* The ids; they end with a quote. */
static const uint8_t *
usual_ids(struct decode_scratch *s, const uint8_t *p, struct json_walk *walk)
{
    struct span *span = &s->span;
    uint64_t hi;
    uint64_t lo;
    const uint8_t *q = behind(s, p, STR("{\"traceId\":\""));

    if (!q || s->json.end - q < 33 || !json_hex16(q, &hi) ||
        !json_hex16(q + 16, &lo) || q[32] != '"')
        return p;
    span->trace_hi = hi;
    span->trace_lo = lo;
    p = q + 33;
    done(walk, SPAN_MEMBER_TRACE_ID);
    q = behind(s, p, STR(",\"spanId\":\""));
    if (!q || s->json.end - q < 17 || !json_hex16(q, &lo) || q[16] != '"')
        return p;
    span->span_id = lo;
    p = q + 17;
    done(walk, SPAN_MEMBER_SPAN_ID);
    if ((q = behind(s, p, STR(",\"traceState\":\""))) &&
        (q = usual_text(s, q, &span->trace_state))) {
        p = q;
        done(walk, SPAN_MEMBER_TRACE_STATE);
    }
    q = behind(s, p, STR(",\"parentSpanId\":\""));
    if (!q || s->json.end - q < 17 || !json_hex16(q, &lo) || q[16] != '"')
        return p;
    span->parent_id = lo;
    done(walk, SPAN_MEMBER_PARENT_SPAN_ID);
    return q + 17;
}

/* Name, kind and times. */
static const uint8_t *
usual_head(struct decode_scratch *s, const uint8_t *p, struct json_walk *walk)
{
    struct span *span = &s->span;
    uint64_t time;
    const uint8_t *q = behind(s, p, STR(",\"name\":\""));

    if (!q || !(q = usual_text(s, q, &span->name)))
        return p;
    p = q;
    done(walk, SPAN_MEMBER_NAME);
    q = behind(s, p, STR(",\"kind\":"));
    if (!q || q[0] < '0' || q[0] > '0' + SPAN_CONSUMER ||
        !is_next(s, q + 1, ','))
        return p;
    span->kind = (uint8_t)(q[0] - '0');
    p = q + 1;
    done(walk, SPAN_MEMBER_KIND);
    q = behind(s, p, STR(",\"startTimeUnixNano\":\""));
    if (!q || !(q = time_number(q, &time)) || !is_next(s, q, '"'))
        return p;
    span->start_ns = time;
    p = q + 1;
    done(walk, SPAN_MEMBER_START);
    q = behind(s, p, STR(",\"endTimeUnixNano\":\""));
    if (!q || !(q = time_number(q, &time)) || !is_next(s, q, '"'))
        return p;
    span->end_ns = time;
    done(walk, SPAN_MEMBER_END);
    return q + 1;
}

/* If |word| is next, for |member|, and nothing of a number behind it. */
static inline __attribute__((always_inline)) const uint8_t *
empty(const struct decode_scratch *s, const uint8_t *p, str word,
      uint32_t member, struct json_walk *walk)
{
    const uint8_t *q = behind(s, p, word);

    if (!q || (!is_next(s, q, ',') && !is_next(s, q, '}')) ||
        walk->seen >> member & 1)
        return p;
    done(walk, member);
    return q;
}

/* What comes behind the attributes and mostly says nothing; at the end of the
 * object it is |ended|. */
static const uint8_t *
usual_tail(struct decode_scratch *s, const uint8_t *p, struct json_walk *walk)
{
    uint64_t flags;
    const uint8_t *q;

    p = empty(s, p, STR(",\"droppedAttributesCount\":0"),
              SPAN_MEMBER_DROPPED_ATTRIBUTES, walk);
    p = empty(s, p, STR(",\"events\":[]"), SPAN_MEMBER_EVENTS, walk);
    p = empty(s, p, STR(",\"droppedEventsCount\":0"),
              SPAN_MEMBER_DROPPED_EVENTS, walk);
    p = empty(s, p, STR(",\"status\":{}"), SPAN_MEMBER_STATUS, walk);
    p = empty(s, p, STR(",\"status\":{\"code\":0}"), SPAN_MEMBER_STATUS, walk);
    p = empty(s, p, STR(",\"links\":[]"), SPAN_MEMBER_LINKS, walk);
    p = empty(s, p, STR(",\"droppedLinksCount\":0"), SPAN_MEMBER_DROPPED_LINKS,
              walk);
    if ((q = behind(s, p, STR(",\"flags\":"))) &&
        (q = short_number(q, &flags)) && is_next(s, q, '}')) {
        s->span.flags = (uint32_t)flags;
        p = q;
        done(walk, SPAN_MEMBER_FLAGS);
    }
    walk->ended = is_next(s, p, '}');
    return p + walk->ended;
}

const uint8_t *
decode_json_usual(struct decode_scratch *s, const uint8_t *p,
                  struct json_walk *walk)
{
    const uint8_t *q;

    p = usual_ids(s, p, walk);
    if (!(walk->seen & UINT32_C(1) << SPAN_MEMBER_SPAN_ID))
        return p;
    p = usual_head(s, p, walk);
    if (!(walk->seen & UINT32_C(1) << SPAN_MEMBER_END))
        return p;
    if ((q = behind(s, p, STR(",\"attributes\":")))) {
        if (*q != '[' || !(p = decode_json_attributes(s, q, &s->attrs)))
            return *q != '[' ? p : NULL;
        done(walk, SPAN_MEMBER_ATTRIBUTES);
    }
    return usual_tail(s, p, walk);
}
