#include "index/written.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MIN = 3, NAME_MAX = 40 };

struct writing {
    const struct resolve_file *files;
    struct code_build *build;
    uint32_t most;
};

/* The first of the comments about |line|. */
static uint32_t
comment_at(const struct facts *facts, uint32_t line)
{
    uint32_t low = 1;
    uint32_t high = facts->comment_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (facts->comments[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
document(struct writing *w, const struct facts *facts, uint32_t line,
         uint32_t node)
{
    struct code_build *build = w->build;

    for (uint32_t i = comment_at(facts, line);
         i < facts->comment_len && facts->comments[i].line == line &&
         build->literal_len < w->most && !build->failed;
         i++)
        (void)code_build_literal(
            build,
            &(struct build_literal){
                .text = texts_add(&build->texts,
                                  facts_text(facts, facts->comments[i].text)),
                .node = node,
                .kind = LITERAL_DOC,
            });
}

static void
document_defs(struct writing *w, const struct resolver *r, uint32_t file)
{
    const struct facts *facts = w->files[file].facts;

    for (uint32_t i = 1; i < facts->def_len && facts->comment_len > 1; i++) {
        uint32_t node = resolve_node(r, file, i);

        if (node)
            document(w, facts, facts->defs[i].start_line, node);
    }
}

/* What stands above the line that declares a route is about the route. */
static void
document_routes(struct writing *w, uint32_t len)
{
    for (uint32_t i = 0; i < w->build->route_len; i++) {
        const struct build_route route = w->build->routes[i];
        bool is_served = route.method && !(route.flags & ROUTE_IS_CLIENT);

        if (is_served && route.file > 0 && route.file <= len)
            document(w, w->files[route.file - 1].facts, route.line, route.node);
    }
}

/* ---- names in bodies ---- */

/* A name that is a part of one that is there says nothing new. */
static void
add_name(struct buf *body, str name)
{
    if (name.len < NAME_MIN || name.len > NAME_MAX ||
        body->len + name.len >= BODY_BYTES_MAX ||
        (body->len && memmem(body->ptr, body->len, name.ptr, name.len)))
        return;
    if (body->len)
        buf_add_char(body, ' ');
    buf_add(body, name);
}

static void
gather_names(const struct facts *facts, struct buf *bodies)
{
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        const struct fact_expr *expr = &facts->exprs[i];
        bool is_name = expr->kind == EXPR_NAME || expr->kind == EXPR_MEMBER ||
                       expr->kind == EXPR_PAIR;

        if (is_name && expr->scope)
            add_name(&bodies[expr->scope], facts_text(facts, expr->text));
    }
    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].scope)
            add_name(&bodies[facts->binds[i].scope],
                     facts_text(facts, facts->binds[i].name));
}

static void
name_bodies(struct writing *w, const struct resolver *r, uint32_t file)
{
    const struct facts *facts = w->files[file].facts;
    struct code_build *build = w->build;
    struct buf *bodies = calloc(facts->def_len, sizeof(*bodies));

    if (!bodies) {
        build->failed = true;
        return;
    }
    gather_names(facts, bodies);
    for (uint32_t i = 1; i < facts->def_len; i++) {
        uint32_t node = resolve_node(r, file, i);

        build->failed |= bodies[i].failed;
        if (node && bodies[i].len && build->literal_len < w->most)
            (void)code_build_literal(
                build,
                &(struct build_literal){
                    .text = texts_add(&build->texts, buf_str(&bodies[i])),
                    .node = node,
                    .kind = LITERAL_BODY,
                });
        buf_fini(&bodies[i]);
    }
    free(bodies);
}

/* ---- the whole ---- */

static bool
is_read(const struct facts *facts)
{
    return !(facts->flags & (FACTS_TEST | FACTS_GENERATED));
}

enum err
written_find(const struct resolver *r, const struct resolve_file *files,
             uint32_t len, struct code_build *build)
{
    struct writing w = {files, build, build->literal_len + WRITTEN_MAX};

    for (uint32_t i = 0; i < len && !build->failed; i++)
        if (is_read(files[i].facts))
            document_defs(&w, r, i);
    document_routes(&w, len);
    w.most = build->literal_len + WRITTEN_MAX;
    for (uint32_t i = 0; i < len && !build->failed; i++)
        if (is_read(files[i].facts))
            name_bodies(&w, r, i);
    return build->failed ? ERR_NOMEM : OK;
}
