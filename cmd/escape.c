/*
 * Every format has a table of the bytes that mean something in it, and what to
 * write instead.  All else is copied, after utf8_clean.
 */
#include "cmd/escape.h"

#include <stdint.h>

#include "base/utf8.h"

struct swap {
    char byte;
    const char *text;
};

/* Copies the cleaned |text| and swaps the bytes that |swaps| lists. */
static void
add_swapped(struct buf *out, str text, const struct swap *swaps, size_t len)
{
    struct buf clean = {0};

    utf8_clean(&clean, text, SIZE_MAX);
    for (size_t i = 0; i < clean.len; i++) {
        size_t at = 0;

        while (at < len && swaps[at].byte != clean.ptr[i])
            at++;
        if (at < len)
            buf_add(out, str_of(swaps[at].text));
        else
            buf_add_char(out, clean.ptr[i]);
    }
    if (clean.failed)
        out->failed = true;
    buf_fini(&clean);
}

static bool
is_one_of(char byte, const char *set)
{
    return byte && strchr(set, byte);
}

void
escape_csv(struct buf *out, str text)
{
    static const struct swap swaps[] = {{'"', "\"\""}};
    bool is_formula = text.len && is_one_of(text.ptr[0], "=+-@\t\r");
    bool is_quoted = is_formula;

    for (size_t i = 0; i < text.len; i++)
        is_quoted |= is_one_of(text.ptr[i], "\",;\r\n\t ");
    if (is_quoted)
        buf_add_char(out, '"');
    if (is_formula)
        buf_add_char(out, '\'');
    add_swapped(out, text, swaps, 1);
    if (is_quoted)
        buf_add_char(out, '"');
}

void
escape_md(struct buf *out, str text)
{
    static const struct swap swaps[] = {
        {'\\', "\\\\"}, {'|', "\\|"},   {'`', "\\`"},   {'*', "\\*"},
        {'_', "\\_"},   {'~', "\\~"},   {'[', "\\["},   {']', "\\]"},
        {'<', "&lt;"},  {'>', "&gt;"},  {'&', "&amp;"}, {'@', "&#64;"},
        {'#', "&#35;"}, {'!', "&#33;"}, {'$', "&#36;"}, {':', "&#58;"},
    };

    add_swapped(out, text, swaps, sizeof(swaps) / sizeof(swaps[0]));
}

/* XML 1.0 has no U+FFFE and U+FFFF; they end as EF BF BE and EF BF BF. */
static void
drop_nonchars(struct buf *out, size_t from)
{
    for (size_t i = from; i + 2 < out->len; i++) {
        unsigned char *p = (unsigned char *)out->ptr + i;

        if (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe)
            p[2] = 0xbd;
    }
}

void
escape_xml(struct buf *out, str text)
{
    static const struct swap swaps[] = {
        {'<', "&lt;"},   {'>', "&gt;"},   {'&', "&amp;"},
        {'"', "&quot;"}, {'\'', "&#39;"},
    };
    size_t from = out->len;

    add_swapped(out, text, swaps, sizeof(swaps) / sizeof(swaps[0]));
    drop_nonchars(out, from);
}

void
escape_graphml(struct buf *out, const char *key, str text)
{
    buf_printf(out, "      <data key=\"%s\">", key);
    escape_xml(out, text);
    buf_add(out, STR("</data>\n"));
}

void
escape_dot(struct buf *out, str text)
{
    /* Labels also know HTML's entities. */
    static const struct swap swaps[] = {
        {'"', "\\\""}, {'\\', "\\\\"}, {'&', "&amp;"}};

    buf_add_char(out, '"');
    add_swapped(out, text, swaps, sizeof(swaps) / sizeof(swaps[0]));
    buf_add_char(out, '"');
}

void
escape_mermaid(struct buf *out, str text)
{
    static const struct swap swaps[] = {
        {'"', "#quot;"}, {'#', "#35;"}, {'&', "#amp;"}, {'<', "#lt;"},
        {'>', "#gt;"},   {'`', "#96;"}, {'\\', "#92;"}, {':', "#58;"},
        {';', "#59;"},   {'%', "#37;"}, {'{', "#123;"}, {'}', "#125;"},
        {'|', "#124;"},  {'*', "#42;"}, {'_', "#95;"},
    };

    buf_add_char(out, '"');
    add_swapped(out, text, swaps, sizeof(swaps) / sizeof(swaps[0]));
    buf_add_char(out, '"');
}
