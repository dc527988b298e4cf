/*
 * Members by name, numbers, and attributes.
 *
 * Senders write members in one order, so the name looked for first is the one
 * behind the last found.  Text is unescaped, and a floating-point number
 * converted, only when the key is one that is kept.
 */
#include <assert.h>
#include <stdlib.h>

#include "otlp/decode_json_state.h"

static bool
name_is(str name, str key)
{
    return name.len == key.len && memcmp(name.ptr, key.ptr, key.len) == 0;
}

static int
find_name(const struct json_shape *shape, str key, int guess)
{
    int len = (int)strlen(shape->types);

    if (guess < len && name_is(shape->names[guess], key))
        return guess;
    for (int i = 0; i < len; i++)
        if (name_is(shape->names[i], key))
            return i;
    return -1;
}

bool
decode_json_text(struct decode_scratch *s, struct json_str text, str *out)
{
    *out = (str){(const char *)text.ptr, text.len};
    if (!text.escaped)
        return true;
    if (!s->text) /* for all of it, and what a lookup reads behind a key */
        s->text = malloc((size_t)(s->json.end - s->base) + 64);
    if (!s->text) {
        s->no_memory = true;
        json_fail(&s->json, text.ptr, "out of memory");
        return false;
    }
    out->ptr = s->text + s->text_len;
    out->len = json_unescape(text, s->text + s->text_len);
    s->text[s->text_len + out->len] = '\0'; /* strtod has to stop there */
    s->text_len += out->len + 1;
    assert(s->text_len <= (size_t)(s->json.end - s->base));
    return true;
}

/* A number, or a string that holds one. */
static const uint8_t *
digits(struct decode_scratch *s, const uint8_t *p, str *out)
{
    struct json_str text;
    uint8_t c;

    p = json_peek(&s->json, p, &c);
    if (c != '"')
        return json_number(&s->json, p, out);
    const uint8_t *next = json_string(&s->json, p, &text);
    if (!next || !decode_json_text(s, text, out))
        return NULL;
    return json_is_number(*out)
               ? next
               : json_fail(&s->json, p, "a number was expected");
}

static const uint8_t *
integer(struct decode_scratch *s, const uint8_t *p, char type, uint64_t *out)
{
    const uint8_t *next;
    uint64_t max = type == 'w' ? UINT32_MAX : UINT64_MAX;
    bool negative;
    str text;

    if (!(next = digits(s, p, &text)))
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
floating(struct decode_scratch *s, const uint8_t *p, struct json_str *out)
{
    static const str words[] = {{"NaN", 3}, {"Infinity", 8}, {"-Infinity", 9}};
    const uint8_t *next;
    uint8_t c;
    str text;

    p = json_peek(&s->json, p, &c);
    if (c == '"') {
        if (!(next = json_string(&s->json, p, out)) ||
            !decode_json_text(s, *out, &text))
            return NULL;
        *out = (struct json_str){(const uint8_t *)text.ptr, text.len, false};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (str_eq(words[i], text))
                return next;
    }
    if (!(next = digits(s, p, &text)))
        return NULL;
    *out = (struct json_str){(const uint8_t *)text.ptr, text.len, false};
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
        return floating(s, p, &walk->text);
    case 'a':
        return decode_json_attributes(s, p, NULL);
    default:
        walk->at = p;
        return p;
    }
}

/* Reads the next name, and the value too if it is not to be passed on. */
static const uint8_t *
one_member(struct decode_scratch *s, const uint8_t *p,
           const struct json_shape *shape, struct json_walk *walk, bool *done)
{
    struct json_str key;
    bool first = !walk->inside;
    bool is_null = false;
    str name;

    if (!(p = json_member(&s->json, p, &first, &key)))
        return NULL;
    walk->inside = true;
    *done = key.ptr == NULL;
    if (*done) {
        walk->index = -1;
        return p;
    }
    if (!decode_json_text(s, key, &name))
        return NULL;
    int guess = walk->index + 1;
    int index = find_name(shape, name, guess);
    if (index < 0)
        return json_skip(&s->json, p);
    walk->index = index;
    if (walk->seen & UINT32_C(1) << index)
        return json_fail(&s->json, key.ptr, "a JSON member comes twice");
    if (!(p = json_null(&s->json, p, &is_null)) || is_null)
        return p;
    walk->seen |= UINT32_C(1) << index;
    *done = true;
    return typed(s, p, shape->types[index], walk);
}

const uint8_t *
decode_json_member(struct decode_scratch *s, const uint8_t *p,
                   const struct json_shape *shape, struct json_walk *walk)
{
    bool done = false;

    if (!walk->begun) {
        *walk = (struct json_walk){.begun = true, .index = -1};
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
    uint64_t number;
};

/* In the order of the field numbers, from 1. */
static const struct json_shape any_value_shape = {
    "sbidmms",
    {{"stringValue", 11},
     {"boolValue", 9},
     {"intValue", 8},
     {"doubleValue", 11},
     {"arrayValue", 10},
     {"kvlistValue", 11},
     {"bytesValue", 10}},
};
static const struct json_shape values_shape = {"m", {{"values", 6}}};
static const struct json_shape key_value_shape = {"sm",
                                                  {{"key", 3}, {"value", 5}}};

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
    while (p && (p = json_element(&s->json, p, &first, &done)) && !done)
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
        *out = (struct any_value){kind, walk.text, walk.number};
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

/* The object that the digits stand in has been read to its end, so strtod
 * stops inside the request.  The program never leaves the C locale. */
static double
to_double(struct json_str digits_or_word)
{
    return strtod((const char *)digits_or_word.ptr, NULL);
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
        out->b = value->number != 0;
        return true;
    case VALUE_INT:
        out->type = ATTR_INT;
        out->i = (int64_t)value->number;
        return true;
    case VALUE_DOUBLE:
        out->type = ATTR_DOUBLE;
        out->d = to_double(value->text);
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
    struct json_str key;
    str name;

    if (!(p = key_value(s, p, 1, &key, &value)) || !set)
        return p;
    if (!decode_json_text(s, key, &name))
        return NULL;
    size_t slot = attr_find(&s->index, name);
    if (slot == ATTR_COUNT)
        return p;
    if (!to_attr(s, &value, &attr))
        return NULL;
    set->value[slot] = attr;
    set->mask[slot / 64] |= UINT64_C(1) << (slot % 64);
    return p;
}

const uint8_t *
decode_json_attributes(struct decode_scratch *s, const uint8_t *p,
                       struct attr_set *set)
{
    bool first = true;
    bool done = false;

    p = json_open(&s->json, p, '[');
    while (p && (p = json_element(&s->json, p, &first, &done)) && !done)
        p = attribute(s, p, set);
    return p;
}
