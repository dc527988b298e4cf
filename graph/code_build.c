/*
 * Ten arrays that double, and a block of text.  Row 0 of files and nodes means
 * none, so an index that could not be given is a harmless one; the other
 * tables are never pointed into, and begin at 0.  A failed append is
 * remembered, and the caller looks once, at the end.
 */
#include "graph/code_build.h"

#include <stdlib.h>

#include "base/grow.h"

#define ROOM(build, rows, len, cap)                 \
    ((!(build)->failed && (len) < BUILD_ROWS_MAX && \
      grow_room(rows, len, cap)) ||                 \
     fail(build))

static bool
fail(struct code_build *build)
{
    build->failed = true;
    return false;
}

enum err
code_build_init(struct code_build *build)
{
    *build = (struct code_build){0};
    enum err err = texts_init(&build->texts, 0);
    if (err)
        return err;
    code_build_file(build, &(struct build_file){0});
    code_build_node(build, &(struct build_node){0});
    if (build->failed) {
        code_build_fini(build);
        return ERR_NOMEM;
    }
    return OK;
}

void
code_build_fini(struct code_build *build)
{
    free(build->files);
    free(build->nodes);
    free(build->edges);
    free(build->sites);
    free(build->routes);
    free(build->services);
    free(build->exposures);
    free(build->owners);
    free(build->literals);
    free(build->authors);
    texts_fini(&build->texts);
    *build = (struct code_build){0};
}

uint32_t
code_build_file(struct code_build *build, const struct build_file *row)
{
    if (!ROOM(build, build->files, build->file_len, build->file_cap))
        return 0;
    build->files[build->file_len] = *row;
    return build->file_len++;
}

uint32_t
code_build_node(struct code_build *build, const struct build_node *row)
{
    if (!ROOM(build, build->nodes, build->node_len, build->node_cap))
        return 0;
    build->nodes[build->node_len] = *row;
    return build->node_len++;
}

uint32_t
code_build_edge(struct code_build *build, const struct build_edge *row)
{
    if (!ROOM(build, build->edges, build->edge_len, build->edge_cap))
        return 0;
    build->edges[build->edge_len] = *row;
    return build->edge_len++;
}

uint32_t
code_build_site(struct code_build *build, struct code_site site)
{
    if (!ROOM(build, build->sites, build->site_len, build->site_cap))
        return 0;
    build->sites[build->site_len] = site;
    return build->site_len++;
}

uint32_t
code_build_route(struct code_build *build, const struct build_route *row)
{
    if (!ROOM(build, build->routes, build->route_len, build->route_cap))
        return 0;
    build->routes[build->route_len] = *row;
    return build->route_len++;
}

uint32_t
code_build_service(struct code_build *build, const struct build_service *row)
{
    if (!ROOM(build, build->services, build->service_len, build->service_cap))
        return 0;
    build->services[build->service_len] = *row;
    return build->service_len++;
}

uint32_t
code_build_exposure(struct code_build *build, const struct build_exposure *row)
{
    if (!ROOM(build, build->exposures, build->exposure_len,
              build->exposure_cap))
        return 0;
    build->exposures[build->exposure_len] = *row;
    return build->exposure_len++;
}

uint32_t
code_build_owner(struct code_build *build, const struct build_owner *row)
{
    if (!ROOM(build, build->owners, build->owner_len, build->owner_cap))
        return 0;
    build->owners[build->owner_len] = *row;
    return build->owner_len++;
}

uint32_t
code_build_literal(struct code_build *build, const struct build_literal *row)
{
    if (!ROOM(build, build->literals, build->literal_len, build->literal_cap))
        return 0;
    build->literals[build->literal_len] = *row;
    return build->literal_len++;
}

uint32_t
code_build_author(struct code_build *build, const struct build_author *row)
{
    if (!ROOM(build, build->authors, build->author_len, build->author_cap))
        return 0;
    build->authors[build->author_len] = *row;
    return build->author_len++;
}
