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

/* nearest_name returns the one of |names| closest to |word| (match_distance),
 * the first of equals, or NULL when none is near: a third of the word and one
 * more letter. */
const char *nearest_name(const char *const *names, size_t len, str word);

#endif
