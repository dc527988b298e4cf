/*
 * Controllers.  A class is a router of its own, with as many mounts at the root
 * as it has prefixes.
 */
#include <string.h>

#include "index/context.h"
#include "index/routes_marks_heirs.h"
#include "index/routes_marks_meta.h"

/* What |mark| says, as it stands or by its declaration. */
static void
read_said(struct class_marks *found, struct at mark,
          const struct mark_says *says)
{
    const struct mark_rule *rule = says->rule;
    bool is_spring = rule->framework == FW_SPRING;
    /* Spring's stereotypes are given a bean's name, not a path. */
    bool is_named = is_spring && rule->role == MARK_CONTROLLER;

    if (is_spring && rule->role == MARK_PREFIX && found->is_placed)
        return;

    if (found->framework == FW_NONE)
        found->framework = (enum framework)rule->framework;
    if (rule->role == MARK_CLIENT || rule->role == MARK_CLIENT_PREFIX)
        found->client = mark;
    found->is_data |= rule->role == MARK_DATA;
    found->is_controller |= rule->role == MARK_CONTROLLER || found->is_data;
    if (is_spring && rule->role == MARK_PREFIX) {
        found->is_placed = true;
        found->methods = says->methods;
    }
    if (rule->role != MARK_CLIENT && rule->role != MARK_APP && !is_named &&
        says->path.id)
        found->prefix = says->path;
    if (!found->mark.id || says->path.id)
        found->mark = rule->framework == FW_NESTJS ? says->mark : mark;
    if (rule->framework == FW_NESTJS)
        found->made = says->made;
}

/* The marks of |part| that have a rule, in turn 1 those that have none. */
static void
read_part(struct parts *p, struct at part, unsigned turn,
          struct class_marks *found)
{
    struct mark_says says[MARK_SAYS_MAX];
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, part, i)).id; i++) {
        if ((mark_rule(p, mark) == NULL) != turn)
            continue;
        unsigned len = mark_says(p, mark, says);
        for (unsigned k = 0; k < len; k++)
            read_said(found, mark, &says[k]);
    }
}

static struct class_marks
read_class(struct parts *p, struct at type)
{
    struct class_marks found = {.framework = FW_NONE,
                                .prefix = {type.file, 0},
                                .placed = type,
                                .methods = {type.file, 0},
                                .client = {type.file, 0},
                                .mark = {type.file, 0}};
    struct at part;

    /* What stands at the class is before what its annotations are made of. */
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; (part = marks_part(p, type, i)).id; i++)
            read_part(p, part, turn, &found);
    return found;
}

/* Where Spring Data REST is. */
static uint32_t
data_base(struct parts *p, struct at mark)
{
    struct context context = contexts_of(p->contexts, p->files[mark.file].path);
    uint32_t id = router_make(p, SPACE_EXPR, mark, FW_SPRING, 0);

    if (!id)
        return 0;
    p->routers[id].prefix = texts_add(&p->texts, context.data);
    if (!context.is_data_known ||
        marks_app(p, FW_SPRING, mark.file, APP_DATA).id)
        p->routers[id].flags |= ROUTER_TAIL;
    return id;
}

static void
mount_class(struct parts *p, uint32_t router, uint32_t base, struct at type,
            struct at path)
{
    struct verb_path one;

    path = part_bare(p, path);
    if (part_kind(p, path) == EXPR_ARRAY) {
        for (uint32_t i = 0; i < part_expr(p, path)->list_len; i++)
            mount_class(p, router, base, type, part_list(p, path, i));
        return;
    }
    if (!path.id)
        return;
    enum framework framework = (enum framework)p->routers[router].framework;
    if (!verb_path(p, path, &one) || !settings_cut(p, framework, &one)) {
        p->routers[router].flags |= ROUTER_TAIL;
        return;
    }
    one.text = marks_tokens(p, one.text, type, (struct at){type.file, 0});
    router_mount_at(p, router, base, one.text, one.is_tail ? MOUNT_TAIL : 0);
}

static void
mount_each_of(struct parts *p, uint32_t router, struct at type, struct at part)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, part, i)).id; i++) {
        const struct mark_rule *rule = mark_rule(p, mark);
        if (rule && rule->framework == FW_ASPNET && rule->role == MARK_PREFIX)
            mount_class(p, router, marks_base(p, router), type,
                        mark_path(p, mark));
    }
}

/* Of ASP.NET each [Route] of a class is a place of all that is in it. */
static void
mount_each(struct parts *p, uint32_t router, struct at type, struct at placed)
{
    struct at part;

    for (uint32_t i = 0; (part = marks_part(p, placed, i)).id; i++)
        mount_each_of(p, router, type, part);
}

