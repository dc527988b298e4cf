/*
 * Eight bytes at a time while they are ASCII, which is nearly always; one
 * character at a time otherwise.
 */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Returns the length of the well-formed character at |p|, 0 if there is none,
 * and its code point in |out|. */
static size_t
decode_one(const unsigned char *p, size_t left, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (len == 1) {
        *out = p[0];
        return 1;
    }
    if (p[0] < 0xc2 || p[0] > 0xf4 || len > left)
        return 0;
    uint32_t code = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < least[len] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *out = code;
    return len;
}

static size_t
skip_ascii(str bytes, size_t at)
{
    uint64_t word;

    while (at + sizeof(word) <= bytes.len) {
        memcpy(&word, bytes.ptr + at, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
        at += sizeof(word);
    }
    return at;
}

bool
utf8_valid(str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr;
    size_t at = skip_ascii(bytes, 0);
    uint32_t code;

    while (at < bytes.len) {
        size_t len = decode_one(p + at, bytes.len - at, &code);
        if (len == 0)
            return false;
        at += len;
        if (code >= 0x80)
            continue;
        at = skip_ascii(bytes, at);
    }
    return true;
}

/* Control, bidirectional and invisible characters: what could make a shown
 * name read as something else. */
static bool
is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           code == 0x61c || code == 0x180e ||
           (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

void
utf8_clean(struct buf *out, str bytes, size_t max_len)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr;
    size_t written = 0;

    for (size_t at = 0; at < bytes.len;) {
        uint32_t code = 0;
        size_t len = decode_one(p + at, bytes.len - at, &code);
        str piece = {bytes.ptr + at, len};

        at += len ? len : 1;
        if (len == 0 || is_hidden(code))
            piece = STR("\xef\xbf\xbd");
        if (written + piece.len > max_len)
            return;
        buf_add(out, piece);
        written += piece.len;
    }
}
