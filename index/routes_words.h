/*
 * routes_words - one and many, as ActiveSupport's inflections have it, and
 * those of Laravel nearly, too.
 *
 *     word_plural(STR("status"), text, sizeof(text));    `statuses`
 *
 * Threads    Any.
 */
#ifndef INDEX_ROUTES_WORDS_H
#define INDEX_ROUTES_WORDS_H

#include <stddef.h>

#include "base/str.h"

/* word_plural and word_singular write the other form of |word|, cut at |cap|.
 */
void word_plural(str word, char *into, size_t cap);
void word_singular(str word, char *into, size_t cap);

#endif
