/*
 * audit_traffic - what is known of the calls of one route: how many, on which
 * days, and which versions of its service served them.
 *
 *     traffic_add(&route, &endpoint)          it has the calls of another name
 *     traffic_gap_days(&route, &season)       how often it is usually called
 *
 * Units      Counts of calls; instants in Unix seconds, `_s`.
 * Memory     Plain values, which own nothing.
 * Errors     None.
 * Threads    None.
 */
#ifndef GRAPH_AUDIT_TRAFFIC_H
#define GRAPH_AUDIT_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

/* Days of history in which a route's rhythm is looked for. */
enum { RHYTHM_DAYS = 512, ENDPOINT_VERSIONS = 8 };

struct version_seen {
    uint32_t version; /* node id */
    uint32_t last_s;
};

/* What is known of calls to one endpoint, or summed to one route. */
struct traffic {
    int64_t total;    /* real calls, ever */
    int64_t known;    /* of them, those whose weight is known, ... */
    int64_t weighted; /* ... and what these stand for */
    int64_t denied;
    int64_t synthetic;
    int64_t in_window;
    int64_t denied_in_window;
    uint32_t first_s;
    uint32_t last_s;
    uint64_t days[RHYTHM_DAYS / 64]; /* bit 0: today, 1: yesterday, ... */
    uint32_t last_version;
    uint32_t version_last_s;
    /* Those that served it in the window; of more the last. */
    struct version_seen versions[ENDPOINT_VERSIONS];
    size_t version_len;
    uint32_t left_out_last_s; /* of the others; 0: none */
};

/* traffic_add adds up the counts and days of both; first and last are the
 * outer, versions the latest. */
void traffic_add(struct traffic *to, const struct traffic *from);
/* traffic_add_version notes who served calls. */
void traffic_add_version(struct traffic *traffic, struct version_seen seen);
/* traffic_gap_days is the usual gap between two days with calls: nine of ten
 * gaps are no longer.  0: not known.  |season| is what two gaps were at least:
 * one alone may be an outage, or the try before the first use.  0: not known.
 */
uint32_t traffic_gap_days(const struct traffic *traffic, uint32_t *season);
/* traffic_days is the number of days with calls, of the last RHYTHM_DAYS. */
size_t traffic_days(const struct traffic *traffic);

#endif
