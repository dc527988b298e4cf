/*
 * routes_symfony - Symfony's routes: attributes and annotations of controllers,
 * and the files of config/ that take them in or tell routes themselves.
 *
 * The routes of a file are a router, mounted where a configuration takes the
 * file in.  Spans tell the name of a route in place of its path: each is told
 * twice, by both.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_SYMFONY_H
#define INDEX_ROUTES_SYMFONY_H

#include "index/routes_rules.h"

enum { SYMFONY_PATHS_MAX = 16, SYMFONY_METHODS_MAX = 10 };

/* A path, of a language or of all (0). */
struct symfony_path {
    text_id locale;
    text_id text;
    bool is_tail;
};

struct symfony_paths {
    struct symfony_path at[SYMFONY_PATHS_MAX];
    unsigned len;
};

struct symfony_methods {
    text_id at[SYMFONY_METHODS_MAX]; /* none: any */
    unsigned len;
};

/* symfony_text is a path without what its parameters must be or are for want of
 * them: `/{id<\d+>?1}` is `/{id}`. */
text_id symfony_text(struct parts *p, str path);
/* symfony_joined is two texts, one behind the other. */
text_id symfony_joined(struct parts *p, text_id a, text_id b);
/* symfony_slashed is |path| with one slash at its front, the root empty. */
text_id symfony_slashed(struct parts *p, text_id path);
/* symfony_read appends the path, or those by language, that |expr| is; false:
 * it cannot be read. */
bool symfony_read(struct parts *p, struct at expr, struct symfony_paths *out);
/* symfony_verbs appends the methods that |expr| lists. */
void
symfony_verbs(struct parts *p, struct at expr, struct symfony_methods *out);

/* A route, or what a class or collection says before its own. */
struct symfony_route {
    struct symfony_paths paths;
    struct symfony_methods methods;
    text_id name;
    bool is_named; /* |name| is known */
    bool is_sole;  /* it takes the place of others of its name in the file */
};

/* symfony_enter enters |route| below |before|; |entry| says its router, handler
 * and where it stands; |file|: before its name is what is before those of the
 * file, or SYMFONY_NO_FILE. */
#define SYMFONY_NO_FILE UINT32_MAX
void symfony_enter(struct parts *p, const struct symfony_route *before,
                   const struct symfony_route *route,
                   const struct route_entry *entry, uint32_t file);

/* symfony_said reads a path, a name and methods; id 0: it is not said.  False:
 * the path cannot be read. */
struct symfony_said {
    struct at path, name, methods;
};
bool symfony_said(struct parts *p, const struct symfony_said *said,
                  struct symfony_route *out);

/* symfony_file is the router of a file. */
uint32_t symfony_file(struct parts *p, uint32_t file);

/* symfony_add enters what `$routes->add(...)` and such say in a file
 * (index/routes_symfony_php.c). */
void symfony_add(struct parts *p, uint32_t file);

void symfony_fini(struct parts *p);

#endif
