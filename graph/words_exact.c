/*
 * Only words that cannot be plain English are looked up, so that "order" in a
 * sentence does not name every symbol called so; BM25 finds those.
 */
#include "graph/words_exact.h"

#include <ctype.h>
#include <string.h>

#include "graph/words.h"

/* An end of names that so many have says nothing. */
enum { SUFFIX_MAX = 12 };

static bool
is_quote(char c)
{
    return strchr(" \t\r\n`'\"()[]<>,;!?", c) != NULL;
}

static bool
is_path(str word)
{
    const char *slash = memchr(word.ptr, '/', word.len);
    const char *dot = memrchr(word.ptr, '.', word.len);

    return dot && dot + 1 < word.ptr + word.len && dot > word.ptr &&
           (slash ? dot > slash : isalpha((unsigned char)dot[1]) != 0) &&
           word.ptr + word.len - dot <= 8 && word.ptr[0] != '/';
}

static bool
is_identifier(str word)
{
    bool has_letter = false;

    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];
        bool is_inner = i > 0 && i + 1 < word.len;

        has_letter |= isalpha(c) != 0;
        if (is_inner &&
            (c == '_' || c == '.' || c == ':' || c == '#' ||
             (isupper(c) && islower((unsigned char)word.ptr[i - 1]))))
            return has_letter;
    }
    return false;
}

bool
words_next(str *rest, str *word, enum words_kind *kind)
{
    size_t from = 0;
    size_t to;

    while (from < rest->len && is_quote(rest->ptr[from]))
        from++;
    for (to = from; to < rest->len && !is_quote(rest->ptr[to]);)
        to++;
    if (from == to)
        return false;
    *word = str_cut(*rest, from, to);
    *rest = str_cut(*rest, to, rest->len);
    while (word->len > 1 && strchr(".:", word->ptr[word->len - 1]))
        word->len--;
    if (word->ptr[0] == '/' && word->len > 1)
        *kind = WORD_ROUTE;
    else if (is_path(*word))
        *kind = WORD_PATH;
    else
        *kind = is_identifier(*word) ? WORD_IDENTIFIER : WORD_PLAIN;
    return true;
}

struct naming {
    const struct joined *joined;
    struct query_view *view;
    struct ids *out;
    enum err err;
};

static void
add_place(struct naming *n, uint32_t place)
{
    if (place == 0 || n->err || n->out->len >= WORDS_EXACT_MAX)
        return;
    for (size_t i = 0; i < n->out->len; i++)
        if (n->out->ids[i] == place)
            return;
    n->err = ids_add(n->out, place);
}

static void
add_resolved(struct naming *n, str word)
{
    struct ids ids = {0};
    enum err err = code_resolve(n->joined->code, word, 0, &ids);

    if (err && err != ERR_NOT_FOUND)
        n->err = err;
    for (size_t i = 0; i < ids.len && ids.len <= SUFFIX_MAX; i++)
        add_place(n, ids.ids[i]);
    ids_fini(&ids);
}

static void
add_file(struct naming *n, str path)
{
    const struct code *code = n->joined->code;
    struct ids files = {0};

    n->err = code_file_by_path(code, 0, path, &files);
    for (size_t i = 0; i < files.len && !n->err; i++) {
        uint32_t len;
        const uint32_t *nodes = code_file_nodes(code, files.ids[i], &len);
        for (uint32_t k = 0; k < len; k++)
            if (code_node(code, nodes[k])->kind != CODE_FILE)
                add_place(n, nodes[k]);
    }
    ids_fini(&files);
}

static void
add_routes(struct naming *n, str path)
{
    const struct code *code = n->joined->code;
    struct buf ends = {0};
    struct ids ids = {0};

    for (uint32_t i = 0; i < code->route_len; i++) {
        const struct code_route *route = &code->routes[i];
        if (str_eq(route->raw, path) || str_eq(route->canonical, path))
            add_place(n, route->handler ? route->handler : route->node);
    }
    if (memchr(path.ptr, '*', path.len))
        return;
    buf_add(&ends, STR("* "));
    buf_add(&ends, path);
    const struct query_find find = {.kinds = 1u << NODE_ROUTE,
                                    .name = buf_str(&ends)};
    if (!n->err)
        n->err = ends.failed ? ERR_NOMEM : query_find(n->view, &find, &ids);
    for (size_t i = 0; i < ids.len; i++)
        add_place(n, joined_place(n->joined, ids.ids[i]));
    ids_fini(&ids);
    buf_fini(&ends);
}

/* Services, topics, RPC methods and the like, by their whole name. */
static void
add_observed(struct naming *n, str word)
{
    const struct query_find find = {.name = word};
    struct ids ids = {0};

    if (n->err || memchr(word.ptr, '*', word.len))
        return;
    n->err = query_find(n->view, &find, &ids);
    for (size_t i = 0; i < ids.len; i++)
        add_place(n, joined_place(n->joined, ids.ids[i]));
    ids_fini(&ids);
}

enum err
words_find_exact(const struct joined *joined, struct query_view *view, str task,
                 struct ids *out)
{
    struct naming n = {joined, view, out, OK};
    enum words_kind kind;
    str word;

    for (size_t i = 0;
         i < WORDS_READ_MAX && !n.err && words_next(&task, &word, &kind); i++) {
        add_observed(&n, word);
        if (kind == WORD_ROUTE)
            add_routes(&n, word);
        if (kind == WORD_PATH && !n.err)
            add_file(&n, word);
        if (!n.err && (kind == WORD_IDENTIFIER || kind == WORD_PATH))
            add_resolved(&n, word);
    }
    return n.err;
}