/* `${cart.url}/v2`: what the setting says is taken for a host. */
static void
cut_host(struct parts *p, struct buf *text)
{
    struct verb_path path = {texts_add(&p->texts, buf_str(text)), false};
    bool has_more = settings_cut(p, FW_SPRING, &path);

    buf_reset(text);
    if (has_more)
        buf_add(text, texts_get(&p->texts, path.text));
}

/* `http://cart` of @FeignClient(name = "cart", path = "/api"). */
static void
mount_client(struct parts *p, uint32_t router, struct at mark)
{
    static const char *const names[] = {"url", "value",     "name",
                                        "id",  "configKey", "baseUri"};
    struct buf text = {0};
    struct folded folded = {false, false};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !folded.ok; i++)
        folded = part_text(p, part_named(p, mark, names[i]), false, &text);
    if (!folded.ok)
        (void)part_text(p, part_arg(p, mark, 0), false, &text);
    if (text.len > 0 && text.ptr[0] != '/' && text.ptr[0] != '$' &&
        !memmem(text.ptr, text.len, "://", 3)) {
        struct buf url = {0};
        buf_printf(&url, "http://%.*s", (int)text.len, text.ptr);
        buf_fini(&text);
        text = url;
    }
    if (text.len > 0 && text.ptr[0] == '$')
        cut_host(p, &text);
    struct at path = part_named(p, mark, "path");
    if (path.id)
        (void)part_text(p, path, false, &text);
    if (!text.failed && text.len > 0)
        router_mount_at(p, router, 0, texts_add(&p->texts, buf_str(&text)), 0);
    buf_fini(&text);
}

bool
marks_are_inherited(enum framework framework)
{
    return framework == FW_SPRING || framework == FW_JAXRS ||
           framework == FW_ASPNET;
}

/* ASP.NET takes public classes that stand in no other for controllers, but for
 * those that say they are none. */
static bool
is_shut_out(struct parts *p, struct at type)
{
    struct at around = {type.file, part_def(p, type)->parent};
    struct at part;
    bool is_public = false;
    bool is_none = false;

    for (uint32_t i = 0; (part = marks_part(p, type, i)).id; i++) {
        is_public |= (part_def(p, part)->flags & DEF_EXPORTED) != 0;
        is_none |= marks_have(p, part, "NonController");
    }
    return !is_public || is_none || (around.id && verb_is_type(p, around));
}

bool
marks_of_base(struct parts *p, struct at type, enum framework framework)
{
    bool is_base = framework == FW_ASPNET && is_shut_out(p, type);
    struct at part;

    if (part_def(p, type)->kind != CODE_TYPE || !marks_are_inherited(framework))
        return false;
    for (uint32_t i = 0; (part = marks_part(p, type, i)).id; i++)
        is_base |=
            (part_def(p, part)->flags & (DEF_ABSTRACT | DEF_GENERIC)) != 0;
    return is_base;
}

bool
marks_hide(const struct parts *p, struct at def, enum framework framework)
{
    if (framework == FW_ASPNET)
        return marks_have(p, def, "NonAction") ||
               !(part_def(p, def)->flags & DEF_EXPORTED) ||
               part_def(p, def)->flags & DEF_STATIC;
    return framework == FW_JAXRS && !(part_def(p, def)->flags & DEF_EXPORTED);
}

/* Crud of `extends crud(Cart)`: the class that the function returns. */
static bool
is_made_type(struct parts *p, struct at expr, struct value *out)
{
    enum lang_id lang = (enum lang_id)part_facts(p, expr.file)->lang;
    struct at def;

    if ((lang != LANG_TYPESCRIPT && lang != LANG_JAVASCRIPT) ||
        part_kind(p, expr) != EXPR_CALL ||
        !part_function(p, part_callee(p, expr), &def))
        return false;
    struct at made = part_returned(p, def, 0);
    return made.id && resolve_value(p->r, made, out) &&
           out->kind == VALUE_DEF && verb_is_type(p, out->at);
}

bool
marks_base_of(struct parts *p, struct at type, uint32_t *i, struct at *base)
{
    const struct fact_def *row = part_def(p, type);

    while (*i < row->bases_len) {
        struct at expr = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + *i]};
        struct value value;
        struct origin origin;

        ++*i;
        if (!is_made_type(p, expr, &value) &&
            (!part_type(p, expr, &value, &origin) || value.kind != VALUE_DEF))
            continue;
        *base = value.at;
        return true;
    }
    return false;
}

