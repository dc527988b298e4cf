/*
 * Members by name, numbers, and attributes.
 *
 * Senders write members in one order, so the name looked for first is the one
 * behind the last found.  Text is unescaped, and a floating-point number
 * converted, only when the key is one that is kept.
 */
#include <stdlib.h>

#include "otlp/decode_json_state.h"
#include "otlp/json_scan.h"

/* A name that is not written as usual: with escapes, or space before the
 * colon; or none that is known. */
static const uint8_t *
unusual_name(struct decode_scratch *s, const uint8_t *p,
             const struct json_shape *shape, uint32_t *index)
{
    struct json_str raw;
    str name;

    *index = shape->len;
    if (!(p = json_name(&s->json, p, &raw)) || !decode_json_text(s, raw, &name))
        return NULL;
    for (uint32_t i = 0; i < shape->len; i++)
        if (str_eq(name, (str){shape->names[i].text + 1,
                               (size_t)shape->names[i].len - 3}))
            *index = i;
    return p;
}

/* Reads a name and its colon; |index| is shape->len if it is not known. */
static inline const uint8_t *
member_name(struct decode_scratch *s, const uint8_t *p,
            const struct json_shape *shape, uint32_t guess, uint32_t *index)
{
    uint8_t c;

    p = json_peek(&s->json, p, &c);
    for (uint32_t n = shape->len; n > 0; n--, guess++) {
        guess = guess < shape->len ? guess : 0;
        if (!json_starts(p, shape->names[guess].text, shape->names[guess].len))
            continue;
        *index = guess;
        return p + shape->names[guess].len;
    }
    return unusual_name(s, p, shape, index);
}

/*
 * Every escape is longer than what it stands for, and every string is unescaped
 * at most once: so room for the length of the request is room for all of them,
 * each with a NUL behind it, which stops strtod.
 */
bool
decode_json_text(struct decode_scratch *s, struct json_str text, str *out)
{
    size_t room = (size_t)(s->json.end - s->base);

    *out = (str){(const char *)text.ptr, text.len};
    if (!text.escaped)
        return true;
    if (!s->text) /* a lookup reads a few bytes behind a key */
        s->text = malloc(room + 64);
    if (!s->text || text.len > room - s->text_len) {
        s->no_memory = true;
        json_fail(&s->json, text.ptr, "out of memory");
        return false;
    }
    out->ptr = s->text + s->text_len;
    out->len = json_unescape(text, s->text + s->text_len);
    s->text[s->text_len + out->len] = '\0';
    s->text_len += out->len + 1;
    return true;
}

/* A number, or a string that holds one or, with |words|, a word for one. */
static const uint8_t *
digits(struct decode_scratch *s, const uint8_t *p, bool words, str *out)
{
    struct json_str text;
    uint8_t c;

    p = json_peek(&s->json, p, &c);
    if (c != '"')
        return json_number(&s->json, p, out);
    const uint8_t *next = json_string(&s->json, p, &text);
    if (!next || !decode_json_text(s, text, out))
        return NULL;
    if (json_is_number(*out) ||
        (words && (str_eq(*out, STR("NaN")) || str_eq(*out, STR("Infinity")) ||
                   str_eq(*out, STR("-Infinity")))))
        return next;
    return json_fail(&s->json, p, "a number was expected");
}

static const uint8_t *
integer(struct decode_scratch *s, const uint8_t *p, char type, uint64_t *out)
{
    const uint8_t *next;
    uint64_t max = type == 'w' ? UINT32_MAX : UINT64_MAX;
    bool negative;
    str text;

    if (!(next = digits(s, p, false, &text)))
        return NULL;
    if (!json_integer(text, &negative, out))
        return json_fail(&s->json, p, "not a whole number of 64 bits");
    if (type == 'i')
        max = (uint64_t)INT64_MAX + negative;
    else if (negative)
        max = 0;
    if (*out > max)
        return json_fail(&s->json, p, "number out of range");
    if (negative)
        *out = 0 - *out;
    return next;
}

