/*
 * top_sample - what `top` shows, of one moment: from a service or a store.
 *
 * The numbers are those of service_map (calls, errors and p95 of a window of
 * whole hours) and of /metrics.  Rates come from two samples: what was added
 * between them, by the time between them.  A window that moved on, or a service
 * that started anew, counts less than before; then there is no rate.
 *
 * Memory     top_sample_fini frees.
 * Threads    top_source_take: one at a time.
 */
#ifndef CMD_TOP_SAMPLE_H
#define CMD_TOP_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { TOP_ROWS_MAX = 500, TOP_KIND_CAP = 16 };

#define TOP_UNKNOWN (-1.0)

struct top_row {
    char *source;
    char *target;
    char kind[TOP_KIND_CAP];
    double count; /* in the window */
    double errors;
    double p95_ms; /* or TOP_UNKNOWN */
    double last_s;
    double rate; /* calls a second, or TOP_UNKNOWN */
    double error_rate;
};

/* Of the whole service, in the order they are shown. */
enum top_total {
    TOP_SPANS,   /* taken in */
    TOP_REFUSED, /* requests */
    TOP_HELD,    /* spans, for pairing */
    TOP_QUEUED,  /* spans, to be committed */
    TOP_EDGES,
    TOP_BYTES, /* of the database */
    TOP_TOTALS
};

struct top_sample {
    struct top_row *rows;
    size_t len;
    double total[TOP_TOTALS];      /* or TOP_UNKNOWN */
    double total_rate[TOP_TOTALS]; /* a second, or TOP_UNKNOWN */
    uint64_t at_ns;                /* monotonic */
    uint32_t now_s;
};

struct top_source {
    const char *server; /* NULL: |data| is read */
    const char *token;
    const char *data;
    const char *level; /* service, endpoint */
    uint64_t since_ns;
    uint32_t timeout_ms;
};

/* top_source_take: errors as cmd/remote.h and graph/query.h; |why| says what.
 * A failed sample is empty. */
enum err top_source_take(const struct top_source *source,
                         struct top_sample *out, struct buf *why);
void top_sample_fini(struct top_sample *sample);

/* top_sample_rates fills the rates of |now| by what |before| had; the rows of
 * both are put in another order. */
void top_sample_rates(struct top_sample *now, struct top_sample *before);

/* top_read_rows and top_read_metrics read the two answers; for tests, too.
 * ERR_IO: |json| is no answer of service_map; ERR_NOMEM. */
enum err top_read_rows(const char *json, struct top_sample *out);
void top_read_metrics(const char *text, struct top_sample *out);

#endif
