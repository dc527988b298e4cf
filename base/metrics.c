/*
 * One array of atomics.  Histograms have fixed bounds, powers of four from
 * 100 us to 100 s, enough to tell a good commit from a stalled disk.
 */
#include "base/metrics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { BOUNDS = 11 };

struct histogram {
    atomic_uint_fast64_t bucket[BOUNDS + 1];
    atomic_uint_fast64_t sum_ns;
};

static const uint64_t bounds_ns[BOUNDS] = {
    100000,    400000,     1600000,    6400000,     25600000,    102400000,
    409600000, 1638400000, 6553600000, 26214400000, 104857600000};

static atomic_int_fast64_t values[METRIC_COUNT];
static struct histogram histograms[METRIC_HISTOGRAM_COUNT];

#define METRIC_ROW(id, type, name, labels, help) {#type, name, labels, help},
static const struct row {
    const char *type;
    const char *name;
    const char *labels;
    const char *help;
} rows[] = {METRICS(METRIC_ROW)};

#define HISTOGRAM_ROW(id, name, help) {"histogram", name, "", help},
static const struct row histogram_rows[] = {METRIC_HISTOGRAMS(HISTOGRAM_ROW)};

void
metrics_add(enum metric id, int64_t delta)
{
    atomic_fetch_add_explicit(&values[id], delta, memory_order_relaxed);
}

void
metrics_set(enum metric id, int64_t value)
{
    atomic_store_explicit(&values[id], value, memory_order_relaxed);
}

int64_t
metrics_get(enum metric id)
{
    return atomic_load_explicit(&values[id], memory_order_relaxed);
}

void
metrics_observe(enum metric_histogram id, uint64_t duration_ns)
{
    size_t i = 0;

    while (i < BOUNDS && duration_ns > bounds_ns[i])
        i++;
    atomic_fetch_add_explicit(&histograms[id].bucket[i], 1,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&histograms[id].sum_ns, duration_ns,
                              memory_order_relaxed);
}

static void
print_head(struct buf *out, const struct row *row)
{
    buf_printf(out, "# TYPE %s %s\n# HELP %s %s.\n", row->name, row->type,
               row->name, row->help);
}

static void
print_histogram(struct buf *out, size_t id)
{
    const char *name = histogram_rows[id].name;
    uint64_t total = 0;

    print_head(out, &histogram_rows[id]);
    for (size_t i = 0; i <= BOUNDS; i++) {
        total += atomic_load_explicit(&histograms[id].bucket[i],
                                      memory_order_relaxed);
        if (i < BOUNDS)
            buf_printf(out, "%s_bucket{le=\"%g\"} %llu\n", name,
                       (double)bounds_ns[i] / 1e9, (unsigned long long)total);
        else
            buf_printf(out, "%s_bucket{le=\"+Inf\"} %llu\n", name,
                       (unsigned long long)total);
    }
    buf_printf(out, "%s_count %llu\n%s_sum %.9g\n", name,
               (unsigned long long)total, name,
               (double)atomic_load_explicit(&histograms[id].sum_ns,
                                            memory_order_relaxed) /
                   1e9);
}

void
metrics_print(struct buf *out)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct row *row = &rows[i];
        const char *suffix = strcmp(row->type, "counter") == 0 ? "_total" : "";

        if (i == 0 || strcmp(row->name, rows[i - 1].name) != 0)
            print_head(out, row);
        buf_printf(out, "%s%s%s%s%s %lld\n", row->name, suffix,
                   *row->labels ? "{" : "", row->labels,
                   *row->labels ? "}" : "",
                   (long long)metrics_get((enum metric)i));
    }
    for (size_t i = 0; i < METRIC_HISTOGRAM_COUNT; i++)
        print_histogram(out, i);
    buf_add(out, STR("# EOF\n"));
}
