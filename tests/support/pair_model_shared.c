#include "tests/support/pair_model_shared.h"

#include "tests/support/pair_model_spans.h"

/* Whether two spans with one id are client and server of one call. */
static bool
are_halves(const struct stub *a, const struct stub *b)
{
    const struct stub *client = a->kind == SPAN_CLIENT ? a : b;
    const struct stub *server = a->kind == SPAN_CLIENT ? b : a;

    return client->kind == SPAN_CLIENT && server->kind == SPAN_SERVER &&
           model_has(client, STUB_EGRESS) &&
           !model_has(client, STUB_PUBLISH | STUB_CREATE | STUB_RECEIVE) &&
           model_has(server, STUB_INGRESS) &&
           client->service != server->service;
}

/* Gives server |s| of |model| an id of its own, below client |c|, and what the
 * client did not do itself. */
static void
part_halves(struct pair_model *model, int c, int s)
{
    const struct stub *client = model_at(model, c);
    uint64_t own = (UINT64_C(1) << 40) + client->span_id;

    for (int i = 0; i < (int)model->len; i++) {
        struct stub *stub = &model->span[i].stub;
        bool is_local =
            stub->service == client->service && !model_has(stub, STUB_INGRESS);
        if (i == c || i == s || is_local ||
            stub->parent_id != client->span_id ||
            !model_same_trace(stub->trace_hi, stub->trace_lo, client->trace_hi,
                              client->trace_lo))
            continue;
        for (int n = 0; n < stub->link_len; n++) {
            struct span_link *link = &model->span[i].links[n];
            if (link->span_id == stub->parent_id &&
                model_same_trace(link->trace_hi, link->trace_lo, stub->trace_hi,
                                 stub->trace_lo))
                link->span_id = own; /* a link to the parent counts once */
        }
        stub->parent_id = own;
    }
    model->span[s].stub.span_id = own;
    model->span[s].stub.parent_id = client->span_id;
}

void
model_part_halves(struct pair_model *model)
{
    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *stub = model_at(model, i);
        int n =
            model_find(model, stub->trace_hi, stub->trace_lo, stub->span_id);
        if (n != i && stub->kind == SPAN_CLIENT)
            part_halves(model, i, n);
        else if (n != i)
            part_halves(model, n, i);
    }
}

bool
model_is_half(const struct pair_model *model, const struct stub *stub)
{
    int len = 0;
    int first = MODEL_NOBODY;

    for (int i = 0; i < (int)model->len; i++) {
        const struct stub *other = model_at(model, i);
        if (other->span_id != stub->span_id ||
            !model_same_trace(other->trace_hi, other->trace_lo, stub->trace_hi,
                              stub->trace_lo))
            continue;
        first = len == 0 ? i : first;
        len++;
    }
    return len == 1 && are_halves(model_at(model, first), stub);
}
