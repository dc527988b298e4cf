/*
 * Next.js: the place of a file is its route.  Only below a folder that is a
 * Next.js application: it has a next.config, or its files import `next`.
 */
#include "index/routes_place.h"
#include "index/routes_rules.h"

static const char config[] = "next.config.";

/* Of app/: `_lib` is never routed, `(.)photo` stands in for another's page. */
static bool
is_private(str folder)
{
    for (size_t i = 0; i < folder.len; i++) {
        str rest = str_cut(folder, i, folder.len);
        if ((i == 0 || folder.ptr[i - 1] == '/') &&
            (rest.ptr[0] == '_' || str_starts(rest, STR("(."))))
            return true;
    }
    return false;
}

/* Of pages/: `_app` is around the others, `404` is shown instead of one. */
static bool
is_special(str page)
{
    return page.ptr[0] == '_' || str_eq(page, STR("404")) ||
           str_eq(page, STR("500"));
}

void
routes_next(struct parts *p, uint32_t file)
{
    str path = place_stem(p->files[file].path);
    str root = {NULL, 0};
    str rest = {NULL, 0};
    str folder;

    if (part_facts(p, file)->flags & FACTS_TEST)
        return;
    if (place_split(path, "app/", &root, &rest) &&
        (place_ends(rest, "route", &folder) ||
         place_ends(rest, "page", &folder))) {
        if (is_private(folder) || !place_has(p, root, config, "next"))
            return;
        text_id at = place_path(p, STR(""), folder);
        if (str_ends(rest, STR("route")))
            place_methods(p, file, at, FW_NEXT);
        else
            place_default(p, file, at, STR("GET"), FW_NEXT);
        return;
    }
    if (!place_split(path, "pages/", &root, &rest) ||
        !place_has(p, root, config, "next") || is_special(rest))
        return;
    bool is_api = str_starts(rest, STR("api/"));
    place_default(p, file, place_path(p, STR(""), rest),
                  is_api ? STR("ANY") : STR("GET"), FW_NEXT);
}
