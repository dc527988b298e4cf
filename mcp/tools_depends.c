/*
 * explore, mode dependencies: what something needs, what is needed first told
 * first.  Of tasks that is DEPENDS_ON; of what is observed or of code, calls.
 *
 * The walk goes down the arcs depth first and tells a spot when all below it
 * are told.  An arc to a spot that is still open closes a cycle: that very arc
 * is reported, and the way it closes.
 */
#include "mcp/tools_explore.h"

#include <stdlib.h>
#include <string.h>

#include "knowledge/task.h"
#include "mcp/json.h"
#include "mcp/tools_reply.h"

/* CYCLES_BYTES is what cycles may take of a reply: in a graph where much calls
 * each other nearly every arc closes one. */
enum { SPOTS_MAX = 500, CYCLES_BYTES = 4000 };

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

/* A spot that was met; those that are open stand on the stack. */
struct met {
    near_spot spot;
    uint32_t depth;
    uint8_t mark;
    struct near_arcs arcs;
    size_t at; /* next arc to follow */
};

struct depends {
    struct explore *e;
    struct near_types types;
    struct met *met;
    size_t len;
    size_t *stack;
    size_t stack_len;
    size_t *order; /* as they were done */
    size_t order_len;
    cJSON *cycles;
    size_t cycles_bytes;
    size_t cycles_left; /* found, and not told */
    bool is_truncated;
};

static size_t
find_met(const struct depends *d, near_spot spot)
{
    for (size_t i = 0; i < d->len; i++)
        if (d->met[i].spot == spot)
            return i;
    return SIZE_MAX;
}

static enum err
open_spot(struct depends *d, near_spot spot, uint32_t depth)
{
    struct met *met = &d->met[d->len];

    *met = (struct met){.spot = spot, .depth = depth, .mark = MARK_OPEN};
    d->stack[d->stack_len++] = d->len++;
    return near_arcs_of(d->e->n.near, spot, NEAR_OUT, &d->types, &met->arcs);
}

static enum err
put_id(struct depends *d, cJSON *object, const char *name, near_spot spot)
{
    struct object at = {0};
    enum err err = near_object(&d->e->n.know.moment, spot, &at);
    cJSON *id = json_str(buf_str(&at.gid));

    if (name)
        json_give(object, name, id);
    else
        json_push(object, id);
    object_fini(&at);
    return err;
}

/* The open spots from |target| up, and |target| again. */
static enum err
put_path(struct depends *d, cJSON *path, near_spot target)
{
    bool is_on = false;
    enum err err = OK;

    for (size_t i = 0; i < d->stack_len && !err; i++) {
        near_spot spot = d->met[d->stack[i]].spot;

        is_on |= spot == target;
        if (is_on)
            err = put_id(d, path, NULL, spot);
    }
    return err ? err : put_id(d, path, NULL, target);
}

static size_t
len_of(const cJSON *row)
{
    char *text = cJSON_PrintUnformatted(row);
    size_t len = text ? strlen(text) + 1 : 0;

    cJSON_free(text);
    return len;
}

/* A way so long that it does not fit is left out, and its arc told. */
static void
keep_cycle(struct depends *d, cJSON *row)
{
    size_t room = CYCLES_BYTES - d->cycles_bytes;
    int spots = cJSON_GetArraySize(cJSON_GetObjectItem(row, "path"));
    size_t len = len_of(row);

    if (len > room) {
        cJSON_DeleteItemFromObject(row, "path");
        put_num(row, "path_len", spots);
        len = len_of(row);
    }
    if (len > room) {
        cJSON_Delete(row);
        d->cycles_bytes = CYCLES_BYTES;
        d->cycles_left++;
        return;
    }
    if (!d->cycles)
        d->cycles =
            cJSON_AddArrayToObject(d->e->filters, "circular_dependencies");
    json_push(d->cycles, row);
    d->cycles_bytes += len;
}

static enum err
put_cycle(struct depends *d, near_spot from, near_spot target)
{
    if (d->cycles_bytes >= CYCLES_BYTES) {
        d->cycles_left++;
        return OK;
    }
    cJSON *row = cJSON_CreateObject();
    enum err err = put_id(d, row, "from", from);

    if (!err)
        err = put_id(d, row, "to", target);
    cJSON *path = cJSON_AddArrayToObject(row, "path");
    if (!err)
        err = put_path(d, path, target);
    if (err)
        cJSON_Delete(row);
    else
        keep_cycle(d, row);
    return err;
}

static enum err
step(struct depends *d)
{
    size_t top = d->stack[d->stack_len - 1];
    struct met *met = &d->met[top];

    if (met->at == met->arcs.len) {
        met->mark = MARK_DONE;
        d->order[d->order_len++] = top;
        d->stack_len--;
        return OK;
    }
    near_spot next = met->arcs.items[met->at++].spot;
    size_t known = find_met(d, next);

    if (known != SIZE_MAX)
        return d->met[known].mark == MARK_OPEN ? put_cycle(d, met->spot, next)
                                               : OK;
    if (d->len == SPOTS_MAX) {
        d->is_truncated = true;
        return OK;
    }
    return open_spot(d, next, met->depth + 1);
}

/* ---- telling ---- */

