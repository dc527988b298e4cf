/*
 * fields - what crosses between the processes of a crawl: texts in a row, each
 * with its length before it.
 *
 * Threads    None.
 */
#ifndef CRAWL_FIELDS_H
#define CRAWL_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

static inline void
field_add(struct buf *out, str text)
{
    uint32_t len = (uint32_t)text.len;

    buf_add(out, (str){(const char *)&len, sizeof(len)});
    buf_add(out, text);
}

static inline void
field_add_u32(struct buf *out, uint32_t number)
{
    field_add(out, (str){(const char *)&number, sizeof(number)});
}

/* field_next takes the next of |rest|; false: there is none. */
static inline bool
field_next(str *rest, str *out)
{
    uint32_t len;

    *out = (str){"", 0};
    if (rest->len < sizeof(len))
        return false;
    memcpy(&len, rest->ptr, sizeof(len));
    if (rest->len - sizeof(len) < len)
        return false;
    *out = str_cut(*rest, sizeof(len), sizeof(len) + len);
    *rest = str_cut(*rest, sizeof(len) + len, rest->len);
    return true;
}

static inline bool
field_next_u32(str *rest, uint32_t *out)
{
    str field;

    *out = 0;
    if (!field_next(rest, &field) || field.len != sizeof(*out))
        return false;
    memcpy(out, field.ptr, sizeof(*out));
    return true;
}

#endif
