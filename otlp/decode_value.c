/*
 * Attributes in any valid form, and the one way to read a field with the
 * checks that its type asks for.
 *
 * Where a value comes twice, the reference merges, and does so in its own way
 * (protobuf-c 1.4.1, merge_messages): an empty value after an empty one is an
 * error, an empty one after a string leaves nothing, an empty one after
 * anything else leaves that.  We follow, so that both always agree.
 */
#include "base/utf8.h"
#include "otlp/decode_state.h"

/* What an AnyValue holds: the last of its fields. */
struct any_value {
    uint32_t kind; /* VALUE_... */
    struct wire_field field;
};

static bool
type_fits(char type, const struct wire_field *field)
{
    switch (type) {
    case 's':
    case 'b':
        return field->type == WIRE_BYTES;
    case 'v':
        return field->type == WIRE_VARINT;
    case '8':
        return field->type == WIRE_FIXED64;
    case '4':
        return field->type == WIRE_FIXED32;
    default:
        return true;
    }
}

static char
type_of(const char *types, uint32_t number)
{
    if (number < 1 || number > strlen(types))
        return '.';
    return types[number - 1];
}

const uint8_t *
decode_next(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
            const char *types, struct wire_field *out)
{
    const uint8_t *next = wire_next(p, end, out);

    if (!next) {
        decode_fail(s, p, "malformed protobuf field");
        return NULL;
    }
    char type = type_of(types, out->number);
    if (!type_fits(type, out)) {
        decode_fail(s, p, "protobuf field of the wrong wire type");
        return NULL;
    }
    if (type == 's' && !utf8_valid(wire_str(out))) {
        s->result->has_bad_text = true;
        out->len = 0;
    }
    return next;
}

static bool any_value(struct decode_scratch *s, const struct wire_field *body,
                      int level, struct any_value *out);
static bool key_value(struct decode_scratch *s, const struct wire_field *body,
                      int level, str *key, struct any_value *value);

/* An ArrayValue or KeyValueList: one field that repeats. */
static bool
nested_values(struct decode_scratch *s, const struct wire_field *list,
              int level, bool has_keys)
{
    const uint8_t *p = list->body;
    const uint8_t *end = p + list->len;
    struct wire_field field;
    struct any_value ignored;
    str key;

    while (p < end) {
        if (!(p = decode_next(s, p, end, "b", &field)))
            return false;
        if (field.number != 1)
            continue;
        if (has_keys ? !key_value(s, &field, level, &key, &ignored)
                     : !any_value(s, &field, level, &ignored))
            return false;
    }
    return true;
}

static bool
any_value(struct decode_scratch *s, const struct wire_field *body, int level,
          struct any_value *out)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;

    if (level > DECODE_NESTING_MAX)
        return decode_fail(s, p, "attribute value nested too deep");
    out->kind = VALUE_NONE;
    while (p < end) {
        if (!(p = decode_next(s, p, end, "sov8bbbv", &field)))
            return false;
        if (field.number == 0 || field.number > VALUE_STRINDEX)
            continue;
        if ((field.number == VALUE_ARRAY || field.number == VALUE_KVLIST) &&
            !nested_values(s, &field, level + 1, field.number == VALUE_KVLIST))
            return false;
        out->kind = field.number;
        out->field = field;
    }
    return true;
}

/* Merges |next| into |held|; see the top of the file. */
static bool
merge_value(struct any_value *held, const struct any_value *next)
{
    if (next->kind != VALUE_NONE) {
        *held = *next;
        return true;
    }
    if (held->kind == VALUE_NONE)
        return false;
    if (held->kind == VALUE_STRING ||
        (held->kind == VALUE_BYTES && held->field.len == 0))
        held->kind = VALUE_NONE;
    return true;
}

static bool
key_value(struct decode_scratch *s, const struct wire_field *body, int level,
          str *key, struct any_value *value)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;
    struct any_value next;
    bool has_value = false;

    *key = (str){NULL, 0};
    value->kind = VALUE_NONE;
    while (p < end) {
        if (!(p = decode_next(s, p, end, "sbv", &field)))
            return false;
        if (field.number == 1)
            *key = wire_str(&field);
        if (field.number != 2)
            continue;
        if (!any_value(s, &field, level, &next))
            return false;
        if (!has_value)
            *value = next;
        else if (!merge_value(value, &next))
            return decode_fail(s, field.body, "two empty attribute values");
        has_value = true;
    }
    return true;
}

/* A bool is read from any wire type: true if any of its bits but the
 * continuation bits is set, for WIRE_BYTES those of the length too. */
static bool
truth(const struct wire_field *field)
{
    uint8_t bits = 0;

    if (field->type == WIRE_BYTES)
        return field->len != 0;
    for (size_t i = 0; i < field->len; i++)
        bits |= field->body[i];
    return (bits & 0x7f) != 0;
}

static struct attr_value
to_attr(const struct any_value *value)
{
    struct attr_value out = {.type = ATTR_NONE};

    switch (value->kind) {
    case VALUE_STRING:
        out.type = ATTR_STR;
        out.len = (uint32_t)value->field.len;
        out.str = (const char *)value->field.body;
        break;
    case VALUE_BOOL:
        out.type = ATTR_BOOL;
        out.i = truth(&value->field);
        break;
    case VALUE_INT:
        out.type = ATTR_INT;
        out.i = (int64_t)value->field.value;
        break;
    case VALUE_DOUBLE:
        out.type = ATTR_DOUBLE;
        memcpy(&out.d, &value->field.value, sizeof(out.d));
        break;
    default:
        break;
    }
    return out;
}

bool
decode_attribute(struct decode_scratch *s, const struct wire_field *body,
                 struct attr_set *set)
{
    struct any_value value;
    str key;

    if (!key_value(s, body, 1, &key, &value))
        return false;
    if (set)
        decode_attr_set(s, set, key, to_attr(&value));
    return true;
}
