/*
 * Sinatra and Grape: calls in the body of a class, or of the file, whose
 * block is the handler.
 */
#include "index/routes_ruby.h"

#include "index/routes_block.h"
#include "index/routes_grape.h"
#include "index/routes_sinatra.h"
#include "index/routes_turns.h"

enum { DEPTH_MAX = 8 };

void
ruby_path_add(struct parts *p, struct ruby_path *path, struct at arg,
              bool as_param)
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
        if (out->len > 0 && out->ptr[out->len - 1] == '/')
            out->len--; /* a mount at `/`, or one that ends with it */
        if (s.len > 0 || !as_param)
            buf_add(out, as_param ? STR("/:") : STR("/"));
        buf_add(out, s);
    }
    buf_fini(&text);
}

void
ruby_path_enter(struct parts *p, struct ruby_path *path,
                struct route_entry entry)
{
    bool is_known = !path->is_tail || path->text.len > 0;

    if (path->text.len == 0)
        buf_add_char(&path->text, '/');
    if (!path->text.failed && is_known) {
        entry.flags = path->is_tail ? ENTRY_TAIL : 0;
        entry.path = texts_add(&p->texts, buf_str(&path->text));
        entry_add(p, &entry);
    }
    p->failed |= path->text.failed;
    buf_fini(&path->text);
}

bool
ruby_is_space(const struct parts *p, struct at call, bool *is_param)
{
    static const char *const names[] = {"namespace", "resource", "resources",
                                        "group", "segment"};

    *is_param = block_is(p, call, "route_param");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return *is_param;
}

/* What the blocks around put before the path. */
static void
add_blocks(struct parts *p, struct at call, struct ruby_path *out,
           unsigned depth)
{
    struct at around = block_call(p, call);
    bool is_param;

    if (!around.id || depth == DEPTH_MAX)
        return;
    add_blocks(p, around, out, depth + 1);
    if (ruby_is_space(p, around, &is_param))
        ruby_path_add(p, out, part_arg(p, around, 0), is_param);
}

/* A call that puts a route. */
struct ruby_call {
    struct parts *p;
    struct at call;
    str method; /* empty: of Grape, `route` says it */
    struct sinatra_home home;
    unsigned left; /* turns that may still be taken */
    bool is_cut;   /* there were more */
    bool has_more; /* of a list, than the facts hold */
};

static void
enter(const struct ruby_call *of)
{
    struct parts *p = of->p;
    struct ruby_path path = {.is_tail = false};

    if (of->home.framework == FW_GRAPE) {
        grape_enter(p, of->call);
        return;
    }
    add_blocks(p, of->call, &path, 0);
    ruby_path_add(p, &path, part_arg(p, of->call, 0), false);
    ruby_path_enter(p, &path,
                    (struct route_entry){
                        .router = of->home.router,
                        .handler = part_handler(p, part_last(p, of->call)),
                        .method = texts_add(&p->texts, of->method),
                        .at = of->call,
                        .framework = (uint8_t)of->home.framework,
                    });
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
        (of.home.framework == FW_SINATRA && (is_bare || method.len == 0)))
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
        if (method.len > 0 || block_is(p, call, "route"))
            look_at(p, call, method);
    }
}
