#include "base/buf.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUF_FIRST_CAP = 256 };

static atomic_ullong shortages;

uint64_t
buf_shortages(void)
{
    return atomic_load_explicit(&shortages, memory_order_relaxed);
}

void
buf_fini(struct buf *buf)
{
    free(buf->ptr);
    *buf = (struct buf){.cap_max = buf->cap_max};
}

void
buf_reset(struct buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

char *
buf_grow(struct buf *buf, size_t len)
{
    size_t max = buf->cap_max ? buf->cap_max : SIZE_MAX / 2;

    if (buf->failed || buf->len > max || len > max - buf->len) {
        buf->failed = true;
        return NULL;
    }
    if (len <= buf->cap - buf->len && buf->ptr)
        return buf->ptr + buf->len;

    size_t cap = buf->cap ? buf->cap : BUF_FIRST_CAP;
    while (cap < buf->len + len)
        cap *= 2;
    if (cap > max)
        cap = max;
    char *ptr = realloc(buf->ptr, cap ? cap : 1);
    if (!ptr) {
        atomic_fetch_add_explicit(&shortages, 1, memory_order_relaxed);
        buf->failed = true;
        return NULL;
    }
    buf->ptr = ptr;
    buf->cap = cap;
    return ptr + buf->len;
}

void
buf_add(struct buf *buf, str bytes)
{
    char *to = buf_grow(buf, bytes.len);

    if (to && bytes.len) {
        memcpy(to, bytes.ptr, bytes.len);
        buf->len += bytes.len;
    }
}

void
buf_add_char(struct buf *buf, char byte)
{
    char *to = buf_grow(buf, 1);

    if (to) {
        *to = byte;
        buf->len++;
    }
}

void
buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0) {
        buf->failed = true;
        return;
    }
    char *to = buf_grow(buf, (size_t)len + 1);
    if (to) {
        (void)vsnprintf(to, (size_t)len + 1, format, args);
        buf->len += (size_t)len;
    }
}

void
buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void
buf_add_u64(struct buf *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    buf_add(buf, (str){digits + at, sizeof(digits) - at});
}

void
buf_add_hex(struct buf *buf, str bytes)
{
    static const char digit[] = "0123456789abcdef";
    char *to = buf_grow(buf, 2 * bytes.len);

    if (!to)
        return;
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        to[2 * i] = digit[byte >> 4];
        to[2 * i + 1] = digit[byte & 15];
    }
    buf->len += 2 * bytes.len;
}

const char *
buf_cstr(struct buf *buf)
{
    char *end = buf_grow(buf, 1);

    if (!end)
        return "";
    *end = '\0';
    return buf->ptr;
}