/* The tasks at the other ends of |arcs| that are not done. */
static enum err
put_open(struct depends *d, const struct near_arcs *arcs, cJSON *list)
{
    struct moment *moment = &d->e->n.know.moment;
    enum err err = OK;

    for (size_t i = 0; i < arcs->len && !err; i++) {
        struct object other = {0};
        struct task task = {0};

        err = near_object(moment, arcs->items[i].spot, &other);
        enum err none = err || !other.oid ? ERR_NOT_FOUND
                                          : task_get(moment, other.oid, &task);
        if (!none && task.status < TASK_DONE)
            json_push(list, json_str(buf_str(&other.gid)));
        task_fini(&task);
        object_fini(&other);
    }
    return err;
}

/* What it waits for, and unless it is done what waits for it. */
static enum err
put_blocking(struct depends *d, const struct met *met, int64_t oid,
             cJSON *facts)
{
    cJSON *by = cJSON_AddArrayToObject(facts, "blocked_by");
    cJSON *blocking = cJSON_AddArrayToObject(facts, "blocking");
    struct near_arcs arcs = {0};
    struct task task = {0};
    enum err err = put_open(d, &met->arcs, by);

    cJSON_AddBoolToObject(facts, "is_blocked", by && by->child);
    if (err || task_get(&d->e->n.know.moment, oid, &task))
        return err;
    if (task.status < TASK_DONE)
        err = near_arcs_of(d->e->n.near, met->spot, NEAR_IN, &d->types, &arcs);
    if (!err)
        err = put_open(d, &arcs, blocking);
    near_arcs_fini(&arcs);
    task_fini(&task);
    return err;
}

static enum err
put_done(struct depends *d, size_t at, bool *is_full)
{
    const struct met *met = &d->met[at];
    struct object object = {0};
    cJSON *row = NULL;
    enum err err = near_object(&d->e->n.know.moment, met->spot, &object);

    if (!err)
        err = near_row(&d->e->n, &object, &row);
    if (!err) {
        cJSON *facts = cJSON_GetObjectItem(row, "metadata");

        put_num(facts, "depth", met->depth);
        cJSON_AddBoolToObject(facts, "is_root", at == 0);
        if (object.oid && object.world == WORLD_KNOWLEDGE)
            err = put_blocking(d, met, object.oid, facts);
        *is_full = !explore_push(d->e, row);
    }
    object_fini(&object);
    return err;
}

static enum err
tell(struct depends *d)
{
    struct explore *e = d->e;
    size_t shown = 0;
    bool is_full = false;
    enum err err = OK;

    for (size_t i = (size_t)e->offset;
         i < d->order_len && shown < (size_t)e->limit && !err && !is_full;
         i++, shown++)
        err = put_done(d, d->order[i], &is_full);
    explore_total(e, shown, d->order_len);
    if (d->cycles)
        cJSON_AddStringToObject(e->filters, "warning",
                                "Circular dependencies detected");
    if (d->cycles_left)
        tool_hint(e->run,
                  "%zu more cycles were found: begin at an object on the way "
                  "of one",
                  d->cycles_left);
    if (d->is_truncated)
        tool_hint(e->run,
                  "more than %d dependencies: the order is of part of "
                  "them",
                  SPOTS_MAX);
    reply_summary(e->run, "%zu object%s, what is needed first told first%s",
                  d->order_len, many((int64_t)d->order_len),
                  d->cycles ? "; there are cycles" : "");
    return err;
}

/* Tasks depend by links, all else by calls. */
static enum err
pick_types(struct depends *d, const struct object *seed)
{
    bool is_added = seed->oid && seed->world <= WORLD_COMMUNITY;
    const char *const added[] = {"DEPENDS_ON", "REQUIRES"};
    const char *const calls[] = {"CALLS", "runtime_produces", "runtime_queries",
                                 "consumes_endpoint", "handles_route"};
    cJSON *words = is_added ? cJSON_CreateStringArray(added, 1)
                            : cJSON_CreateStringArray(calls, 5);
    enum err err = near_types_of(&d->e->n.know.moment, words, &d->types);

    if (is_added)
        d->types.arcs = 0;
    cJSON_Delete(words);
    return err;
}

enum err
explore_depends(struct explore *e)
{
    struct depends d = {.e = e};
    struct object seed;
    enum err err = near_seed(&e->n, "entity_id", &seed);

    d.met = calloc(SPOTS_MAX, sizeof(*d.met));
    d.stack = calloc(SPOTS_MAX, sizeof(*d.stack));
    d.order = calloc(SPOTS_MAX, sizeof(*d.order));
    if (!err && (!d.met || !d.stack || !d.order))
        err = ERR_NOMEM;
    if (!err)
        err = pick_types(&d, &seed);
    if (!err) {
        put_str(e->filters, "entity_id", buf_str(&seed.gid));
        err = open_spot(&d, near_spot_of(&seed), 0);
    }
    while (!err && d.stack_len)
        err = step(&d);
    if (!err)
        err = tell(&d);
    for (size_t i = 0; i < d.len; i++)
        near_arcs_fini(&d.met[i].arcs);
    free(d.met);
    free(d.stack);
    free(d.order);
    object_fini(&seed);
    return err;
}
