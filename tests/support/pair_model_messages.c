#include "tests/support/pair_model_messages.h"

#include "tests/support/pair_model_spans.h"

/* Whether span |i| tells of the message of |key|: it links to it, or is the
 * child of a producer that has it. */
static bool
tells_of(const struct pair_model *model, int i, struct span_link key)
{
    const struct stub *stub = model_at(model, i);
    int parent = model_parent(model, i);

    if (parent != MODEL_NOBODY && model_is_producer(model_at(model, parent)) &&
        model_find(model, key.trace_hi, key.trace_lo, key.span_id) == parent)
        return true;
    for (int n = 0; n < stub->link_len; n++) {
        const struct span_link *link = &model->span[i].links[n];
        bool is_here = model_same_trace(link->trace_hi, link->trace_lo,
                                        stub->trace_hi, stub->trace_lo);
        if (is_here && (link->span_id == stub->parent_id ||
                        link->span_id == stub->span_id))
            continue;
        if (link->span_id == key.span_id &&
            model_same_trace(link->trace_hi, link->trace_lo, key.trace_hi,
                             key.trace_lo))
            return true;
    }
    return false;
}

bool
model_is_repeated(const struct pair_model *model, int i)
{
    const struct stub *stub = model_at(model, i);
    int parent = model_parent(model, i);
    const struct stub *above =
        parent == MODEL_NOBODY ? NULL : model_at(model, parent);

    return above && model_is_publish(stub) && above->service == stub->service &&
           model_has(above, STUB_EGRESS) && model_has(above, STUB_PUBLISH) &&
           above->peer == stub->peer;
}

/* Whether |inner| sends again what |outer| does, at any depth. */
static bool
is_within(const struct pair_model *model, int inner, int outer)
{
    for (uint32_t n = 0; n < model->len && model_is_repeated(model, inner);
         n++) {
        inner = model_parent(model, inner);
        if (inner == outer)
            return true;
    }
    return false;
}

/* Whether a process of the service of |i| tells of the message of |key|. */
static bool
is_processed(const struct pair_model *model, int i, struct span_link key)
{
    for (int n = 0; n < (int)model->len; n++) {
        const struct stub *other = model_at(model, n);
        if (model_is_consumer(other) &&
            !model_has(other, STUB_RECEIVE | STUB_SYNTHETIC) &&
            other->service == model_at(model, i)->service &&
            tells_of(model, n, key))
            return true;
    }
    return false;
}

bool
model_is_shadowed(const struct pair_model *model, int i, struct span_link key)
{
    const struct stub *stub = model_at(model, i);
    int to = model_find(model, key.trace_hi, key.trace_lo, key.span_id);

    if (!model_has(stub, STUB_RECEIVE) || !tells_of(model, i, key))
        return false;
    if (is_processed(model, i, key))
        return true;
    for (int n = 0; to != MODEL_NOBODY && n < (int)model->len; n++) {
        const struct stub *other = model_at(model, n);
        if (is_within(model, n, to) || is_within(model, to, n)) {
            struct span_link same = {other->trace_hi, other->trace_lo,
                                     other->span_id};
            if (is_processed(model, i, same))
                return true;
        }
    }
    return false;
}

bool
model_has_process_below(const struct pair_model *model, int i)
{
    const struct stub *stub = model_at(model, i);

    for (int n = 0; model_has(stub, STUB_RECEIVE) && n < (int)model->len; n++) {
        const struct stub *other = model_at(model, n);
        if (model_is_consumer(other) &&
            !model_has(other, STUB_RECEIVE | STUB_SYNTHETIC) &&
            other->service == stub->service && other->peer == stub->peer &&
            model_parent(model, n) == i)
            return true;
    }
    return false;
}
