/*
 * JSON begins with a brace or a bracket, whatever blank is before it.  A frame
 * begins with a length, so with a zero unless it is of 16 MiB and more.  A
 * message begins with its tag, which is a newline.
 */
#include "cmd/feed_form.h"

#include "net/unpack.h"

enum {
    ONE_BYTE_LEN_MAX = 0x7f,   /* of a varint of one byte */
    TAG_RESOURCE_SPANS = 0x0a, /* the only field of a request */
    TAG_RESOURCE = 0x0a,       /* fields of ResourceSpans */
    TAG_SCOPE_SPANS = 0x12,
    TAG_SCHEMA_URL = 0x1a,
    ZSTD_FIRST = 0x28,
    ZSTD_MAGIC_LEN = 4,
};

bool
feed_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t
feed_frame_len(str head)
{
    const unsigned char *p = (const unsigned char *)head.ptr;

    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

bool
feed_is_json_frame(str content)
{
    return content.len && content.ptr[0] == '{';
}

/*
 * A message begins with a newline, its tag, and the length behind it may be
 * what text has behind a newline.  Then it is a message if that is so inside,
 * too: a field of ResourceSpans that fits, and behind it the next one or
 * nothing.
 */
static bool
is_message(str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr;
    size_t end = bytes.len > 1 ? 2 + (size_t)p[1] : 0;

    if (bytes.len < 2 || p[0] != TAG_RESOURCE_SPANS)
        return false;
    if (p[1] > ONE_BYTE_LEN_MAX || p[1] == 0)
        return true;
    if (end > bytes.len || (end < bytes.len && p[end] != TAG_RESOURCE_SPANS))
        return false;
    return (p[2] == TAG_RESOURCE || p[2] == TAG_SCOPE_SPANS ||
            p[2] == TAG_SCHEMA_URL) &&
           p[1] >= 2 && (p[3] > ONE_BYTE_LEN_MAX || 4 + (size_t)p[3] <= end);
}

/* Frames begin with a length, behind which a request begins, or another frame.
 */
static bool
is_framed(str bytes)
{
    str content = str_cut(bytes, FEED_FRAME_HEAD, bytes.len);

    return bytes.len >= FEED_FRAME_HEAD && bytes.ptr[0] != TAG_RESOURCE_SPANS &&
           (feed_frame_len(bytes) == 0 || !content.len ||
            content.ptr[0] == TAG_RESOURCE_SPANS ||
            feed_is_json_frame(content) ||
            unpack_encoding(content) == ENCODING_ZSTD);
}

static bool
is_text(str bytes)
{
    size_t blank = 0;

    while (blank < bytes.len && feed_is_blank(bytes.ptr[blank]))
        blank++;
    return blank == bytes.len || bytes.ptr[blank] == '{' ||
           bytes.ptr[blank] == '[';
}

size_t
feed_form_bytes(str bytes)
{
    size_t wanted = FEED_FRAME_HEAD + 1;

    if (bytes.len && bytes.ptr[0] == TAG_RESOURCE_SPANS)
        wanted = 2 + ONE_BYTE_LEN_MAX + 1;
    else if (bytes.len > FEED_FRAME_HEAD &&
             bytes.ptr[FEED_FRAME_HEAD] == ZSTD_FIRST)
        wanted = FEED_FRAME_HEAD + ZSTD_MAGIC_LEN;
    return bytes.len < wanted ? wanted : 0;
}

enum feed_form
feed_form_of(str bytes)
{
    if (is_message(bytes))
        return FEED_MESSAGE;
    if (is_text(bytes))
        return FEED_TEXT;
    return is_framed(bytes) ? FEED_FRAMES : FEED_MESSAGE;
}
