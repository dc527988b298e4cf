/*
 * SvelteKit's `src/routes/x/[id]/+server.ts`, which exports methods; Nuxt's
 * `server/api/x/[id].get.ts`, which exports what answers; Astro's
 * `src/pages/x/[id].json.ts`, which exports methods.
 */
#include "index/routes_place.h"
#include "index/routes_rules.h"

static const char svelte_config[] = "svelte.config.";
static const char nuxt_config[] = "nuxt.config.";
static const char astro_config[] = "astro.config.";

/* `.get` at the end of a name; ANY without. */
static str
method_of(str *rest)
{
    static const struct {
        const char *end;
        const char *method;
    } ends[] = {
        {".get", "GET"},         {".post", "POST"},     {".put", "PUT"},
        {".patch", "PATCH"},     {".delete", "DELETE"}, {".head", "HEAD"},
        {".options", "OPTIONS"},
    };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (str_ends(*rest, str_of(ends[i].end))) {
            rest->len -= str_of(ends[i].end).len;
            return str_of(ends[i].method);
        }
    return STR("ANY");
}

/* Only of a folder with a nuxt.config, since `server/api` is a name that others
 * use as well, next to a client that may be Nuxt's. */
static void
nuxt(struct parts *p, uint32_t file, str path)
{
    static const char *const makers[] = {
        "defineEventHandler",
        "eventHandler",
        "defineCachedEventHandler",
        "cachedEventHandler",
        "defineLazyEventHandler",
        "lazyEventHandler",
        "defineWebSocketHandler",
        "fromNodeMiddleware",
        "fromWebHandler",
        "useBase",
        NULL,
    };
    str root = {NULL, 0};
    str rest = {NULL, 0};
    bool is_api = place_split(path, "server/api/", &root, &rest);

    if ((!is_api && !place_split(path, "server/routes/", &root, &rest)) ||
        !place_configured(p, root, nuxt_config) ||
        !place_handles(p, file, makers))
        return;
    str method = method_of(&rest);
    place_default(p, file, place_path(p, is_api ? STR("/api") : STR(""), rest),
                  method, FW_NUXT);
}

/* Below src/pages; `_lib` is no part of the site. */
static void
astro(struct parts *p, uint32_t file, str path)
{
    str root = {NULL, 0};
    str rest = {NULL, 0};

    if (!place_split(path, "src/pages/", &root, &rest) ||
        !place_configured(p, root, astro_config))
        return;
    for (size_t i = 0; i < rest.len; i++)
        if (rest.ptr[i] == '_' && (i == 0 || rest.ptr[i - 1] == '/'))
            return;
    place_methods(p, file, place_path(p, STR(""), rest), FW_ASTRO);
}

void
routes_folders(struct parts *p, uint32_t file)
{
    str path = place_stem(p->files[file].path);
    str root = {NULL, 0};
    str rest = {NULL, 0};
    str folder;

    if (place_split(path, "routes/", &root, &rest) &&
        place_ends(rest, "+server", &folder)) {
        if (place_has(p, root, svelte_config, "@sveltejs/kit"))
            place_methods(p, file, place_path(p, STR(""), folder),
                          FW_SVELTEKIT);
        return;
    }
    nuxt(p, file, path);
    astro(p, file, path);
}
