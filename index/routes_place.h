/*
 * routes_place - routes that the place of a file says.
 *
 * Next.js, SvelteKit, Nuxt and Astro: folders are the segments of the path, and
 * the file exports what answers.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_PLACE_H
#define INDEX_ROUTES_PLACE_H

#include "index/routes_router.h"

/* `web` of `web/src/app/x/route.ts`, if |folder| is `app/`; |rest| is what is
 * below it. */
bool place_split(str path, const char *folder, str *root, str *rest);
/* A path without the extension of its file. */
str place_stem(str path);
/* The last segment is |name|: what is before it. */
bool place_ends(str path, const char *name, str *before);

/* place_has says whether below |root| there is a file whose path begins with
 * |config|, or one that imports |module|. */
bool
place_has(struct parts *p, str root, const char *config, const char *module);
/* place_configured: a file of |root| itself begins with |config|. */
bool place_configured(struct parts *p, str root, const char *config);
/* place_handles: what a file exports by default is a function, wraps one, or
 * is made by one of |makers|, up to NULL. */
bool place_handles(struct parts *p, uint32_t file, const char *const *makers);

/* The route of |rest|, kept in p->texts, behind |front|: without groups,
 * slots and a last `index`. */
text_id place_path(struct parts *p, str front, str rest);

/* place_methods enters what the file exports by the names of methods,
 * functions or what wraps them; place_default what it exports by default. */
void place_methods(struct parts *p, uint32_t file, text_id path,
                   enum framework framework);
void place_default(struct parts *p, uint32_t file, text_id path, str method,
                   enum framework framework);
/* place_named enters what a file of JavaScript exports as |name|, as |entry|
 * says; also if it exports nothing by that name that is seen. */
void place_named(struct parts *p, uint32_t file, str name,
                 const struct route_entry *entry);

#endif
