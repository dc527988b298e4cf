#include "crawl/charset.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum charset { UTF8, UTF16LE, UTF16BE, WINDOWS_1252, UNKNOWN, NONE };
enum { REPLACEMENT = 0xfffd, PRESCAN = 1024 };

/* 0x80 to 0x9f of windows-1252 (WHATWG index-windows-1252). */
static const uint16_t high_1252[32] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
    0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178,
};

static const struct {
    const char *label;
    enum charset charset;
} labels[] = {
    {"utf-8", UTF8},
    {"utf8", UTF8},
    {"unicode-1-1-utf-8", UTF8},
    {"us-ascii", WINDOWS_1252},
    {"ascii", WINDOWS_1252},
    {"iso-8859-1", WINDOWS_1252},
    {"iso8859-1", WINDOWS_1252},
    {"latin1", WINDOWS_1252},
    {"latin-1", WINDOWS_1252},
    {"windows-1252", WINDOWS_1252},
    {"cp1252", WINDOWS_1252},
    {"utf-16", UTF16LE},
    {"utf-16le", UTF16LE},
    {"utf-16be", UTF16BE},
};

static enum charset
charset_of(str label)
{
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strlen(labels[i].label) == label.len &&
            strncasecmp(labels[i].label, label.ptr, label.len) == 0)
            return labels[i].charset;
    return UNKNOWN;
}

/* What stands behind `charset=` in |text|. */
static enum charset
named_in(str text)
{
    static const char word[] = "charset";

    for (size_t at = 0; at + sizeof(word) < text.len; at++) {
        size_t end;

        if (strncasecmp(text.ptr + at, word, sizeof(word) - 1) != 0)
            continue;
        at += sizeof(word) - 1;
        while (at < text.len && strchr(" \t\r\n", text.ptr[at]))
            at++;
        if (at == text.len || text.ptr[at] != '=')
            continue;
        at++;
        while (at < text.len && strchr(" \t\r\n\"'", text.ptr[at]))
            at++;
        for (end = at;
             end < text.len && (isalnum((unsigned char)text.ptr[end]) ||
                                strchr("-_.:", text.ptr[end]));)
            end++;
        if (end > at)
            return charset_of(str_cut(text, at, end));
    }
    return NONE;
}

static enum charset
find(str *bytes, str type)
{
    enum charset said;

    if (str_starts(*bytes, STR("\xef\xbb\xbf"))) {
        *bytes = str_cut(*bytes, 3, bytes->len);
        return UTF8;
    }
    if (str_starts(*bytes, STR("\xff\xfe"))) {
        *bytes = str_cut(*bytes, 2, bytes->len);
        return UTF16LE;
    }
    if (str_starts(*bytes, STR("\xfe\xff"))) {
        *bytes = str_cut(*bytes, 2, bytes->len);
        return UTF16BE;
    }
    said = named_in(type);
    if (said != NONE)
        return said;
    said = named_in(str_cut(*bytes, 0, PRESCAN));
    if (said == UTF16LE || said == UTF16BE)
        return UTF8; /* or the name could not have been read */
    if (said != NONE)
        return said;
    return utf8_valid(*bytes) ? UTF8 : WINDOWS_1252;
}

static void
add(struct buf *out, uint32_t c)
{
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
        (c >= 0x7f && c < 0xa0))
        c = ' ';
    if (c < 0x80) {
        buf_add_char(out, (char)c);
    } else if (c < 0x800) {
        buf_add_char(out, (char)(0xc0 | c >> 6));
        buf_add_char(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_add_char(out, (char)(0xe0 | c >> 12));
        buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_add_char(out, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_add_char(out, (char)(0xf0 | c >> 18));
        buf_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_add_char(out, (char)(0x80 | (c & 0x3f)));
    }
}

void
charset_clean(str bytes, struct buf *out)
{
    for (size_t at = 0; at < bytes.len;) {
        unsigned char c = (unsigned char)bytes.ptr[at];
        size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        str one = str_cut(bytes, at, at + len);

        if (len == 1) {
            add(out, c);
            at++;
        } else if (one.len < len || !utf8_valid(one)) {
            add(out, REPLACEMENT);
            at++;
        } else if (c == 0xc2 && (unsigned char)one.ptr[1] < 0xa0) {
            add(out, ' ');
            at += len;
        } else {
            buf_add(out, one);
            at += len;
        }
    }
}

static uint32_t
unit(str bytes, size_t at, bool is_big)
{
    unsigned char a = (unsigned char)bytes.ptr[at];
    unsigned char b = (unsigned char)bytes.ptr[at + 1];

    return is_big ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

static void
from_utf16(str bytes, bool is_big, struct buf *out)
{
    for (size_t at = 0; at + 1 < bytes.len; at += 2) {
        uint32_t c = unit(bytes, at, is_big);
        bool is_half = c >= 0xd800 && c < 0xe000;
        uint32_t low = is_half && c < 0xdc00 && at + 3 < bytes.len
                           ? unit(bytes, at + 2, is_big)
                           : 0;

        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            is_half = false;
            at += 2;
        }
        add(out, is_half ? REPLACEMENT : c);
    }
}

static void
from_1252(str bytes, struct buf *out)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];

        add(out, c >= 0x80 && c < 0xa0 ? high_1252[c - 0x80] : c);
    }
}

enum err
charset_decode(str bytes, str type, struct buf *out)
{
    enum charset charset = find(&bytes, type);

    if (charset == UNKNOWN)
        return ERR_UNSUPPORTED;
    if (charset == UTF8)
        charset_clean(bytes, out);
    else if (charset == WINDOWS_1252)
        from_1252(bytes, out);
    else
        from_utf16(bytes, charset == UTF16BE, out);
    return out->failed ? ERR_NOMEM : OK;
}
