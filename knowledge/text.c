/*
 * A word is a run of ASCII letters and digits or of bytes beyond ASCII; two
 * words are the same in any case of their ASCII letters.
 */
#include "knowledge/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"

enum { MATCH_MAX = 64, SHINGLE = 3 };

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

str
text_trim(str text)
{
    while (text.len && isspace((unsigned char)text.ptr[0]))
        text = str_cut(text, 1, text.len);
    while (text.len && isspace((unsigned char)text.ptr[text.len - 1]))
        text.len--;
    return text;
}

bool
text_same(str a, str b)
{
    return a.len == b.len &&
           (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

size_t
text_chars(str text)
{
    size_t chars = 0;

    for (size_t i = 0; i < text.len; i++)
        chars += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return chars;
}

str
text_cut(str text, size_t max)
{
    size_t chars = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (((unsigned char)text.ptr[i] & 0xc0) == 0x80)
            continue;
        if (chars++ == max)
            return str_cut(text, 0, i);
    }
    return text;
}

bool
text_next_word(str text, size_t *at, str *word)
{
    size_t from = *at;

    while (from < text.len && !is_word(text.ptr[from]))
        from++;
    *at = from;
    while (*at < text.len && is_word(text.ptr[*at]))
        ++*at;
    *word = str_cut(text, from, *at);
    return word->len > 0;
}

bool
text_has_word(str text, str word)
{
    size_t at = 0;
    str next;

    while (text_next_word(text, &at, &next))
        if (text_same(next, word))
            return true;
    return false;
}

size_t
text_words(str text)
{
    size_t at = 0;
    size_t words = 0;
    str next;

    while (text_next_word(text, &at, &next))
        words++;
    return words;
}

void
text_split(str name, struct buf *out)
{
    buf_add(out, name);
    buf_add_char(out, ' ');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool begins =
            i && isupper((unsigned char)c) &&
            (islower((unsigned char)name.ptr[i - 1]) ||
             (i + 1 < name.len && islower((unsigned char)name.ptr[i + 1])));

        if (begins)
            buf_add_char(out, ' ');
        if (is_word(c))
            buf_add_char(out, c);
        else
            buf_add_char(out, ' ');
    }
}

void
text_slug(str text, size_t max, struct buf *out)
{
    size_t begin = out->len;
    bool is_apart = false;

    for (size_t i = 0; i < text.len && out->len - begin < max; i++) {
        char c = (char)tolower((unsigned char)text.ptr[i]);

        if (!isalnum((unsigned char)c)) {
            is_apart = out->len > begin;
            continue;
        }
        if (is_apart && out->len - begin + 1 < max)
            buf_add_char(out, '-');
        else if (is_apart)
            return;
        is_apart = false;
        buf_add_char(out, c);
    }
}

void
text_plain_route(str text, struct buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        const char *end =
            c == '{' ? memchr(text.ptr + i, '}', text.len - i) : NULL;

        if (end) {
            buf_add(out, text.ptr[i + 1] == '*' ? STR("{**}") : STR("{}"));
            i = (size_t)(end - text.ptr);
        } else if (c == ':' && i && text.ptr[i - 1] == '/') {
            buf_add(out, STR("{}"));
            while (i + 1 < text.len && text.ptr[i + 1] != '/')
                i++;
        } else {
            buf_add_char(out, c);
        }
    }
}

static bool
has(const str *words, size_t len, str word)
{
    for (size_t i = 0; i < len; i++)
        if (text_same(words[i], word))
            return true;
    return false;
}

static int
by_length(const void *a, const void *b)
{
    const str *left = a;
    const str *right = b;

    if (left->len != right->len)
        return left->len < right->len ? 1 : -1;
    return (left->ptr > right->ptr) - (left->ptr < right->ptr);
}

void
text_match_any(str text, size_t max, struct buf *out)
{
    str words[MATCH_MAX];
    size_t len = 0;
    size_t at = 0;
    str next;

    while (len < MATCH_MAX && text_next_word(text, &at, &next))
        if (next.len > 2 && !has(words, len, next))
            words[len++] = next;
    qsort(words, len, sizeof(words[0]), by_length);
    for (size_t i = 0; i < len && i < max; i++)
        buf_printf(out, "%s\"%.*s\"", i ? " OR " : "", (int)words[i].len,
                   words[i].ptr);
}

static int
by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

static uint64_t
hash_word(str word)
{
    uint64_t hash = 1469598103934665603U;

    for (size_t i = 0; i < word.len; i++)
        hash = (hash ^ (uint64_t)tolower((unsigned char)word.ptr[i])) *
               1099511628211U;
    return hash;
}

enum err
shingles_make(str text, struct shingles *out)
{
    size_t words = text_words(text);
    uint64_t last[SHINGLE] = {0};
    size_t seen = 0;
    size_t at = 0;
    str word;

    *out = (struct shingles){calloc(words + 1, sizeof(uint64_t)), 0};
    if (!out->hashes)
        return ERR_NOMEM;
    while (text_next_word(text, &at, &word)) {
        memmove(last, last + 1, sizeof(last) - sizeof(last[0]));
        last[SHINGLE - 1] = hash_word(word);
        /* What is shorter than a shingle is one. */
        if (++seen >= SHINGLE || seen == words)
            out->hashes[out->len++] =
                hash_mix(hash_mix(last[0], last[1]), last[2]);
    }
    qsort(out->hashes, out->len, sizeof(out->hashes[0]), by_value);
    size_t kept = 0;
    for (size_t i = 0; i < out->len; i++)
        if (kept == 0 || out->hashes[kept - 1] != out->hashes[i])
            out->hashes[kept++] = out->hashes[i];
    out->len = kept;
    return OK;
}

void
shingles_fini(struct shingles *set)
{
    free(set->hashes);
    *set = (struct shingles){0};
}

double
shingles_like(const struct shingles *a, const struct shingles *b)
{
    size_t both = 0;
    size_t i = 0;
    size_t k = 0;

    while (i < a->len && k < b->len) {
        uint64_t left = a->hashes[i];
        uint64_t right = b->hashes[k];

        both += left == right;
        i += left <= right;
        k += right <= left;
    }
    size_t either = a->len + b->len - both;
    return either ? (double)both / (double)either : 0;
}

uint64_t
shingles_key(const struct shingles *set)
{
    uint64_t key = set->len;

    for (size_t i = 0; i < set->len; i++)
        key = hash_mix(key, set->hashes[i]);
    return key;
}
