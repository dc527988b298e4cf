/*
 * audit - which routes are dead, and how sure are we.
 *
 * A verdict is a candidate with its evidence, never "delete".  What was not
 * observed is told apart from what could not be observed: no span of a service,
 * or none that names its route, is no evidence against any route of it
 * (spec/dead-routes.md).
 *
 * The universe is what services declare and what was seen.  A declared route
 * belongs to every environment in which its service is seen.  A match that is
 * only likely (mount prefix, heuristic template) clears and never accuses.
 *
 * Errors     As graph/query.h.
 * Threads    As the view.
 */
#ifndef GRAPH_AUDIT_H
#define GRAPH_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "graph/query.h"

/* Safest to act on first. */
enum verdict {
    VERDICT_NEVER_OBSERVED, /* declared, and would have been seen */
    VERDICT_STOPPED,        /* was seen; silent for more than its rhythm */
    VERDICT_ZOMBIE,         /* only versions that were replaced serve it */
    VERDICT_SYNTHETIC_ONLY, /* only probes and tests call it */
    VERDICT_PROBE_ONLY,     /* only refused calls: 401, UNIMPLEMENTED .. */
    VERDICT_UNDOCUMENTED,   /* traffic, but not declared */
    VERDICT_LOW, /* few calls; or sampling could hide more, or all it had */
    VERDICT_SEASONAL, /* silent, but its rhythm is slow or not known */
    VERDICT_TOO_NEW,
    VERDICT_INSUFFICIENT, /* the service was observed too little */
    VERDICT_NOT_OBSERVABLE,
    VERDICT_SUPPRESSED,
    VERDICT_ACTIVE,
    VERDICT_COUNT,
};

enum trust { TRUST_NONE, TRUST_LOW, TRUST_MEDIUM, TRUST_HIGH };

#define AUDIT_REASONS(X)                          \
    X(NO_SPANS, "service_sends_no_spans")         \
    X(SILENT, "service_silent_in_window")         \
    X(NO_ROUTES, "spans_carry_no_route")          \
    X(UNTRUSTED, "most_routes_guessed")           \
    X(SHORT, "observed_too_short")                \
    X(LOW_COVERAGE, "low_coverage")               \
    X(SAMPLED, "sampled")                         \
    X(SAMPLING_UNKNOWN, "sampling_unknown")       \
    X(LOSS, "data_loss_in_window")                \
    X(DOWNTIME, "receiver_was_down")              \
    X(PERIODIC, "name_hints_at_a_period")         \
    X(MOUNTED, "matched_under_mount_prefix")      \
    X(GUESSED, "matched_by_guessed_template")     \
    X(IMPLIED, "method_implied_by_another_route") \
    X(SHADOWED, "shadowed_by_another_route")      \
    X(OVERFLOW, "traffic_on_overflow_route")      \
    X(UNDECLARED, "not_declared")                 \
    X(NEW, "declared_recently")                   \
    X(ONCE, "seen_on_one_day_only")               \
    X(RHYTHM, "within_usual_rhythm")              \
    X(NO_CALLS, "no_calls_in_window")             \
    X(FEW, "few_calls")                           \
    X(DENIED, "all_calls_refused")                \
    X(SYNTHETIC, "synthetic_traffic_only")        \
    X(REPLACED, "only_replaced_versions")         \
    X(IGNORED, "on_ignore_list")                  \
    X(CALLED, "handler_called_by_live_code")      \
    X(UNKNOWN, "route_unknown_at_this_snapshot")  \
    X(FRAMEWORK, "no_route_of_its_framework_seen")

#define AUDIT_REASON(id, text) AUDIT_##id,
enum audit_reason { AUDIT_REASONS(AUDIT_REASON) AUDIT_REASON_COUNT };
#undef AUDIT_REASON

struct audit_cfg {
    uint32_t stale_days;       /* the window asked; 30, at most 400 */
    uint32_t stopped_gaps;     /* silent for so many usual gaps; 3 */
    uint32_t new_days;         /* 7 */
    uint32_t deploy_grace_s;   /* 24 h */
    bool assume_unsampled;     /* where no sampling rate was sent */
    const char *const *ignore; /* globs on `METHOD pattern` or pattern */
    size_t ignore_len;
    const struct ids *services; /* NULL: all */
    const struct ids *nodes;    /* only routes that are one; NULL: all */
    str env;                    /* empty: all */
};

enum { AUDIT_DAYS_MAX = 400 };
extern const struct audit_cfg audit_cfg_default;

struct audit_route {
    uint32_t service; /* node ids */
    uint32_t node;
    uint8_t kind; /* NODE_ROUTE or NODE_RPC */
    bool is_declared;
    str method; /* "GET"; empty for RPC */
    str pattern;
    enum verdict verdict;
    enum trust trust;
    uint32_t reasons; /* bits 1 << enum audit_reason */
    int64_t count;    /* real calls in the window, as received */
    int64_t total;    /* ever */
    uint32_t first_s; /* of real calls; 0: never */
    uint32_t last_s;
    uint32_t created_s;    /* declared or first seen */
    uint32_t last_version; /* node ids, 0: unknown */
    uint32_t shadowed_by;  /* node id */
    double coverage;       /* of the window, 0 to 1 */
    double keep;           /* probability that a call was kept; < 0: unknown */
    double hidden_per_day; /* calls a day that could have been missed with
                              5 % probability; < 0: unknown */
    uint32_t usual_gap_days;  /* 0: unknown */
    uint32_t observed_from_s; /* of the service, in the window; 0: none */
    uint32_t observed_to_s;
};

struct audit {
    struct audit_route *routes; /* safest first */
    size_t len;
    uint32_t from_s; /* the window asked */
    uint32_t to_s;
    size_t by_verdict[VERDICT_COUNT];
    int64_t lost; /* spans lost in the window */
    void *text;   /* where declared names are kept */
};

enum err audit_run(struct query_view *view, const struct audit_cfg *cfg,
                   struct audit *out);
void audit_fini(struct audit *audit);
/* audit_last_caller is the node that called |route| last, 0 if none is known.
 * It looks the route's edges up, so it is for those that are shown. */
enum err audit_last_caller(struct query_view *view,
                           const struct audit_route *route, uint32_t *out);
/* audit_sort puts the routes in order again, after trust was changed. */
void audit_sort(struct audit *audit, struct query_view *view);

const char *verdict_str(enum verdict verdict);
/* verdict_of is the inverse; VERDICT_COUNT for any other word. */
enum verdict verdict_of(str word);
/* verdict_is_dead: a candidate for removal. */
bool verdict_is_dead(enum verdict verdict);
/* verdict_is_open: nothing can be said yet. */
bool verdict_is_open(enum verdict verdict);
const char *trust_str(enum trust trust);
const char *audit_reason_str(enum audit_reason reason);

#endif
