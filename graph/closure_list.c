/*
 * What is told of one row at a time, for those that are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/closure_impl.h"
#include "graph/code_find.h"

const struct closure_row *
closure_row(const struct closure *closure, size_t i)
{
    static const struct closure_row none = {0};

    return closure && i < closure->len ? &closure->rows[i] : &none;
}

void
closure_list_fini(struct closure_list *list)
{
    free(list->rows);
    *list = (struct closure_list){0};
}

static enum err
add(struct closure_list *list, size_t max, const struct closure_code *row)
{
    if (list->total++ >= max)
        return OK;
    struct closure_code *rows =
        realloc(list->rows, (list->len + 1) * sizeof(*rows));
    if (!rows)
        return ERR_NOMEM;
    list->rows = rows;
    rows[list->len++] = *row;
    return OK;
}

static struct closure_code
describe(const struct closure *closure, uint32_t vertex)
{
    uint8_t mark = closure->marks[vertex];

    return (struct closure_code){
        .vertex = vertex,
        .is_live = mark & CLOSURE_LIVE,
        .is_test = code_node(closure->joined->code, vertex)->flags & CODE_TEST,
        .is_tested = mark & CLOSURE_TESTED,
        .is_open = mark & CLOSURE_OPEN,
    };
}

/* ---- callers ---- */

/* The first place of the call, in the file of its source. */
static uint32_t
line_of(const struct joined *joined, const struct joined_arc *arc)
{
    const struct code *code = joined->code;

    if (arc->type == CODE_CONSUMES || arc->link >= code->edge_len)
        return code_node(code, arc->place)->line;
    const struct code_link *link = &code->out[arc->link];
    if (link->site_len == 0)
        return code_node(code, arc->place)->line;
    return code->sites[link->site_at].line;
}

enum err
closure_callers(const struct closure *closure, size_t i, size_t max,
                struct closure_list *out)
{
    const struct closure_row *row = closure_row(closure, i);
    enum err err = OK;

    *out = (struct closure_list){0};
    if (row->handler == 0)
        return OK;
    /* Live ones first, tests last. */
    const struct joined *joined = closure->joined;
    uint32_t from = joined->in_at[row->handler];
    uint32_t to = joined->in_at[row->handler + 1];
    for (int pass = 0; pass < 3 && !err; pass++) {
        uint32_t last = 0;
        for (uint32_t k = from; k < to && !err; k++) {
            const struct joined_arc *arc = &joined->in[k];
            if (!closure_calls(arc) || arc->place >= joined->code->node_len ||
                arc->place == last)
                continue;
            last = arc->place;
            struct closure_code code = describe(closure, arc->place);
            int rank = code.is_live ? 0 : code.is_test ? 2 : 1;
            if (rank != pass)
                continue;
            code.line = line_of(joined, arc);
            err = add(out, max, &code);
        }
    }
    if (err)
        closure_list_fini(out);
    return err;
}

/* ---- what could go with it ---- */

enum err
closure_code(struct closure *closure, size_t i, size_t max,
             struct closure_list *out)
{
    const struct joined *joined = closure->joined;
    uint32_t handler = closure_row(closure, i)->handler;
    enum err err = OK;

    *out = (struct closure_list){0};
    if (!(closure->marks[handler] & CLOSURE_DEAD) ||
        !(closure->marks[handler] & CLOSURE_GONE))
        return OK;
    uint32_t *queue = malloc((size_t)joined->code->node_len * sizeof(*queue));
    if (!queue)
        return ERR_NOMEM;
    uint32_t list = ++closure->list;
    uint32_t len = 1;
    queue[0] = handler;
    closure->scratch[handler] = list;
    for (uint32_t at = 0; at < len && !err; at++) {
        uint32_t from = queue[at];
        if (closure_is_told(closure, from)) {
            const struct closure_code code = describe(closure, from);
            err = add(out, max, &code);
        }
        for (uint32_t k = joined->out_at[from]; k < joined->out_at[from + 1];
             k++) {
            const struct joined_arc *arc = &joined->out[k];
            if (!closure_carries(closure, from, arc, true) ||
                !(closure->marks[arc->place] & CLOSURE_GONE) ||
                closure->scratch[arc->place] == list)
                continue;
            closure->scratch[arc->place] = list;
            queue[len++] = arc->place;
        }
    }
    free(queue);
    if (err)
        closure_list_fini(out);
    return err;
}

