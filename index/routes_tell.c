/*
 * From a router up to the roots by every way, the prefixes put before the path
 * as the framework does it.
 */
#include <string.h>

#include "graph/routes.h"
#include "index/routes_marks.h"

/* How a prefix and a path become one. */
enum join {
    JOIN_PLAIN, /* as they are */
    JOIN_SLASH, /* one slash between; a path of `/` adds nothing */
    JOIN_KEEP,  /* one slash between; a path of `/` adds it */
    JOIN_BARE,  /* JOIN_SLASH, and no slash at the front */
    JOIN_GIVEN, /* JOIN_SLASH, the front as it is written */
    JOIN_REGEX, /* as they are, but the `^` of what is behind */
};

static const struct framework_info {
    const char *name;
    uint8_t join;
} infos[FW_END] = {
    [FW_NONE] = {"", JOIN_PLAIN},
    [FW_EXPRESS] = {"express", JOIN_SLASH},
    [FW_FASTIFY] = {"fastify", JOIN_SLASH},
    [FW_NESTJS] = {"nestjs", JOIN_SLASH},
    [FW_KOA] = {"koa", JOIN_SLASH},
    [FW_HAPI] = {"hapi", JOIN_SLASH},
    [FW_RESTIFY] = {"restify", JOIN_SLASH},
    [FW_CONNECT] = {"connect", JOIN_SLASH},
    [FW_HONO] = {"hono", JOIN_SLASH},
    [FW_NEXT] = {"next", JOIN_SLASH},
    [FW_SVELTEKIT] = {"sveltekit", JOIN_SLASH},
    [FW_NUXT] = {"nuxt", JOIN_SLASH},
    [FW_FLASK] = {"flask", JOIN_KEEP},
    [FW_FASTAPI] = {"fastapi", JOIN_PLAIN},
    [FW_STARLETTE] = {"starlette", JOIN_PLAIN},
    [FW_DJANGO] = {"django", JOIN_REGEX},
    [FW_AIOHTTP] = {"aiohttp", JOIN_PLAIN},
    [FW_SANIC] = {"sanic", JOIN_KEEP},
    [FW_BOTTLE] = {"bottle", JOIN_KEEP},
    [FW_PYRAMID] = {"pyramid", JOIN_KEEP},
    [FW_FALCON] = {"falcon", JOIN_PLAIN},
    [FW_TORNADO] = {"tornado", JOIN_PLAIN},
    [FW_SPRING] = {"spring", JOIN_SLASH},
    [FW_JAXRS] = {"jax-rs", JOIN_SLASH},
    [FW_MICRONAUT] = {"micronaut", JOIN_SLASH},
    [FW_KTOR] = {"ktor", JOIN_SLASH},
    [FW_JAVALIN] = {"javalin", JOIN_SLASH},
    [FW_VERTX] = {"vertx-web", JOIN_SLASH},
    [FW_SPARK] = {"spark", JOIN_PLAIN},
    [FW_NETHTTP] = {"net/http", JOIN_KEEP},
    [FW_GIN] = {"gin", JOIN_KEEP},
    [FW_ECHO] = {"echo", JOIN_PLAIN},
    [FW_CHI] = {"chi", JOIN_SLASH},
    [FW_MUX] = {"gorilla/mux", JOIN_PLAIN},
    [FW_FIBER] = {"fiber", JOIN_KEEP},
    [FW_RAILS] = {"rails", JOIN_SLASH},
    [FW_SINATRA] = {"sinatra", JOIN_PLAIN},
    [FW_GRAPE] = {"grape", JOIN_SLASH},
    [FW_ASPNET] = {"aspnetcore", JOIN_GIVEN},
    [FW_AXUM] = {"axum", JOIN_SLASH},
    [FW_ACTIX] = {"actix-web", JOIN_PLAIN},
    [FW_ROCKET] = {"rocket", JOIN_SLASH},
    [FW_LARAVEL] = {"laravel", JOIN_BARE},
    [FW_SLIM] = {"slim", JOIN_PLAIN},
    [FW_SYMFONY] = {"symfony", JOIN_SLASH},
    [FW_GRPC] = {"grpc", JOIN_PLAIN},
    [FW_CLIENT] = {"http", JOIN_PLAIN},
};

