/*
 * Symfony's routes in PHP: `$routes->add(...)` and `$routes->import(...)` of a
 * RoutingConfigurator, which a file of config/ is given, or the kernel; and
 * `$routes->add('x', new Route('/x', ...))` of a RouteCollection.
 */
#include <string.h>

#include "index/routes_block.h"
#include "index/routes_php_class.h"
#include "index/routes_symfony_take.h"

#define CONFIGURATOR "Symfony.Component.Routing.Loader.Configurator."

enum { CHAIN_MAX = 64 };

/* ---- chains ---- */

/* The calls of a chain up to and with |call|, the first one first. */
struct chain {
    struct at calls[CHAIN_MAX];
    unsigned len;
    struct at root; /* what the first is called on */
};

static void
read_chain(struct parts *p, struct at call, struct chain *out)
{
    out->len = 0;
    out->root = (struct at){call.file, 0};
    for (unsigned i = 0; i < CHAIN_MAX; i++) {
        struct at receiver = part_receiver(p, call);
        out->calls[out->len++] = call;
        out->root = receiver;
        if (!receiver.id)
            break;
        if (part_kind(p, receiver) == EXPR_NAME)
            receiver = part_bound(p, receiver);
        if (part_kind(p, receiver) != EXPR_CALL || receiver.file != call.file)
            break;
        call = receiver;
    }
}

static bool
is_of(struct parts *p, struct at expr, const char *type)
{
    struct value value;
    struct origin origin;

    return expr.id && part_type_of(p, expr, &value, &origin) &&
           value.kind != VALUE_DEF && origin_is(p, &origin, type);
}

/* Where the calls of a configuration stand: in a file that is taken in, or in
 * the kernel. */
static struct symfony_place
place_of(struct parts *p, struct at call)
{
    struct symfony_place place = {.parent = 0};
    struct at def = part_enclosing(p, call);
    bool is_kernel =
        def.id && str_eq(part_str(p, def.file, part_def(p, def)->name),
                         STR("configureRoutes"));

    if (is_kernel)
        return place;
    place.parent = symfony_file(p, call.file);
    (void)symfony_names(p, call.file, 0, &place.names);
    return place;
}

/* ---- taking in ---- */

/* What comes behind |call| in its chain, up to the next route or collection. */
static struct at
link_behind(struct parts *p, struct at call, const char *name)
{
    static const char *const ends[] = {"add", "import", "collection"};

    for (struct at next = symfony_behind(p, call); next.id;
         next = symfony_behind(p, next)) {
        if (block_is(p, next, name))
            return next;
        for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
            if (block_is(p, next, ends[k]))
                return (struct at){call.file, 0};
    }
    return (struct at){call.file, 0};
}

static struct at
behind_arg(struct parts *p, struct at call, const char *name)
{
    struct at link = link_behind(p, call, name);

    return link.id ? part_arg(p, link, 0) : link;
}

/* `'../src/'`, `__DIR__.'/../src/'`, `['path' => '../src/']` */
static bool
resource_of(struct parts *p, struct at expr, struct buf *out)
{
    struct at path = part_named(p, expr, "path");
    struct folded folded = part_text(p, path.id ? path : expr, false, out);

    if (folded.ok && folded.is_tail && out->len > 0 && out->ptr[0] == '/') {
        out->len--;
        memmove(out->ptr, out->ptr + 1, out->len);
    }
    return folded.ok && out->len > 0;
}

static void
take_at(struct parts *p, const struct symfony_taken *taken, struct at call,
        str names)
{
    struct symfony_place place = place_of(p, call);
    struct at prefix = behind_arg(p, call, "prefix");
    struct symfony_paths paths = {.len = 0};
    struct symfony_left *left = symfony_left(p);

    if (prefix.id && !symfony_read(p, prefix, &paths)) {
        paths.len = 1;
        paths.at[0] = (struct symfony_path){0, 0, true};
    }
    if (paths.len == 0)
        paths.len = 1;
    for (unsigned i = 0;
         i < paths.len && left && symfony_spend(&left->takings, 1); i++) {
        struct symfony_place below = symfony_below(
            p, &place, texts_get(&p->texts, paths.at[i].text), names);
        below.is_tail |= paths.at[i].is_tail;
        symfony_take(p, taken, &below);
    }
}

static void
take_in(struct parts *p, struct at call)
{
    struct at type = part_arg(p, call, 1);
    struct at out = part_named(p, call, "exclude");
    struct buf resource = {0};
    struct buf names = {0};
    struct buf exclude = {0};
    str one;
    struct symfony_taken taken = {.from = p->files[call.file].path,
                                  .exclude = &one};

    out = out.id ? out : part_arg(p, call, 3);
    if (out.id && resource_of(p, out, &exclude)) {
        one = buf_str(&exclude);
        taken.exclude_len = 1;
    }
    if (part_kind(p, type) == EXPR_STRING)
        taken.type = part_word(p, type);
    (void)part_text(p, behind_arg(p, call, "namePrefix"), false, &names);
    if (resource_of(p, part_arg(p, call, 0), &resource)) {
        taken.resource = buf_str(&resource);
        take_at(p, &taken, call, buf_str(&names));
    }
    p->failed |= resource.failed || names.failed || exclude.failed;
    buf_fini(&resource);
    buf_fini(&names);
    buf_fini(&exclude);
}

