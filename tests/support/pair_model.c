#include "tests/support/pair_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/sketch.h"

enum { NOBODY = -1 };

/* ---- who is who ---- */

static bool
same_trace(uint64_t a_hi, uint64_t a_lo, uint64_t b_hi, uint64_t b_lo)
{
    return a_lo == b_lo && (a_hi == b_hi || !a_hi || !b_hi);
}

static const struct stub *
at(const struct pair_model *model, int i)
{
    return &model->span[i].stub;
}

static bool
has(const struct stub *stub, uint32_t flags)
{
    return (stub->flags & flags) != 0;
}

static bool
is_consumer(const struct stub *stub)
{
    return stub->kind == SPAN_CONSUMER;
}

static bool
is_producer(const struct stub *stub)
{
    return stub->kind == SPAN_PRODUCER || has(stub, STUB_PUBLISH | STUB_CREATE);
}

static bool
is_publish(const struct stub *stub)
{
    return has(stub, STUB_EGRESS) && has(stub, STUB_PUBLISH | STUB_CREATE);
}

static bool
is_waited(const struct pair_model *model, int i)
{
    uint64_t arrived_ns = model->span[i].arrived_ns;

    arrived_ns = (arrived_ns + NS_PER_MS - 1) / NS_PER_MS * NS_PER_MS;
    return arrived_ns + model->wait_ns <= model->now_ns;
}

static int
find(const struct pair_model *model, uint64_t hi, uint64_t lo, uint64_t id)
{
    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *stub = at(model, i);
        if (stub->span_id == id &&
            same_trace(stub->trace_hi, stub->trace_lo, hi, lo))
            return i;
    }
    return NOBODY;
}

static int
parent_of(const struct pair_model *model, int i)
{
    const struct stub *stub = at(model, i);

    if (stub->parent_id == 0 || stub->parent_id == stub->span_id)
        return NOBODY;
    return find(model, stub->trace_hi, stub->trace_lo, stub->parent_id);
}

static uint32_t
site_of(const struct pair_model *model, int i)
{
    uint32_t service = at(model, i)->service;

    for (uint32_t n = 0; n <= model->len; n++) {
        const struct stub *stub = at(model, i);
        if (has(stub, STUB_INGRESS))
            return stub->endpoint ? stub->endpoint : service;
        int parent = parent_of(model, i);
        if (parent == NOBODY || at(model, parent)->service != service)
            return service;
        i = parent;
    }
    return service; /* a ring */
}

/* The function the calls of |i| are made in. */
static uint32_t
code_of(const struct pair_model *model, int i)
{
    uint32_t service = at(model, i)->service;

    for (uint32_t n = 0; n <= model->len; n++) {
        const struct stub *stub = at(model, i);
        if (stub->symbol || has(stub, STUB_INGRESS))
            return stub->symbol;
        int parent = parent_of(model, i);
        if (parent == NOBODY || at(model, parent)->service != service)
            return 0;
        i = parent;
    }
    return 0; /* a ring */
}

/* ---- values ---- */

static struct edge_obs
own(const struct stub *stub)
{
    bool is_known = has(stub, STUB_WEIGHT_KNOWN);

    return (struct edge_obs){
        .count = 1,
        .errors = has(stub, STUB_FAILED),
        .weight_known = is_known,
        .weight = (int64_t)(is_known ? stub->weight : WEIGHT_ONE),
        .at_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .latency = EDGE_NO_LATENCY,
        .dst_version = stub->version,
    };
}

static uint16_t
latency(const struct stub *stub)
{
    return has(stub, STUB_BACKWARDS) ? EDGE_NO_LATENCY
                                     : sketch_bucket(stub->duration_ns);
}

