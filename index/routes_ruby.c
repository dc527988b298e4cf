/*
 * Sinatra and Grape: calls in the body of a class, or of the file, whose
 * block is the handler.
 */
#include <string.h>

#include "index/routes_block.h"
#include "index/routes_sinatra.h"
#include "index/routes_turns.h"

enum { DEPTH_MAX = 8, TURNS_MAX = 64 };

static void
add_text(struct parts *p, struct buf *out, struct at arg, bool as_param)
{
    struct buf text = {0};

    if (part_kind(p, arg) != EXPR_LAMBDA &&
        part_text(p, turn_of(p, arg), false, &text).ok) {
        str s = buf_str(&text);
        while (s.len > 0 && s.ptr[0] == '/')
            s = str_cut(s, 1, s.len);
        if (s.len > 0 || !as_param)
            buf_add(out, as_param ? STR("/:") : STR("/"));
        buf_add(out, s);
    }
    buf_fini(&text);
}

/* namespace, resource, route_param, version and prefix put paths before. */
static void
add_blocks(struct parts *p, struct at call, struct buf *out, unsigned depth)
{
    static const char *const names[] = {"namespace", "resource", "resources",
                                        "group",     "segment",  "route_param"};
    struct at around = block_call(p, call);

    if (!around.id || depth == DEPTH_MAX)
        return;
    add_blocks(p, around, out, depth + 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, around, names[i]))
            add_text(p, out, part_arg(p, around, 0),
                     block_is(p, around, "route_param"));
}

/* Grape: `prefix :api`, `version 'v1', using: :path` of the class. */
static void
add_class(struct parts *p, struct at call, struct buf *out)
{
    const struct facts *facts = part_facts(p, call.file);
    uint32_t type = part_expr(p, call)->scope;
    static const char *const names[] = {"prefix", "version"};

    while (type && facts->defs[type].kind != CODE_TYPE)
        type = facts->defs[type].parent;
    for (size_t k = 0; k < 2; k++)
        for (uint32_t i = 1; i < facts->expr_len; i++) {
            struct at at = {call.file, i};
            if (facts->exprs[i].kind != EXPR_CALL ||
                facts->exprs[i].scope != type || !block_is(p, at, names[k]))
                continue;
            struct at using = part_named(p, at, "using");
            if (k == 0 || !using.id || str_eq(part_word(p, using), STR("path")))
                add_text(p, out, part_arg(p, at, 0), false);
            break;
        }
}

static void
enter(struct parts *p, struct at call, str method, struct sinatra_home home)
{
    struct at first = part_arg(p, call, 0);
    struct at last = part_last(p, call);
    struct buf path = {0};

    if (home.framework == FW_GRAPE)
        add_class(p, call, &path);
    add_blocks(p, call, &path, 0);
    add_text(p, &path, first, false);
    if (path.len == 0)
        buf_add_char(&path, '/');
    if (!path.failed)
        entry_add(p, &(struct route_entry){
                         .router = home.router,
                         .handler = part_handler(p, last),
                         .method = texts_add(&p->texts, method),
                         .path = texts_add(&p->texts, buf_str(&path)),
                         .at = call,
                         .framework = (uint8_t)home.framework,
                     });
    p->failed |= path.failed;
    buf_fini(&path);
}

/* As often as the loops around go, the outer ones first. */
static void
enter_turns(struct parts *p, struct at call, str method,
            struct sinatra_home home, struct at at, unsigned depth)
{
    struct at around = block_call(p, at);
    struct at lambda;
    struct at list;
    struct part_turn turn;

    if (!around.id || depth == DEPTH_MAX) {
        enter(p, call, method, home);
        return;
    }
    if (!turn_list(p, around, &lambda, &list)) {
        enter_turns(p, call, method, home, around, depth + 1);
        return;
    }
    for (uint32_t k = 0; k < part_expr(p, list)->list_len && k < TURNS_MAX;
         k++) {
        turn_begin(p, &turn, lambda, part_list(p, list, k));
        enter_turns(p, call, method, home, around, depth + 1);
        turn_end(p, &turn);
    }
}

static void
look_at(struct parts *p, struct at call, str method)
{
    struct sinatra_home home = sinatra_home(p, call);
    bool is_bare = part_kind(p, part_arg(p, call, 0)) == EXPR_LAMBDA;

    if (home.framework == FW_NONE ||
        part_kind(p, part_last(p, call)) != EXPR_LAMBDA ||
        (home.framework == FW_SINATRA && is_bare))
        return;
    enter_turns(p, call, method, home, call, 0);
}

void
routes_ruby(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    sinatra_mounts(p, file);
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct at receiver = {0};
        if (facts->exprs[i].kind != EXPR_CALL || facts->exprs[i].list_len == 0)
            continue;
        receiver = part_receiver(p, call);
        if (receiver.id && part_kind(p, receiver) != EXPR_NAME)
            continue;
        str method = block_method(p, call);
        if (method.len > 0)
            look_at(p, call, method);
    }
}