bool
marks_know_bases(struct parts *p, struct at type)
{
    uint32_t count = 0;
    struct at base;

    for (uint32_t i = 0; marks_base_of(p, type, &i, &base);)
        count++;
    return count == part_def(p, type)->bases_len;
}

bool
marks_see(struct marks_seen *seen, struct at base)
{
    for (uint32_t i = 0; i < seen->len; i++)
        if (seen->at[i].file == base.file && seen->at[i].id == base.id)
            return false;
    if (seen->len == MARKS_SEEN_MAX)
        return false;
    seen->at[seen->len++] = base;
    return true;
}

/* Whether |type|, which says nothing itself, is a controller for its base is.
 * Spring makes nothing of a class without a mark, unless a method of it gives
 * one; of an abstract base that is the only use. */
static bool
has_kind_of(const struct parts *p, struct at type, struct at base,
            const struct class_marks *above)
{
    if (above->framework != FW_SPRING)
        return above->prefix.id != 0;
    return above->is_controller && (part_def(p, type)->marks_len > 0 ||
                                    part_def(p, base)->flags & DEF_ABSTRACT);
}

/* Of @FeignClient a class that implements it has nothing. */
static bool
is_lent(struct parts *p, const struct class_marks *above)
{
    const struct mark_rule *rule =
        above->client.id ? mark_rule(p, above->client) : NULL;

    return !above->client.id || (rule && rule->role == MARK_CLIENT_PREFIX);
}

static void read_bases(struct parts *p, struct at type,
                       struct class_marks *found, struct marks_seen *seen);

static void
read_base(struct parts *p, struct at type, struct at base,
          struct class_marks *found, struct marks_seen *seen)
{
    struct class_marks above = read_class(p, base);

    read_bases(p, base, &above, seen);
    if (!marks_are_inherited(above.framework) || !is_lent(p, &above))
        return;
    if (found->framework == FW_NONE && has_kind_of(p, type, base, &above)) {
        found->framework = above.framework;
        found->is_controller = above.is_controller;
        found->is_data = above.is_data;
    }
    if (found->framework == above.framework) {
        found->prefix = above.prefix;
        found->placed = above.placed;
        found->methods = above.methods;
        found->is_placed = above.is_placed;
    }
}

/* What a class does not say itself, its nearest base does: where it is, and
 * that it is a controller at all.  Spring asks interfaces first. */
static void
read_bases(struct parts *p, struct at type, struct class_marks *found,
           struct marks_seen *seen)
{
    unsigned turns = found->framework == FW_SPRING ? 2 : 1;
    struct at base;

    for (unsigned turn = 0; turn < turns; turn++)
        for (uint32_t i = 0; !found->prefix.id && !found->is_placed &&
                             marks_base_of(p, type, &i, &base);) {
            bool is_class = part_def(p, base)->kind != CODE_INTERFACE;
            if ((turns == 1 || is_class == turn) && marks_see(seen, base))
                read_base(p, type, base, found, seen);
        }
}

uint32_t
marks_class(struct parts *p, struct at type, struct class_marks *found)
{
    struct at whole = marks_part(p, type, 0);
    uint32_t known = router_find(p, SPACE_DEF, whole);
    struct marks_seen seen = {.len = 0};
    struct at part;

    *found = read_class(p, type);
    bool has_bases = part_def(p, type)->kind == CODE_TYPE && !found->client.id;
    for (uint32_t i = 0; has_bases && (part = marks_part(p, type, i)).id; i++)
        if (found->framework == FW_NONE ||
            marks_are_inherited(found->framework))
            read_bases(p, part, found, &seen);
    /* Only told where it is, one that is extended is a base. */
    bool is_spring_base = found->framework == FW_SPRING &&
                          !found->is_controller && !found->client.id &&
                          marks_have_heirs(p, type);
    if (known || found->framework == FW_NONE || is_spring_base ||
        marks_of_base(p, type, found->framework) ||
        (found->framework == FW_JAXRS && !found->client.id &&
         marks_is_open(p, type)))
        return known;
    uint32_t id = router_make(p, SPACE_DEF, whole, found->framework, 0);
    if (!id)
        return 0;
    uint32_t base =
        found->is_data ? data_base(p, found->mark) : marks_base(p, id);
    if (found->client.id && !found->prefix.id)
        mount_client(p, id, found->client);
    else if (found->framework == FW_ASPNET)
        mount_each(p, id, type, found->placed);
    else if (found->framework == FW_CONTROLLERS || found->framework == FW_TSOA)
        marks_place(p, id, type, found->prefix);
    else
        mount_class(p, id, base, type, found->prefix);
    if (!p->routers[id].mounts)
        router_mount_at(p, id, base, 0, 0);
    return id;
}