static const uint8_t *
typed(struct decode_scratch *s, const uint8_t *p, char type,
      struct json_walk *walk)
{
    bool flag = false;

    switch (type) {
    case 's':
        return json_string(&s->json, p, &walk->text);
    case 'b':
        p = json_bool(&s->json, p, &flag);
        walk->number = flag;
        return p;
    case 'i':
    case 'u':
    case 'w':
        return integer(s, p, type, &walk->number);
    case 'd':
        return digits(s, p, true, &walk->digits);
    case 'a':
        return decode_json_attributes(s, p, NULL);
    default:
        walk->at = p;
        return p;
    }
}

/* Reads the next name, and the value too if it is not to be passed on. */
static inline const uint8_t *
one_member(struct decode_scratch *s, const uint8_t *p,
           const struct json_shape *shape, struct json_walk *walk, bool *done)
{
    bool first = !walk->inside;
    bool is_null = false;
    uint32_t index;

    if (!(p = json_next(&s->json, p, &first, '}', done)))
        return NULL;
    walk->inside = true;
    walk->index = -1;
    if (*done || !(p = member_name(s, p, shape, walk->next, &index)))
        return p;
    if (p > s->json.end) /* the name, not the end, was looked for */
        return json_fail(&s->json, s->json.end, "the JSON document is cut");
    if (index == shape->len)
        return json_skip(&s->json, p);
    walk->next = index + 1;
    if (walk->seen & UINT32_C(1) << index)
        return json_fail(&s->json, p, "a JSON member comes twice");
    if (!(p = json_null(&s->json, p, &is_null)) || is_null)
        return p;
    walk->seen |= UINT32_C(1) << index;
    walk->index = (int)index;
    *done = true;
    return typed(s, p, shape->types[index], walk);
}

const uint8_t *
decode_json_member(struct decode_scratch *s, const uint8_t *p,
                   const struct json_shape *shape, struct json_walk *walk)
{
    bool done = false;

    if (!walk->begun) {
        walk->begun = true;
        if (!(p = json_open(&s->json, p, '{')))
            return NULL;
    }
    while (p && !done)
        p = one_member(s, p, shape, walk, &done);
    return p;
}

/* What an AnyValue holds, not converted yet. */
struct any_value {
    int kind; /* VALUE_... */
    struct json_str text;
    str digits; /* of a double */
    uint64_t number;
};

/* In the order of the field numbers, from 1. */
static const struct json_shape any_value_shape = {
    7,
    "sbidmms",
    {JSON_NAME("stringValue"), JSON_NAME("boolValue"), JSON_NAME("intValue"),
     JSON_NAME("doubleValue"), JSON_NAME("arrayValue"),
     JSON_NAME("kvlistValue"), JSON_NAME("bytesValue")}};
static const struct json_shape values_shape = {1, "m", {JSON_NAME("values")}};
static const struct json_shape key_value_shape = {
    2, "sm", {JSON_NAME("key"), JSON_NAME("value")}};

static const uint8_t *any_value(struct decode_scratch *s, const uint8_t *p,
                                int level, struct any_value *out);
static const uint8_t *
key_value(struct decode_scratch *s, const uint8_t *p, int level,
          struct json_str *key, struct any_value *value);

static const uint8_t *
value_list(struct decode_scratch *s, const uint8_t *p, int level, int kind)
{
    struct any_value value;
    struct json_str key;
    bool first = true;
    bool done = false;

    p = json_open(&s->json, p, '[');
    while (p && (p = json_next(&s->json, p, &first, ']', &done)) && !done)
        p = kind == VALUE_KVLIST ? key_value(s, p, level, &key, &value)
                                 : any_value(s, p, level, &value);
    return p;
}

/* An ArrayValue or KeyValueList. */
static const uint8_t *
nested_values(struct decode_scratch *s, const uint8_t *p, int level, int kind)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &values_shape, &walk)) &&
           walk.index >= 0)
        if (!(p = value_list(s, p, level, kind)))
            return NULL;
    return p;
}

