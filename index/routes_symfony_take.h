/*
 * routes_symfony_take - what configurations of Symfony take in, and where.
 *
 * Limits     SYMFONY_TAKINGS_MAX takings, SYMFONY_MEMBERS_MAX members of YAML
 *            and SYMFONY_STEPS_MAX steps of patterns a repository: what is
 *            above is not taken in.  ROUTE_WAYS_MAX names before a file's.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_SYMFONY_TAKE_H
#define INDEX_ROUTES_SYMFONY_TAKE_H

#include "index/routes_symfony.h"

enum {
    SYMFONY_TAKINGS_MAX = 10000,
    SYMFONY_MEMBERS_MAX = 100000,
    SYMFONY_STEPS_MAX = 200 * 1000 * 1000,
    SYMFONY_MOUNT_STEPS = 64, /* of those, a mount */
};

/* What is left of them. */
struct symfony_left {
    uint32_t takings, members, steps;
};
/* symfony_left is those of the repository; NULL: no memory, which is noted. */
struct symfony_left *symfony_left(struct parts *p);
/* symfony_spend takes |of| of |left|, or all and is false. */
static inline bool
symfony_spend(uint32_t *left, size_t of)
{
    bool is_enough = *left >= of;

    *left = is_enough ? *left - (uint32_t)of : 0;
    return is_enough;
}

/* Where what a configuration takes in stands. */
struct symfony_place {
    uint32_t parent; /* router; 0: the root */
    text_id prefix;
    text_id names; /* before all names */
    bool is_tail;
    unsigned depth;
    size_t yaml;                       /* 1 + the file that is walked; 0 */
    const struct symfony_place *above; /* of the file that took this in */
};

/* What is taken in, as it is written, seen from the file |from|. */
struct symfony_taken {
    str from;
    str resource;
    str type;
    const str *exclude;
    unsigned exclude_len;
};
enum { SYMFONY_EXCLUDES_MAX = 8 };
/* symfony_take mounts the files that |taken| names at |place|. */
void symfony_take(struct parts *p, const struct symfony_taken *taken,
                  const struct symfony_place *place);

/* symfony_mount mounts one file. */
void symfony_mount(struct parts *p, uint32_t file,
                   const struct symfony_place *place);

/* symfony_below is |place| with |prefix| and |names| behind its own. */
struct symfony_place
symfony_below(struct parts *p, const struct symfony_place *place, str prefix,
              str names);

/* symfony_is_root: the framework reads a file of configuration by itself. */
bool symfony_is_root(str path);

/* symfony_names is the |i|th text that stands before the names of a file's
 * routes; false: there is no such. */
bool symfony_names(struct parts *p, uint32_t file, unsigned i, text_id *out);

/* symfony_behind is the call that is called on what |call| gives, the first
 * one behind it; id 0: none.  A table is made of a file when first asked. */
struct at symfony_behind(struct parts *p, struct at call);

/* symfony_walk does what the YAML file |index| of the settings says
 * (index/routes_symfony_yaml.c), unless it is being walked: the framework
 * refuses a file that takes in itself. */
void
symfony_walk(struct parts *p, size_t index, const struct symfony_place *place);

#endif
