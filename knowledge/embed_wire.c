/*
 * A reader of JSON that goes through once and keeps nothing but what is asked
 * for.  Each step leaves |at| behind what it read, or sets |bad|, after which
 * all steps do nothing.
 */
#include "knowledge/embed_wire.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { DEPTH_MAX = 32 };

/* ---- asking ---- */

str
embed_wire_cut(str text, size_t max)
{
    size_t end = text.len < max ? text.len : max;

    while (end > 0 && end < text.len &&
           ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
        end--;
    return str_cut(text, 0, end);
}

static void
add_text(struct buf *out, str text)
{
    bool is_utf8 = utf8_valid(text);

    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];

        if (byte == '"' || byte == '\\')
            buf_printf(out, "\\%c", byte);
        else if (byte == '\n')
            buf_add(out, STR("\\n"));
        else if (byte < 0x20)
            buf_add_char(out, ' ');
        else
            buf_add_char(out,
                         (char)(is_utf8 || byte < 0x80 ? text.ptr[i] : '?'));
    }
    buf_add_char(out, '"');
}

void
embed_wire_ask(const char *model, uint32_t dim, const str *texts, size_t len,
               struct buf *out)
{
    buf_add(out, STR("{\"model\":"));
    add_text(out, str_of(model));
    if (dim)
        buf_printf(out, ",\"dimensions\":%u", dim);
    buf_add(out, STR(",\"encoding_format\":\"float\",\"input\":["));
    for (size_t i = 0; i < len; i++) {
        if (i)
            buf_add_char(out, ',');
        add_text(out, texts[i]);
    }
    buf_add(out, STR("]}"));
}

/* ---- reading ---- */

struct reader {
    const char *at;
    const char *end;
    int depth;
    const char *bad; /* what is wrong */
};

