/*
 * Sinatra and Grape: calls in the body of a class, or of the file, whose
 * block is the handler.
 */
#include <string.h>

#include "index/routes_block.h"
#include "index/routes_sinatra.h"
#include "index/routes_turns.h"

enum { DEPTH_MAX = 8 };

/* The path so far; |is_tail|: what is before it is not known. */
struct ruby_path {
    struct buf text;
    bool is_tail;
};

static void
add_text(struct parts *p, struct ruby_path *path, struct at arg, bool as_param)
{
    struct buf *out = &path->text;
    struct buf text = {0};

    if (!arg.id || part_kind(p, arg) == EXPR_LAMBDA)
        return;
    struct folded folded = part_text(p, turn_of(p, arg), false, &text);
    if (!folded.ok || folded.is_tail) {
        buf_reset(out);
        path->is_tail = true;
    }
    if (folded.ok) {
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
add_blocks(struct parts *p, struct at call, struct ruby_path *out,
           unsigned depth)
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
add_class(struct parts *p, struct at call, struct ruby_path *out)
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

/* A call that puts a route. */
struct ruby_call {
    struct parts *p;
    struct at call;
    str method;
    struct sinatra_home home;
    unsigned left; /* turns that may still be taken */
    bool is_cut;   /* there were more */
    bool has_more; /* of a list, than the facts hold */
};

static void
enter(const struct ruby_call *of)
{
    struct parts *p = of->p;
    struct at last = part_last(p, of->call);
    struct ruby_path path = {.is_tail = false};

    if (of->home.framework == FW_GRAPE)
        add_class(p, of->call, &path);
    add_blocks(p, of->call, &path, 0);
    add_text(p, &path, part_arg(p, of->call, 0), false);
    bool is_known = !path.is_tail || path.text.len > 0;
    if (path.text.len == 0)
        buf_add_char(&path.text, '/');
    if (!path.text.failed && is_known)
        entry_add(p, &(struct route_entry){
                         .router = of->home.router,
                         .flags = path.is_tail ? ENTRY_TAIL : 0,
                         .handler = part_handler(p, last),
                         .method = texts_add(&p->texts, of->method),
                         .path = texts_add(&p->texts, buf_str(&path.text)),
                         .at = of->call,
                         .framework = (uint8_t)of->home.framework,
                     });
    p->failed |= path.text.failed;
    buf_fini(&path.text);
}

/* As often as the loops around |at| go, the outer ones first. */
static void
enter_turns(struct ruby_call *of, struct at at, unsigned depth)
{
    struct parts *p = of->p;
    struct at around = block_call(p, at);
    struct at lambda;
    struct at list;
    struct part_turn turn;

    if (!around.id || depth == DEPTH_MAX) {
        enter(of);
        return;
    }
    if (!turn_list(p, around, &lambda, &list)) {
        enter_turns(of, around, depth + 1);
        return;
    }
    of->has_more |= turn_is_long(p, list);
    for (uint32_t k = 0; k < part_expr(p, list)->list_len && !of->is_cut; k++) {
        if (!turn_may(p, &of->left)) {
            of->is_cut = true;
            return;
        }
        turn_begin(p, &turn, lambda, part_list(p, list, k));
        enter_turns(of, around, depth + 1);
        turn_end(p, &turn);
    }
}

static void
look_at(struct parts *p, struct at call, str method)
{
    struct ruby_call of = {.p = p,
                           .call = call,
                           .method = method,
                           .home = sinatra_home(p, call),
                           .left = TURNS_OF_CALL};
    bool is_bare = part_kind(p, part_arg(p, call, 0)) == EXPR_LAMBDA;

    if (of.home.framework == FW_NONE ||
        part_kind(p, part_last(p, call)) != EXPR_LAMBDA ||
        (of.home.framework == FW_SINATRA && is_bare))
        return;
    enter_turns(&of, call, 0);
    if (!of.is_cut && !of.has_more)
        return;
    struct part_turn open;
    turn_open(p, &open);
    enter(&of);
    turn_end(p, &open);
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
