/*
 * match - does a name fit a pattern, and how far is it from another.
 *
 * Threads    Any thread; pure functions.
 */
#ifndef BASE_MATCH_H
#define BASE_MATCH_H

#include <stdbool.h>

#include "base/str.h"

/* match_glob: `*` is any run of bytes, `?` any one; the rest is literal, also
 * `{**}`, which ends the names of catch-all routes. */
bool match_glob(str pattern, str text);

/* match_like is SQL's LIKE: `%` and `_`, ASCII letters in either case. */
bool match_like(str pattern, str text);

/* match_path is one pattern of CODEOWNERS or .gitignore: `*` and `?` stay
 * within a part of the path, `**` does not; a `/` before its end ties it to the
 * root; it fits a folder with all below, but `*` behind `dir/` only what lies
 * in dir itself. */
bool match_path(str pattern, str path);

/* match_distance is how many letters must be added, dropped, changed or
 * swapped with their neighbour; case does not count.  Beyond 64 bytes only the
 * first 64 are looked at. */
unsigned match_distance(str a, str b);

#endif
