/*
 * The text is first cut into blocks - headings, fences, paragraphs - and a
 * chunk is a run of blocks, so its body is one piece of the text.  Runs are
 * filled up to FILL words only: a run that is too short can then always be
 * joined with the one that follows.
 */
#include "knowledge/chunk.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/text.h"

enum { FILL = CHUNK_WORDS_MAX - CHUNK_WORDS_MIN, LEVELS = 3 };

struct block {
    size_t from;
    size_t to;
    size_t words;
    int level; /* of a heading; 0: none */
};

struct splitter {
    str text;
    struct block *blocks;
    size_t len;
    size_t cap;
};

void
chunk_list_fini(struct chunk_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        buf_fini(&list->items[i].heading);
    free(list->items);
    *list = (struct chunk_list){0};
}

static size_t
line_end(str text, size_t from)
{
    const char *end =
        from < text.len ? memchr(text.ptr + from, '\n', text.len - from) : NULL;

    return end ? (size_t)(end - text.ptr) + 1 : text.len;
}

static int
heading_level(str line)
{
    int level = 0;

    while ((size_t)level < line.len && line.ptr[level] == '#')
        level++;
    return level && level <= 6 && (size_t)level < line.len &&
                   line.ptr[level] == ' '
               ? level
               : 0;
}

/* The sign and length of a fence that |line| opens or closes; 0: none. */
static size_t
fence_of(str line, char *sign)
{
    size_t indent = 0;
    size_t len = 0;

    while (indent < line.len && indent < 3 && line.ptr[indent] == ' ')
        indent++;
    *sign = '\0';
    if (indent < line.len)
        *sign = line.ptr[indent];
    if (*sign != '`' && *sign != '~')
        return 0;
    while (indent + len < line.len && line.ptr[indent + len] == *sign)
        len++;
    return len >= 3 ? len : 0;
}

static size_t
fence_end(str text, size_t from)
{
    char sign;
    size_t at = line_end(text, from);
    size_t len = fence_of(str_cut(text, from, at), &sign);

    while (at < text.len) {
        size_t next = line_end(text, at);
        char other;
        size_t other_len = fence_of(str_cut(text, at, next), &other);

        at = next;
        if (other == sign && other_len >= len)
            return at;
    }
    return text.len;
}

static enum err
add_block(struct splitter *splitter, size_t from, size_t to, int level)
{
    if (!grow_room(splitter->blocks, splitter->len, splitter->cap))
        return ERR_NOMEM;
    splitter->blocks[splitter->len++] = (struct block){
        from, to, text_words(str_cut(splitter->text, from, to)), level};
    return OK;
}

/* A paragraph that is too long is cut between words. */
static enum err
add_paragraph(struct splitter *splitter, size_t from, size_t to)
{
    size_t words = 0;
    size_t at = from;
    str part = str_cut(splitter->text, 0, to);
    str word;
    enum err err = OK;

    while (!err && text_next_word(part, &at, &word)) {
        if (++words < FILL)
            continue;
        err = add_block(splitter, from, at, 0);
        from = at;
        words = 0;
    }
    return err || from == to ? err : add_block(splitter, from, to, 0);
}

static bool
is_blank(str line)
{
    return text_trim(line).len == 0;
}

static size_t
paragraph_end(str text, size_t from)
{
    size_t at = line_end(text, from);
    char sign;

    while (at < text.len) {
        str line = str_cut(text, at, line_end(text, at));

        if (is_blank(line) || heading_level(line) || fence_of(line, &sign))
            return at;
        at += line.len;
    }
    return at;
}

static enum err
find_blocks(struct splitter *splitter)
{
    str text = splitter->text;
    enum err err = OK;

    for (size_t at = 0; at < text.len && !err;) {
        size_t to = line_end(text, at);
        str line = str_cut(text, at, to);
        int level = heading_level(line);
        char sign;

        if (is_blank(line)) {
            at = to;
            continue;
        }
        if (level) {
            err = add_block(splitter, at, to, level);
        } else if (fence_of(line, &sign)) {
            to = fence_end(text, at);
            err = add_block(splitter, at, to, 0);
        } else {
            to = paragraph_end(text, at);
            err = add_paragraph(splitter, at, to);
        }
        at = to;
    }
    return err;
}

