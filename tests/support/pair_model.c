#include "tests/support/pair_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/support/pair_model_messages.h"
#include "tests/support/pair_model_shared.h"
#include "tests/support/pair_model_spans.h"

/* ---- messages ---- */

static struct span_link
parent_key(const struct stub *stub)
{
    return (struct span_link){stub->trace_hi, stub->trace_lo, stub->parent_id};
}

static void
say_links(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    const struct span_link *links = model->span[i].links;

    if (!model_is_consumer(stub) && !model_has(stub, STUB_RECEIVE))
        return;
    for (int n = 0; n < stub->link_len; n++) {
        struct span_link link = links[n];
        bool is_repeat = false;
        for (int m = 0; m < n; m++)
            is_repeat |= links[m].span_id == link.span_id &&
                         links[m].trace_lo == link.trace_lo;
        bool is_here = model_same_trace(link.trace_hi, link.trace_lo,
                                        stub->trace_hi, stub->trace_lo);
        if (is_repeat || model_is_shadowed(model, i, link) ||
            (is_here && (link.span_id == stub->parent_id ||
                         link.span_id == stub->span_id)))
            continue;
        int to = model_find(model, link.trace_hi, link.trace_lo, link.span_id);
        if (to == MODEL_NOBODY && model_is_waited(model, i))
            model_say(out, stub->scope, stub->service, EDGE_UNRESOLVED_LINK,
                      model_obs(stub));
        if (to == MODEL_NOBODY || !model_is_producer(model_at(model, to)) ||
            model_has(model_at(model, to), STUB_SYNTHETIC))
            continue;
        model_say_from(model, to,
                       model_has(stub, STUB_INGRESS) ? model_site(model, i)
                                                     : stub->service,
                       EDGE_MSG, model_obs_both(model_at(model, to), stub),
                       out);
    }
}

static void
say_topics(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    struct edge_obs obs = model_obs(stub);
    bool hidden = false;

    if (stub->peer == 0)
        return;
    if (model_is_consumer(stub)) {
        for (int n = 0; n < stub->link_len; n++)
            hidden |= model_is_shadowed(model, i, model->span[i].links[n]);
        hidden |=
            stub->parent_id && model_is_shadowed(model, i, parent_key(stub));
        hidden |= model_has_process_below(model, i);
        if (!hidden)
            model_say(out, stub->peer, model_site(model, i), EDGE_MSG_SUB, obs);
        return;
    }
    if (!model_is_publish(stub))
        return;
    hidden = model_is_repeated(model, i);
    for (int n = 0; n < (int)model->len && !model_has(stub, STUB_PUBLISH);
         n++) {
        const struct stub *send = model_at(model, n);
        hidden |= model_is_publish(send) && model_has(send, STUB_PUBLISH) &&
                  !model_has(send, STUB_SYNTHETIC) &&
                  model_same_trace(send->trace_hi, send->trace_lo,
                                   stub->trace_hi, stub->trace_lo);
    }
    obs.src_version = stub->version;
    obs.dst_version = 0;
    if (!hidden)
        model_say_from(model, i, stub->peer, EDGE_MSG_PUB, obs, out);
}

/* ---- calls ---- */

static bool
goes_before(const struct stub *child, const struct stub *first)
{
    bool receives = model_has(child, STUB_RECEIVE);

    if (receives != model_has(first, STUB_RECEIVE))
        return !receives;
    return child->span_id < first->span_id;
}

/* The ingress children of |i| that make calls, and which comes first. */
static int
ingress_children(const struct pair_model *model, int i, int *first)
{
    int len = 0;

    *first = MODEL_NOBODY;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = model_at(model, n);
        if (model_parent(model, n) != i || !model_has(stub, STUB_INGRESS) ||
            model_has(stub, STUB_SYNTHETIC))
            continue;
        len++;
        if (*first == MODEL_NOBODY ||
            goes_before(stub, model_at(model, *first)))
            *first = n;
    }
    return len;
}

static void
say_call(const struct pair_model *model, int i, int parent,
         struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    const struct stub *above = model_at(model, parent);
    struct edge_obs obs = model_obs_both(above, stub);
    int first;
    int len = ingress_children(model, parent, &first);

    if (model_has(above, STUB_EGRESS)) {
        if (len == 1 && model_has(above, STUB_FAILED))
            obs.errors = 1;
        if (first == i)
            obs.latency = model_latency(above);
    } else {
        obs.latency = model_latency(stub);
    }
    model_say_from(model, parent, model_site(model, i),
                   model_is_consumer(stub) ? EDGE_MSG : EDGE_CALL, obs, out);
}

