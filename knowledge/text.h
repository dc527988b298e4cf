/*
 * text - words, shingles and slugs of what people write.
 *
 * Threads    Any; pure functions.
 */
#ifndef KNOWLEDGE_TEXT_H
#define KNOWLEDGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

str text_trim(str text);
/* text_same: equal but for the case of ASCII letters. */
bool text_same(str a, str b);
/* text_chars is the number of characters of |text|, UTF-8. */
size_t text_chars(str text);
/* text_cut is the first |max| characters. */
str text_cut(str text, size_t max);

/* text_next_word gives the next run of letters and digits behind |*at|; false
 * at the end. */
bool text_next_word(str text, size_t *at, str *word);
/* text_has_word: |word| is a word of |text|, in any case. */
bool text_has_word(str text, str word);
size_t text_words(str text);

/* text_split appends |name| with spaces between the parts of camelCase and
 * snake_case, behind the name itself: what full-text search is fed. */
void text_split(str name, struct buf *out);

/* text_slug appends |text| in small letters and digits with `-` between, at
 * most |max| bytes. */
void text_slug(str text, size_t max, struct buf *out);

/* text_plain_route appends |text| with each `{name}` as `{}`, each `{*name}` as
 * `{**}`, and each `:name` behind a `/` as `{}`: as routes are stored. */
void text_plain_route(str text, struct buf *out);

/* text_match_any makes of the words of |text| an FTS5 query for any of them:
 * the longest |max| different ones; empty if there is none. */
void text_match_any(str text, size_t max, struct buf *out);

/* Shingles: the set of hashes of each three words in a row. */
struct shingles {
    uint64_t *hashes; /* rising, each once */
    size_t len;
};
enum err shingles_make(str text, struct shingles *out);
void shingles_fini(struct shingles *set);
/* shingles_like is the part that both have of what either has, 0 to 1. */
double shingles_like(const struct shingles *a, const struct shingles *b);
/* shingles_key is one number for the whole set. */
uint64_t shingles_key(const struct shingles *set);

#endif
