/*
 * Calls by nobody known are counted at the service that was called.  Of all
 * services together only the sum is cheap, and that has no time.
 */
#include "mcp/tools_missing.h"

#include "base/str.h"
#include "graph/query_stats.h"
#include "mcp/tools_reply.h"

void
missing_sampled(struct tool_run *run, const struct query_edges *edges,
                size_t len, const char *words)
{
    double count = 0;
    double weighted = 0;

    for (size_t k = 0; k < len; k++) {
        for (size_t i = 0; i < edges[k].len; i++) {
            const struct query_edge *row = &edges[k].rows[i];
            count += (double)row->count;
            weighted += (double)row->weighted / (double)WEIGHT_ONE;
        }
    }
    if (weighted >= 1.05 * count && count > 0)
        tool_hint(run, "sampled: %s, %.3g times as much", words,
                  weighted / count);
}

static enum err
add_orphans(void *ctx, str name, int64_t value)
{
    int64_t *count = ctx;

    if (str_eq(name, STR("orphan_ingress")))
        *count += value;
    return OK;
}

void
missing_orphans(struct tool_run *run, const struct ids *services,
                uint32_t from_s)
{
    int64_t count = 0;

    if (services) {
        (void)reply_orphans(run, services, from_s);
        return;
    }
    run->err = query_counters(run->view, add_orphans, &count);
    if (!run->err && count)
        tool_hint(run,
                  "not in the rows: %lld call%s of all time by whom is not "
                  "known, parent spans that never came; explain tells them by "
                  "service, dead_routes verdict=all counts calls by route",
                  (long long)count, many(count));
}
