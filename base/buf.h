/*
 * buf - bytes that grow.
 *
 * For what is written piece by piece and read once: replies, reports, SQL
 * blobs.  A failed allocation sets |failed| and later writes do nothing, so a
 * caller appends freely and looks once, at the end.
 *
 *     struct buf out = {.cap_max = 4 << 20};
 *     buf_add(&out, STR("hello "));
 *     buf_printf(&out, "%d", 42);
 *     if (out.failed) ...
 *     buf_fini(&out);
 *
 * Memory     Zero-initialise to start; buf_fini frees.  |cap_max| bounds it,
 *            0 means no bound but the machine's.
 * Threads    None.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct buf {
    char *ptr;
    size_t len;
    size_t cap;
    size_t cap_max; /* 0: unbounded */
    bool failed;    /* an append did not fit; the content is incomplete */
};

void buf_fini(struct buf *buf);

/* buf_reset forgets the content and the failure, and keeps the memory. */
void buf_reset(struct buf *buf);

/*
 * buf_grow makes room for |len| more bytes and returns where they go, or NULL
 * (and |failed|) when they do not fit.  The caller fills them and adds |len|
 * to buf->len itself.
 */
char *buf_grow(struct buf *buf, size_t len);

void buf_add(struct buf *buf, str bytes);
void buf_add_char(struct buf *buf, char byte);
void buf_printf(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* buf_add_u64 appends |value| in decimal, faster than printf. */
void buf_add_u64(struct buf *buf, uint64_t value);

/* buf_add_hex appends |bytes| as lower-case hex. */
void buf_add_hex(struct buf *buf, str bytes);

static inline str
buf_str(const struct buf *buf)
{
    return (str){buf->ptr, buf->len};
}

/* buf_shortages is how many times a buffer of this program could not grow for
 * want of memory: for who writes many small ones and looks once.  Any thread.
 */
uint64_t buf_shortages(void);

/* buf_cstr terminates the content and returns it, or "" after a failure. */
const char *buf_cstr(struct buf *buf);

#endif
