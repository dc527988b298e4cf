#include "api/health.h"

#include <string.h>

#include "api/write.h"
#include "base/metrics.h"

/* Is `verbose` there, alone or with a value?  What else is asked is nothing. */
static bool
is_verbose(str query)
{
    bool is_asked = false;

    while (query.len) {
        const char *end = memchr(query.ptr, '&', query.len);
        size_t len = end ? (size_t)(end - query.ptr) : query.len;
        str pair = str_cut(query, 0, len);

        query = str_cut(query, len + 1, query.len);
        if (str_eq(pair, STR("verbose=0")) ||
            str_eq(pair, STR("verbose=false")))
            is_asked = false;
        else if (str_eq(pair, STR("verbose")) ||
                 str_starts(pair, STR("verbose=")))
            is_asked = true;
    }
    return is_asked;
}

static void
write_uptime(const struct health *health, struct buf *out)
{
    int64_t since_s = metrics_get(METRIC_START_SECONDS);
    bool is_known = since_s > 0 && (uint64_t)since_s <= health->now_s;

    if (is_known)
        write_int(out, "uptime_seconds", (int64_t)health->now_s - since_s);
}

void
health_alive(const struct health *health, str query, struct buf *out)
{
    write_open(out, NULL, '{');
    write_bool(out, "alive", true);
    if (is_verbose(query)) {
        write_uptime(health, out);
        write_int(out, "connections", metrics_get(METRIC_CONNECTIONS));
    }
    write_close(out, '}');
    buf_add_char(out, '\n');
}

bool
health_ready(const struct health *health, str query, struct buf *out)
{
    bool is_ready = health->is_writable && !health->is_draining;

    write_open(out, NULL, '{');
    write_bool(out, "ready", is_ready);
    if (!is_ready)
        write_text(out, "reason",
                   health->is_draining ? STR("draining")
                                       : STR("the store cannot be written"));
    if (is_verbose(query)) {
        write_bool(out, "store_writable", health->is_writable);
        write_bool(out, "draining", health->is_draining);
        write_int(out, "queue_spans", metrics_get(METRIC_QUEUE_STUBS));
        write_int(out, "commit_failures", metrics_get(METRIC_COMMIT_FAILURES));
        write_uptime(health, out);
    }
    write_close(out, '}');
    buf_add_char(out, '\n');
    return is_ready;
}
