/*
 * The accounts (model/edge.h, kinds from EDGE_TRAFFIC) are walked once.  Each
 * names an endpoint; the days of its buckets say when it was called, and the
 * hours of all endpoints of a service together when the service was observed:
 * silence of one route means something only while its siblings are heard.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "graph/audit_candidate.h"
#include "model/stub.h"
#include "store/edge_rows.h"

/* What one account's days are added to. */
struct account {
    struct audit_facts *facts;
    struct service_facts *service;
    struct traffic *traffic; /* NULL: only the service is heard */
    uint8_t kind;
    int64_t in_window;
    int64_t weighted_in_window;
};

enum err
audit_facts_service(struct audit_facts *facts, uint32_t node, uint32_t *out)
{
    if (facts->service_of[node]) {
        *out = facts->service_of[node] - 1;
        return OK;
    }
    if (!grow_room(facts->services, facts->service_len, facts->service_cap))
        return ERR_NOMEM;
    uint32_t *hours = calloc(facts->day_len, sizeof(*hours));
    if (!hours)
        return ERR_NOMEM;
    facts->services[facts->service_len] =
        (struct service_facts){.node = node, .hours = hours, .keep = -1};
    *out = (uint32_t)facts->service_len++;
    facts->service_of[node] = *out + 1;
    return OK;
}

static enum err
find_endpoint(struct audit_facts *facts, uint32_t node, struct endpoint **out)
{
    uint32_t owner = catalog_rollup(facts->view->catalog, node, LEVEL_SERVICE);
    uint32_t service;
    enum err err;

    if (!facts->endpoint_of[node]) {
        if ((err = audit_facts_service(facts, owner, &service)))
            return err;
        if (!grow_room(facts->endpoints, facts->endpoint_len,
                       facts->endpoint_cap))
            return ERR_NOMEM;
        facts->endpoints[facts->endpoint_len] =
            (struct endpoint){.node = node, .service = service};
        facts->endpoint_of[node] = (uint32_t)++facts->endpoint_len;
    }
    *out = &facts->endpoints[facts->endpoint_of[node] - 1];
    return OK;
}

/* The bits of |day|'s hours that lie in the window. */
static uint32_t
window_hours(const struct audit_facts *facts, uint32_t day, uint32_t hours)
{
    uint32_t first = day * 24;
    uint32_t bits = hours & 0xffffff;

    for (uint32_t h = 0; h < 24; h++) {
        if (first + h < facts->from_hour || first + h > facts->to_hour)
            bits &= ~(UINT32_C(1) << h);
    }
    return bits;
}

static enum err
take_day(void *ctx, const struct bucket_delta *day)
{
    struct account *account = ctx;
    const struct audit_facts *facts = account->facts;
    uint32_t today = facts->view->now_s / S_PER_DAY;
    uint32_t bits;

    if (day->count <= 0 || day->number > today)
        return OK;
    uint32_t ago = today - day->number;
    if (account->kind == EDGE_TRAFFIC && account->traffic && ago < RHYTHM_DAYS)
        account->traffic->days[ago / 64] |= UINT64_C(1) << ago % 64;
    if (day->number < facts->from_day)
        return OK;
    bits = window_hours(facts, day->number, day->hours);
    /* A day at the window's edge counts if an hour in the window does. */
    if (bits == 0 && day->hours != 0)
        return OK;
    account->in_window += day->count;
    account->weighted_in_window =
        weights_add(account->weighted_in_window, day->weighted);
    account->service->hours[day->number - facts->from_day] |= bits;
    return OK;
}

static enum err
take_version(void *ctx, const struct version_delta *row)
{
    const struct account *account = ctx;
    struct traffic *traffic = account->traffic;

    if (row->version == 0)
        return OK;
    if (row->last_s >= traffic->version_last_s) {
        traffic->last_version = row->version;
        traffic->version_last_s = row->last_s;
    }
    if (row->last_s / S_PER_H >= account->facts->from_hour)
        traffic_add_version(traffic,
                            (struct version_seen){row->version, row->last_s});
    return OK;
}

