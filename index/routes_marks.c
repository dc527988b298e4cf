/*
 * Methods of controllers, their own and those of what their class extends.
 */
#include <string.h>

#include "index/routes_marks_heirs.h"
#include "index/routes_marks_meta.h"
#include "index/routes_nestjs.h"

struct method_marks {
    struct at of; /* what has them; the handler may be another's */
    enum framework framework;
    const char *method;
    struct at methods;  /* expr, or 0 */
    struct at of_class; /* the same of its class, beside its own */
    struct at path;     /* expr, or 0 */
    struct at mark;
    struct mark_made made; /* of NestJS, what its path is within */
    bool is_each;          /* the mark's arguments are methods, a route each */
    bool is_route;
    bool is_client;
    bool is_unplaced; /* the class has no path */
};

static struct method_marks
no_marks(struct at def)
{
    return (struct method_marks){.of = def,
                                 .methods = {def.file, 0},
                                 .of_class = {def.file, 0},
                                 .path = {def.file, 0},
                                 .mark = {def.file, 0}};
}

static void
read_said(struct parts *p, struct at mark, const struct mark_says *says,
          struct method_marks *found)
{
    const struct mark_rule *rule = says->rule;
    bool is_client =
        rule->role == MARK_CLIENT_ROUTE || rule->role == MARK_CLIENT_PREFIX;

    if (found->framework && found->framework != rule->framework)
        return;
    /* Decorators are called from the last to the first. */
    if (found->framework == FW_NESTJS && found->is_route)
        return;
    found->framework = (enum framework)rule->framework;
    if (says->path.id)
        found->path = says->path;
    if (!found->mark.id || rule->role != MARK_PREFIX)
        found->mark = mark;
    if (rule->method)
        found->method = rule->method;
    if (rule->framework == FW_NESTJS)
        found->made = says->made;
    found->is_route |=
        rule->role == MARK_ROUTE || rule->role == MARK_METHOD ||
        rule->role == MARK_VERB || rule->role == MARK_VERBS || is_client ||
        (rule->role == MARK_PREFIX && rule->framework != FW_JAXRS);
    found->is_each |= rule->role == MARK_VERBS;
    found->is_client |= is_client;
    if (rule->role == MARK_VERB || rule->role == MARK_CLIENT_PREFIX ||
        (rule->role == MARK_PREFIX && rule->framework != FW_JAXRS &&
         (says->methods.id || part_kind(p, mark) == EXPR_CALL)))
        found->methods = says->methods;
}

/* What the marks before and |mark| say together. */
static void
read_mark(struct parts *p, struct at mark, struct method_marks *found)
{
    struct mark_says says[MARK_SAYS_MAX];
    unsigned len = mark_says(p, mark, says);

    for (unsigned i = 0; i < len; i++)
        read_said(p, mark, &says[i], found);
}

static struct method_marks
read_method(struct parts *p, struct at def)
{
    struct method_marks found = no_marks(def);
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++)
        read_mark(p, mark, &found);
    return found;
}

static void
enter_method(struct parts *p, uint32_t router, struct at def,
             const struct method_marks *found, bool is_client)
{
    struct verb_rule rule = {.framework = (uint8_t)found->framework};
    struct verb_call v = {p, found->mark, router, &rule};
    uint32_t from = p->entry_len;
    uint32_t handler = resolve_node(p->r, def.file, def.id);
    struct at type = {def.file, part_def(p, def)->parent};

    if (!found->path.id)
        verb_root(&v, found->method ? str_of(found->method) : STR("ANY"),
                  found->methods, handler);
    else if (found->methods.id)
        (void)verb_routes(&v, found->methods, found->path, handler);
    else
        (void)verb_route(&v, found->method ? str_of(found->method) : STR("ANY"),
                         found->path, handler);
    for (uint32_t i = from; i < p->entry_len; i++) {
        struct route_entry *entry = &p->entries[i];
        if (found->framework == FW_ASPNET) {
            marks_aspnet(p, entry, marks_tokens(p, entry->path, type, def));
            entry->action = marks_tokens(
                p, texts_add(&p->texts, STR("[action]")), type, def);
        }
        if (found->framework == FW_VERTX ||
            (found->framework == FW_MICRONAUT && found->path.id))
            entry->path = marks_named_path(p, entry->path, def);
        if (is_client)
            entry->flags |= ENTRY_CLIENT;
    }
}

