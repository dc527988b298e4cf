#include "cmd/wording.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether "; try TOOL{" or ". Try TOOL{" begins at |at|. */
static bool
is_example(const char *at, const char *tool)
{
    size_t len = strlen(tool);

    return (strncmp(at, "; try ", 6) == 0 || strncmp(at, ". Try ", 6) == 0) &&
           strncmp(at + 6, tool, len) == 0 && at[6 + len] == '{';
}

/* The word that |at| begins with, between the ends of words; NULL: none. */
static const struct wording *
find_word(const struct wording *words, const char *at)
{
    for (; words->from; words++) {
        size_t len = strlen(words->from);

        if (strncmp(at, words->from, len) == 0 &&
            !(is_word(at[len - 1]) && is_word(at[len])))
            return words;
    }
    return NULL;
}

/* How long the quoted text at |at| is, with its quotes; 0: none. */
static size_t
quoted_len(const char *at)
{
    const char *end = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;

    return end ? (size_t)(end - at) + 1 : 0;
}

void
wording_put(const struct wording *words, const char *tool, const char *text,
            struct buf *out)
{
    bool is_inside = false; /* of a word */

    for (const char *at = text; *at && !is_example(at, tool);) {
        const struct wording *word = is_inside ? NULL : find_word(words, at);
        size_t len = word || is_inside ? 0 : quoted_len(at);

        if (word) {
            buf_add(out, str_of(word->to));
            at += strlen(word->from);
            is_inside = false;
            continue;
        }
        len = len ? len : 1;
        buf_add(out, (str){at, len});
        at += len;
        is_inside = is_word(at[-1]);
    }
}
