/*
 * Which buckets answer for a window of time: whole hours, where they are kept
 * for all of it, else whole days.
 */
#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"

enum { HOURS_MAX = 47 }; /* of a window that is answered by hours */

uint32_t
query_hours_from_s(const struct query_view *view)
{
    uint32_t len_s = HOURS_MAX * S_PER_H;
    uint32_t from_s = view->now_s > len_s ? view->now_s - len_s : 0;
    uint64_t kept_s = (uint64_t)view->kept.hour * S_PER_H;

    if (kept_s > UINT32_MAX)
        return UINT32_MAX;
    return kept_s > from_s ? (uint32_t)kept_s : from_s;
}

struct reader_span
query_span(const struct query_view *view, uint32_t since_s, uint32_t until_s)
{
    uint32_t now_s = view->now_s;
    bool hours = since_s >= query_hours_from_s(view);
    uint32_t unit = hours ? S_PER_H : S_PER_DAY;
    /* Spans may be some minutes ahead of us: take in the hour that begins. */
    uint32_t end = until_s ? until_s / unit : (now_s + S_PER_H) / unit + 1;
    struct reader_span span = {
        .unit = hours ? READER_HOURS : READER_DAYS,
        .from = since_s / unit,
        .to = end ? end - 1 : 0,
    };

    /* A window begins where there is something to count. */
    if (!hours && span.from < view->kept.day)
        span.from = view->kept.day < span.to ? view->kept.day : span.to;
    return span;
}

struct query_window
query_window_until(const struct query_view *view, uint32_t since_s,
                   uint32_t until_s)
{
    struct reader_span span = query_span(view, since_s, until_s);
    bool hours = span.unit == READER_HOURS;
    uint32_t unit = hours ? S_PER_H : S_PER_DAY;

    if (since_s == 0 && until_s == 0)
        return (struct query_window){0, view->now_s, "all"};
    return (struct query_window){
        .from_s = span.from * unit,
        .to_s = until_s ? (span.to + 1) * unit : view->now_s,
        .unit = hours ? "hour" : "day",
    };
}

struct query_window
query_window(const struct query_view *view, uint32_t since_s)
{
    return query_window_until(view, since_s, 0);
}
