#include "crawl/markdown.h"

#include <string.h>

void
markdown_gap(struct markdown *md, unsigned lines)
{
    if (md->gap < lines)
        md->gap = lines;
    if (lines)
        md->is_space = false;
}

/* What is owed before something is written. */
static void
pay(struct markdown *md)
{
    struct buf *text = md->text;

    if (md->gap) {
        for (unsigned i = 0; i < md->gap && text->len; i++)
            buf_add_char(text, '\n');
        md->is_word = false;
        md->gap = 0;
    } else if (md->is_space && text->len) {
        buf_add_char(text, ' ');
    }
    md->is_space = false;
    if (md->item) {
        for (unsigned i = 1; i < md->item && i < 8; i++)
            buf_add(text, STR("  "));
        buf_add(text, STR("- "));
        md->item = 0;
        md->is_word = true;
    }
}

static void
add_word(struct markdown *md, str word)
{
    pay(md);
    if (!md->is_word && (word.ptr[0] == '#' || str_starts(word, STR("```")) ||
                         str_starts(word, STR("~~~"))))
        buf_add_char(md->text, '\\');
    buf_add(md->text, word);
    md->is_word = true;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

void
markdown_text(struct markdown *md, str text)
{
    size_t at = 0;

    while (at < text.len) {
        size_t from = at;

        while (at < text.len && is_blank(text.ptr[at]))
            at++;
        md->is_space |= at > from;
        from = at;
        while (at < text.len && !is_blank(text.ptr[at]))
            at++;
        if (at > from)
            add_word(md, str_cut(text, from, at));
    }
}

void
markdown_mark(struct markdown *md, str signs)
{
    pay(md);
    buf_add(md->text, signs);
    md->is_word = true;
}

void
markdown_item(struct markdown *md, unsigned depth)
{
    md->item = depth;
}

void
markdown_code_begin(struct markdown *md)
{
    pay(md);
    md->fence_at = md->text->len;
}

/* A fence is longer than any run of its sign within. */
void
markdown_code_end(struct markdown *md)
{
    struct buf *text = md->text;
    size_t run = 0;
    size_t len = 3;

    while (text->len > md->fence_at && text->ptr[text->len - 1] == '\n')
        text->len--;
    if (text->len <= md->fence_at || text->failed)
        return;
    for (size_t i = md->fence_at; i < text->len; i++) {
        run = text->ptr[i] == '`' ? run + 1 : 0;
        len = run >= len ? run + 1 : len;
    }
    if (!buf_grow(text, 2 * len + 2))
        return;
    char *body = text->ptr + md->fence_at;
    memmove(body + len + 1, body, text->len - md->fence_at);
    memset(body, '`', len);
    body[len] = '\n';
    text->len += len + 1;
    text->ptr[text->len++] = '\n';
    memset(text->ptr + text->len, '`', len);
    text->len += len;
    md->is_word = true;
}