/* Whether |i| stands for the call of its service below |parent|. */
static bool
stands_for_service(const struct pair_model *model, int i, int parent)
{
    const struct stub *stub = model_at(model, i);

    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *other = model_at(model, n);
        if (n == i || other->service != stub->service ||
            model_parent(model, n) != parent)
            continue;
        if (model_has(other, STUB_INGRESS))
            return false;
        if (!model_has(other, STUB_SYNTHETIC) && other->span_id < stub->span_id)
            return false;
    }
    return true;
}

static void
say_parent(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    int parent = model_parent(model, i);
    const struct stub *above =
        parent == MODEL_NOBODY ? NULL : model_at(model, parent);
    bool is_local =
        model_has(stub, STUB_REMOTE_KNOWN) && !model_has(stub, STUB_REMOTE);

    if (!above) {
        if (model_has(stub, STUB_INGRESS) && stub->parent_id && !is_local &&
            model_is_waited(model, i))
            model_say(out, stub->scope, stub->service, EDGE_ORPHAN,
                      model_obs(stub));
        return;
    }
    if (model_has(above, STUB_SYNTHETIC) ||
        (model_is_producer(above) &&
         model_is_shadowed(model, i, parent_key(stub))))
        return;
    if (model_has(stub, STUB_INGRESS)) {
        if (stub->service != above->service || model_has(above, STUB_EGRESS))
            say_call(model, i, parent, out);
        return;
    }
    if (stub->service != above->service && stands_for_service(model, i, parent))
        model_say_from(model, parent, stub->service, EDGE_CALL,
                       model_obs_both(above, stub), out);
}

/* ---- egress ---- */

/* Whether a consumer links to |i|. */
static bool
is_linked(const struct pair_model *model, int i)
{
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = model_at(model, n);
        bool links =
            (model_is_consumer(stub) || model_has(stub, STUB_RECEIVE)) &&
            !model_has(stub, STUB_SYNTHETIC) && n != i &&
            model_parent(model, n) != i;
        for (int m = 0; links && m < stub->link_len; m++) {
            const struct span_link *link = &model->span[n].links[m];
            if (model_find(model, link->trace_hi, link->trace_lo,
                           link->span_id) == i)
                return true;
        }
    }
    return false;
}

static bool
has_callee(const struct pair_model *model, int i)
{
    const struct stub *self = model_at(model, i);

    if (model_is_publish(self) &&
        (model_has(self, STUB_CREATE) || self->peer || is_linked(model, i)))
        return true;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = model_at(model, n);
        if (model_parent(model, n) != i)
            continue;
        if (model_has(stub, STUB_INGRESS) ||
            (stub->service != model_at(model, i)->service &&
             !model_has(stub, STUB_SYNTHETIC)))
            return true;
    }
    return false;
}

static bool
asks(const struct stub *stub)
{
    return model_has(stub, STUB_EGRESS) &&
           !model_has(stub, STUB_PUBLISH | STUB_CREATE | STUB_SYNTHETIC);
}

static bool
may_stand_beside(const struct pair_model *model, int i, int parent)
{
    const struct stub *self = model_at(model, i);

    if (parent == MODEL_NOBODY)
        return self->parent_id == 0;
    return !model_has(model_at(model, parent), STUB_EGRESS) &&
           model_at(model, parent)->service == self->service;
}

/* Whether |i|, of a library above a driver, stands beside the driver's. */
static bool
has_driver_beside(const struct pair_model *model, int i)
{
    const struct stub *self = model_at(model, i);
    int parent = model_parent(model, i);

    if (!model_has(self, STUB_ABOVE) || !asks(self) ||
        !may_stand_beside(model, i, parent))
        return false;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *stub = model_at(model, n);
        if (model_parent(model, n) == parent &&
            !self->parent_id == !stub->parent_id && asks(stub) &&
            model_has(stub, STUB_DB) == model_has(self, STUB_DB) &&
            !model_has(stub, STUB_ABOVE) && stub->service == self->service &&
            model_placed_peer(stub) == model_placed_peer(self))
            return true;
    }
    return false;
}

