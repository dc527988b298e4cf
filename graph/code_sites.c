/*
 * A site is two varints: by how many lines it is below the one before, with
 * the sign in the lowest bit since decorators stand above what they belong to;
 * and its column.
 */
#include "graph/code_sites.h"

static void
put(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_add_char(out, (char)(value | 0x80));
    buf_add_char(out, (char)value);
}

static bool
take(str *in, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < in->len && i < 5; i++) {
        unsigned char byte = (unsigned char)in->ptr[i];
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *in = str_cut(*in, i + 1, in->len);
            *out = value;
            return true;
        }
    }
    return false;
}

void
code_sites_pack(const struct code_site *sites, uint32_t len, uint32_t src_line,
                struct buf *out)
{
    int64_t line = src_line;

    for (uint32_t i = 0; i < len; i++) {
        int64_t step = (int64_t)sites[i].line - line;
        put(out, step < 0 ? (uint64_t)-step << 1 | 1 : (uint64_t)step << 1);
        put(out, sites[i].col);
        line = sites[i].line;
    }
}

bool
code_sites_next(str *packed, struct code_site *site)
{
    str rest = *packed;
    uint64_t step;
    uint64_t col;

    if (!take(&rest, &step) || !take(&rest, &col))
        return false;
    int64_t line = (int64_t)site->line +
                   (step & 1 ? -(int64_t)(step >> 1) : (int64_t)(step >> 1));
    if (line < 0 || line > UINT32_MAX || col > UINT32_MAX)
        return false;
    *site = (struct code_site){(uint32_t)line, (uint32_t)col};
    *packed = rest;
    return true;
}
