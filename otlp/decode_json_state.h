/*
 * decode_json_state - what the parts of the JSON decoder share.
 *
 * Private to otlp/decode_json*.c.  As in json.h, a function takes the position
 * and returns the one behind what it read, or NULL with the error noted.
 *
 * A message is described by a json_shape: the names of its members and what
 * their values are.  A known name twice in one object is refused, `null` is as
 * good as absent, an unknown member is skipped.
 *
 * Threads    One scratch, one thread.
 */
#ifndef OTLP_DECODE_JSON_STATE_H
#define OTLP_DECODE_JSON_STATE_H

#include "otlp/decode_state.h"
#include "otlp/json.h"

/*
 * |types| has one character for each name:
 *   s string   b bool   i int64   u uint64   w uint32   d double
 *   a attributes that are only checked   m anything, left to the caller
 * A number may stand in quotes.
 */
struct json_shape {
    uint32_t len; /* no more than 32: a bit each in json_walk.seen */
    const char *types;
    struct {
        char text[31]; /* as it is written: "name": */
        uint8_t len;
    } names[16];
};

#define JSON_NAME(name)                   \
    {                                     \
        "\"" name "\":", sizeof(name) + 2 \
    }

struct json_walk {
    bool begun;
    bool inside; /* a member was read, the next needs a comma */
    bool ended;  /* the object was read to its end */
    uint32_t seen;
    uint32_t next;        /* the member expected next */
    int index;            /* of the one just read; -1 behind the last */
    const uint8_t *at;    /* m: its value */
    struct json_str text; /* s */
    str digits;           /* d: or NaN and the like; unescaped */
    uint64_t number;      /* i, u, w, b */
};

/* decode_json_member reads the next known member and, unless it is an m, its
 * value.  |walk| starts as zeros. */
const uint8_t *
decode_json_member(struct decode_scratch *s, const uint8_t *p,
                   const struct json_shape *shape, struct json_walk *walk);

/* decode_json_text gives |text| unescaped.  Once for each string of the
 * request.  False: no memory. */
bool decode_json_text(struct decode_scratch *s, struct json_str text, str *out);

/* decode_json_attributes reads an array of KeyValue into |set|, or only checks
 * it if that is NULL. */
const uint8_t *decode_json_attributes(struct decode_scratch *s,
                                      const uint8_t *p, struct attr_set *set);

/* The members of a span, in the order of their field numbers. */
enum {
    SPAN_MEMBER_TRACE_ID,
    SPAN_MEMBER_SPAN_ID,
    SPAN_MEMBER_TRACE_STATE,
    SPAN_MEMBER_PARENT_SPAN_ID,
    SPAN_MEMBER_NAME,
    SPAN_MEMBER_KIND,
    SPAN_MEMBER_START,
    SPAN_MEMBER_END,
    SPAN_MEMBER_ATTRIBUTES,
    SPAN_MEMBER_EVENTS,
    SPAN_MEMBER_LINKS,
    SPAN_MEMBER_STATUS,
    SPAN_MEMBER_FLAGS,
    SPAN_MEMBER_DROPPED_ATTRIBUTES,
    SPAN_MEMBER_DROPPED_EVENTS,
    SPAN_MEMBER_DROPPED_LINKS,
};

/*
 * decode_json_usual reads the beginning of a span as senders write it, without
 * white space: its members in their order, up to the first that is not as
 * expected.  Returns where that is, with |walk| as decode_json_member would
 * have left it; or NULL.
 */
const uint8_t *decode_json_usual(struct decode_scratch *s, const uint8_t *p,
                                 struct json_walk *walk);

/* decode_json_usual_attribute reads one attribute of the usual kinds into
 * |set|, if that is not NULL; or returns NULL, and has done nothing then. */
const uint8_t *
decode_json_usual_attribute(const struct decode_scratch *s, const uint8_t *p,
                            struct attr_set *set);

/* decode_json_span reads one span and passes it on or rejects it. */
const uint8_t *decode_json_span(struct decode_scratch *s, const uint8_t *p);

#endif