/* actix-web: `#[route("/x", method = "GET", method = "PUT")]` */
static void
enter_named(struct parts *p, uint32_t router, struct at def,
            const struct method_marks *found)
{
    struct method_marks one = *found;

    for (uint32_t i = 0; i < part_expr(p, found->mark)->list_len; i++) {
        struct at pair = part_list(p, found->mark, i);
        if (part_kind(p, pair) != EXPR_PAIR ||
            !str_eq(part_word(p, pair), STR("method")))
            continue;
        one.methods = (struct at){pair.file, part_expr(p, pair)->a};
        enter_method(p, router, def, &one, false);
    }
}

/* The same for each method that [AcceptVerbs] lists. */
static void
enter_each(struct parts *p, uint32_t router, struct at def,
           const struct method_marks *found)
{
    struct method_marks one = *found;

    for (uint32_t i = 0; found->is_each && i < part_args(p, found->mark); i++) {
        one.methods = part_arg(p, found->mark, i);
        enter_method(p, router, def, &one, false);
    }
    if (found->framework == FW_ACTIX && found->methods.id)
        enter_named(p, router, def, found);
    else if (!found->is_each)
        enter_method(p, router, def, found, false);
}

/* Where each mark of a method is a route of its own; elsewhere they say one
 * together. */
static bool
is_each_own(enum framework framework)
{
    return framework == FW_ASPNET || framework == FW_ACTIX ||
           framework == FW_ROCKET || framework == FW_VERTX ||
           framework == FW_CONTROLLERS;
}

/* What the |i|th mark alone says; false: there is none. */
static bool
read_one(struct parts *p, struct at of, uint32_t i, struct method_marks *out)
{
    struct at mark = mark_at(p, of, i);

    *out = no_marks(of);
    if (mark.id)
        read_mark(p, mark, out);
    return mark.id != 0;
}

/* ASP.NET's [Route] has its methods from each [HttpGet] and such beside it that
 * has no path; how many these are. */
static unsigned
enter_lent(struct parts *p, uint32_t router, struct at def,
           const struct method_marks *route)
{
    struct method_marks other;
    unsigned count = 0;

    for (uint32_t i = 0; read_one(p, route->of, i, &other); i++) {
        if (other.framework != FW_ASPNET || !other.method || other.path.id)
            continue;
        other.path = route->path;
        enter_each(p, router, def, &other);
        count++;
    }
    return count;
}

/* Whether [HttpGet] without a path is told by a [Route] beside it. */
static bool
is_lent(struct parts *p, const struct method_marks *verb)
{
    struct method_marks other;

    if (verb->framework != FW_ASPNET || !verb->method || verb->path.id)
        return false;
    for (uint32_t i = 0; read_one(p, verb->of, i, &other); i++)
        if (other.framework == FW_ASPNET && !other.method && other.is_route)
            return true;
    return false;
}

static void
enter_own(struct parts *p, uint32_t router, struct at def,
          const struct method_marks *one)
{
    bool is_route = one->framework == FW_ASPNET && !one->method;

    if (is_lent(p, one) || (is_route && enter_lent(p, router, def, one) > 0))
        return;
    /* [HttpPost] alone leaves where it is to a convention. */
    if (one->framework == FW_ASPNET && one->is_unplaced && !one->path.id)
        return;
    enter_each(p, router, def, one);
}

/* Of Spring, what is said of all methods of a class is beside what one says. */
static void
enter_together(struct parts *p, uint32_t router, struct at def,
               const struct method_marks *all, bool is_client)
{
    struct method_marks more = *all;

    if (!all->of_class.id || all->method || all->methods.id)
        enter_method(p, router, def, all, is_client);
    if (!all->of_class.id)
        return;
    more.method = NULL;
    more.methods = all->of_class;
    enter_method(p, router, def, &more, is_client);
}

/* |def| is told by the marks |all|, which may be of what it implements. */
static void
enter_marks(struct parts *p, uint32_t router, struct at def,
            const struct method_marks *all, bool is_client)
{
    struct method_marks one;

    if (!is_each_own(all->framework)) {
        enter_together(p, router, def, all, is_client);
        return;
    }
    for (uint32_t i = 0; read_one(p, all->of, i, &one); i++) {
        one.is_unplaced = all->is_unplaced;
        if (one.framework == all->framework && one.is_route)
            enter_own(p, router, def, &one);
    }
}

