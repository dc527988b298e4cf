/*
 * Rows of two samples are matched by names and kind, both sorted by them.
 */
#include "cmd/top_sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/ask.h"
#include "cmd/duration.h"
#include "cmd/remote.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"

enum { NAME_MAX_BYTES = 512 };

static struct top_sample
empty_sample(void)
{
    struct top_sample sample = {
        .at_ns = clock_mono_ns(),
        .now_s = (uint32_t)(clock_wall_ns() / NS_PER_S),
    };

    for (size_t i = 0; i < TOP_TOTALS; i++)
        sample.total[i] = sample.total_rate[i] = TOP_UNKNOWN;
    return sample;
}

void
top_sample_fini(struct top_sample *sample)
{
    for (size_t i = 0; i < sample->len; i++) {
        free(sample->rows[i].source);
        free(sample->rows[i].target);
    }
    free(sample->rows);
    sample->rows = NULL;
    sample->len = 0;
}

/* Names come from the network, and what is shown is sent to a terminal. */
static char *
clean_copy(str name)
{
    struct buf text = {0};
    char *copy;

    utf8_clean(&text, name, NAME_MAX_BYTES);
    copy = text.failed ? NULL : strdup(buf_cstr(&text));
    buf_fini(&text);
    return copy;
}

/* Takes one more row, names and kind of which are set. */
static struct top_row *
add_row(struct top_sample *sample, str source, str target, const char *kind)
{
    struct top_row *row = &sample->rows[sample->len];

    *row = (struct top_row){.source = clean_copy(source),
                            .target = clean_copy(target),
                            .rate = TOP_UNKNOWN,
                            .error_rate = TOP_UNKNOWN};
    (void)snprintf(row->kind, sizeof(row->kind), "%.*s", TOP_KIND_CAP - 1,
                   kind);
    sample->len++;
    return row->source && row->target ? row : NULL;
}

/* ---- of a service ---- */

enum column { SOURCE, TARGET, KIND, COUNT, ERRORS, LAST, P95, COLUMNS };
static const char *const column_names[COLUMNS] = {
    "source", "target", "kind", "count", "errors", "last_observed", "p95_ms"};

static const cJSON *
cell(const cJSON *row, const int *at, enum column column)
{
    return cJSON_GetArrayItem(row, at[column]);
}

static double
number(const cJSON *row, const int *at, enum column column, double absent)
{
    const cJSON *item = cell(row, at, column);

    return cJSON_IsNumber(item) ? item->valuedouble : absent;
}

static bool
find_columns(const cJSON *names, int *at)
{
    for (int c = 0; c < COLUMNS; c++) {
        const cJSON *name;
        int i = 0;

        at[c] = -1;
        cJSON_ArrayForEach(name, names)
        {
            const char *text = cJSON_GetStringValue(name);

            if (text && strcmp(text, column_names[c]) == 0)
                at[c] = i;
            i++;
        }
        if (at[c] < 0)
            return false;
    }
    return true;
}

static enum err
read_rows(const cJSON *content, struct top_sample *out)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(content, "rows");
    const cJSON *row;
    int at[COLUMNS];

    if (!cJSON_IsArray(rows) ||
        !find_columns(cJSON_GetObjectItemCaseSensitive(content, "columns"), at))
        return ERR_IO;
    cJSON_ArrayForEach(row, rows)
    {
        const char *source = cJSON_GetStringValue(cell(row, at, SOURCE));
        const char *target = cJSON_GetStringValue(cell(row, at, TARGET));
        const char *kind = cJSON_GetStringValue(cell(row, at, KIND));

        if (out->len == TOP_ROWS_MAX)
            break;
        if (!source || !target || !kind)
            return ERR_IO;
        struct top_row *to = add_row(out, str_of(source), str_of(target), kind);
        if (!to)
            return ERR_NOMEM;
        to->count = number(row, at, COUNT, 0);
        to->errors = number(row, at, ERRORS, 0);
        to->last_s = number(row, at, LAST, 0);
        to->p95_ms = number(row, at, P95, TOP_UNKNOWN);
    }
    return OK;
}

static enum err
make_rows(struct top_sample *sample)
{
    sample->rows = calloc(TOP_ROWS_MAX, sizeof(*sample->rows));
    return sample->rows ? OK : ERR_NOMEM;
}

enum err
top_read_rows(const char *json, struct top_sample *out)
{
    cJSON *content = cJSON_Parse(json);
    enum err err;

    *out = empty_sample();
    err = make_rows(out);
    if (!err)
        err = read_rows(content, out);
    cJSON_Delete(content);
    if (err)
        top_sample_fini(out);
    return err;
}

/* Adds up the lines of |family|, whatever their labels. */
static void
add_metric(const char *line, const char *family, double *to)
{
    size_t len = strlen(family);

    if (strncmp(line, family, len) != 0 || !strchr(" {", line[len]))
        return;
    size_t label = strcspn(line, "\n");
    const char *space = memrchr(line, ' ', label);
    if (space)
        *to = (*to < 0 ? 0 : *to) + strtod(space + 1, NULL);
}

