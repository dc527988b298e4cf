/*
 * routes_django_file - the files of Django's patterns.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_DJANGO_FILE_H
#define INDEX_ROUTES_DJANGO_FILE_H

#include "index/routes_parts.h"

/* django_module is the file that `'shop.urls'` names, or the package; |from|
 * asks: of several the one of its project. */
bool django_module(struct parts *p, str module, uint32_t from, uint32_t *out);

/* django_patterns is the file whose `urlpatterns` the name or member |expr|
 * is, whatever else is added to them there. */
bool django_patterns(struct parts *p, struct at expr, uint32_t *out);

/* django_is_urls: `router.urls`, `api.urls` of Django Ninja, `admin.site.urls`;
 * django_urls_router is the router that they are of, or 0. */
bool django_is_urls(const struct parts *p, struct at expr);
uint32_t django_urls_router(struct parts *p, struct at urls);

#endif
