/*
 * nearest - what somebody probably meant.
 *
 * For errors that teach: the known name closest to a word that is none.
 *
 * Threads    Any thread.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#include "base/str.h"

/* nearest_distance is the number of single-character edits (Levenshtein)
 * between two words, at most |limit|; both are looked at up to 64 bytes. */
size_t nearest_distance(str a, str b, size_t limit);

/* nearest_name returns the one of |names| closest to |word|, the first of
 * equals, or NULL when none is near (more than a third of the word away). */
const char *nearest_name(const char *const *names, size_t len, str word);

#endif
