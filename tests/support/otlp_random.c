/*
 * A message is a list of encoded fields; a wild one repeats, adds to and
 * shuffles that list before it is written.
 */
#include "tests/support/otlp_random.h"

#include <stdlib.h>
#include <string.h>

#include "model/attr.h"

enum { FIELDS_MAX = 64, VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct message {
    struct otlp_random *random;
    struct buf bytes;
    size_t start[FIELDS_MAX + 1];
    size_t len;
};

uint64_t
otlp_random_below(struct otlp_random *random, uint64_t bound)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % bound;
}

/* True once in |times|, in wild requests. */
static bool
wildly(struct otlp_random *random, uint64_t times)
{
    return random->wild && otlp_random_below(random, times) == 0;
}

/* |max_len| - 1 bytes may be added that say nothing. */
static void
put_varint(struct otlp_random *random, struct buf *out, uint64_t value,
           int max_len)
{
    int len = 1;

    for (; value > 0x7f; value >>= 7, len++)
        buf_add_char(out, (char)(value | 0x80));
    if (wildly(random, 30)) {
        for (; len < max_len && otlp_random_below(random, 2); len++) {
            buf_add_char(out, (char)(value | 0x80));
            value = 0;
        }
    }
    buf_add_char(out, (char)value);
}

static struct buf *
begin_field(struct message *m, uint32_t number, int type)
{
    if (m->len < FIELDS_MAX)
        m->start[m->len++] = m->bytes.len;
    put_varint(m->random, &m->bytes, (uint64_t)number << 3 | (unsigned)type, 5);
    return &m->bytes;
}

static void
put_fixed(struct buf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_add_char(out, (char)(value >> (8 * i)));
}

static void
add_varint(struct message *m, uint32_t number, uint64_t value)
{
    put_varint(m->random, begin_field(m, number, VARINT), value, 10);
}

static void
add_fixed64(struct message *m, uint32_t number, uint64_t value)
{
    put_fixed(begin_field(m, number, FIXED64), value, 8);
}

static void
add_bytes(struct message *m, uint32_t number, str bytes)
{
    begin_field(m, number, BYTES);
    put_varint(m->random, &m->bytes, bytes.len, 5);
    buf_add(&m->bytes, bytes);
}

static void
add_unknown(struct message *m)
{
    uint32_t number = 17 + (uint32_t)otlp_random_below(m->random, 2000);

    if (otlp_random_below(m->random, 2))
        add_varint(m, number, otlp_random_below(m->random, UINT64_MAX));
    else
        add_bytes(m, number, STR("\xff\xfe unknown"));
}

/* Puts the fields of |m| where they go, and ends it. */
static void
write_message(struct message *m, struct buf *out)
{
    size_t order[FIELDS_MAX * 2];
    size_t len = 0;

    if (wildly(m->random, 6))
        add_unknown(m);
    m->start[m->len] = m->bytes.len;
    for (size_t i = 0; i < m->len; i++) {
        order[len++] = i;
        if (wildly(m->random, 12))
            order[len++] = i;
    }
    if (wildly(m->random, 3)) {
        for (size_t i = len; i > 1; i--) {
            size_t j = otlp_random_below(m->random, i);
            size_t held = order[j];
            order[j] = order[i - 1];
            order[i - 1] = held;
        }
    }
    for (size_t i = 0; i < len; i++)
        buf_add(out, str_cut(buf_str(&m->bytes), m->start[order[i]],
                             m->start[order[i] + 1]));
    buf_fini(&m->bytes);
}

static void
end_message(struct message *m, struct message *into, uint32_t number)
{
    struct buf body = {0};

    write_message(m, &body);
    add_bytes(into, number, buf_str(&body));
    buf_fini(&body);
}

/* Text of up to |max| characters, some of them not ASCII. */
static void
add_text(struct message *m, uint32_t number, size_t max)
{
    static const char *const odd[] = {
        "\"",   "\\",       "\n",           "\t",
        "/",    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "\x7f", "\x01"};
    struct buf text = {0};
    bool plain = otlp_random_below(m->random, 20) != 0;
    size_t len = otlp_random_below(m->random, max + 1);

    for (size_t i = 0; i < len; i++) {
        if (!plain && otlp_random_below(m->random, 5) == 0)
            buf_add(&text, str_of(odd[otlp_random_below(m->random, 10)]));
        else
            buf_add_char(&text, (char)('a' + otlp_random_below(m->random, 26)));
    }
    add_bytes(m, number, buf_str(&text));
    buf_fini(&text);
}

static size_t
text_max(struct otlp_random *random)
{
    uint64_t dice = otlp_random_below(random, 40);

    return dice == 0 ? 400 : dice < 4 ? 130 : 24;
}

