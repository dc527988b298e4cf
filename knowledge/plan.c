/*
 * Order: what a task depends on comes before it; among what may come next, by
 * priority, then the order people gave, then blocked last, then by age.
 * Circles are broken where that costs least: a part of tasks that wait for each
 * other is listed in the same order among itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/cycles.h"
#include "knowledge/evidence.h"
#include "knowledge/links.h"
#include "knowledge/work.h"

enum { CYCLES_MAX = 100 };

/* Tasks with what they depend on, as arcs. */
struct net {
    struct task_list tasks;
    uint32_t *at;
    uint32_t *to;
    uint32_t *part;
    uint32_t part_len;
    double *deadness; /* of removal tasks: days without a call */
};

static void
net_fini(struct net *net)
{
    task_list_fini(&net->tasks);
    free(net->at);
    free(net->to);
    free(net->part);
    free(net->deadness);
}

static uint32_t
find_task(const struct net *net, int64_t oid)
{
    size_t low = 0;
    size_t high = net->tasks.len;

    while (low < high) { /* they are by oid */
        size_t mid = (low + high) / 2;

        if (net->tasks.items[mid].oid < oid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < net->tasks.len && net->tasks.items[low].oid == oid
               ? (uint32_t)low
               : UINT32_MAX;
}

static enum err /* NOLINTNEXTLINE(readability-non-const-parameter) */
add_arc(struct net *net, uint32_t at, uint32_t to, uint32_t *cap)
{
    if (!grow_room(net->to, at, *cap))
        return ERR_NOMEM;
    net->to[at] = to;
    return OK;
}

static enum err
add_arcs(struct moment *moment, struct net *net, uint32_t v, uint32_t *cap)
{
    struct link_list links = {0};
    uint32_t len = net->at[v];
    enum err err = links_of(moment, net->tasks.items[v].oid, LINK_OUT,
                            "DEPENDS_ON", &links);

    for (size_t i = 0; i < links.len && !err; i++) {
        uint32_t to = find_task(net, links.items[i].other);

        if (to != UINT32_MAX)
            err = add_arc(net, len++, to, cap);
    }
    net->at[v + 1] = len;
    link_list_fini(&links);
    return err;
}

static enum err
net_make(struct moment *moment, int64_t project, struct net *net)
{
    uint32_t cap = 0;
    enum err err = tasks_of(moment, project, &net->tasks);
    size_t len = net->tasks.len;

    if (err)
        return err;
    net->at = calloc(len + 1, sizeof(*net->at));
    net->part = calloc(len + 1, sizeof(*net->part));
    net->deadness = calloc(len + 1, sizeof(*net->deadness));
    if (!net->at || !net->part || !net->deadness)
        return ERR_NOMEM;
    for (uint32_t v = 0; v < len && !err; v++)
        err = add_arcs(moment, net, v, &cap);
    const struct arcs arcs = {net->at, net->to, (uint32_t)len};
    return err ? err : cycles_parts(&arcs, net->part, &net->part_len);
}

/* ---- prioritize ---- */

static int
compare_tasks(const struct net *net, uint32_t a, uint32_t b)
{
    const struct task *left = &net->tasks.items[a];
    const struct task *right = &net->tasks.items[b];

    if (left->priority != right->priority)
        return left->priority < right->priority ? -1 : 1;
    if (left->order != right->order)
        return left->order > right->order ? -1 : 1;
    if ((left->status == TASK_BLOCKED) != (right->status == TASK_BLOCKED))
        return left->status == TASK_BLOCKED ? 1 : -1;
    if (net->deadness[a] > net->deadness[b] ||
        net->deadness[a] < net->deadness[b])
        return net->deadness[a] > net->deadness[b] ? -1 : 1;
    return a < b ? -1 : 1;
}

static bool
is_open(const struct net *net, uint32_t v)
{
    return net->tasks.items[v].status < TASK_DONE;
}

/* What |v| waits for outside its own circle is taken, or is not open. */
static bool
is_free(const struct net *net, const bool *is_taken, uint32_t v)
{
    for (uint32_t i = net->at[v]; i < net->at[v + 1]; i++) {
        uint32_t to = net->to[i];

        if (is_open(net, to) && !is_taken[to] && net->part[to] != net->part[v])
            return false;
    }
    return true;
}

static uint32_t
choose(const struct net *net, const bool *is_taken)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t v = 0; v < net->tasks.len; v++) {
        if (is_taken[v] || !is_open(net, v) || !is_free(net, is_taken, v))
            continue;
        if (best == UINT32_MAX || compare_tasks(net, v, best) < 0)
            best = v;
    }
    return best;
}

