/*
 * The routes that a path of a log line is of: `/orders/42` is of `/orders/{}`.
 * Segment is held against segment; where several routes fit, those with the
 * fewest variables are meant, of each method that fits.
 */
#include "mcp/tools_args.h"

#include "knowledge/text.h"
#include "mcp/tools_reply.h"

enum { TO_THE_END = 1000 /* variables; more than any path has */ };

/* A route or what was asked; a method of length 0 or `ANY` fits all. */
struct place {
    str method;
    str path;
};

static bool
read_place(str text, struct place *out)
{
    size_t slash = 0;

    text = text_trim(text);
    while (slash < text.len && text.ptr[slash] != '/')
        slash++;
    *out = (struct place){text_trim(str_cut(text, 0, slash)),
                          str_cut(text, slash, text.len)};
    for (size_t i = 0; i < out->path.len; i++)
        if (out->path.ptr[i] == '?' || out->path.ptr[i] == '#')
            out->path = str_cut(out->path, 0, i);
    /* `pkg.Service/Method` is no path. */
    return out->path.len && (slash == 0 || text.ptr[slash - 1] == ' ');
}

/* Cuts `/segment` off the front of |path|; of one more slash nothing. */
static str
next_segment(str *path)
{
    size_t begin = 0;

    while (begin < path->len && path->ptr[begin] == '/')
        begin++;
    size_t end = begin;
    while (end < path->len && path->ptr[end] != '/')
        end++;
    str segment = str_cut(*path, begin, end);
    *path = str_cut(*path, end, path->len);
    return segment;
}

/* The number of variables of |route| that |path| fills, or -1: it is none of
 * it. */
static int
variables_filled(str route, str path)
{
    int filled = 0;

    for (;;) {
        str want = next_segment(&route);
        str is = next_segment(&path);

        if (str_eq(want, STR("{**}")))
            return filled + TO_THE_END;
        if (!want.len || !is.len)
            return want.len == is.len ? filled : -1;
        if (str_eq(want, STR("{}")))
            filled++;
        else if (!str_eq(want, is))
            return -1;
    }
}

static bool
is_method(str route, str asked)
{
    const str any = STR("ANY");

    return !asked.len || str_eq(route, any) || text_same(asked, any) ||
           text_same(route, asked);
}

static void
hint_taken(struct tool_run *run, const struct ids *routes)
{
    enum { SHOWN = 5 };
    struct buf names = {0};

    for (size_t i = 0; i < routes->len && i < SHOWN; i++) {
        str name = query_node(run->view, routes->ids[i])->name;

        buf_printf(&names, "%s%.*s", i ? ", " : "", (int)name.len, name.ptr);
    }
    tool_hint(run, "'%.100s' is a path of %s%s", tool_str(run, "route").ptr,
              buf_cstr(&names), routes->len > SHOWN ? ", ..." : "");
    buf_fini(&names);
}

void
tool_of_path(struct tool_run *run, const struct ids *services, struct ids *out)
{
    struct place asked;
    int best = INT32_MAX;

    if (!read_place(tool_str(run, "route"), &asked))
        return;
    for (size_t i = 0; !run->err && i < services->len; i++) {
        const struct query_find find = {.owner = services->ids[i]};
        struct ids routes = {0};

        run->err = query_find(run->view, &find, &routes);
        for (size_t k = 0; !run->err && k < routes.len; k++) {
            struct place route;
            int filled = -1;

            if (read_place(query_node(run->view, routes.ids[k])->name,
                           &route) &&
                is_method(route.method, asked.method))
                filled = variables_filled(route.path, asked.path);
            if (filled < 0 || filled > best)
                continue;
            out->len = filled < best ? 0 : out->len;
            best = filled;
            run->err = ids_add(out, routes.ids[k]);
        }
        ids_fini(&routes);
    }
    if (!run->err && out->len)
        hint_taken(run, out);
}
