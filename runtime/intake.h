/*
 * intake - from spans to stubs: who, what, with whom, how many.
 *
 * Applies spec/attributes.md: service identity, endpoint, peer, role, weight,
 * synthetic, times (R10, R11).  A lane collects one request at a time into
 * memory it reuses; lanes are independent, one per decoding thread, and share
 * only the node table and the routes.
 *
 *     intake_begin(lane, now, &visitor)  ->  decode  ->  intake_take(lane)
 *
 * Memory     A lane holds what it collects, within max_stubs, and hands it
 *            out; the links of the largest request seen, and a memo.
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_INTAKE_H
#define RUNTIME_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "graph/nodes.h"
#include "graph/routes.h"
#include "model/span.h"
#include "model/stub.h"

struct intake_cfg {
    uint64_t past_ns;         /* accepted window behind the receive time; 48 h;
                                 UINT64_MAX: any, for files, but a time
                                 before 2010 is of a clock that was never set
                                 and stands for none */
    uint64_t future_ns;       /* ahead of it; 10 min */
    bool external_by_address; /* an egress without a peer name is named by its
                                 host; default false (edges.md, R5) */
    bool environment_by_k8s_namespace; /* default false */
    const char *sample_rate_key; /* attribute that says "one in N", or NULL */
    const char *const *exclude_routes; /* globs on endpoint names: synthetic */
    size_t exclude_routes_len;
    const char *const *exclude_agents; /* globs on user agents: synthetic */
    size_t exclude_agents_len;
    uint32_t max_stubs; /* of one request; 0: 1,000,000.  Links: four times */
};

/* The default list of probes: kube-probe, ELB-HealthChecker, GoogleHC,
 * Prometheus, ... */
extern const char *const intake_default_agents[];
extern const size_t intake_default_agents_len;

/* intake_knows_key: |key| is an attribute that is decoded. */
bool intake_knows_key(const char *key);

struct intake_lane;

/* intake_lane_new: ERR_NOMEM; ERR_UNSUPPORTED: sample_rate_key is no key of
 * model/attr.h, so it is never decoded.  |cfg|, |nodes| and |routes| must
 * outlive it. */
enum err intake_lane_new(struct intake_lane **out, const struct intake_cfg *cfg,
                         struct nodes *nodes, struct routes *routes);
void intake_lane_free(struct intake_lane *lane);

/* intake_begin forgets what the lane holds and says where spans go. */
void intake_begin(struct intake_lane *lane, uint64_t now_ns,
                  struct span_visitor *out);

/*
 * intake_take hands out the collected batch in memory of its own, to be
 * released by stub_batch_free.
 *
 * ERR_NOMEM      the batch could not be kept whole; nothing is handed out
 * ERR_TOO_LARGE  it holds more than max_stubs; likewise
 */
enum err intake_take(struct intake_lane *lane, struct stub_batch **out);
void stub_batch_free(struct stub_batch *batch);

/*
 * stub_batch_digest names the request that |batch| was made of, for
 * engine_submit: by the ids and kinds of its spans in their order.  So an exact
 * retry has the same, also one that is compressed or written in another way;
 * and what is clamped by the clock is left out.  Without a span it is that of
 * |bytes|, the request's.
 */
struct digest128 stub_batch_digest(const struct stub_batch *batch, str bytes);

#endif