static bool
is_waiting(const struct net *net, uint32_t v)
{
    for (uint32_t i = net->at[v]; i < net->at[v + 1]; i++)
        if (is_open(net, net->to[i]))
            return true;
    return false;
}

static void
put_task(struct net *net, uint32_t v, cJSON *array)
{
    struct task *task = &net->tasks.items[v];
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "id", buf_cstr(&task->gid));
    cJSON_AddStringToObject(row, "name", buf_cstr(&task->name));
    cJSON_AddStringToObject(row, "priority", task_priority_str(task->priority));
    cJSON_AddStringToObject(row, "status", task_status_str(task->status));
    cJSON_AddNumberToObject(row, "task_order", (double)task->order);
    cJSON_AddBoolToObject(row, "is_blocked",
                          task->status == TASK_BLOCKED || is_waiting(net, v));
    if (net->deadness[v] > 0)
        cJSON_AddNumberToObject(row, "days_dead",
                                (double)(int)net->deadness[v]);
    cJSON_AddItemToArray(array, row);
}

/* Of a task to remove routes: how long all of them are silent, when the code
 * does not call them either. */
static enum err
weigh(struct moment *moment, struct net *net, uint32_t v)
{
    cJSON *frozen = NULL;
    const cJSON *route;
    double least = -1;
    enum err err = evidence_frozen(moment, net->tasks.items[v].oid, &frozen);

    cJSON_ArrayForEach(route,
                       cJSON_GetObjectItemCaseSensitive(frozen, "routes"))
    {
        double last = cJSON_GetNumberValue(
            cJSON_GetObjectItemCaseSensitive(route, "last_observed"));
        double callers = cJSON_GetNumberValue(
            cJSON_GetObjectItemCaseSensitive(route, "static_callers"));
        double days = last > 0 ? (moment->now_s - last) / 86400 : 400;

        if (callers > 0)
            days = 0;
        if (least < 0 || days < least)
            least = days;
    }
    net->deadness[v] = least > 0 ? least : 0;
    cJSON_Delete(frozen);
    return err;
}

enum err
work_prioritize(struct work *work, int64_t project)
{
    cJSON *array = cJSON_AddArrayToObject(work->data, "tasks");
    struct net net = {0};
    bool *is_taken = NULL;
    enum err err = net_make(work->moment, project, &net);

    for (uint32_t v = 0; v < net.tasks.len && !err; v++)
        err = weigh(work->moment, &net, v);
    if (!err && !(is_taken = calloc(net.tasks.len + 1, sizeof(*is_taken))))
        err = ERR_NOMEM;
    for (uint32_t v = 0; !err && (v = choose(&net, is_taken)) != UINT32_MAX;) {
        is_taken[v] = true;
        put_task(&net, v, array);
    }
    cJSON_AddNumberToObject(work->data, "total", cJSON_GetArraySize(array));
    free(is_taken);
    net_fini(&net);
    return err;
}

/* ---- cycles ---- */

typedef enum err
name_fn(struct work *work, const void *ctx, uint32_t vertex, struct buf *out);

static enum err
name_task(struct work *work, const void *ctx, uint32_t vertex, struct buf *out)
{
    const struct net *net = ctx;

    (void)work;
    buf_add(out, buf_str(&net->tasks.items[vertex].gid));
    return OK;
}

static enum err
name_place(struct work *work, const void *ctx, uint32_t vertex, struct buf *out)
{
    struct object object = {0};
    enum err err = object_of_place(work->moment, vertex, &object);

    (void)ctx;
    buf_add(out, buf_str(&object.gid));
    object_fini(&object);
    return err;
}

struct report {
    struct work *work;
    const struct arcs *arcs;
    const uint32_t *part;
    name_fn *name;
    const void *ctx;
    cJSON *cycles;
    uint32_t *way;
};

static enum err
put_cycle(struct report *report, uint32_t start)
{
    cJSON *row = cJSON_CreateArray();
    struct buf name = {0};
    uint32_t len = 0;
    enum err err =
        cycles_way(report->arcs, report->part, start, report->way, &len);

    for (uint32_t i = 0; i <= len && len && !err; i++) {
        uint32_t vertex = i == 0 || i == len ? start : report->way[i];

        buf_reset(&name);
        err = report->name(report->work, report->ctx, vertex, &name);
        cJSON_AddItemToArray(row, cJSON_CreateString(buf_cstr(&name)));
    }
    buf_fini(&name);
    if (len && !err)
        cJSON_AddItemToArray(report->cycles, row);
    else
        cJSON_Delete(row);
    return err;
}