/* Of NestJS a method's path and that of its class may be what functions are
 * given that make the decorators. */
static void
enter_nestjs(struct parts *p, struct at type, struct at def,
             const struct class_marks *of, const struct method_marks *all)
{
    struct part_turn outer[MADE_DEPTH_MAX];
    struct part_turn turns[MADE_DEPTH_MAX];
    struct method_marks found = *all;
    uint32_t from = p->entry_len;

    made_begin(p, &of->made, outer);
    made_begin(p, &found.made, turns);
    if (found.path.id && !part_bare(p, found.path).id)
        found.path.id = 0;
    enter_method(p, 0, def, &found, false);
    nestjs_tell(p, from,
                &(struct nestjs_method){
                    .def = def,
                    .type = type,
                    .controller = of->mark,
                    .prefix = of->prefix,
                });
    made_end(p, &found.made, turns);
    made_end(p, &of->made, outer);
}

/* Not overridden, a method of a base serves, too: of an interface as well,
 * since what a class can be made of has a body. */
static bool
is_inheritable(const struct method_marks *found)
{
    return found->framework == FW_NESTJS || found->framework == FW_MICRONAUT ||
           found->framework == FW_CONTROLLERS ||
           marks_are_inherited(found->framework);
}

/* Where a method is told from another of its name by its parameters. */
static bool
has_overloads(const struct parts *p, uint32_t file)
{
    enum lang_id lang = (enum lang_id)part_facts(p, file)->lang;

    return lang == LANG_JAVA || lang == LANG_KOTLIN || lang == LANG_CSHARP;
}

/* A method of JAX-RS that has a path only gives what serves below it. */
static bool
is_locator(const struct method_marks *found)
{
    return found->framework == FW_JAXRS && !found->is_route && found->path.id;
}

/* Whether |base| serves in |type|, which is below its own, and by which method:
 * one that overrides it with marks of its own stands for itself. */
static bool
serves_in(struct parts *p, struct at type, struct at base,
          const struct method_marks *found, struct at *own)
{
    if (!found->is_route && !is_locator(found))
        return false;
    if (!resolve_member(p->r, type,
                        part_str(p, base.file, part_def(p, base)->name), own)) {
        /* Of a class that a function makes, it is no member to be called. */
        *own = base;
        return found->framework == FW_NESTJS;
    }
    uint8_t kind = part_def(p, *own)->kind;
    if (has_overloads(p, own->file) &&
        (kind == CODE_METHOD || kind == CODE_FUNCTION))
        marks_overload(p, base, own);
    if (own->file == base.file && own->id == base.id)
        return is_inheritable(found);
    if (found->framework == FW_NESTJS)
        return false; /* decorators are the function's, not the name's */
    struct method_marks said = read_method(p, *own);
    return !said.is_route && !is_locator(&said);
}

/* What |base| declares for |type|, which extends it. */
static void
enter_base(struct parts *p, uint32_t router, struct at type,
           const struct class_marks *of, struct at base)
{
    const struct facts *facts = part_facts(p, base.file);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at method = {base.file, d};
        struct at own;
        if (facts->defs[d].parent != base.id || !facts->defs[d].marks_len)
            continue;
        struct method_marks found = read_method(p, method);
        found.of_class = of->methods;
        found.is_unplaced = !of->prefix.id;
        /* What @HttpExchange asks of others, a controller below it serves. */
        if ((of->is_unsaid && found.framework != FW_JAXRS) ||
            (found.is_client && !of->is_controller) ||
            marks_hide(p, method, found.framework) ||
            !serves_in(p, type, method, &found, &own) ||
            marks_hide(p, own, found.framework))
            continue;
        if (is_locator(&found))
            marks_locator(p, router, own, found.path);
        else if (found.framework == FW_NESTJS)
            enter_nestjs(p, type, own, of, &found);
        else
            enter_marks(p, router, own, &found, false);
    }
}

/* The bases of |from|, a class that |type| is or extends, each once. */
static void
enter_inherited(struct parts *p, uint32_t router, struct at type,
                const struct class_marks *of, struct at from,
                struct marks_seen *seen)
{
    struct at base;

    for (uint32_t i = 0; marks_base_of(p, from, &i, &base);) {
        if (!marks_see(seen, base))
            continue;
        enter_base(p, router, type, of, base);
        enter_inherited(p, router, type, of, base, seen);
    }
}

