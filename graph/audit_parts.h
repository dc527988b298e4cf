/*
 * audit_parts - what the files of graph/audit share: the facts.
 *
 * Threads    None.
 */
#ifndef GRAPH_AUDIT_PARTS_H
#define GRAPH_AUDIT_PARTS_H

#include "graph/audit.h"
#include "graph/audit_traffic.h"
#include "graph/query_view.h"

struct endpoint {
    uint32_t node;
    uint32_t service; /* index into facts.services */
    struct traffic traffic;
};

/* Calls in the window, of a service's routes or of its RPC methods. */
struct kind_facts {
    int64_t trusted;  /* real and synthetic, where names can be relied on */
    int64_t overflow; /* real, where a bound of names or edges was reached */
};

struct service_facts {
    uint32_t node;
    uint32_t seen_first_s; /* of any span; 0: none */
    uint32_t seen_last_s;
    uint32_t *hours; /* bits by day of the window, oldest first */
    int64_t known;
    int64_t count;
    int64_t weighted;
    int64_t window_count; /* calls in the window, and what they stand for */
    int64_t window_weighted;
    struct kind_facts routes;
    struct kind_facts rpcs;
    int64_t guessed;         /* as trusted, on routes whose names cannot be */
    int64_t unmatched;       /* answered 404, by no route that is known */
    int64_t nameless;        /* told neither a route nor a path */
    bool has_names;          /* spans tell their routes themselves */
    bool has_asked;          /* RPCs of no RPC service (route_is_asked) */
    uint32_t latest_version; /* of those that still send */
    uint32_t deployed_s;     /* when it was first seen */
    uint32_t settled_s;      /* and newer ones, that were taken back, last */
    size_t declared;
    uint32_t declared_s; /* when the first was */
    /* derived */
    double covered_hours;
    double down_hours;
    double coverage;
    double keep; /* < 0: unknown */
    uint32_t observed_from_s;
    uint32_t observed_to_s;
};

struct audit_facts {
    struct query_view *view;
    const struct audit_cfg *cfg;
    uint32_t from_hour; /* the window, both included */
    uint32_t to_hour;
    uint32_t from_day;
    uint32_t day_len; /* days that the window touches */
    struct endpoint *endpoints;
    size_t endpoint_len;
    size_t endpoint_cap;
    struct service_facts *services;
    size_t service_len;
    size_t service_cap;
    uint32_t *endpoint_of; /* by node id, index + 1 */
    uint32_t *service_of;
    unsigned char *asked; /* by node id: services, and whose name they have, in
                             any environment; NULL: all */
    int64_t lost;
};

/* audit_facts_gather reads all accounts, or those of the services asked for;
 * audit_facts_fini frees what it filled. */
enum err audit_facts_gather(struct audit_facts *facts, struct query_view *view,
                            const struct audit_cfg *cfg);
void audit_facts_fini(struct audit_facts *facts);
/* audit_facts_service gives the index of service |node|, made if new. */
enum err
audit_facts_service(struct audit_facts *facts, uint32_t node, uint32_t *out);
/* audit_facts_deployed finds |service|'s latest version by all its spans'
 * |edge|. */
enum err audit_facts_deployed(const struct audit_facts *facts,
                              struct service_facts *service, uint32_t edge);
/* audit_facts_is_asked: what is known of service |node| matters. */
bool audit_facts_is_asked(const struct audit_facts *facts, uint32_t node);

#endif