/* ---- runs ---- */

static void
add_heading(const struct splitter *splitter, size_t first, struct buf *out)
{
    str parts[LEVELS] = {{0}};

    for (size_t i = 0; i <= first; i++) {
        const struct block *block = &splitter->blocks[i];

        if (!block->level || block->level > LEVELS)
            continue;
        str line = str_cut(splitter->text, block->from, block->to);
        parts[block->level - 1] =
            text_trim(str_cut(line, (size_t)block->level, line.len));
        for (int k = block->level; k < LEVELS; k++)
            parts[k].len = 0;
    }
    for (int k = 0; k < LEVELS; k++) {
        if (!parts[k].len)
            continue;
        buf_add(out, out->len ? STR(" > ") : STR(""));
        buf_add(out, parts[k]);
    }
}

static enum err
add_chunk(const struct splitter *splitter, size_t first, size_t last,
          struct chunk_list *out)
{
    struct chunk chunk = {.words = 0};

    if (!grow_room(out->items, out->len, out->cap))
        return ERR_NOMEM;
    for (size_t i = first; i < last; i++)
        chunk.words += splitter->blocks[i].words;
    chunk.body = text_trim(str_cut(splitter->text, splitter->blocks[first].from,
                                   splitter->blocks[last - 1].to));
    add_heading(splitter, first, &chunk.heading);
    out->items[out->len++] = chunk;
    return chunk.heading.failed ? ERR_NOMEM : OK;
}

static size_t
words_of(const struct splitter *splitter, size_t first, size_t last)
{
    size_t words = 0;

    for (size_t i = first; i < last; i++)
        words += splitter->blocks[i].words;
    return words;
}

/* Where the run that begins at |first| ends, as headings and FILL have it. */
static size_t
run_end(const struct splitter *splitter, size_t first)
{
    size_t words = splitter->blocks[first].words;
    size_t at = first + 1;

    while (at < splitter->len) {
        const struct block *block = &splitter->blocks[at];
        bool is_section = block->level && block->level <= LEVELS;

        if (is_section || words + block->words > FILL)
            break;
        words += block->words;
        at++;
    }
    return at;
}

/* The last run is too short: it is joined with the one before, or that one
 * gives it what it needs. */
static size_t
split_last(const struct splitter *splitter, size_t first)
{
    size_t half = words_of(splitter, first, splitter->len) / 2;
    size_t at = first + 1;

    while (at + 1 < splitter->len && words_of(splitter, first, at) < half)
        at++;
    return at;
}

enum err
chunk_split(str text, struct chunk_list *out)
{
    struct splitter splitter = {.text = text};
    size_t *begins = NULL;
    size_t len = 0;
    enum err err = find_blocks(&splitter);

    if (!err && !(begins = calloc(splitter.len + 2, sizeof(*begins))))
        err = ERR_NOMEM;
    for (size_t at = 0; at < splitter.len && !err;) {
        size_t end = run_end(&splitter, at);

        while (end < splitter.len &&
               words_of(&splitter, at, end) < CHUNK_WORDS_MIN)
            end = run_end(&splitter, end);
        begins[len++] = at;
        at = end;
    }
    if (!err && len > 1 &&
        words_of(&splitter, begins[len - 1], splitter.len) < CHUNK_WORDS_MIN) {
        len--;
        if (words_of(&splitter, begins[len - 1], splitter.len) >
            CHUNK_WORDS_MAX) {
            begins[len] = split_last(&splitter, begins[len - 1]);
            len++;
        }
    }
    if (!err)
        begins[len] = splitter.len;
    for (size_t i = 0; i < len && !err; i++)
        err = add_chunk(&splitter, begins[i], begins[i + 1], out);
    free(begins);
    free(splitter.blocks);
    return err;
}

str
chunk_title(str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t to = line_end(text, at);
        str line = str_cut(text, at, to);
        char sign;

        if (fence_of(line, &sign)) {
            at = fence_end(text, at);
            continue;
        }
        int level = heading_level(line);
        if (level)
            return text_trim(str_cut(line, (size_t)level, line.len));
        at = to;
    }
    return STR("");
}
