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
    JOIN_FRONT, /* as they are, but slashes at the end of what is before */
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
    [FW_CONTROLLERS] = {"routing-controllers", JOIN_PLAIN},
    [FW_TSOA] = {"tsoa", JOIN_SLASH},
    [FW_KOA] = {"koa", JOIN_SLASH},
    [FW_HAPI] = {"hapi", JOIN_SLASH},
    [FW_RESTIFY] = {"restify", JOIN_SLASH},
    [FW_CONNECT] = {"connect", JOIN_SLASH},
    [FW_HONO] = {"hono", JOIN_SLASH},
    [FW_ELYSIA] = {"elysia", JOIN_SLASH},
    [FW_POLKA] = {"polka", JOIN_SLASH},
    [FW_NEXT] = {"next", JOIN_SLASH},
    [FW_SVELTEKIT] = {"sveltekit", JOIN_SLASH},
    [FW_NUXT] = {"nuxt", JOIN_SLASH},
    [FW_ASTRO] = {"astro", JOIN_SLASH},
    [FW_FLASK] = {"flask", JOIN_KEEP},
    [FW_FASTAPI] = {"fastapi", JOIN_PLAIN},
    [FW_STARLETTE] = {"starlette", JOIN_PLAIN},
    [FW_DJANGO] = {"django", JOIN_REGEX},
    [FW_NINJA] = {"django-ninja", JOIN_KEEP},
    [FW_AIOHTTP] = {"aiohttp", JOIN_PLAIN},
    [FW_SANIC] = {"sanic", JOIN_KEEP},
    [FW_BOTTLE] = {"bottle", JOIN_KEEP},
    [FW_PYRAMID] = {"pyramid", JOIN_KEEP},
    [FW_FALCON] = {"falcon", JOIN_PLAIN},
    [FW_LITESTAR] = {"litestar", JOIN_SLASH},
    [FW_TORNADO] = {"tornado", JOIN_PLAIN},
    [FW_SPRING] = {"spring", JOIN_SLASH},
    [FW_JAXRS] = {"jax-rs", JOIN_SLASH},
    [FW_MICRONAUT] = {"micronaut", JOIN_SLASH},
    [FW_KTOR] = {"ktor", JOIN_SLASH},
    [FW_JAVALIN] = {"javalin", JOIN_SLASH},
    [FW_VERTX] = {"vertx-web", JOIN_SLASH},
    [FW_SPARK] = {"spark", JOIN_PLAIN},
    [FW_SERVLET] = {"servlet", JOIN_PLAIN},
    [FW_NETHTTP] = {"net/http", JOIN_KEEP},
    [FW_GIN] = {"gin", JOIN_KEEP},
    [FW_ECHO] = {"echo", JOIN_PLAIN},
    [FW_CHI] = {"chi", JOIN_SLASH},
    [FW_MUX] = {"gorilla/mux", JOIN_FRONT},
    [FW_FIBER] = {"fiber", JOIN_KEEP},
    [FW_HTTPROUTER] = {"httprouter", JOIN_PLAIN},
    [FW_FASTHTTP] = {"fasthttp/router", JOIN_PLAIN},
    [FW_HERTZ] = {"hertz", JOIN_KEEP},
    [FW_IRIS] = {"iris", JOIN_SLASH},
    [FW_GOZERO] = {"go-zero", JOIN_SLASH},
    [FW_RAILS] = {"rails", JOIN_SLASH},
    [FW_SINATRA] = {"sinatra", JOIN_PLAIN},
    [FW_GRAPE] = {"grape", JOIN_SLASH},
    [FW_ASPNET] = {"aspnetcore", JOIN_GIVEN},
    [FW_AXUM] = {"axum", JOIN_SLASH},
    [FW_ACTIX] = {"actix-web", JOIN_PLAIN},
    [FW_ROCKET] = {"rocket", JOIN_SLASH},
    [FW_POEM] = {"poem", JOIN_SLASH},
    [FW_SALVO] = {"salvo", JOIN_SLASH},
    [FW_LARAVEL] = {"laravel", JOIN_BARE},
    [FW_SLIM] = {"slim", JOIN_PLAIN},
    [FW_SYMFONY] = {"symfony", JOIN_SLASH},
    [FW_LAMBDA] = {"aws-lambda", JOIN_PLAIN},
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
    bool is_cut; /* a way went on deeper than that, or was another turn's */
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
    if (join == JOIN_PLAIN || join == JOIN_FRONT || join == JOIN_REGEX) {
        buf_add(out, join == JOIN_FRONT ? trim_end(prefix) : prefix);
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

/* Puts |prefix| before |path|, in |text| where there is one; false where that
 * is longer than paths are told. */
static bool
joined(struct parts *p, enum framework framework, text_id prefix, str path,
       struct buf *text, str *whole)
{
    *whole = path;
    if (!prefix)
        return true;
    str before = texts_get(&p->texts, prefix);
    /* Spring puts what is behind in the place of a wildcard. */
    if (framework == FW_SPRING && path.len > 0 && str_ends(before, STR("/*")))
        before.len -= 2;
    join_text(text, (enum join)infos[framework].join, before, path);
    p->failed |= text->failed;
    *whole = buf_str(text);
    return whole->len <= ROUTE_PATH_MAX;
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

/* Sanic's version and what is before it, each of the route or of what is
 * nearest to it. */
static text_id
before_all(const struct ways *w, text_id path)
{
    struct parts *p = w->p;
    struct route_version near = w->entry->version;
    struct buf version = {0};
    struct buf whole = {0};

    for (unsigned i = 0; i < w->way_len; i++) {
        const struct route_version *own = &p->routers[w->way[i]].version;
        near.number = near.number ? near.number : own->number;
        near.prefix = near.prefix ? near.prefix : own->prefix;
    }
    if (!near.number)
        return path;
    buf_add(&version,
            near.prefix ? texts_get(&p->texts, near.prefix) : STR("/v"));
    buf_add(&version, texts_get(&p->texts, near.number));
    join_text(&whole, (enum join)infos[w->entry->framework].join,
              buf_str(&version), texts_get(&p->texts, path));
    p->failed |= version.failed;
    buf_fini(&version);
    return part_keep(p, &whole, path);
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
tell(struct ways *w, str whole, bool is_tail)
{
    struct parts *p = w->p;
    struct buf raw = {0};

    p->further_ways += w->told > 0;
    w->told++;
    text_id path = marks_act(p, texts_add(&p->texts, whole), w->entry->action);
    if (!is_tail)
        path = before_all(w, path);
    path = context_before(p, w->entry, path, &is_tail);
    if (w->entry->flags & (ENTRY_CLIENT | ENTRY_NAME))
        buf_add(&raw, texts_get(&p->texts, path));
    else
        add_raw(&raw, (enum framework)w->entry->framework,
                texts_get(&p->texts, path));
    p->failed |= raw.failed || p->texts.failed;
    if (!p->failed) {
        tell_variant(w, buf_str(&raw), is_tail, 0);
        tell_variant(w, buf_str(&raw), is_tail, 1);
    }
    buf_fini(&raw);
}

/* Routers that use each other in circles have more ways than there is time, and
 * many routes with many ways are more than there is room for. */
static bool
is_enough(const struct ways *w)
{
    const struct parts *p = w->p;

    return p->failed || w->told >= ROUTE_WAYS_MAX ||
           w->steps >= ROUTE_WAYS_MAX * ROUTE_DEPTH_MAX ||
           (w->told > 0 && p->further_ways >= ROUTE_FURTHER_WAYS_MAX) ||
           (w->steps > ROUTE_DEPTH_MAX &&
            p->further_steps >= ROUTE_FURTHER_STEPS_MAX);
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

static void climb(struct ways *w, uint32_t id, str path, unsigned depth);

/* By one mount; |path| is without the router's own prefix. */
static void
climb_mount(struct ways *w, const struct router_mount *mount, str path, str own,
            unsigned depth)
{
    enum framework framework = (enum framework)w->entry->framework;
    struct buf text = {0};
    str front = mount->flags & MOUNT_REPLACES ? path : own;
    str whole;

    w->apart += (mount->flags & MOUNT_APART) != 0;
    if (!joined(w->p, framework, mount->prefix, front, &text, &whole))
        tell(w, front, true);
    else if (mount->flags & MOUNT_TAIL || !mount->parent)
        tell(w, whole, mount->flags & MOUNT_TAIL);
    else
        climb(w, mount->parent, whole, depth + 1);
    w->way_len = depth + 1;
    w->apart -= (mount->flags & MOUNT_APART) != 0;
    buf_fini(&text);
}

/* Whether the router |id| is another one in each turn of the loop over |over|,
 * in whose body it was made. */
static bool
is_made_in(const struct parts *p, uint32_t id, struct at over)
{
    const struct router *router = &p->routers[id];

    return router->space == SPACE_EXPR && router->at.file == over.file &&
           router->at.id > over.id;
}

/* What one turn puts on a router is not below what another mounts, if each has
 * a router of its own. */
static bool
is_other_turn(const struct ways *w, uint32_t id, const struct put_in *mount)
{
    const struct put_in *own = &w->entry->put;

    for (unsigned i = 0; i < PUT_LOOPS_MAX && own->by[i].over.id; i++)
        for (unsigned k = 0; k < PUT_LOOPS_MAX && mount->by[k].over.id; k++) {
            struct at over = own->by[i].over;
            bool is_same = mount->by[k].over.id == over.id &&
                           mount->by[k].over.file == over.file;
            if (is_same && mount->by[k].item.id != own->by[i].item.id &&
                is_made_in(w->p, id, over))
                return true;
        }
    return false;
}

/* The first mount of |id| from |m| on, or without those on its copies. */
static uint32_t
mount_from(const struct parts *p, uint32_t id, uint32_t m, bool with_copies)
{
    while (m && !with_copies && p->routers[p->mounts[m].parent].copy_of == id)
        m = p->mounts[m].next;
    return m;
}

/* What is mounted where |id| is: what one run made and nobody mounts stands
 * where the function itself mounts those of all runs. */
static uint32_t
mounted_for(const struct parts *p, uint32_t id)
{
    uint32_t of = id;

    while (p->routers[of].copy_of &&
           !mount_from(p, of, p->routers[of].mounts, of == id))
        of = p->routers[of].copy_of;
    return of;
}

static void
climb_mounts(struct ways *w, uint32_t id, str path, str own, unsigned depth)
{
    struct parts *p = w->p;
    uint32_t of = mounted_for(p, id);
    const struct router *router = &p->routers[of];
    uint32_t m = mount_from(p, of, router->mounts, of == id);

    if (!m && router_is_idle(p, id))
        return;
    if (p->routers[id].flags & ROUTER_TAIL || !m) {
        tell(w, own, p->routers[id].flags & (ROUTER_TAIL | ROUTER_OPEN));
        return;
    }
    for (; m && !is_enough(w);
         m = mount_from(p, of, p->mounts[m].next, of == id)) {
        const struct router_mount *mount = &p->mounts[m];
        bool is_other = is_other_turn(w, id, &mount->put);
        w->is_cut |= is_other;
        if (is_other || (mount->flags & MOUNT_ELSE && !has_else(p, router)))
            continue;
        climb_mount(w, mount, path, own, depth);
    }
}

static void
climb(struct ways *w, uint32_t id, str path, unsigned depth)
{
    struct parts *p = w->p;
    enum framework framework = (enum framework)w->entry->framework;
    struct buf text = {0};
    str own;

    w->is_cut |= depth == ROUTE_DEPTH_MAX;
    if (depth == ROUTE_DEPTH_MAX || is_enough(w))
        return;
    p->further_steps += w->steps >= ROUTE_DEPTH_MAX;
    w->steps++;
    for (unsigned i = 0; i < depth; i++)
        if (w->way[i] == id)
            return; /* mounted on itself, in the end */
    w->way[depth] = id;
    w->way_len = depth + 1;
    bool is_bare = depth == 0 && w->entry->flags & ENTRY_BARE;
    if (joined(p, framework, is_bare ? 0 : p->routers[id].prefix, path, &text,
               &own))
        climb_mounts(w, id, path, own, depth);
    else
        tell(w, path, true);
    buf_fini(&text);
}

/* Of a route that none of the ways looked at leads to the root, what is before
 * it is not known. */
static void
tell_entry(struct parts *p, const struct route_entry *entry)
{
    struct ways w = {.p = p, .entry = entry};
    struct buf path = {0};

    /* Texts that are kept may move. */
    buf_add(&path, texts_get(&p->texts, entry->path));
    p->failed |= path.failed;
    if (entry->flags & ENTRY_TAIL || !entry->router)
        tell(&w, buf_str(&path), entry->flags & ENTRY_TAIL);
    else
        climb(&w, entry->router, buf_str(&path), 0);
    if (w.told == 0 && (w.is_cut || is_enough(&w)) && !p->failed)
        tell(&w, buf_str(&path), true);
    buf_fini(&path);
}

void
entries_tell(struct parts *p)
{
    entries_replace(p);
    for (uint32_t i = 0; i < p->entry_len && !p->failed; i++)
        if (!(p->entries[i].flags & ENTRY_GONE))
            tell_entry(p, &p->entries[i]);
}