/* What the calls of known weight stand for; the others weigh one each. */
static int64_t
known_weight(const struct reader_edge *edge)
{
    return edge->weighted - (edge->count - edge->known) * (int64_t)WEIGHT_ONE;
}

static void
add_totals(struct traffic *traffic, const struct reader_edge *edge,
           int64_t in_window)
{
    switch (edge->key.kind) {
    case EDGE_TRAFFIC:
        traffic->total += edge->count;
        traffic->known += edge->known;
        traffic->weighted = weights_add(traffic->weighted, known_weight(edge));
        traffic->in_window += in_window;
        if (traffic->first_s == 0 || edge->first_s < traffic->first_s)
            traffic->first_s = edge->first_s;
        if (traffic->last_s < edge->last_s)
            traffic->last_s = edge->last_s;
        break;
    case EDGE_DENIED:
        traffic->denied += edge->count;
        traffic->denied_in_window += in_window;
        break;
    default:
        traffic->synthetic += edge->count;
    }
}

/* Buckets may be gone or belong to the day of the window's edge: then the last
 * call says whether there was one in the window. */
static int64_t
in_window(const struct account *account, const struct reader_edge *edge)
{
    if (account->in_window > 0)
        return account->in_window;
    return edge->last_s / S_PER_H >= account->facts->from_hour ? 1 : 0;
}

/* What a service's endpoints say of the service as a whole. */
static void
add_to_service(const struct account *account, const struct query_node *node,
               const struct reader_edge *edge)
{
    struct service_facts *service = account->service;
    int64_t calls = in_window(account, edge);
    bool is_real = edge->key.kind == EDGE_TRAFFIC;
    struct kind_facts *kind =
        node->kind == NODE_RPC ? &service->rpcs : &service->routes;

    if (edge->key.kind == EDGE_DENIED)
        return;
    if (is_real) {
        service->window_count += account->in_window;
        service->window_weighted =
            weights_add(service->window_weighted, account->weighted_in_window);
        service->count += edge->count;
        service->known += edge->known;
        service->weighted = weights_add(service->weighted, known_weight(edge));
    }
    if (node->kind == NODE_SERVICE && is_real) {
        service->guessed += calls; /* any route could have been called */
        service->nameless += calls;
    }
    if (route_is_asked(node))
        service->has_asked |= calls > 0;
    if ((node->kind != NODE_ROUTE && node->kind != NODE_RPC) ||
        route_is_asked(node))
        return;
    if (route_is_unmatched(node)) {
        service->unmatched += is_real ? calls : 0;
    } else if (node->source == ROUTE_SOURCE_OVERFLOW) {
        kind->overflow += is_real ? calls : 0;
    } else if (node->kind == NODE_ROUTE &&
               node->source == ROUTE_SOURCE_HEURISTIC) {
        service->guessed += calls;
    } else if (!route_is_catch_all(node)) {
        kind->trusted += calls;
        service->has_names |=
            calls > 0 && node->kind == NODE_ROUTE && route_is_named(node);
    }
}

static enum err
take_account(void *ctx, const struct reader_edge *edge)
{
    struct audit_facts *facts = ctx;
    struct query_view *view = facts->view;
    uint32_t node = catalog_rollup(view->catalog, edge->key.dst, LEVEL_SYMBOL);
    struct account account = {.facts = facts, .kind = edge->key.kind};
    struct endpoint *endpoint = NULL;
    enum err err;
    uint32_t service;

    if (node == 0 || edge->key.kind > EDGE_SEEN ||
        !audit_facts_is_asked(
            facts, catalog_rollup(view->catalog, node, LEVEL_SERVICE)))
        return OK;
    if (query_node(view, node)->kind == NODE_SERVICE) {
        err = audit_facts_service(facts, node, &service);
    } else {
        err = find_endpoint(facts, node, &endpoint);
        service = endpoint ? endpoint->service : 0;
    }
    if (err)
        return err;
    account.service = &facts->services[service];
    account.traffic = endpoint ? &endpoint->traffic : NULL;
    if (edge->key.kind == EDGE_SEEN) {
        account.service->seen_first_s = edge->first_s;
        account.service->seen_last_s = edge->last_s;
        return audit_facts_deployed(facts, account.service, edge->id);
    }
    err = reader_each_day(view->reader, edge->id, 0, UINT32_MAX, take_day,
                          &account);
    if (!err && endpoint && edge->key.kind == EDGE_TRAFFIC)
        err =
            reader_each_version(view->reader, edge->id, take_version, &account);
    if (endpoint)
        add_totals(&endpoint->traffic, edge, in_window(&account, edge));
    add_to_service(&account, query_node(view, node), edge);
    return err;
}