/* ---- entries, by every way up ---- */

struct ways {
    struct parts *p;
    const struct route_entry *entry;
    unsigned told;
    unsigned steps;
    unsigned apart; /* mounts on the way whose inside spans may not tell */
    uint32_t way[ROUTE_DEPTH_MAX]; /* routers from the route up to here */
    unsigned way_len;              /* of those, when a route is told */
};

static str
trim_end(str s)
{
    while (s.len > 0 && s.ptr[s.len - 1] == '/')
        s.len--;
    return s;
}

static str
trim_start(str s)
{
    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    return s;
}

static void
join_text(struct buf *out, enum join join, str prefix, str path)
{
    if (join == JOIN_PLAIN || join == JOIN_REGEX) {
        buf_add(out, prefix);
        bool is_anchored = join == JOIN_REGEX && prefix.len > 0 &&
                           path.len > 0 && path.ptr[0] == '^';
        buf_add(out, is_anchored ? str_cut(path, 1, path.len) : path);
        return;
    }
    str front = trim_end(prefix);
    str rest = trim_start(path);
    if (prefix.len == 0) {
        buf_add(out, path);
        return;
    }
    buf_add(out, front);
    if (rest.len > 0 || (path.len > 0 && join == JOIN_KEEP))
        buf_add_char(out, '/');
    buf_add(out, rest);
}

static text_id
joined(struct parts *p, enum framework framework, text_id prefix, text_id path)
{
    struct buf out = {0};

    if (!prefix)
        return path;
    str before = texts_get(&p->texts, prefix);
    str behind = texts_get(&p->texts, path);
    /* Spring puts what is behind in the place of a wildcard. */
    if (framework == FW_SPRING && behind.len > 0 && str_ends(before, "/*"))
        before.len -= 2;
    join_text(&out, (enum join)infos[framework].join, before, behind);
    return part_keep(p, &out, path);
}

/* As the framework writes it once it is whole. */
static void
add_raw(struct buf *out, enum framework framework, str path)
{
    enum join join = (enum join)infos[framework].join;

    if (join == JOIN_BARE) {
        str bare = trim_end(trim_start(path));
        buf_add(out, bare.len ? bare : STR("/"));
        return;
    }
    if (join == JOIN_SLASH || join == JOIN_KEEP) {
        if (path.len == 0 ||
            (path.ptr[0] != '/' && path.ptr[0] != '^' && path.ptr[0] != '*'))
            buf_add_char(out, '/');
    }
    if (join == JOIN_GIVEN && path.len == 0)
        buf_add_char(out, '/');
    buf_add(out, path);
}

/* `GET`, or `GET,PUT` of what a router on the way says for a route that has no
 * method of its own. */
static str
methods_of(const struct ways *w)
{
    const struct parts *p = w->p;
    str method = texts_get(&p->texts, w->entry->method);

    if (!str_eq(method, STR("ANY")))
        return method;
    for (unsigned i = 0; i < w->way_len; i++)
        if (p->routers[w->way[i]].methods)
            return texts_get(&p->texts, p->routers[w->way[i]].methods);
    return method;
}

static void
tell_variant(struct ways *w, str raw, bool is_tail, unsigned variant)
{
    struct parts *p = w->p;
    const struct route_entry *entry = w->entry;
    struct buf canonical = {0};
    bool is_client = entry->flags & ENTRY_CLIENT;
    struct code_site site = {0, 0};

    bool ok = route_canonical(raw, variant, &canonical);
    if (ok && entry->flags & ENTRY_BELOW)
        buf_add(&canonical, STR("/{**}"));
    if (!ok || canonical.failed) {
        p->failed |= canonical.failed;
        buf_fini(&canonical);
        return;
    }
    if (entry->at_def)
        site = (struct code_site){part_def(p, entry->at)->line,
                                  part_def(p, entry->at)->col};
    else
        site = (struct code_site){part_expr(p, entry->at)->line,
                                  part_expr(p, entry->at)->col};
    struct emit_route route = {
        .kind = CODE_ROUTE,
        .handler = entry->handler,
        .flags = (is_client ? ROUTE_IS_CLIENT : 0) |
                 (is_tail ? ROUTE_PREFIX_UNKNOWN : 0) |
                 (w->apart ? ROUTE_IS_MOUNTED : 0),
        .edge = is_client ? CODE_CONSUMES : CODE_HANDLES_ROUTE,
        .raw = raw,
        .canonical = buf_str(&canonical),
        .framework = str_of(infos[entry->framework].name),
        .file = entry->at.file,
        .site = site,
    };
    str methods = methods_of(w);
    for (size_t at = 0, end; at <= methods.len; at = end + 1) {
        for (end = at; end < methods.len && methods.ptr[end] != ',';)
            end++;
        route.method = str_cut(methods, at, end);
        emit_route(p, &route);
    }
    buf_fini(&canonical);
}