static struct edge_obs
both(const struct stub *first, const struct stub *second)
{
    struct edge_obs obs = own(second);
    struct edge_obs other = own(first);

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

static void
say(struct pair_sums *out, uint32_t src, uint32_t dst, uint8_t kind,
    struct edge_obs obs)
{
    obs.key = (struct edge_key){src, dst, kind};
    pair_sums_add(out, &obs);
}

/* Says what goes out from |i|, and what goes out from its function. */
static void
say_from(const struct pair_model *model, int i, uint32_t dst, uint8_t kind,
         struct edge_obs obs, struct pair_sums *out)
{
    say(out, site_of(model, i), dst, kind, obs);
    if (code_of(model, i))
        say(out, code_of(model, i), dst, EDGE_CODE_CALL, obs);
}

/* ---- messages ---- */

/* Whether span |i| tells of the message of |key|: it links to it, or is the
 * child of a producer that has it. */
static bool
tells_of(const struct pair_model *model, int i, struct span_link key)
{
    const struct stub *stub = at(model, i);
    int parent = parent_of(model, i);

    if (parent != NOBODY && is_producer(at(model, parent)) &&
        find(model, key.trace_hi, key.trace_lo, key.span_id) == parent)
        return true;
    for (int n = 0; n < stub->link_len; n++) {
        const struct span_link *link = &model->span[i].links[n];
        bool is_here = same_trace(link->trace_hi, link->trace_lo,
                                  stub->trace_hi, stub->trace_lo);
        if (is_here && (link->span_id == stub->parent_id ||
                        link->span_id == stub->span_id))
            continue;
        if (link->span_id == key.span_id &&
            same_trace(link->trace_hi, link->trace_lo, key.trace_hi,
                       key.trace_lo))
            return true;
    }
    return false;
}

static bool
is_shadowed(const struct pair_model *model, int i, struct span_link key)
{
    const struct stub *stub = at(model, i);

    if (!has(stub, STUB_RECEIVE) || !tells_of(model, i, key))
        return false;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *other = at(model, n);
        if (is_consumer(other) && !has(other, STUB_RECEIVE | STUB_SYNTHETIC) &&
            other->service == stub->service && tells_of(model, n, key))
            return true;
    }
    return false;
}

/* Whether a process of the same service and topic is below receive |i|. */
static bool
has_process_below(const struct pair_model *model, int i)
{
    const struct stub *stub = at(model, i);

    for (int n = 0; has(stub, STUB_RECEIVE) && n < (int)model->len; n++) {
        const struct stub *other = at(model, n);
        if (is_consumer(other) && !has(other, STUB_RECEIVE | STUB_SYNTHETIC) &&
            other->service == stub->service && other->peer == stub->peer &&
            parent_of(model, n) == i)
            return true;
    }
    return false;
}

static struct span_link
parent_key(const struct stub *stub)
{
    return (struct span_link){stub->trace_hi, stub->trace_lo, stub->parent_id};
}

static void
say_links(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    const struct span_link *links = model->span[i].links;

    if (!is_consumer(stub) && !has(stub, STUB_RECEIVE))
        return;
    for (int n = 0; n < stub->link_len; n++) {
        struct span_link link = links[n];
        bool is_repeat = false;
        for (int m = 0; m < n; m++)
            is_repeat |= links[m].span_id == link.span_id &&
                         links[m].trace_lo == link.trace_lo;
        bool is_here = same_trace(link.trace_hi, link.trace_lo, stub->trace_hi,
                                  stub->trace_lo);
        if (is_repeat || is_shadowed(model, i, link) ||
            (is_here && (link.span_id == stub->parent_id ||
                         link.span_id == stub->span_id)))
            continue;
        int to = find(model, link.trace_hi, link.trace_lo, link.span_id);
        if (to == NOBODY && is_waited(model, i))
            say(out, stub->scope, stub->service, EDGE_UNRESOLVED_LINK,
                own(stub));
        if (to == NOBODY || !is_producer(at(model, to)) ||
            has(at(model, to), STUB_SYNTHETIC))
            continue;
        say_from(model, to,
                 has(stub, STUB_INGRESS) ? site_of(model, i) : stub->service,
                 EDGE_MSG, both(at(model, to), stub), out);
    }
}

static void
say_topics(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    struct edge_obs obs = own(stub);
    bool hidden = false;

    if (stub->peer == 0)
        return;
    if (is_consumer(stub)) {
        for (int n = 0; n < stub->link_len; n++)
            hidden |= is_shadowed(model, i, model->span[i].links[n]);
        hidden |= stub->parent_id && is_shadowed(model, i, parent_key(stub));
        hidden |= has_process_below(model, i);
        if (!hidden)
            say(out, stub->peer, site_of(model, i), EDGE_MSG_SUB, obs);
        return;
    }
    if (!is_publish(stub))
        return;
    int parent = parent_of(model, i);
    if (parent != NOBODY && at(model, parent)->service == stub->service &&
        has(at(model, parent), STUB_EGRESS) &&
        has(at(model, parent), STUB_PUBLISH) &&
        at(model, parent)->peer == stub->peer)
        hidden = true;
    for (int n = 0; n < (int)model->len && !has(stub, STUB_PUBLISH); n++) {
        const struct stub *send = at(model, n);
        hidden |= is_publish(send) && has(send, STUB_PUBLISH) &&
                  !has(send, STUB_SYNTHETIC) &&
                  same_trace(send->trace_hi, send->trace_lo, stub->trace_hi,
                             stub->trace_lo);
    }
    obs.src_version = stub->version;
    obs.dst_version = 0;
    if (!hidden)
        say_from(model, i, stub->peer, EDGE_MSG_PUB, obs, out);
}