static enum err
take_loss(void *ctx, str reason, int64_t count)
{
    struct audit_facts *facts = ctx;

    /* A link that was dropped takes no call of a route with it. */
    if (!str_eq(reason, STR("links_dropped")))
        facts->lost += count;
    return OK;
}

struct downtime {
    struct audit_facts *facts;
    uint32_t last_end_s;
};

/* An hour in which we were down for a part loses that part.  One in which we
 * were down from end to end and that has spans all the same got them late, and
 * whole. */
static void
cut_gap(struct audit_facts *facts, uint32_t from_s, uint32_t to_s)
{
    for (uint32_t hour = from_s / S_PER_H; hour <= to_s / S_PER_H; hour++) {
        uint32_t start = hour * S_PER_H;
        uint32_t from = from_s > start ? from_s : start;
        uint32_t to = to_s < start + S_PER_H ? to_s : start + S_PER_H;

        if (hour < facts->from_hour || hour > facts->to_hour ||
            (from == start && to == start + S_PER_H) || to <= from)
            continue;
        for (size_t i = 0; i < facts->service_len; i++) {
            struct service_facts *service = &facts->services[i];
            uint32_t bits = service->hours[hour / 24 - facts->from_day];

            if (bits >> hour % 24 & 1)
                service->down_hours += (double)(to - from) / S_PER_H;
        }
    }
}

static enum err
take_uptime(void *ctx, uint32_t start_s, uint32_t end_s)
{
    struct downtime *down = ctx;
    uint32_t window_s = down->facts->from_hour * S_PER_H;

    if (down->last_end_s && start_s > down->last_end_s && start_s > window_s)
        cut_gap(down->facts,
                down->last_end_s > window_s ? down->last_end_s : window_s,
                start_s);
    if (down->last_end_s < end_s)
        down->last_end_s = end_s;
    return OK;
}

/* The part of |count| calls that was kept, which stand for |weighted|. */
static double
share(int64_t count, int64_t weighted)
{
    double all = (double)weighted / (double)WEIGHT_ONE;

    return count > 0 && all > (double)count ? (double)count / all : 1;
}

/* The rate may have been another one before the window.  Buckets do not say
 * whether it was known: if not of all calls, the lesser of both counts. */
static double
keep_of(const struct service_facts *service)
{
    double lately = share(service->window_count, service->window_weighted);

    /* A few calls of known weight say nothing of the others. */
    if (service->known <= 0 || 2 * service->known < service->count ||
        service->weighted <= 0)
        return -1;
    if (service->known == service->count && service->window_count > 0)
        return lately;
    return fmin(share(service->known, service->weighted), lately);
}

static void
derive(const struct audit_facts *facts, struct service_facts *service)
{
    uint32_t hours = facts->to_hour - facts->from_hour + 1;
    uint32_t covered = 0;

    for (uint32_t day = 0; day < facts->day_len; day++) {
        uint32_t first_h = (facts->from_day + day) * 24;
        uint32_t bits = service->hours[day];

        if (bits == 0)
            continue;
        covered += (uint32_t)__builtin_popcount(bits);
        if (service->observed_from_s == 0)
            service->observed_from_s =
                (first_h + (uint32_t)__builtin_ctz(bits)) * S_PER_H;
        service->observed_to_s =
            (first_h + 32 - (uint32_t)__builtin_clz(bits)) * S_PER_H;
    }
    if (service->observed_to_s > facts->view->now_s)
        service->observed_to_s = facts->view->now_s;
    service->covered_hours = covered - service->down_hours;
    /* In hundredths of a percent, for whoever judges or tells it. */
    service->coverage = round(service->covered_hours / hours * 1e4) / 1e4;
    service->keep = keep_of(service);
    if (service->keep < 0 && facts->cfg->assume_unsampled)
        service->keep = 1;
}