static char
peek(struct reader *r)
{
    while (!r->bad && r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
    return (char)(!r->bad && r->at < r->end ? *r->at : '\0');
}

static bool
take(struct reader *r, char want)
{
    if (peek(r) != want || !want)
        return false;
    r->at++;
    return true;
}

static void
expect(struct reader *r, char want)
{
    if (!take(r, want) && !r->bad)
        r->bad = "the answer is not JSON";
}

/* The text between the quotes, with escapes as they stand. */
static str
read_text(struct reader *r)
{
    expect(r, '"');
    const char *from = r->at;

    while (!r->bad && r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' && r->at + 1 < r->end ? 2 : 1;
    str text = {from, r->bad ? 0 : (size_t)(r->at - from)};
    expect(r, '"');
    return text;
}

static double
read_number(struct reader *r)
{
    char *end = NULL;
    char first = peek(r);

    if (r->bad)
        return 0;
    if (first != '-' && (first < '0' || first > '9')) {
        r->bad = "what should be a number is none";
        return 0;
    }
    double number = strtod(r->at, &end);
    if (end == r->at || end > r->end)
        r->bad = "the answer is not JSON";
    else
        r->at = end;
    return number;
}

/* Members and elements: while (next_of(...)) read one. */
static bool
next_of(struct reader *r, char close, bool *is_first)
{
    if (take(r, close)) {
        r->depth--;
        return false;
    }
    if (!*is_first)
        expect(r, ',');
    *is_first = false;
    return !r->bad;
}

static bool
enter(struct reader *r, char open)
{
    expect(r, open);
    if (!r->bad && ++r->depth > DEPTH_MAX)
        r->bad = "the answer is nested too deep";
    return !r->bad;
}

static str
read_key(struct reader *r)
{
    str key = read_text(r);

    expect(r, ':');
    return key;
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX deep */
static void
skip(struct reader *r)
{
    char first = peek(r);
    bool is_first = true;

    if (first == '{' && enter(r, '{')) {
        while (next_of(r, '}', &is_first)) {
            (void)read_key(r);
            skip(r);
        }
    } else if (first == '[' && enter(r, '[')) {
        while (next_of(r, ']', &is_first))
            skip(r);
    } else if (first == '"') {
        (void)read_text(r);
    } else if (first == 't' || first == 'f' || first == 'n') {
        while (r->at < r->end && *r->at >= 'a' && *r->at <= 'z')
            r->at++;
    } else {
        (void)read_number(r);
    }
}

/* ---- vectors ---- */

void
embed_vectors_fini(struct embed_vectors *vectors)
{
    free(vectors->values);
    *vectors = (struct embed_vectors){0};
}

struct answer {
    struct reader r;
    struct embed_vectors *out;
    size_t count; /* texts that were asked for */
    bool *seen;
    float *room; /* EMBED_DIM_MAX, of the vector at hand */
    uint32_t len;
    double index; /* below 0: it does not say */
    bool has_vector;
    bool no_memory;
    char said[96];
};

static void
read_vector(struct answer *a)
{
    bool is_first = true;

    a->has_vector = true;
    a->len = 0;
    if (peek(&a->r) != '[') {
        a->r.bad = a->r.bad ? a->r.bad : "an embedding is no array of numbers";
        return;
    }
    if (!enter(&a->r, '['))
        return;
    while (next_of(&a->r, ']', &is_first)) {
        double value = read_number(&a->r);

        if (a->len == EMBED_DIM_MAX)
            a->r.bad = "an embedding has more than 8192 numbers";
        else if (!isfinite((float)value) && !a->r.bad)
            a->r.bad = "an embedding has a number without bounds";
        if (a->r.bad)
            return;
        a->room[a->len++] = (float)value;
    }
}

/* Length 1, so that the product of two is how near they are. */
static bool
make_unit(float *values, uint32_t len)
{
    double sum = 0;

    for (uint32_t i = 0; i < len; i++)
        sum += (double)values[i] * (double)values[i];
    if (!(sum > 0) || !isfinite(sum))
        return false;
    double by = 1 / sqrt(sum);
    for (uint32_t i = 0; i < len; i++)
        values[i] = (float)((double)values[i] * by);
    return true;
}

static void
keep_vector(struct answer *a, size_t place)
{
    struct embed_vectors *out = a->out;
    size_t at = a->index < 0 ? place : (size_t)a->index;

    if (!a->has_vector) {
        a->r.bad = "an item has no embedding";
    } else if (at >= a->count || a->seen[at]) {
        a->r.bad = "an item has an index that was not asked for, or one twice";
    } else if (!a->len || (out->dim && a->len != out->dim)) {
        (void)snprintf(a->said, sizeof(a->said),
                       "an embedding has %u numbers, not %u", a->len, out->dim);
        a->r.bad = a->said;
    } else if (!make_unit(a->room, a->len)) {
        a->r.bad = "an embedding is all zeros";
    }
    if (a->r.bad)
        return;
    if (!out->values) {
        out->dim = a->len;
        out->values = calloc(a->count * a->len, sizeof(*out->values));
        a->no_memory = !out->values;
    }
    if (a->no_memory) {
        a->r.bad = "out of memory";
        return;
    }
    memcpy(out->values + at * out->dim, a->room,
           out->dim * sizeof(*out->values));
    a->seen[at] = true;
    out->len++;
}

static void
read_item(struct answer *a, size_t place)
{
    bool is_first = true;

    a->index = -1;
    a->has_vector = false;
    if (!enter(&a->r, '{'))
        return;
    while (next_of(&a->r, '}', &is_first)) {
        str key = read_key(&a->r);

        if (str_eq(key, STR("embedding"))) {
            read_vector(a);
        } else if (str_eq(key, STR("index"))) {
            a->index = read_number(&a->r);
            if (!(a->index >= 0 && a->index < EMBED_BATCH_MAX) && !a->r.bad)
                a->r.bad = "an item has an index that was not asked for";
        } else {
            skip(&a->r);
        }
    }
    if (!a->r.bad)
        keep_vector(a, place);
}

static void
read_answer(struct answer *a)
{
    bool is_first = true;
    bool has_data = false;

    if (!enter(&a->r, '{'))
        return;
    while (next_of(&a->r, '}', &is_first)) {
        bool is_first_item = true;

        if (!str_eq(read_key(&a->r), STR("data"))) {
            skip(&a->r);
            continue;
        }
        has_data = true;
        if (enter(&a->r, '['))
            for (size_t i = 0; next_of(&a->r, ']', &is_first_item); i++)
                read_item(a, i);
    }
    if (!a->r.bad && peek(&a->r))
        a->r.bad = "the answer is not JSON";
    if (!a->r.bad && !has_data)
        a->r.bad = "the answer has no \"data\"";
    if (!a->r.bad && a->out->len < a->count) {
        (void)snprintf(a->said, sizeof(a->said), "%zu embeddings came, not %zu",
                       a->out->len, a->count);
        a->r.bad = a->said;
    }
}

enum err
embed_wire_read(str body, size_t len, uint32_t dim, struct embed_vectors *out,
                struct buf *why)
{
    struct answer a = {.r = {.at = body.ptr, .end = body.ptr + body.len},
                       .out = out,
                       .count = len};

    *out = (struct embed_vectors){.dim = dim};
    a.seen = calloc(len + 1, sizeof(*a.seen));
    a.room = calloc(EMBED_DIM_MAX, sizeof(*a.room));
    if (a.seen && a.room)
        read_answer(&a);
    else
        a.no_memory = true;
    free(a.seen);
    free(a.room);
    if (!a.r.bad && !a.no_memory)
        return OK;
    embed_vectors_fini(out);
    if (a.no_memory)
        return ERR_NOMEM;
    buf_add(why, str_of(a.r.bad));
    return ERR_CORRUPT;
}

/* ---- refusals ---- */

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX deep */
static str
find_said(struct reader *r)
{
    str said = {"", 0};
    bool is_first = true;

    if (peek(r) == '"')
        return read_text(r);
    if (peek(r) != '{') {
        skip(r);
        return said;
    }
    if (!enter(r, '{'))
        return said;
    while (next_of(r, '}', &is_first)) {
        str key = read_key(r);
        bool is_it = str_eq(key, STR("error")) || str_eq(key, STR("message")) ||
                     str_eq(key, STR("detail"));

        if (is_it && !said.len)
            said = find_said(r);
        else
            skip(r);
    }
    return said;
}

void
embed_wire_said(str body, struct buf *out)
{
    struct reader r = {.at = body.ptr, .end = body.ptr + body.len};
    str said = peek(&r) == '{' ? find_said(&r) : (str){"", 0};

    if (said.len)
        utf8_clean(out, said, EMBED_SAID_MAX);
}