static bool
is_circular(const struct arcs *arcs, const uint32_t *sizes,
            const uint32_t *part, uint32_t v)
{
    if (sizes[part[v]] > 1)
        return true;
    for (uint32_t i = arcs->at[v]; i < arcs->at[v + 1]; i++)
        if (arcs->to[i] == v)
            return true;
    return false;
}

/* One cycle of each part, begun at its first vertex. */
static enum err
put_cycles(struct report *report, uint32_t parts)
{
    const struct arcs *arcs = report->arcs;
    uint32_t *sizes = calloc(parts + 1, sizeof(*sizes));
    bool *is_told = calloc(parts + 1, sizeof(*is_told));
    uint32_t count = 0;
    enum err err;

    report->cycles = cJSON_AddArrayToObject(report->work->data, "cycles");
    report->way = calloc(arcs->len + 1, sizeof(*report->way));
    err = sizes && is_told && report->way ? OK : ERR_NOMEM;
    for (uint32_t v = 0; v < arcs->len && !err; v++)
        sizes[report->part[v]]++;
    for (uint32_t v = 0; v < arcs->len && !err; v++) {
        uint32_t part = report->part[v];

        if (is_told[part] || !is_circular(arcs, sizes, report->part, v))
            continue;
        is_told[part] = true;
        if (count++ < CYCLES_MAX)
            err = put_cycle(report, v);
    }
    cJSON_AddBoolToObject(report->work->data, "has_cycles", count > 0);
    cJSON_AddNumberToObject(report->work->data, "cycle_count", count);
    if (count > CYCLES_MAX)
        cJSON_AddBoolToObject(report->work->data, "truncated", true);
    free(sizes);
    free(is_told);
    free(report->way);
    return err;
}

static enum err
cycles_of_tasks(struct work *work, int64_t project)
{
    struct net net = {0};
    enum err err = net_make(work->moment, project, &net);
    const struct arcs arcs = {net.at, net.to, (uint32_t)net.tasks.len};
    struct report report = {.work = work,
                            .arcs = &arcs,
                            .part = net.part,
                            .name = name_task,
                            .ctx = &net};

    if (!err)
        err = put_cycles(&report, net.part_len);
    net_fini(&net);
    return err;
}

static bool
is_call(const struct joined_arc *arc, uint8_t evidence)
{
    return arc->evidence & evidence && JOINED_BIT(arc->type) & JOINED_CALLS &&
           (evidence == BY_STATIC) == (arc->type < JOINED_RUNTIME_CALLS);
}

static enum err
cycles_of_calls(struct work *work, uint8_t evidence)
{
    const struct joined *joined = work->moment->joined;
    uint32_t *at = NULL;
    uint32_t *to = NULL;
    uint32_t *part = NULL;
    uint32_t parts = 0;
    uint32_t len = 0;
    enum err err = OK;

    if (!joined)
        return moment_fail(work->moment, ERR_NOT_FOUND,
                           "the graph cannot be had: nothing was indexed or "
                           "observed");
    at = calloc(joined->place_len + 1, sizeof(*at));
    to = calloc(joined->arc_len + 1, sizeof(*to));
    part = calloc(joined->place_len + 1, sizeof(*part));
    if (!at || !to || !part)
        err = ERR_NOMEM;
    for (uint32_t p = 0; p < joined->place_len && !err; p++) {
        for (uint32_t i = joined->out_at[p]; p && i < joined->out_at[p + 1];
             i++)
            if (is_call(&joined->out[i], evidence))
                to[len++] = joined->out[i].place;
        at[p + 1] = len;
    }
    const struct arcs arcs = {at, to, joined->place_len};
    if (!err)
        err = cycles_parts(&arcs, part, &parts);
    struct report report = {
        .work = work, .arcs = &arcs, .part = part, .name = name_place};
    if (!err)
        err = put_cycles(&report, parts);
    free(at);
    free(to);
    free(part);
    return err;
}

enum err
work_cycles(struct work *work, int64_t project, enum work_graph graph)
{
    static const char *const names[] = {"tasks", "runtime", "static"};

    cJSON_AddStringToObject(work->data, "graph", names[graph]);
    if (graph == GRAPH_TASKS)
        return cycles_of_tasks(work, project);
    return cycles_of_calls(work,
                           graph == GRAPH_STATIC ? BY_STATIC : BY_OBSERVED);
}