static void
add_id(struct message *m, uint32_t number, size_t usual_len)
{
    char bytes[20];
    size_t len = usual_len;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)otlp_random_below(m->random, 256);
    if (otlp_random_below(m->random, 60) == 0)
        memset(bytes, 0, sizeof(bytes));
    if (otlp_random_below(m->random, 60) == 0)
        len = otlp_random_below(m->random, sizeof(bytes) + 1);
    add_bytes(m, number, (str){bytes, len});
}

static uint64_t
some_number(struct otlp_random *random)
{
    uint64_t number = otlp_random_below(random, UINT64_MAX);

    return number >> otlp_random_below(random, 64);
}

static void add_key_value(struct message *into, uint32_t number, int level);

static void
add_any_value(struct message *into, uint32_t number, int level)
{
    struct message m = {.random = into->random};
    uint64_t dice = otlp_random_below(m.random, m.random->wild ? 16 : 11);
    struct message list = {.random = into->random};

    if (level > 4)
        dice %= 11;
    if (dice < 6) {
        add_text(&m, 1, text_max(m.random));
    } else if (dice < 8) {
        add_varint(&m, 3, some_number(m.random));
    } else if (dice == 8 && wildly(m.random, 2)) {
        add_text(&m, 2, 2); /* a bool is read from anything */
    } else if (dice == 8) {
        add_varint(&m, 2, otlp_random_below(m.random, 2));
    } else if (dice == 9) {
        add_fixed64(&m, 4, some_number(m.random));
    } else if (dice == 12) {
        add_text(&m, 7, 9);
    } else if (dice == 13) {
        add_varint(&m, 8, otlp_random_below(m.random, 100));
    } else if (dice > 13) {
        for (uint64_t i = otlp_random_below(m.random, 4); i > 0; i--) {
            if (dice == 14)
                add_any_value(&list, 1, level + 1);
            else
                add_key_value(&list, 1, level + 1);
        }
        end_message(&list, &m, dice == 14 ? 5 : 6);
    }
    end_message(&m, into, number);
}

static void
add_key(struct message *m)
{
    static const char *const known[] = {
#define KEY(id, key) key,
        ATTRS(KEY)
#undef KEY
    };

    if (otlp_random_below(m->random, 3))
        add_bytes(m, 1,
                  str_of(known[otlp_random_below(m->random, ATTR_COUNT)]));
    else
        add_text(m, 1, text_max(m->random));
}

static void
add_key_value(struct message *into, uint32_t number, int level)
{
    struct message m = {.random = into->random};

    if (!wildly(m.random, 20))
        add_key(&m);
    if (!wildly(m.random, 20))
        add_any_value(&m, 2, level);
    if (wildly(m.random, 40))
        add_bytes(&m, 2, STR(""));
    if (wildly(m.random, 40))
        add_any_value(&m, 2, level);
    if (wildly(m.random, 20))
        add_varint(&m, 3, otlp_random_below(m.random, 100));
    end_message(&m, into, number);
}

static void
add_attributes(struct message *m, uint32_t number, uint64_t max)
{
    for (uint64_t i = otlp_random_below(m->random, max + 1); i > 0; i--)
        add_key_value(m, number, 1);
}

static void
add_event(struct message *into)
{
    struct message m = {.random = into->random};

    add_fixed64(&m, 1, some_number(m.random));
    add_text(&m, 2, 20);
    add_attributes(&m, 3, 3);
    add_varint(&m, 4, otlp_random_below(m.random, 9));
    end_message(&m, into, 11);
}

static void
add_link(struct message *into)
{
    struct message m = {.random = into->random};

    add_id(&m, 1, 16);
    add_id(&m, 2, 8);
    add_text(&m, 3, 10);
    add_attributes(&m, 4, 2);
    put_fixed(begin_field(&m, 6, FIXED32), 0x101, 4);
    end_message(&m, into, 13);
}

static void
add_status(struct message *into)
{
    struct message m = {.random = into->random};

    if (otlp_random_below(m.random, 3) == 0) {
        add_text(&m, 2, 20);
        add_varint(&m, 3, otlp_random_below(m.random, 4));
    }
    end_message(&m, into, 15);
}

void
otlp_random_span(struct otlp_random *random, struct buf *out)
{
    struct message m = {.random = random};

    add_id(&m, 1, 16);
    add_id(&m, 2, 8);
    if (otlp_random_below(random, 8) == 0)
        add_text(&m, 3, 30);
    if (otlp_random_below(random, 4))
        add_id(&m, 4, 8);
    add_text(&m, 5, text_max(random));
    add_varint(&m, 6,
               wildly(random, 9) ? some_number(random)
                                 : otlp_random_below(random, 7));
    add_fixed64(&m, 7, some_number(random));
    add_fixed64(&m, 8, some_number(random));
    add_attributes(&m, 9, 16);
    if (otlp_random_below(random, 9) == 0)
        add_varint(&m, 10, otlp_random_below(random, 1000));
    for (uint64_t i = otlp_random_below(random, 9); i > 6; i--)
        add_event(&m);
    for (uint64_t i = otlp_random_below(random, 9); i > 6; i--)
        add_link(&m);
    if (otlp_random_below(random, 2))
        add_status(&m);
    if (otlp_random_below(random, 2))
        put_fixed(begin_field(&m, 16, FIXED32), 0x301, 4);
    if (wildly(random, 9))
        add_id(&m, 4, 8);
    if (wildly(random, 9))
        add_status(&m);
    write_message(&m, out);
}