static const uint8_t *
any_value(struct decode_scratch *s, const uint8_t *p, int level,
          struct any_value *out)
{
    struct json_walk walk = {0};

    out->kind = VALUE_NONE;
    if (level > DECODE_NESTING_MAX)
        return json_fail(&s->json, p, "attribute value nested too deep");
    while ((p = decode_json_member(s, p, &any_value_shape, &walk)) &&
           walk.index >= 0) {
        int kind = walk.index + 1;
        if (out->kind != VALUE_NONE)
            return json_fail(&s->json, p, "an attribute has two values");
        *out = (struct any_value){kind, walk.text, walk.digits, walk.number};
        if ((kind == VALUE_ARRAY || kind == VALUE_KVLIST) &&
            !(p = nested_values(s, p, level + 1, kind)))
            return NULL;
    }
    return p;
}

static const uint8_t *
key_value(struct decode_scratch *s, const uint8_t *p, int level,
          struct json_str *key, struct any_value *value)
{
    struct json_walk walk = {0};

    *key = (struct json_str){NULL, 0, false};
    value->kind = VALUE_NONE;
    while ((p = decode_json_member(s, p, &key_value_shape, &walk)) &&
           walk.index >= 0) {
        if (walk.index == 0)
            *key = walk.text;
        else if (!(p = any_value(s, p, level, value)))
            return NULL;
    }
    return p;
}

static bool
to_attr(struct decode_scratch *s, const struct any_value *value,
        struct attr_value *out)
{
    str text;

    *out = (struct attr_value){.type = ATTR_NONE};
    switch (value->kind) {
    case VALUE_STRING:
        if (!decode_json_text(s, value->text, &text))
            return false;
        out->type = ATTR_STR;
        out->len = (uint32_t)text.len;
        out->str = text.ptr;
        return true;
    case VALUE_BOOL:
        out->type = ATTR_BOOL;
        out->i = value->number != 0;
        return true;
    case VALUE_INT:
        out->type = ATTR_INT;
        out->i = (int64_t)value->number;
        return true;
    case VALUE_DOUBLE:
        /* The object around the digits has been read to its end, so strtod
         * stops inside it.  The program never leaves the C locale. */
        out->type = ATTR_DOUBLE;
        out->d = strtod(value->digits.ptr, NULL);
        return true;
    default:
        return true;
    }
}

static const uint8_t *
attribute(struct decode_scratch *s, const uint8_t *p, struct attr_set *set)
{
    struct any_value value;
    struct attr_value attr;
    struct json_str raw;
    str key;

    if (!(p = key_value(s, p, 1, &raw, &value)) || !set)
        return p;
    if (!decode_json_text(s, raw, &key))
        return NULL;
    if (attr_find(&s->index, key) == ATTR_COUNT)
        return p;
    if (!to_attr(s, &value, &attr))
        return NULL;
    decode_attr_set(s, set, key, attr);
    return p;
}

/* Reads an attribute; with |usual| it was one of the usual kinds. */
static const uint8_t *
one_attribute(struct decode_scratch *s, const uint8_t *p, struct attr_set *set,
              bool *usual)
{
    const uint8_t *next = decode_json_usual_attribute(s, p, set);

    *usual = next != NULL;
    return next ? next : attribute(s, p, set);
}

const uint8_t *
decode_json_attributes(struct decode_scratch *s, const uint8_t *p,
                       struct attr_set *set)
{
    bool first = true;
    bool done = false;
    bool usual;

    p = json_open(&s->json, p, '[');
    while (p && (p = json_next(&s->json, p, &first, ']', &done)) && !done) {
        p = one_attribute(s, p, set, &usual);
        while (p && usual && p < s->json.end && *p == ',')
            p = one_attribute(s, p + 1, set, &usual);
    }
    return p;
}