/* What the routes of a class stand on that says nothing itself, but has
 * methods with marks; 0: they serve nothing. */
static uint32_t
unsaid_router(struct parts *p, struct at type, enum framework framework)
{
    bool is_open = framework == FW_JAXRS; /* where a locator says */

    if (framework == FW_NESTJS || framework == FW_MICRONAUT ||
        framework == FW_CONTROLLERS || framework == FW_TSOA)
        return 0;
    if (framework == FW_SPRING) {
        /* They are below its heirs; only marks or bases that are not known may
         * make it a controller, too. */
        if (part_def(p, type)->marks_len == 0 && marks_know_bases(p, type))
            return 0;
        is_open = marks_have_heirs(p, type);
    }
    uint32_t router =
        router_make(p, SPACE_DEF, type, framework, is_open ? ROUTER_OPEN : 0);
    if (!is_open)
        router_mount_at(p, router, marks_base(p, router), 0, 0);
    return router;
}

static void
look_at_method(struct parts *p, struct at def)
{
    struct at type = {def.file, part_def(p, def)->parent};
    struct method_marks found = read_method(p, def);
    struct class_marks of;

    if (!found.framework || marks_hide(p, def, found.framework))
        return;
    if (found.framework == FW_ACTIX || found.framework == FW_ROCKET) {
        uint32_t id =
            router_make(p, SPACE_DEF, def, found.framework, ROUTER_OPEN);
        if (id && found.is_route)
            enter_marks(p, id, def, &found, false);
        return;
    }
    if (part_def(p, type)->kind != CODE_TYPE &&
        part_def(p, type)->kind != CODE_INTERFACE)
        return;
    uint32_t router = marks_class(p, type, &of);
    bool is_interface = part_def(p, type)->kind == CODE_INTERFACE;
    bool is_client = of.client.id || found.is_client;
    bool is_jaxrs = found.framework == FW_JAXRS && !is_client;
    if (is_jaxrs && marks_is_open(p, type))
        router = router_make(p, SPACE_DEF, type, FW_JAXRS, ROUTER_IDLE);
    else if (marks_of_base(p, type, found.framework))
        return; /* served by what extends it */
    bool is_asked = found.is_route || (is_jaxrs && found.path.id);
    if (!is_asked || (is_interface && !is_client && !is_jaxrs))
        return;
    if (!router && !(router = unsaid_router(p, type, found.framework)))
        return;
    if (!found.is_route) {
        marks_locator(p, router, def, found.path);
        return;
    }
    if (found.framework == FW_NESTJS) {
        enter_nestjs(p, type, def, &of, &found);
        return;
    }
    found.of_class = of.methods;
    found.is_unplaced = !of.prefix.id;
    enter_marks(p, router, def, &found, is_client);
}

/* Whether a class may be a controller by what it extends, or by another part of
 * it. */
static bool
may_inherit(const struct parts *p, struct at type)
{
    enum lang_id lang = (enum lang_id)part_facts(p, type.file)->lang;

    if (marks_is_partial(p, type))
        return true;
    return part_def(p, type)->bases_len > 0 &&
           (lang == LANG_JAVA || lang == LANG_KOTLIN || lang == LANG_CSHARP);
}

static void
look_at_class(struct parts *p, struct at type)
{
    struct class_marks of;
    uint32_t router = marks_class(p, type, &of);
    bool is_base = marks_of_base(p, type, of.framework);
    struct marks_seen seen = {.len = 0};

    of.is_unsaid = of.framework == FW_NONE && marks_jaxrs_unsaid(p, type);
    if (of.is_unsaid)
        router = router_make(p, SPACE_DEF, type, FW_JAXRS, ROUTER_IDLE);
    if (!router || of.client.id || is_base)
        return;
    marks_aspnet_actions(p, router, type, &of);
    enter_inherited(p, router, type, &of, type, &seen);
}

void
routes_marks(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
        struct at def = {file, d};
        uint8_t kind = facts->defs[d].kind;
        bool has_marks = facts->defs[d].marks_len > 0;
        if (has_marks && (kind == CODE_METHOD || kind == CODE_FUNCTION))
            look_at_method(p, def);
        else if (kind == CODE_TYPE && (has_marks || may_inherit(p, def)))
            look_at_class(p, def);
    }
}