static void
tell(struct ways *w, text_id path, bool is_tail)
{
    struct buf raw = {0};

    w->told++;
    path = marks_act(w->p, path, w->entry->action);
    path = context_before(w->p, w->entry, path, &is_tail);
    if (w->entry->flags & (ENTRY_CLIENT | ENTRY_NAME))
        buf_add(&raw, texts_get(&w->p->texts, path));
    else
        add_raw(&raw, (enum framework)w->entry->framework,
                texts_get(&w->p->texts, path));
    if (raw.failed) {
        w->p->failed = true;
    } else {
        tell_variant(w, buf_str(&raw), is_tail, 0);
        tell_variant(w, buf_str(&raw), is_tail, 1);
    }
    buf_fini(&raw);
}

/* Routers that use each other in circles have more ways than there is time. */
static bool
is_enough(const struct ways *w)
{
    return w->told >= ROUTE_WAYS_MAX ||
           w->steps >= ROUTE_WAYS_MAX * ROUTE_DEPTH_MAX;
}

/* Whether a mount counts that is for want of others. */
static bool
has_else(const struct parts *p, const struct router *router)
{
    for (uint32_t m = router->mounts; m; m = p->mounts[m].next)
        if (!(p->mounts[m].flags & MOUNT_ELSE))
            return false;
    return true;
}

static void
climb(struct ways *w, uint32_t id, text_id path, unsigned depth)
{
    struct parts *p = w->p;
    const struct router *router = &p->routers[id];
    enum framework framework = (enum framework)w->entry->framework;

    if (depth == ROUTE_DEPTH_MAX || is_enough(w))
        return;
    w->steps++;
    for (unsigned i = 0; i < depth; i++)
        if (w->way[i] == id)
            return; /* mounted on itself, in the end */
    w->way[depth] = id;
    w->way_len = depth + 1;
    text_id own = joined(p, framework, router->prefix, path);
    if (!router->mounts && router_is_idle(p, id))
        return;
    if (router->flags & ROUTER_TAIL || !router->mounts) {
        tell(w, own, router->flags & (ROUTER_TAIL | ROUTER_OPEN));
        return;
    }
    for (uint32_t m = router->mounts; m && !is_enough(w);
         m = p->mounts[m].next) {
        const struct router_mount *mount = &p->mounts[m];
        if (mount->flags & MOUNT_ELSE && !has_else(p, router))
            continue;
        text_id whole = joined(p, framework, mount->prefix,
                               mount->flags & MOUNT_REPLACES ? path : own);
        w->apart += (mount->flags & MOUNT_APART) != 0;
        if (mount->flags & MOUNT_TAIL || !mount->parent)
            tell(w, whole, mount->flags & MOUNT_TAIL);
        else
            climb(w, mount->parent, whole, depth + 1);
        w->way_len = depth + 1;
        w->apart -= (mount->flags & MOUNT_APART) != 0;
    }
}

void
entries_tell(struct parts *p)
{
    entries_replace(p);
    for (uint32_t i = 0; i < p->entry_len && !p->failed; i++) {
        struct ways w = {.p = p, .entry = &p->entries[i]};

        if (w.entry->flags & ENTRY_GONE)
            continue;
        if (w.entry->flags & ENTRY_TAIL || !w.entry->router)
            tell(&w, w.entry->path, w.entry->flags & ENTRY_TAIL);
        else
            climb(&w, w.entry->router, w.entry->path, 0);
    }
}