/* Whether the name of |i|, in the nest of |outer|, comes to that: a database
 * without a place lets pass what tells it, and nothing else. */
static bool
is_lent(const struct pair_model *model, int i, int outer)
{
    const struct stub *stub = model_at(model, i);

    if (!stub->peer)
        return false;
    while (i != outer) {
        i = model_parent(model, i);
        if (model_has(model_at(model, i), STUB_UNPLACED) &&
            (!model_has(stub, STUB_DB) || !model_placed_peer(stub)))
            return false;
    }
    return true;
}

static bool
is_better_name(const struct stub *stub, const struct stub *named)
{
    if (!named || !model_placed_peer(named) != !model_placed_peer(stub))
        return !named || model_placed_peer(stub);
    return stub->span_id < named->span_id;
}

static void
say_outcome(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    const struct stub *named = stub->peer ? stub : NULL;
    struct edge_obs obs = model_obs(stub);

    if (!model_has(stub, STUB_EGRESS) || !model_is_waited(model, i) ||
        model_is_nested(model, i) || has_driver_beside(model, i))
        return;
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *inner = model_at(model, n);
        if (!model_is_in_nest(model, n, i))
            continue;
        if (has_callee(model, n))
            return;
        if (!model_placed_peer(stub) && n != i && is_lent(model, n, i) &&
            is_better_name(inner, named))
            named = inner;
    }
    if (!named) {
        model_say(out, stub->scope, stub->service, EDGE_UNRESOLVED, obs);
        return;
    }
    obs.latency = model_latency(stub);
    obs.src_version = stub->version;
    obs.dst_version = 0;
    model_say_from(model, i, named->peer,
                   model_has(named, STUB_DB) ? EDGE_DB : EDGE_VIRTUAL_OUT, obs,
                   out);
}

/* ---- oneself ---- */

/* The first function that is met going down from an ingress. */
static void
say_handled(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    uint32_t site = model_site(model, i);

    if (!stub->symbol || model_has(stub, STUB_EGRESS) || site == stub->service)
        return;
    if (!model_has(stub, STUB_INGRESS) &&
        model_code(model, model_parent(model, i)))
        return;
    model_say(out, site, stub->symbol, EDGE_HANDLED, model_obs(stub));
}

static void
say_self(const struct pair_model *model, int i, struct pair_sums *out)
{
    const struct stub *stub = model_at(model, i);
    struct edge_obs obs = model_obs(stub);

    model_say(out, 0, stub->service, EDGE_SEEN, obs);
    model_say(out, stub->scope, stub->service, EDGE_SEEN_BY, obs);
    if (model_has(stub, STUB_INPROC_DB))
        model_say(out, stub->scope, stub->service, EDGE_INPROC_DB, obs);
    if (!model_has(stub, STUB_INGRESS))
        return;
    obs.latency = model_latency(stub);
    model_say(out, 0, model_site(model, i), EDGE_TRAFFIC, obs);
    if (model_has(stub, STUB_DENIED))
        model_say(out, 0, model_site(model, i), EDGE_DENIED, obs);
    if (!model_is_consumer(stub) && stub->parent_id == 0)
        model_say(out, stub->peer ? stub->peer : model->user,
                  model_site(model, i), EDGE_VIRTUAL_IN, obs);
}

/* ---- all ---- */

void
pair_model_add(struct pair_model *model, const struct stub *stub,
               const struct span_link *links)
{
    if (model_find(model, stub->trace_hi, stub->trace_lo, stub->span_id) !=
            MODEL_NOBODY &&
        !model_is_half(model, stub)) {
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
pair_model_sums(const struct pair_model *came, struct pair_sums *out)
{
    static struct pair_model parted;
    struct pair_model *model = &parted;

    parted = *came;
    model_part_halves(model);
    out->len = 0;
    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *stub = model_at(model, i);
        struct edge_obs obs = model_obs(stub);
        if (model_has(stub, STUB_SYNTHETIC)) {
            if (model_has(stub, STUB_INGRESS | STUB_EGRESS))
                model_say(out, 0,
                          model_has(stub, STUB_INGRESS) ? model_site(model, i)
                                                        : stub->service,
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
        model_say(out, stub->scope, stub->service, EDGE_DUPLICATE, obs);
    }
}