/* ---- calls ---- */

/* The ingress children of |i| that make calls, and which comes first. */
static int
ingress_children(const struct pair_model *model, int i, int *first)
{
    int len = 0;

    *first = NOBODY;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = at(model, n);
        if (parent_of(model, n) != i || !has(stub, STUB_INGRESS) ||
            has(stub, STUB_SYNTHETIC))
            continue;
        len++;
        if (*first == NOBODY || stub->span_id < at(model, *first)->span_id)
            *first = n;
    }
    return len;
}

static void
say_call(const struct pair_model *model, int i, int parent,
         struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    const struct stub *above = at(model, parent);
    struct edge_obs obs = both(above, stub);
    int first;
    int len = ingress_children(model, parent, &first);

    if (has(above, STUB_EGRESS)) {
        if (len == 1 && has(above, STUB_FAILED))
            obs.errors = 1;
        if (first == i)
            obs.latency = latency(above);
    } else {
        obs.latency = latency(stub);
    }
    say_from(model, parent, site_of(model, i),
             is_consumer(stub) ? EDGE_MSG : EDGE_CALL, obs, out);
}

/* Whether |i| stands for the call of its service below |parent|. */
static bool
stands_for_service(const struct pair_model *model, int i, int parent)
{
    const struct stub *stub = at(model, i);

    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *other = at(model, n);
        if (n == i || other->service != stub->service ||
            parent_of(model, n) != parent)
            continue;
        if (has(other, STUB_INGRESS))
            return false;
        if (!has(other, STUB_SYNTHETIC) && other->span_id < stub->span_id)
            return false;
    }
    return true;
}

static void
say_parent(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    int parent = parent_of(model, i);
    const struct stub *above = parent == NOBODY ? NULL : at(model, parent);
    bool is_local = has(stub, STUB_REMOTE_KNOWN) && !has(stub, STUB_REMOTE);

    if (!above) {
        if (has(stub, STUB_INGRESS) && stub->parent_id && !is_local &&
            is_waited(model, i))
            say(out, stub->scope, stub->service, EDGE_ORPHAN, own(stub));
        return;
    }
    if (has(above, STUB_SYNTHETIC) ||
        (is_producer(above) && is_shadowed(model, i, parent_key(stub))))
        return;
    if (has(stub, STUB_INGRESS)) {
        if (stub->service != above->service || has(above, STUB_EGRESS))
            say_call(model, i, parent, out);
        return;
    }
    if (stub->service != above->service && stands_for_service(model, i, parent))
        say_from(model, parent, stub->service, EDGE_CALL, both(above, stub),
                 out);
}

/* ---- egress ---- */

static bool
is_nested(const struct pair_model *model, int i)
{
    int parent = parent_of(model, i);

    return has(at(model, i), STUB_EGRESS) && parent != NOBODY &&
           has(at(model, parent), STUB_EGRESS) &&
           at(model, parent)->service == at(model, i)->service;
}

static bool
is_in_nest(const struct pair_model *model, int i, int outer)
{
    for (uint32_t n = 0; i != outer && n <= model->len; n++) {
        if (!is_nested(model, i))
            return false;
        i = parent_of(model, i);
    }
    return i == outer;
}

/* Whether a consumer links to |i|. */
static bool
is_linked(const struct pair_model *model, int i)
{
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = at(model, n);
        bool links = (is_consumer(stub) || has(stub, STUB_RECEIVE)) &&
                     !has(stub, STUB_SYNTHETIC) && n != i &&
                     parent_of(model, n) != i;
        for (int m = 0; links && m < stub->link_len; m++) {
            const struct span_link *link = &model->span[n].links[m];
            if (find(model, link->trace_hi, link->trace_lo, link->span_id) == i)
                return true;
        }
    }
    return false;
}