void
top_read_metrics(const char *text, struct top_sample *out)
{
    static const char *const families[TOP_TOTALS] = {
        [TOP_SPANS] = "spangraph_spans_total{result=\"accepted\"}",
        [TOP_REFUSED] = "spangraph_refused_requests_total",
        [TOP_HELD] = "spangraph_live_spans",
        [TOP_QUEUED] = "spangraph_queue_spans",
        [TOP_EDGES] = "spangraph_edges",
        [TOP_BYTES] = "spangraph_store_bytes",
    };

    while (*text) {
        for (size_t i = 0; i < TOP_TOTALS; i++)
            add_metric(text, families[i], &out->total[i]);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

static enum err
take_remote(const struct top_source *source, struct top_sample *out,
            struct buf *why)
{
    const struct remote remote = {.server = source->server,
                                  .token = source->token,
                                  .timeout_ms = source->timeout_ms};
    char since[DURATION_TEXT_CAP];
    struct buf metrics = {0};
    cJSON *args = cJSON_CreateObject();
    cJSON *content = NULL;
    int status = 0;

    cJSON_AddStringToObject(args, "level", source->level);
    cJSON_AddStringToObject(args, "since",
                            duration_text(source->since_ns, since));
    cJSON_AddStringToObject(args, "response_format", "detailed");
    cJSON_AddNumberToObject(args, "limit", TOP_ROWS_MAX);
    enum err err =
        remote_call(&remote, "service_map", args, "rows", &content, why);
    if (!err)
        err = remote_get(&remote, "/metrics", &status, &metrics, why);
    if (!err && (err = read_rows(content, out)))
        buf_add(why, STR("the answer is not that of service_map"));
    if (!err && status == 200)
        top_read_metrics(buf_cstr(&metrics), out);
    cJSON_Delete(content);
    buf_fini(&metrics);
    return err;
}

/* ---- of a store ---- */

static enum err
add_edges(const struct query_edges *edges, struct query_view *view,
          struct top_sample *out)
{
    struct buf names[2] = {{0}, {0}};
    enum err err = OK;

    for (size_t i = 0; i < edges->len && i < TOP_ROWS_MAX && !err; i++) {
        const struct query_edge *edge = &edges->rows[i];
        struct query_detail detail;

        buf_reset(&names[0]);
        buf_reset(&names[1]);
        query_qualified(view, edge->source, &names[0]);
        query_qualified(view, edge->target, &names[1]);
        struct top_row *row =
            add_row(out, buf_str(&names[0]), buf_str(&names[1]),
                    edge_kind_str(edge->kind));
        err = row ? query_detail(view, edges, i, &detail) : ERR_NOMEM;
        if (err)
            break;
        row->count = (double)edge->count;
        row->errors = (double)edge->errors;
        row->last_s = edge->last_s;
        row->p95_ms =
            detail.p50_ns ? (double)detail.p95_ns / NS_PER_MS : TOP_UNKNOWN;
    }
    buf_fini(&names[0]);
    buf_fini(&names[1]);
    return err;
}

static enum err
take_counter(void *ctx, str name, int64_t value)
{
    if (str_eq(name, STR("spans")))
        *(double *)ctx = (double)value;
    return OK;
}

static enum err
take_store(const struct top_source *source, struct top_sample *out,
           struct buf *why)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    uint64_t since_s = source->since_ns / NS_PER_S;
    struct query_filter filter = {
        .since_s = since_s < out->now_s ? out->now_s - (uint32_t)since_s : 1};
    struct query *query = NULL;
    struct query_view *view = NULL;
    struct query_edges edges = {0};
    enum err err = query_open(&query, source->data, &cfg, why);

    (void)query_level_of(str_of(source->level), &filter.level);
    if (!err && !(err = query_begin(query, out->now_s, &view)) &&
        !(err = query_edges(view, &filter, &edges)) &&
        !(err = add_edges(&edges, view, out)))
        err = query_counters(view, take_counter, &out->total[TOP_SPANS]);
    out->total[TOP_EDGES] = (double)edges.len;
    if (err && why->len == 0)
        buf_printf(why, "%s: %s", source->data, err_str(err));
    query_edges_fini(&edges);
    query_end(view);
    query_close(query);
    return err;
}

enum err
top_source_take(const struct top_source *source, struct top_sample *out,
                struct buf *why)
{
    *out = empty_sample();
    enum err err = make_rows(out);

    if (!err)
        err = source->server ? take_remote(source, out, why)
                             : take_store(source, out, why);
    if (err)
        top_sample_fini(out);
    return err;
}

/* ---- rates ---- */

static int
compare_rows(const void *a, const void *b)
{
    const struct top_row *x = a;
    const struct top_row *y = b;
    int order = strcmp(x->source, y->source);

    if (order == 0)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->kind, y->kind);
}

static double
rate_of(double now, double before, double elapsed_s)
{
    if (now < 0 || before < 0 || now < before || elapsed_s <= 0)
        return TOP_UNKNOWN;
    return (now - before) / elapsed_s;
}

/* Both samples are sorted by names.  An edge that was not there is new, unless
 * there were more than were told. */
void
top_sample_rates(struct top_sample *now, struct top_sample *before)
{
    double elapsed_s = now->at_ns > before->at_ns
                           ? (double)(now->at_ns - before->at_ns) / NS_PER_S
                           : 0;
    struct top_row *old = before->rows;

    if (now->len)
        qsort(now->rows, now->len, sizeof(*now->rows), compare_rows);
    if (before->len)
        qsort(old, before->len, sizeof(*old), compare_rows);
    for (size_t i = 0, j = 0; i < now->len; i++) {
        struct top_row *row = &now->rows[i];

        while (j < before->len && compare_rows(&old[j], row) < 0)
            j++;
        bool known = j < before->len && compare_rows(&old[j], row) == 0;
        double absent = before->len < TOP_ROWS_MAX ? 0 : TOP_UNKNOWN;
        row->rate =
            rate_of(row->count, known ? old[j].count : absent, elapsed_s);
        row->error_rate =
            rate_of(row->errors, known ? old[j].errors : absent, elapsed_s);
        j += known;
    }
    for (size_t i = 0; i < TOP_TOTALS; i++)
        now->total_rate[i] =
            rate_of(now->total[i], before->total[i], elapsed_s);
}
