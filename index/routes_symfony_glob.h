/*
 * routes_symfony_glob - patterns of paths, as Symfony's configuration has them.
 *
 * `*` and `?` stand for what is in a folder, `**` for any folders, `{a,b}` for
 * one of its texts.  What they cost is taken from |left|; once it is 0 nothing
 * fits.
 *
 * Memory     glob_read, glob_fini, also where it failed.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_SYMFONY_GLOB_H
#define INDEX_ROUTES_SYMFONY_GLOB_H

#include "base/buf.h"

enum { GLOB_CHOICES_MAX = 64, GLOB_LEN_MAX = 1024 };

struct glob {
    struct buf
        texts; /* without braces, one behind the other; first the whole */
    str whole;
    str choices[GLOB_CHOICES_MAX];
    unsigned len;
    bool failed; /* out of memory */
};

/* glob_read reads |pattern|; false: it is empty, longer than GLOB_LEN_MAX
 * bytes, has more than GLOB_CHOICES_MAX choices, or nothing is left for it. */
bool glob_read(str pattern, uint32_t *left, struct glob *out);
void glob_fini(struct glob *g);

/* glob_front is what all paths that fit begin with. */
str glob_front(const struct glob *g);

/* glob_fits says whether |path| is what |g| names; |is_below|: or is in a
 * folder that it names. */
bool glob_fits(const struct glob *g, str path, bool is_below, uint32_t *left);

#endif
