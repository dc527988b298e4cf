/*
 * Facts hold the strings that are passed, bound or returned, with the
 * definition around them.  A message is two words or more; one word alone is
 * kept only if nobody would write it for anything else.
 */
#include "index/says.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MIN = 8, KEY_MIN = 4 };

bool
says_is_message(str text)
{
    size_t words = 0;
    size_t letters = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        letters = isalpha(c) || c >= 0x80 ? letters + 1 : 0;
        words += letters == 2;
    }
    return text.len >= MESSAGE_MIN && words >= 2 &&
           memchr(text.ptr, ' ', text.len);
}

bool
says_is_key(str text)
{
    size_t upper = 0;
    size_t joints = 0;
    size_t digits = 0;
    size_t lower = 0;

    if (text.len < KEY_MIN)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (!isalnum(c) && c != '_' && c != '-')
            return false;
        upper += isupper(c) != 0;
        lower += islower(c) != 0;
        digits += isdigit(c) != 0;
        joints += i > 0 && (c == '_' || c == '-');
    }
    if (text.ptr[0] == '-')
        return text.ptr[1] == '-' && lower + upper >= 2;
    if (!isupper((unsigned char)text.ptr[0]))
        return false;
    if (!lower)
        return joints || digits || upper > KEY_MIN;
    return joints && upper > 1 && !memchr(text.ptr, '_', text.len);
}

static uint32_t
function_of(const struct resolver *r, const struct facts *facts, uint32_t file,
            uint32_t scope)
{
    uint32_t node = 0;

    for (; scope && !node; scope = facts->defs[scope].parent)
        node = resolve_node(r, file, scope);
    return node ? node : resolve_node(r, file, 0);
}

static void
read_file(const struct resolver *r, const struct facts *facts, uint32_t file,
          uint32_t most, struct code_build *build)
{
    for (uint32_t i = 1; i < facts->expr_len && !build->failed; i++) {
        const struct fact_expr *expr = &facts->exprs[i];
        str text = facts_text(facts, expr->text);

        if (expr->kind != EXPR_STRING || build->literal_len >= most)
            continue;
        text = str_cut(text, 0,
                       text.len < SAYS_BYTES_MAX ? text.len : SAYS_BYTES_MAX);
        if (!says_is_message(text) && !says_is_key(text))
            continue;
        uint32_t node = function_of(r, facts, file, expr->scope);
        if (node)
            (void)code_build_literal(build,
                                     &(struct build_literal){
                                         .text = texts_add(&build->texts, text),
                                         .node = node,
                                         .kind = LITERAL_SAID,
                                     });
    }
}

/* ---- comments ---- */

struct documenting {
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
document(struct documenting *d, const struct facts *facts, uint32_t line,
         uint32_t node)
{
    struct code_build *build = d->build;

    for (uint32_t i = comment_at(facts, line);
         i < facts->comment_len && facts->comments[i].line == line &&
         build->literal_len < d->most && !build->failed;
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
document_defs(struct documenting *d, const struct resolver *r, uint32_t file)
{
    const struct facts *facts = d->files[file].facts;

    for (uint32_t i = 1; i < facts->def_len && facts->comment_len > 1; i++) {
        uint32_t node = resolve_node(r, file, i);

        if (node)
            document(d, facts, facts->defs[i].start_line, node);
    }
}

/* What stands above the line that declares a route is about the route. */
static void
document_routes(struct documenting *d, uint32_t len)
{
    for (uint32_t i = 0; i < d->build->route_len; i++) {
        const struct build_route route = d->build->routes[i];
        bool is_served = route.method && !(route.flags & ROUTE_IS_CLIENT);

        if (is_served && route.file > 0 && route.file <= len)
            document(d, d->files[route.file - 1].facts, route.line, route.node);
    }
}

static void
body_add(struct buf *b, str t)
{
    if (t.len < 3 || t.len > 40 || b->len + t.len > 400)
        return;
    const char *at = b->len ? memmem(b->ptr, b->len, t.ptr, t.len) : NULL;
    if (at)
        return;
    buf_add_char(b, ' ');
    buf_add(b, t);
}

static void
bodies(const struct resolver *r, const struct facts *facts, uint32_t file,
       struct code_build *build)
{
    struct buf *bufs = calloc(facts->def_len + 1, sizeof(*bufs));
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        const struct fact_expr *e = &facts->exprs[i];
        if (e->scope && (e->kind == EXPR_NAME || e->kind == EXPR_MEMBER ||
                         e->kind == EXPR_PAIR || e->kind == EXPR_STRING))
            body_add(&bufs[e->scope], facts_text(facts, e->text));
    }
    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].scope)
            body_add(&bufs[facts->binds[i].scope],
                     facts_text(facts, facts->binds[i].name));
    for (uint32_t i = 1; i < facts->def_len; i++) {
        uint32_t node = resolve_node(r, file, i);
        if (node && bufs[i].len)
            code_build_literal(
                build, &(struct build_literal){
                           .text = texts_add(&build->texts, buf_str(&bufs[i])),
                           .node = node,
                           .kind = LITERAL_BODY});
        buf_fini(&bufs[i]);
    }
    free(bufs);
}

static bool
is_read(const struct facts *facts)
{
    return !(facts->flags & (FACTS_TEST | FACTS_GENERATED));
}

enum err
says_find(const struct resolver *r, const struct resolve_file *files,
          uint32_t len, struct code_build *build)
{
    uint32_t most = build->literal_len + SAYS_MAX;

    for (uint32_t i = 0; i < len && !build->failed; i++)
        if (is_read(files[i].facts))
            read_file(r, files[i].facts, i, most, build);
    struct documenting d = {files, build, build->literal_len + SAYS_MAX};
    for (uint32_t i = 0; i < len && !build->failed; i++)
        if (is_read(files[i].facts))
            document_defs(&d, r, i), bodies(r, files[i].facts, i, build);
    document_routes(&d, len);
    return build->failed ? ERR_NOMEM : OK;
}