void
symfony_nests(struct parts *p, uint32_t file)
{
    static const struct symfony_place root = {.parent = 0};
    const struct facts *facts = part_facts(p, file);
    struct chain chain;

    if (p->round > 1 || !part_imports(p, file, "Symfony.Component.Routing"))
        return;
    if (symfony_is_root(p->files[file].path))
        symfony_mount(p, file, &root);
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || !block_is(p, call, "import"))
            continue;
        read_chain(p, call, &chain);
        if (is_of(p, chain.root, CONFIGURATOR "RoutingConfigurator"))
            take_in(p, call);
    }
}

/* ---- routes ---- */

/* The collection that a chain makes routes of, as if a class said it. */
static void
read_collection(struct parts *p, const struct chain *chain,
                struct symfony_route *out)
{
    struct symfony_said said = {.path = {chain->root.file, 0},
                                .name = {chain->root.file, 0},
                                .methods = {chain->root.file, 0}};
    bool has_name = false;

    for (unsigned i = chain->len; i-- > 0;)
        if (block_is(p, chain->calls[i], "collection")) {
            said.name = part_arg(p, chain->calls[i], 0);
            said.path = behind_arg(p, chain->calls[i], "prefix");
            said.methods = behind_arg(p, chain->calls[i], "methods");
            has_name = said.name.id != 0;
        }
    if (!symfony_said(p, &said, out)) {
        out->paths.len = 1;
        out->paths.at[0] = (struct symfony_path){0, 0, true};
    }
    for (unsigned i = 0; i < out->paths.len; i++)
        out->paths.at[i].text = symfony_slashed(p, out->paths.at[i].text);
    out->is_named |= !has_name;
}

/* `$routes->add('x', '/x')->controller(...)` */
static void
add_route(struct parts *p, struct at call, const struct chain *chain)
{
    struct symfony_place place = place_of(p, call);
    struct symfony_route before;
    struct symfony_route route;
    struct symfony_said said = {.path = part_arg(p, call, 1),
                                .name = part_arg(p, call, 0),
                                .methods = behind_arg(p, call, "methods")};

    if (!said.path.id || !symfony_said(p, &said, &route))
        return;
    read_collection(p, chain, &before);
    for (unsigned i = 0; i < route.paths.len; i++)
        route.paths.at[i].text = symfony_slashed(p, route.paths.at[i].text);
    symfony_enter(
        p, &before, &route,
        &(struct route_entry){
            .router = place.parent,
            .handler = php_answers(p, behind_arg(p, call, "controller")),
            .at = call,
        },
        place.parent ? call.file : SYMFONY_NO_FILE);
}

/* Whether something is put before a collection of |file| later. */
static bool
is_moved(const struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len; i++)
        if (facts->exprs[i].kind == EXPR_CALL &&
            block_is(p, (struct at){file, i}, "addPrefix"))
            return true;
    return false;
}

/* `$routes->add('x', new Route('/x', ['_controller' => ...], methods:
 * ['GET']))`
 */
static void
add_object(struct parts *p, struct at call, bool is_below)
{
    struct symfony_route before = {.paths = {.len = 1}};
    struct at made = part_arg(p, call, 1);
    struct symfony_route route;

    if (part_kind(p, made) != EXPR_NEW)
        made = part_bound(p, made);
    if (part_kind(p, made) != EXPR_NEW ||
        !is_of(p, made, "Symfony.Component.Routing.Route"))
        return;
    struct at defaults = part_named(p, made, "defaults");
    struct symfony_said said = {.path = part_named(p, made, "path"),
                                .name = part_arg(p, call, 0),
                                .methods = part_named(p, made, "methods")};
    said.path = said.path.id ? said.path : part_list(p, made, 0);
    said.methods = said.methods.id ? said.methods : part_list(p, made, 6);
    defaults = defaults.id ? defaults : part_list(p, made, 1);
    before.is_named = true;
    if (symfony_said(p, &said, &route))
        symfony_enter(p, &before, &route,
                      &(struct route_entry){
                          .router = symfony_file(p, call.file),
                          .flags = is_below ? ENTRY_TAIL : 0,
                          .handler = php_answers(
                              p, part_named(p, defaults, "_controller")),
                          .at = call,
                      },
                      call.file);
}

void
symfony_add(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct chain chain;

    if (!part_imports(p, file, "Symfony.Component.Routing"))
        return;
    bool is_below = is_moved(p, file);
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || !block_is(p, call, "add"))
            continue;
        read_chain(p, call, &chain);
        if (is_of(p, chain.root, CONFIGURATOR "RoutingConfigurator"))
            add_route(p, call, &chain);
        else if (is_of(p, chain.root,
                       "Symfony.Component.Routing.RouteCollection"))
            add_object(p, call, is_below);
    }
}
