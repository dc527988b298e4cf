/*
 * routing-controllers: where the servers that are made of classes put them.
 *
 *     createExpressServer({ routePrefix: '/api', controllers: [Users] })
 *
 * Each such call is a router with that prefix.  A class is below each whose
 * list has it; where none has, below the only one of its application whose
 * list does not stand in the code, as one of folders does not.  Elsewhere what
 * is before it is not known; nor is it before those of tsoa, which the code
 * that is generated of them and its settings say.
 */
#include <string.h>

#include "index/routes_marks.h"

static bool
is_server(struct parts *p, struct at callee)
{
    static const char *const names[] = {
        "routing-controllers.createExpressServer",
        "routing-controllers.useExpressServer",
        "routing-controllers.createKoaServer",
        "routing-controllers.useKoaServer",
    };
    struct origin origin;

    if (!part_origin(p, callee, &origin))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (origin_is(p, &origin, names[i]))
            return true;
    return false;
}

/* `api` is put before others as `/api`, `v1/api` as it is. */
static text_id
rooted(struct parts *p, text_id prefix)
{
    str text = texts_get(&p->texts, prefix);
    struct buf out = {0};

    if (text.len == 0 || memchr(text.ptr, '/', text.len))
        return prefix;
    buf_add_char(&out, '/');
    buf_add(&out, text);
    return part_keep(p, &out, prefix);
}

void
marks_server(struct parts *p, struct at call)
{
    struct verb_path path = {0, false};
    struct at options = {call.file, 0};

    if (!is_server(p, part_callee(p, call)) ||
        part_facts(p, call.file)->flags & FACTS_TEST)
        return;
    /* useExpressServer(app, ..) */
    str word = part_word(p, part_callee(p, call));
    size_t before = str_starts(word, STR("use")) ? 1 : 0;
    bool has_options = part_args(p, call) > before;
    bool is_known =
        !has_options || (part_literal(p, part_last(p, call), &options) &&
                         part_kind(p, options) == EXPR_OBJECT);
    struct at prefix = {call.file, 0};
    if (is_known && has_options)
        prefix = part_named(p, options, "routePrefix");
    if (prefix.id && !verb_prefix(p, prefix, &path))
        path.is_tail = true;
    uint32_t id = router_make(p, SPACE_EXPR, call, FW_CONTROLLERS, 0);
    if (!id)
        return;
    p->routers[id].prefix = rooted(p, path.text);
    if (!is_known || path.is_tail)
        p->routers[id].flags |= ROUTER_TAIL;
    struct at app = part_arg(p, call, 0);
    uint32_t parent = before || part_args(p, call) > 1 ? router_of(p, app) : 0;
    if (parent)
        router_mount_at(p, id, parent, 0, 0);
    marks_add_app(p, FW_CONTROLLERS, call, id, APP_PREFIX);
}

/* The list of classes that |call| is given, or id 0. */
static struct at
list_of(struct parts *p, struct at call)
{
    struct at none = {call.file, 0};
    struct at options;
    struct at list;

    if (part_args(p, call) == 0 ||
        !part_literal(p, part_last(p, call), &options) ||
        part_kind(p, options) != EXPR_OBJECT)
        return none;
    list = part_named(p, options, "controllers");
    return list.id && part_literal(p, list, &list) &&
                   part_kind(p, list) == EXPR_ARRAY
               ? list
               : none;
}

struct listing {
    bool has;     /* the class */
    bool is_open; /* others than those that stand there */
};

static struct listing
look_for(struct parts *p, struct at call, struct at type)
{
    struct at list = list_of(p, call);
    struct listing found = {.is_open = list.id == 0};
    uint32_t len = list.id ? part_expr(p, list)->list_len : 0;

    for (uint32_t i = 0; i < len; i++) {
        struct at item = part_list(p, list, i);
        struct value value;
        bool is_class = part_kind(p, item) != EXPR_SPREAD &&
                        resolve_value(p->r, item, &value) &&
                        value.kind == VALUE_DEF;
        found.is_open |= !is_class;
        found.has |=
            is_class && value.at.file == type.file && value.at.id == type.id;
    }
    return found;
}

static void
place_listed(struct parts *p, uint32_t router, struct at type, text_id prefix,
             unsigned flags)
{
    bool is_listed = false;
    uint32_t open = 0;
    unsigned open_len = 0;
    struct marks_app_at app;

    for (uint32_t i = 0; marks_app_next(p, FW_CONTROLLERS, &i, &app);) {
        struct listing listing = look_for(p, app.at, type);
        if (listing.has)
            router_mount_at(p, router, app.router, prefix, flags);
        is_listed |= listing.has;
        if (!listing.is_open || !marks_app_holds(p, app.at.file, type.file))
            continue;
        open = app.router;
        open_len++;
    }
    if (!is_listed)
        router_mount_at(p, router, open_len == 1 ? open : 0, prefix,
                        open_len == 1 ? flags : MOUNT_TAIL);
}

void
marks_place(struct parts *p, uint32_t router, struct at type, struct at path)
{
    struct verb_path prefix = {0, false};

    if (path.id && !verb_path(p, path, &prefix))
        prefix.is_tail = true;
    if (p->routers[router].framework == FW_CONTROLLERS)
        place_listed(p, router, type, prefix.text,
                     prefix.is_tail ? MOUNT_TAIL : 0);
    else
        router_mount_at(p, router, 0, prefix.text, MOUNT_TAIL);
}
