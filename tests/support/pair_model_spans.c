#include "tests/support/pair_model_spans.h"

#include "base/clock.h"
#include "graph/sketch.h"

/* ---- who is who ---- */

bool
model_same_trace(uint64_t a_hi, uint64_t a_lo, uint64_t b_hi, uint64_t b_lo)
{
    return a_lo == b_lo && (a_hi == b_hi || !a_hi || !b_hi);
}

const struct stub *
model_at(const struct pair_model *model, int i)
{
    return &model->span[i].stub;
}

bool
model_has(const struct stub *stub, uint32_t flags)
{
    return (stub->flags & flags) != 0;
}

bool
model_is_consumer(const struct stub *stub)
{
    return stub->kind == SPAN_CONSUMER;
}

bool
model_is_producer(const struct stub *stub)
{
    return stub->kind == SPAN_PRODUCER ||
           model_has(stub, STUB_PUBLISH | STUB_CREATE);
}

bool
model_is_publish(const struct stub *stub)
{
    return model_has(stub, STUB_EGRESS) &&
           model_has(stub, STUB_PUBLISH | STUB_CREATE);
}

bool
model_is_waited(const struct pair_model *model, int i)
{
    uint64_t arrived_ns = model->span[i].arrived_ns;

    arrived_ns = (arrived_ns + NS_PER_MS - 1) / NS_PER_MS * NS_PER_MS;
    return arrived_ns + model->wait_ns <= model->now_ns;
}

int
model_find(const struct pair_model *model, uint64_t hi, uint64_t lo,
           uint64_t id)
{
    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *stub = model_at(model, i);
        if (stub->span_id == id &&
            model_same_trace(stub->trace_hi, stub->trace_lo, hi, lo))
            return i;
    }
    return MODEL_NOBODY;
}

int
model_parent(const struct pair_model *model, int i)
{
    const struct stub *stub = model_at(model, i);

    if (stub->parent_id == 0 || stub->parent_id == stub->span_id)
        return MODEL_NOBODY;
    return model_find(model, stub->trace_hi, stub->trace_lo, stub->parent_id);
}

uint32_t
model_site(const struct pair_model *model, int i)
{
    uint32_t service = model_at(model, i)->service;

    for (uint32_t n = 0; n <= model->len; n++) {
        const struct stub *stub = model_at(model, i);
        if (model_has(stub, STUB_INGRESS))
            return stub->endpoint ? stub->endpoint : service;
        int parent = model_parent(model, i);
        if (parent == MODEL_NOBODY ||
            model_at(model, parent)->service != service)
            return service;
        i = parent;
    }
    return service; /* a ring */
}

uint32_t
model_code(const struct pair_model *model, int i)
{
    uint32_t service = model_at(model, i)->service;

    for (uint32_t n = 0; n <= model->len; n++) {
        const struct stub *stub = model_at(model, i);
        if (stub->symbol || model_has(stub, STUB_INGRESS))
            return stub->symbol;
        int parent = model_parent(model, i);
        if (parent == MODEL_NOBODY ||
            model_at(model, parent)->service != service)
            return 0;
        i = parent;
    }
    return 0; /* a ring */
}

uint32_t
model_placed_peer(const struct stub *stub)
{
    return model_has(stub, STUB_UNPLACED) ? 0 : stub->peer;
}

/* ---- nests ---- */

/* Whether |stub| carries the message of |above| to a database. */
static bool
is_carrier(const struct stub *stub, const struct stub *above)
{
    return model_has(stub, STUB_DB) && !model_is_publish(stub) &&
           model_is_publish(above) &&
           (model_has(above, STUB_CREATE) || above->peer);
}

bool
model_is_nested(const struct pair_model *model, int i)
{
    const struct stub *stub = model_at(model, i);
    int parent = model_parent(model, i);

    if (!model_has(stub, STUB_EGRESS) || parent == MODEL_NOBODY)
        return false;
    const struct stub *above = model_at(model, parent);
    return model_has(above, STUB_EGRESS) && above->service == stub->service &&
           !is_carrier(stub, above);
}

bool
model_is_in_nest(const struct pair_model *model, int i, int outer)
{
    for (uint32_t n = 0; i != outer && n <= model->len; n++) {
        if (!model_is_nested(model, i))
            return false;
        i = model_parent(model, i);
    }
    return i == outer;
}

/* ---- values ---- */

struct edge_obs
model_obs(const struct stub *stub)
{
    bool is_known = model_has(stub, STUB_WEIGHT_KNOWN);

    return (struct edge_obs){
        .count = 1,
        .errors = model_has(stub, STUB_FAILED),
        .weight_known = is_known,
        .weight = (int64_t)(is_known ? stub->weight : WEIGHT_ONE),
        .at_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .latency = EDGE_NO_LATENCY,
        .dst_version = stub->version,
    };
}

uint16_t
model_latency(const struct stub *stub)
{
    return model_has(stub, STUB_BACKWARDS) ? EDGE_NO_LATENCY
                                           : sketch_bucket(stub->duration_ns);
}

struct edge_obs
model_obs_both(const struct stub *first, const struct stub *second)
{
    struct edge_obs obs = model_obs(second);
    struct edge_obs other = model_obs(first);

    if (other.weight_known && !obs.weight_known) {
        obs.weight = other.weight;
        obs.weight_known = 1;
    } else if (other.weight_known && other.weight > obs.weight) {
        obs.weight = other.weight;
    }
    obs.src_version = first->version;
    obs.dst_version = second->version;
    return obs;
}

void
model_say(struct pair_sums *out, uint32_t src, uint32_t dst, uint8_t kind,
          struct edge_obs obs)
{
    obs.key = (struct edge_key){src, dst, kind};
    pair_sums_add(out, &obs);
}

void
model_say_from(const struct pair_model *model, int i, uint32_t dst,
               uint8_t kind, struct edge_obs obs, struct pair_sums *out)
{
    model_say(out, model_site(model, i), dst, kind, obs);
    if (model_code(model, i))
        model_say(out, model_code(model, i), dst, EDGE_CODE_CALL, obs);
}