static bool
has_callee(const struct pair_model *model, int i)
{
    const struct stub *self = at(model, i);

    if (is_publish(self) &&
        (has(self, STUB_CREATE) || self->peer || is_linked(model, i)))
        return true;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = at(model, n);
        if (parent_of(model, n) != i)
            continue;
        if (has(stub, STUB_INGRESS) ||
            (stub->service != at(model, i)->service &&
             !has(stub, STUB_SYNTHETIC)))
            return true;
    }
    return false;
}

static void
say_outcome(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    const struct stub *named = stub->peer ? stub : NULL;
    struct edge_obs obs = own(stub);

    if (!has(stub, STUB_EGRESS) || !is_waited(model, i) || is_nested(model, i))
        return;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *inner = at(model, n);
        if (!is_in_nest(model, n, i))
            continue;
        if (has_callee(model, n))
            return;
        if (!stub->peer && inner->peer &&
            (!named || inner->span_id < named->span_id))
            named = inner;
    }
    if (!named) {
        say(out, stub->scope, stub->service, EDGE_UNRESOLVED, obs);
        return;
    }
    obs.latency = latency(stub);
    obs.src_version = stub->version;
    obs.dst_version = 0;
    say_from(model, i, named->peer,
             has(named, STUB_DB) ? EDGE_DB : EDGE_VIRTUAL_OUT, obs, out);
}

/* ---- all ---- */

/* The first function that is met going down from an ingress. */
static void
say_handled(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    uint32_t site = site_of(model, i);

    if (!stub->symbol || has(stub, STUB_EGRESS) || site == stub->service)
        return;
    if (!has(stub, STUB_INGRESS) && code_of(model, parent_of(model, i)))
        return;
    say(out, site, stub->symbol, EDGE_HANDLED, own(stub));
}

static void
say_self(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = at(model, i);
    struct edge_obs obs = own(stub);

    say(out, 0, stub->service, EDGE_SEEN, obs);
    say(out, stub->scope, stub->service, EDGE_SEEN_BY, obs);
    if (has(stub, STUB_INPROC_DB))
        say(out, stub->scope, stub->service, EDGE_INPROC_DB, obs);
    if (!has(stub, STUB_INGRESS))
        return;
    obs.latency = latency(stub);
    say(out, 0, site_of(model, i), EDGE_TRAFFIC, obs);
    if (has(stub, STUB_DENIED))
        say(out, 0, site_of(model, i), EDGE_DENIED, obs);
    if (!is_consumer(stub) && stub->parent_id == 0)
        say(out, stub->peer ? stub->peer : model->user, site_of(model, i),
            EDGE_VIRTUAL_IN, obs);
}

void
pair_model_add(struct pair_model *model, const struct stub *stub,
               const struct span_link *links)
{
    if (find(model, stub->trace_hi, stub->trace_lo, stub->span_id) != NOBODY) {
        if (model->repeat_len == PAIR_MODEL_REPEATS)
            abort();
        model->repeat[model->repeat_len++] = *stub;
        return;
    }
    if (model->len == PAIR_MODEL_SPANS)
        abort();
    struct pair_model_span *span = &model->span[model->len++];
    span->stub = *stub;
    span->arrived_ns = model->now_ns;
    if (stub->link_len)
        memcpy(span->links, links, stub->link_len * sizeof(*links));
}

void
pair_model_sums(const struct pair_model *model, struct pair_sums *out)
{
    out->len = 0;
    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *stub = at(model, i);
        struct edge_obs obs = own(stub);
        if (has(stub, STUB_SYNTHETIC)) {
            if (has(stub, STUB_INGRESS | STUB_EGRESS))
                say(out, 0,
                    has(stub, STUB_INGRESS) ? site_of(model, i) : stub->service,
                    EDGE_SYNTHETIC, obs);
            continue;
        }
        say_self(model, i, out);
        say_handled(model, i, out);
        say_parent(model, i, out);
        say_outcome(model, i, out);
        say_topics(model, i, out);
        say_links(model, i, out);
    }
    for (uint32_t i = 0; i < model->repeat_len; i++) {
        const struct stub *stub = &model->repeat[i];
        struct edge_obs obs = {.count = 1,
                               .weight = (int64_t)WEIGHT_ONE,
                               .at_s = (uint32_t)(stub->start_ns / NS_PER_S),
                               .latency = EDGE_NO_LATENCY,
                               .dst_version = stub->version};
        say(out, stub->scope, stub->service, EDGE_DUPLICATE, obs);
    }
}
