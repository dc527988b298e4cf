/*
 * The code says which function asks for which route, and publishes to or
 * consumes which topic; the folders of services say whose function it is.  What
 * is within one service is no call between services, nor is one function that
 * two services share as a library.
 */
#include <stdlib.h>
#include <string.h>

#include "api/view_impl.h"
#include "base/grow.h"
#include "graph/joined.h"
#include "model/edge.h"

#define NOBODY UINT32_MAX

struct statics_run {
    struct view_run *run;
    const struct joined *joined;
    enum query_level level;
    struct static_calls *out;
    uint32_t *services; /* by file: its service, NOBODY, or 0: not looked up */
    uint32_t *nodes; /* by vertex: an observed endpoint or topic that is it */
};

void
static_calls_fini(struct static_calls *calls)
{
    free(calls->rows);
    *calls = (struct static_calls){.len = 0};
}

static int
compare(const void *left, const void *right)
{
    const struct static_call *a = left;
    const struct static_call *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

struct static_call *
static_calls_find(const struct static_calls *calls, uint32_t source,
                  uint32_t target)
{
    const struct static_call key = {.source = source, .target = target};

    return calls->len
               ? bsearch(&key, calls->rows, calls->len, sizeof(key), compare)
               : NULL;
}

static enum err
add(struct statics_run *s, uint32_t source, uint32_t target, uint8_t kind)
{
    struct static_calls *calls = s->out;

    if (!source || !target || source == target ||
        query_node(s->run->view, target)->owner == source)
        return OK;
    if (!grow_room(calls->rows, calls->len, calls->cap))
        return ERR_NOMEM;
    calls->rows[calls->len++] =
        (struct static_call){.source = source, .target = target, .kind = kind};
    return OK;
}

static void
read_nodes(struct statics_run *s)
{
    for (uint32_t id = 1; id < s->joined->node_len; id++) {
        uint32_t vertex = joined_vertex(s->joined, s->joined->place_of[id]);
        uint8_t kind = query_node(s->run->view, id)->kind;

        if (vertex && !s->nodes[vertex] && kind != NODE_SYMBOL &&
            kind != NODE_NONE)
            s->nodes[vertex] = query_node(s->run->view, id)->target;
    }
}

static uint32_t
service_of(struct statics_run *s, uint32_t vertex)
{
    const struct join *join = s->joined->join;
    uint32_t file = code_node(s->joined->code, vertex)->file;
    uint32_t *service = &s->services[file];

    for (uint32_t i = 0; i < join->folder_len && *service == 0; i++) {
        if (join_holds(join, join->folders[i].service, file))
            *service = join->folders[i].service;
    }
    *service = *service ? *service : NOBODY;
    return *service == NOBODY ? 0 : *service;
}

/* What a call of |place| is a call of: its endpoint, at service level its
 * service; where that is not known, the service whose code it is. */
static uint32_t
target_of(struct statics_run *s, uint32_t place)
{
    uint32_t vertex = joined_vertex(s->joined, place);
    uint32_t id = vertex ? s->nodes[vertex] : joined_node(s->joined, place);
    const struct query_node *node = query_node(s->run->view, id);

    if (!id)
        return service_of(s, vertex);
    return s->level == LEVEL_SERVICE && node->owner ? node->owner
                                                    : node->target;
}

static enum err
add_arc(struct statics_run *s, uint32_t vertex, const struct joined_arc *arc)
{
    if (!(arc->evidence & BY_STATIC))
        return OK;
    switch (arc->type) {
    case CODE_CONSUMES:
        return add(s, service_of(s, vertex), target_of(s, arc->place),
                   EDGE_CALL);
    case CODE_PUBLISHES:
        return add(s, service_of(s, vertex), target_of(s, arc->place),
                   EDGE_MSG_PUB);
    default:
        return OK;
    }
}

static void
keep_once(struct static_calls *calls)
{
    size_t len = 0;

    if (calls->len)
        qsort(calls->rows, calls->len, sizeof(*calls->rows), compare);
    for (size_t i = 0; i < calls->len; i++) {
        if (i == 0 || compare(&calls->rows[i], &calls->rows[len - 1]) != 0)
            calls->rows[len++] = calls->rows[i];
    }
    calls->len = len;
}

enum err
static_calls_read(struct view_run *run, enum query_level level,
                  struct static_calls *out)
{
    struct statics_run s = {
        .run = run, .joined = run->joined, .level = level, .out = out};
    enum err err = OK;

    *out = (struct static_calls){.len = 0};
    if (!s.joined || s.joined->code->node_len <= 1)
        return OK;
    const struct code *code = s.joined->code;
    s.services = calloc((size_t)code->file_len + 1, sizeof(*s.services));
    s.nodes = calloc((size_t)code->node_len + 1, sizeof(*s.nodes));
    if (!s.services || !s.nodes) {
        err = ERR_NOMEM;
        goto out;
    }
    read_nodes(&s);
    for (uint32_t v = 1; v < code->node_len && !err; v++) {
        for (uint32_t i = s.joined->out_at[v];
             i < s.joined->out_at[v + 1] && !err; i++)
            err = add_arc(&s, v, &s.joined->out[i]);
    }
    keep_once(out);
out:
    free(s.services);
    free(s.nodes);
    return err;
}