/* ---- which services ---- */

bool
audit_facts_is_asked(const struct audit_facts *facts, uint32_t node)
{
    return !facts->asked || facts->asked[node];
}

/* A declaration is spread over the environments of its service, so what was
 * seen of it in others has a say. */
static enum err
mark_asked(struct audit_facts *facts, size_t nodes)
{
    const struct ids *services = facts->cfg->services;
    const struct query_view *view = facts->view;

    if (!services)
        return OK;
    facts->asked = calloc(nodes, sizeof(*facts->asked));
    if (!facts->asked)
        return ERR_NOMEM;
    for (uint32_t id = 1; id < nodes; id++) {
        const struct query_node *node = query_node(view, id);

        for (size_t i = 0; i < services->len && node->kind == NODE_SERVICE; i++)
            facts->asked[id] |=
                str_eq(node->name, query_node(view, services->ids[i])->name);
    }
    return OK;
}

/* A look-up costs as much as so many edges of a walk. */
enum { LOOKUP = 10 };

/* Node by node where few are asked for. */
static enum err
walk_accounts(struct audit_facts *facts, size_t nodes)
{
    const struct catalog *catalog = facts->view->catalog;
    struct reader_edges accounts = {.from_kind = EDGE_TRAFFIC,
                                    .to_kind = EDGE_SEEN};
    uint64_t asked = 0;
    uint64_t edges = 0;
    enum err err = OK;

    for (uint32_t id = 1; facts->asked && id < nodes; id++)
        asked += facts->asked[catalog_rollup(catalog, id, LEVEL_SERVICE)];
    if ((err = reader_edge_most(facts->view->reader, &edges)))
        return err;
    if (!facts->asked || asked * LOOKUP >= edges)
        return reader_each_edge(facts->view->reader, &accounts, take_account,
                                facts);
    accounts.side = READER_TO;
    for (uint32_t id = 1; id < nodes && !err; id++) {
        accounts.node = id;
        if (facts->asked[catalog_rollup(catalog, id, LEVEL_SERVICE)])
            err = reader_each_edge(facts->view->reader, &accounts, take_account,
                                   facts);
    }
    return err;
}

enum err
audit_facts_gather(struct audit_facts *facts, struct query_view *view,
                   const struct audit_cfg *cfg)
{
    size_t nodes = (size_t)catalog_len(view->catalog) + 1;
    uint32_t to_hour = view->now_s / S_PER_H;
    uint32_t hours = cfg->stale_days * 24;
    struct downtime down = {.facts = facts};
    enum err err;

    *facts = (struct audit_facts){.view = view, .cfg = cfg, .to_hour = to_hour};
    facts->from_hour = to_hour + 1 > hours ? to_hour + 1 - hours : 0;
    facts->from_day = facts->from_hour / 24;
    facts->day_len = to_hour / 24 - facts->from_day + 1;
    facts->endpoint_of = calloc(nodes, sizeof(*facts->endpoint_of));
    facts->service_of = calloc(nodes, sizeof(*facts->service_of));
    if (!facts->endpoint_of || !facts->service_of)
        return ERR_NOMEM;
    err = mark_asked(facts, nodes);
    if (!err)
        err = walk_accounts(facts, nodes);
    if (!err)
        err = reader_each_loss(view->reader, facts->from_day, to_hour / 24,
                               take_loss, facts);
    if (!err)
        err = reader_each_uptime(view->reader, 0, take_uptime, &down);
    for (size_t i = 0; i < facts->service_len; i++)
        derive(facts, &facts->services[i]);
    return err;
}

void
audit_facts_fini(struct audit_facts *facts)
{
    for (size_t i = 0; i < facts->service_len; i++)
        free(facts->services[i].hours);
    free(facts->services);
    free(facts->endpoints);
    free(facts->endpoint_of);
    free(facts->service_of);
    free(facts->asked);
    *facts = (struct audit_facts){0};
}