static void
add_span(struct message *into)
{
    struct buf body = {0};

    otlp_random_span(into->random, &body);
    add_bytes(into, 2, buf_str(&body));
    buf_fini(&body);
}

static void
add_scope_spans(struct message *into)
{
    struct message m = {.random = into->random};
    struct message scope = {.random = into->random};

    if (otlp_random_below(m.random, 8)) {
        add_text(&scope, 1, 30);
        add_text(&scope, 2, 8);
        add_attributes(&scope, 3, 1);
        end_message(&scope, &m, 1);
    }
    for (uint64_t i = otlp_random_below(m.random, 4); i > 0; i--)
        add_span(&m);
    if (otlp_random_below(m.random, 4) == 0)
        add_text(&m, 3, 30);
    end_message(&m, into, 2);
}

static void
add_resource_spans(struct message *into)
{
    struct message m = {.random = into->random};
    struct message resource = {.random = into->random};
    struct message entity = {.random = into->random};

    if (otlp_random_below(m.random, 8)) {
        add_attributes(&resource, 1, 8);
        add_varint(&resource, 2, otlp_random_below(m.random, 9));
        if (wildly(m.random, 4)) {
            add_text(&entity, 1, 9);
            add_text(&entity, 3, 9);
            add_text(&entity, 4, 9);
            end_message(&entity, &resource, 3);
        }
        end_message(&resource, &m, 1);
    }
    for (uint64_t i = otlp_random_below(m.random, 3); i > 0; i--)
        add_scope_spans(&m);
    end_message(&m, into, 1);
}

void
otlp_random_request(struct otlp_random *random, struct buf *out)
{
    struct message m = {.random = random};

    for (uint64_t i = otlp_random_below(random, 4); i > 0; i--)
        add_resource_spans(&m);
    write_message(&m, out);
}

void
otlp_random_wrap(str span, struct buf *out)
{
    struct otlp_random tame = {.state = 1};
    struct message request = {.random = &tame};
    struct message resource_spans = {.random = &tame};
    struct message scope_spans = {.random = &tame};

    add_bytes(&scope_spans, 2, span);
    add_varint(&scope_spans, 100, 1);
    add_span(&scope_spans);
    end_message(&scope_spans, &resource_spans, 2);
    add_varint(&resource_spans, 100, 1);
    end_message(&resource_spans, &request, 1);
    write_message(&request, out);
}

static void
remove_range(struct buf *bytes, size_t at, size_t len)
{
    memmove(bytes->ptr + at, bytes->ptr + at + len, bytes->len - at - len);
    bytes->len -= len;
}

static void
copy_range(struct buf *bytes, size_t from, size_t len, size_t at)
{
    char held[64];

    memcpy(held, bytes->ptr + from, len);
    if (!buf_grow(bytes, len))
        abort();
    memmove(bytes->ptr + at + len, bytes->ptr + at, bytes->len - at);
    memcpy(bytes->ptr + at, held, len);
    bytes->len += len;
}

static void
mutate_once(struct otlp_random *random, struct buf *bytes)
{
    size_t at = otlp_random_below(random, bytes->len);
    size_t left = bytes->len - at;
    size_t len = otlp_random_below(random, left < 32 ? left + 1 : 33);

    switch (otlp_random_below(random, 6)) {
    case 0:
        bytes->ptr[at] ^= (char)(1 << otlp_random_below(random, 8));
        return;
    case 1:
        bytes->ptr[at] = (char)otlp_random_below(random, 256);
        return;
    case 2: /* what is taken for a length, one more or less */
    case 3:
        bytes->ptr[at] =
            (char)(bytes->ptr[at] - 1 + 2 * (int)otlp_random_below(random, 2));
        return;
    case 4:
        remove_range(bytes, at, len);
        return;
    default:
        copy_range(bytes, at, len, otlp_random_below(random, bytes->len));
        return;
    }
}

void
otlp_random_mutate(struct otlp_random *random, struct buf *bytes)
{
    for (uint64_t i = otlp_random_below(random, 3) + 1; i > 0; i--)
        if (bytes->len > 0)
            mutate_once(random, bytes);
}
