#include "api/write.h"

#include <string.h>

#include "base/clock.h"
#include "base/digits.h"
#include "base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static void
begin(struct buf *out, const char *name)
{
    const char *last = out->len ? out->ptr + out->len - 1 : "[";

    if (*last != '{' && *last != '[')
        buf_add_char(out, ',');
    if (!name)
        return;
    buf_add_char(out, '"');
    buf_add(out, str_of(name));
    buf_add(out, STR("\":"));
}

void
write_open(struct buf *out, const char *name, char bracket)
{
    begin(out, name);
    buf_add_char(out, bracket);
}

void
write_close(struct buf *out, char bracket)
{
    buf_add_char(out, bracket);
}

/* How many bytes the character at |i| has; 0: it is none. */
static size_t
char_len(str text, size_t i)
{
    for (size_t len = 1; len <= 4 && i + len <= text.len; len++) {
        if (utf8_valid(str_cut(text, i, i + len)))
            return len;
    }
    return 0;
}

void
write_text(struct buf *out, const char *name, str text)
{
    bool is_valid = utf8_valid(text);

    begin(out, name);
    buf_add_char(out, '"');
    for (size_t i = 0, from = 0; i <= text.len; i++) {
        unsigned char byte = i < text.len ? (unsigned char)text.ptr[i] : 0;
        size_t len = is_valid || i == text.len ? 1 : char_len(text, i);
        bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\' && len;

        if (is_plain) {
            i += len - 1;
            continue;
        }
        buf_add(out, str_cut(text, from, i));
        from = i + 1;
        if (i == text.len)
            break;
        if (!len)
            buf_add(out, str_of(replacement));
        else if (byte < 0x20)
            buf_printf(out, "\\u%04x", byte);
        else
            buf_printf(out, "\\%c", byte);
    }
    buf_add_char(out, '"');
}

void
write_int(struct buf *out, const char *name, int64_t value)
{
    begin(out, name);
    buf_printf(out, "%lld", (long long)value);
}

void
write_bool(struct buf *out, const char *name, bool value)
{
    begin(out, name);
    buf_add(out, value ? STR("true") : STR("false"));
}

void
write_null(struct buf *out, const char *name)
{
    begin(out, name);
    buf_add(out, STR("null"));
}

void
write_time(struct buf *out, const char *name, uint32_t at_s)
{
    if (at_s)
        write_int(out, name, at_s);
    else
        write_null(out, name);
}

void
write_estimate(struct buf *out, const char *name, double value)
{
    if (value < 0) {
        write_null(out, name);
        return;
    }
    begin(out, name);
    buf_printf(out, "%.15g", digits_three(value));
}

void
write_ms(struct buf *out, const char *name, uint64_t ns)
{
    write_estimate(out, name, ns ? (double)ns / (double)NS_PER_MS : -1);
}

void
write_share(struct buf *out, const char *name, double value)
{
    begin(out, name);
    buf_printf(out, "%.15g", value);
}
