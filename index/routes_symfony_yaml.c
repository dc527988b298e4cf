/*
 * Symfony's routes in YAML: what a file takes in, and routes that name their
 * controllers.  Such a route stands where its controller is; one whose
 * controller is not of the repository is not told.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "index/context.h"
#include "index/routes_php_class.h"
#include "index/routes_symfony_take.h"

static str
text_of(const cJSON *of, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(of, name);

    return cJSON_IsString(item) ? str_of(item->valuestring) : (str){"", 0};
}

/* ---- routes ---- */

static void
add_path(struct parts *p, const cJSON *item, struct symfony_paths *out)
{
    if (!cJSON_IsString(item) || out->len == SYMFONY_PATHS_MAX)
        return;
    out->at[out->len++] = (struct symfony_path){
        item->string && item->string[0]
            ? texts_add(&p->texts, str_of(item->string))
            : 0,
        symfony_text(p, str_of(item->valuestring)), false};
}

static void
read_paths(struct parts *p, const cJSON *path, struct symfony_paths *out)
{
    const cJSON *item;

    if (cJSON_IsObject(path)) {
        cJSON_ArrayForEach(item, path) add_path(p, item, out);
        return;
    }
    add_path(p, path, out);
    for (unsigned i = 0; i < out->len; i++)
        out->at[i].locale = 0; /* its name is `path` */
}

static void
add_method(struct parts *p, const cJSON *item, struct symfony_methods *out)
{
    char upper[16];

    if (cJSON_IsString(item) && out->len < SYMFONY_METHODS_MAX)
        out->at[out->len++] =
            texts_add(&p->texts, str_upper(str_of(item->valuestring), upper,
                                           sizeof(upper)));
}

static void
read_methods(struct parts *p, const cJSON *methods, struct symfony_methods *out)
{
    const cJSON *item;

    if (cJSON_IsArray(methods))
        cJSON_ArrayForEach(item, methods) add_method(p, item, out);
    else
        add_method(p, methods, out);
}

/* What stands before the routes of a file, as if a class said it. */
static struct symfony_route
place_says(const struct symfony_place *place)
{
    return (struct symfony_route){
        .paths = {.at = {{0, place->prefix, place->is_tail}}, .len = 1},
        .name = place->names,
        .is_named = true,
    };
}

static void
walk_route(struct parts *p, const cJSON *route,
           const struct symfony_place *place)
{
    const cJSON *path = cJSON_GetObjectItemCaseSensitive(route, "path");
    str controller = text_of(route, "controller");
    struct symfony_route before = place_says(place);
    struct symfony_route said = {
        .name = texts_add(&p->texts, str_of(route->string)), .is_named = true};
    struct at method;

    if (!path) /* of old */
        path = cJSON_GetObjectItemCaseSensitive(route, "pattern");
    if (controller.len == 0)
        controller = text_of(
            cJSON_GetObjectItemCaseSensitive(route, "defaults"), "_controller");
    read_paths(p, path, &said.paths);
    read_methods(p, cJSON_GetObjectItemCaseSensitive(route, "methods"),
                 &said.methods);
    if (said.paths.len == 0 || !php_method_called(p, controller, &method))
        return;
    for (unsigned i = 0; i < said.paths.len; i++)
        said.paths.at[i].text = symfony_slashed(p, said.paths.at[i].text);
    symfony_enter(p, &before, &said,
                  &(struct route_entry){
                      .router = place->parent,
                      .handler = resolve_node(p->r, method.file, method.id),
                      .at = method,
                      .at_def = true,
                  },
                  SYMFONY_NO_FILE);
}

/* ---- what is taken in ---- */

static void
take_one(struct parts *p, const struct symfony_taken *taken,
         const cJSON *import, const struct symfony_place *place)
{
    const cJSON *prefix = cJSON_GetObjectItemCaseSensitive(import, "prefix");
    str names = text_of(import, "name_prefix");
    struct symfony_left *left = symfony_left(p);
    struct symfony_place below;
    const cJSON *item;

    if (!left || !symfony_spend(&left->takings, 1))
        return;
    if (!cJSON_IsObject(prefix)) {
        below = symfony_below(p, place, text_of(import, "prefix"), names);
        symfony_take(p, taken, &below);
        return;
    }
    cJSON_ArrayForEach(item, prefix)
    {
        if (!cJSON_IsString(item))
            continue;
        if (!symfony_spend(&left->takings, 1))
            return;
        below = symfony_below(p, place, str_of(item->valuestring), names);
        symfony_take(p, taken, &below);
    }
}

static void
walk_import(struct parts *p, str from, const cJSON *import,
            const struct symfony_place *place)
{
    const cJSON *resource =
        cJSON_GetObjectItemCaseSensitive(import, "resource");
    const cJSON *exclude = cJSON_GetObjectItemCaseSensitive(import, "exclude");
    str out[SYMFONY_EXCLUDES_MAX];
    struct symfony_taken taken = {
        .from = from, .type = text_of(import, "type"), .exclude = out};
    const cJSON *item;

    if (cJSON_IsString(exclude))
        out[taken.exclude_len++] = str_of(exclude->valuestring);
    cJSON_ArrayForEach(item, exclude)
    {
        if (cJSON_IsString(item) && taken.exclude_len < SYMFONY_EXCLUDES_MAX)
            out[taken.exclude_len++] = str_of(item->valuestring);
    }
    if (cJSON_IsString(resource))
        taken.resource = str_of(resource->valuestring);
    else if (cJSON_IsObject(resource))
        taken.resource = text_of(resource, "path");
    if (taken.resource.len > 0)
        take_one(p, &taken, import, place);
    if (!cJSON_IsArray(resource))
        return;
    cJSON_ArrayForEach(item, resource)
    {
        if (!cJSON_IsString(item))
            continue;
        taken.resource = str_of(item->valuestring);
        take_one(p, &taken, import, place);
    }
}

/* |of| is a file, or what holds in one environment. */
static void
walk_members(struct parts *p, str from, const cJSON *of,
             const struct symfony_place *place, bool is_file)
{
    struct symfony_left *left = symfony_left(p);
    const cJSON *item;

    cJSON_ArrayForEach(item, of)
    {
        if (!left || !symfony_spend(&left->members, 1))
            return;
        if (!cJSON_IsObject(item) || !item->string || p->failed)
            continue;
        if (str_starts(str_of(item->string), STR("when@"))) {
            if (is_file)
                walk_members(p, from, item, place, false);
        } else if (cJSON_GetObjectItemCaseSensitive(item, "resource")) {
            walk_import(p, from, item, place);
        } else {
            walk_route(p, item, place);
        }
    }
}

void
symfony_walk(struct parts *p, size_t index, const struct symfony_place *place)
{
    const struct context_yaml *yaml = &p->contexts->symfony[index];
    struct symfony_place at = *place;

    for (const struct symfony_place *above = place; above; above = above->above)
        if (above->yaml == index + 1)
            return;
    at.yaml = index + 1;
    at.above = place;
    walk_members(p, str_of(yaml->path), yaml->root, &at, true);
}

void
symfony_open(struct parts *p)
{
    static const struct symfony_place root = {.parent = 0};

    for (size_t i = 0; i < p->contexts->symfony_len; i++)
        if (symfony_is_root(str_of(p->contexts->symfony[i].path)))
            symfony_walk(p, i, &root);
}