/* ---- why it may be alive ---- */

enum err
closure_path(const struct closure *closure, size_t i, uint32_t **path,
             size_t *len)
{
    const struct closure_row *row = closure_row(closure, i);
    size_t steps = 0;

    *path = NULL;
    *len = 0;
    if (row->caller == 0)
        return OK;
    for (uint32_t v = row->caller; v; v = closure->parents[v])
        steps++;
    uint32_t *out = malloc((steps + 1) * sizeof(*out));
    if (!out)
        return ERR_NOMEM;
    out[steps] = row->handler;
    *len = steps + 1;
    for (uint32_t v = row->caller; v; v = closure->parents[v])
        out[--steps] = v;
    *path = out;
    return OK;
}

/* ---- where, and whose ---- */

static uint32_t
file_of(const struct closure *closure, size_t i, uint32_t *line)
{
    const struct closure_row *row = closure_row(closure, i);

    *line = 0;
    if (!closure)
        return 0;
    const struct code *code = closure->joined->code;
    if (row->handler) {
        *line = code_node(code, row->handler)->line;
        return code_node(code, row->handler)->file;
    }
    if (row->route == 0)
        return 0;
    *line = code->routes[row->route - 1].line;
    return code->routes[row->route - 1].file;
}

bool
closure_place(const struct closure *closure, size_t i, str *file,
              uint32_t *line)
{
    uint32_t id = file_of(closure, i, line);

    *file = id ? closure->joined->code->files[id].path : (str){"", 0};
    return id != 0;
}

bool
closure_each_owner(const struct closure *closure, size_t i,
                   closure_owner_fn *fn, void *ctx)
{
    uint32_t line;
    uint32_t file = file_of(closure, i, &line);
    uint32_t first = 0;
    uint32_t end = 0;

    if (file == 0)
        return false;
    const struct code *code = closure->joined->code;
    if (code_owners_of(code, code->files[file].repo, code->files[file].path,
                       &first, &end)) {
        for (uint32_t k = first; k < end; k++)
            if (fn(ctx, code->owners[k].owner))
                return true;
        return false;
    }
    const struct code_author *best = NULL;
    code_authors_of(code, file, &first, &end);
    for (uint32_t k = first; k < end; k++)
        if (!best || code->authors[k].commits > best->commits)
            best = &code->authors[k];
    return best && fn(ctx, best->author);
}

struct joining_text {
    struct buf *out;
    const char *sep;
    bool is_next;
};

static bool
append(void *ctx, str owner)
{
    struct joining_text *text = ctx;

    if (text->is_next)
        buf_add(text->out, str_of(text->sep));
    buf_add(text->out, owner);
    text->is_next = true;
    return false;
}

void
closure_owners(const struct closure *closure, size_t i, const char *sep,
               struct buf *out)
{
    struct joining_text text = {out, sep, false};

    (void)closure_each_owner(closure, i, append, &text);
}

/* `@shop/payments` is also known as payments. */
static bool
is_owner(void *ctx, str owner)
{
    str asked = *(const str *)ctx;

    if (owner.len && owner.ptr[0] == '@')
        owner = str_cut(owner, 1, owner.len);
    if (asked.len && asked.ptr[0] == '@')
        asked = str_cut(asked, 1, asked.len);
    if (str_eq(owner, asked))
        return true;
    const char *slash = owner.len ? memrchr(owner.ptr, '/', owner.len) : NULL;
    return slash &&
           str_eq(str_cut(owner, (size_t)(slash + 1 - owner.ptr), owner.len),
                  asked);
}

void
closure_keep_owner(struct closure *closure, struct audit *audit, str owner)
{
    size_t kept = 0;

    memset(audit->by_verdict, 0, sizeof(audit->by_verdict));
    for (size_t i = 0; i < audit->len; i++) {
        if (!closure_each_owner(closure, i, is_owner, &owner))
            continue;
        audit->by_verdict[audit->routes[i].verdict]++;
        audit->routes[kept] = audit->routes[i];
        closure->rows[kept] = closure->rows[i];
        kept++;
    }
    audit->len = kept;
    closure->len = kept;
}
