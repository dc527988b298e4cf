/*
 * One pass over a span fills one stub: times, role, endpoint or peer, weight,
 * marks.  Which attribute says what is decided in the files beside this one.
 */
#include "runtime/intake.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/endpoint.h"
#include "runtime/lane.h"
#include "runtime/peer.h"
#include "runtime/probe.h"
#include "runtime/symbol.h"
#include "runtime/topic.h"
#include "runtime/weight.h"

/* The number of no environment. */
#define NO_ENVIRONMENT UINT32_MAX

#define YEAR_2010_NS (UINT64_C(1262304000) * NS_PER_S)

static enum attr
find_attr(const char *key)
{
#define ATTR_KEY(id, name) name,
    static const char *const keys[] = {ATTRS(ATTR_KEY)};
#undef ATTR_KEY
    unsigned id = 0;

    while (id < ATTR_COUNT && strcmp(keys[id], key) != 0)
        id++;
    return (enum attr)id;
}

bool
intake_knows_key(const char *key)
{
    return find_attr(key) != ATTR_COUNT;
}

enum err
intake_lane_new(struct intake_lane **out, const struct intake_cfg *cfg,
                struct nodes *nodes, struct routes *routes)
{
    enum attr rate_key =
        cfg->sample_rate_key ? find_attr(cfg->sample_rate_key) : ATTR_COUNT;

    *out = NULL;
    if (cfg->sample_rate_key && rate_key == ATTR_COUNT)
        return ERR_UNSUPPORTED;
    struct intake_lane *lane = calloc(1, sizeof(*lane));
    if (!lane)
        return ERR_NOMEM;
    lane->cfg = cfg;
    lane->nodes = nodes;
    lane->routes = routes;
    lane->rate_key = rate_key;
    lane->memo = memo_new();
    if (!lane->memo) {
        intake_lane_free(lane);
        return ERR_NOMEM;
    }
    *out = lane;
    return OK;
}

void
intake_lane_free(struct intake_lane *lane)
{
    if (!lane)
        return;
    memo_free(lane->memo);
    buf_fini(&lane->text);
    buf_fini(&lane->more);
    free(lane->batch);
    free(lane->links);
    free(lane);
}

static str
environment_of(const struct intake_lane *lane, const struct attr_set *attrs)
{
    static const enum attr ids[] = {ATTR_DEPLOYMENT_ENVIRONMENT_NAME,
                                    ATTR_DEPLOYMENT_ENVIRONMENT, ATTR_COUNT};
    str env = lane_first(attrs, ids);

    if (env.len == 0 && lane->cfg->environment_by_k8s_namespace)
        env = attr_str(attrs, ATTR_K8S_NAMESPACE);
    return env;
}

/* Who sends is looked up as soon as it is told, so that its memory comes while
 * the first span is decoded.  What no span named yet is made for a span only: a
 * resource that a filter left without any is no service that was seen. */
enum naming { IF_KNOWN, OR_NEW };

/* A number for |env| that no other has, of this lane and as long as it is
 * remembered; 0 for none. */
static uint32_t
environment_number(struct intake_lane *lane, str env, enum naming naming)
{
    struct memo_key key = {.use = MEMO_ENVIRONMENT, .b = env};
    struct memo_value value = {0, 0};

    if (env.len == 0 || memo_find(lane->memo, &key, &value))
        return value.id;
    if (naming == IF_KNOWN)
        return NO_ENVIRONMENT;
    value.id = ++lane->environments;
    lane_remember(lane, &key, value);
    return value.id;
}

static uint32_t
service_of(struct intake_lane *lane, const struct attr_set *attrs, str name,
           enum naming naming)
{
    str env = environment_of(lane, attrs);
    struct memo_key key = {.use = MEMO_SERVICE,
                           .owner = environment_number(lane, env, naming),
                           .a = attr_str(attrs, ATTR_SERVICE_NAMESPACE),
                           .b = name};
    struct memo_value value = {0, 0};

    if (!memo_find(lane->memo, &key, &value) && naming == OR_NEW) {
        name = lane_join(lane, &lane->text, key.a, name);
        env = lane_join(lane, &lane->more, (str){NULL, 0}, env);
        value.id = nodes_intern(lane->nodes, NODE_SERVICE, 0, name, env);
        lane_remember(lane, &key, value);
    }
    return value.id;
}

/* The node of |kind| and |owner| with this |name| and nothing else to it. */
static uint32_t
named(struct intake_lane *lane, enum memo_use use, enum node_kind kind,
      uint32_t owner, str name, enum naming naming)
{
    struct memo_key key = {.use = use, .owner = owner, .b = name};
    struct memo_value value = {0, 0};

    if (!memo_find(lane->memo, &key, &value) && naming == OR_NEW) {
        name = lane_join(lane, &lane->text, (str){NULL, 0}, name);
        value.id = nodes_intern(lane->nodes, kind, owner, name, (str){NULL, 0});
        lane_remember(lane, &key, value);
    }
    return value.id;
}

/* Leaves lane->service 0 when not all of it is known. */
static void
set_service(struct intake_lane *lane, enum naming naming)
{
    static const enum attr names[] = {ATTR_SERVICE_NAME,   ATTR_K8S_DEPLOYMENT,
                                      ATTR_K8S_REPLICASET, ATTR_K8S_STATEFULSET,
                                      ATTR_K8S_DAEMONSET,  ATTR_K8S_CRONJOB,
                                      ATTR_K8S_JOB,        ATTR_K8S_POD,
                                      ATTR_K8S_CONTAINER,  ATTR_COUNT};
    static const enum attr versions[] = {ATTR_SERVICE_VERSION,
                                         ATTR_VCS_REVISION,
                                         ATTR_VCS_REVISION_OLD, ATTR_COUNT};
    static const struct attr_set empty;
    const struct attr_set *attrs = lane->resource ? lane->resource : &empty;
    str name = lane_first(attrs, names);
    str version = lane_first(attrs, versions);

    if (name.len == 0)
        name = STR(NODE_NAME_UNKNOWN_SERVICE);
    lane->version = 0;
    lane->service = service_of(lane, attrs, name, naming);
    if (!lane->service)
        return;
    memo_ahead(lane->memo, lane->service);
    if (version.len == 0)
        return;
    lane->version =
        named(lane, MEMO_VERSION, NODE_VERSION, lane->service, version, naming);
    if (!lane->version)
        lane->service = 0;
}

/* The same for lane->scope. */
static void
set_scope(struct intake_lane *lane, enum naming naming)
{
    str name = lane->scope_name;

    lane->scope = named(lane, MEMO_SCOPE, NODE_SCOPE, 0,
                        name.len > 0 ? name : STR("(none)"), naming);
}

static void
on_scope(void *ctx, str name, str version)
{
    struct intake_lane *lane = ctx;

    (void)version;
    lane->scope_name = name;
    set_scope(lane, IF_KNOWN);
}

static void
on_resource(void *ctx, const struct attr_set *attrs)
{
    struct intake_lane *lane = ctx;

    lane->resource = attrs;
    set_service(lane, IF_KNOWN);
    lane->scope_name = (str){NULL, 0};
    lane->scope = 0;
}

static bool
has_room(struct intake_lane *lane, uint32_t links)
{
    return (lane->stub_len < lane->stub_cap &&
            (uint64_t)lane->link_len + links <= lane->link_cap) ||
           lane_grow(lane, links);
}

static struct stub *
push_stub(struct intake_lane *lane, const struct span *span)
{
    if (lane->err || !has_room(lane, span->link_len))
        return NULL;

    /* One by one: a whole struct is cleared by an instruction that takes
     * longer than all of these. */
    struct stub *stub = &lane->stubs[lane->stub_len++];
    stub->trace_hi = span->trace_hi;
    stub->trace_lo = span->trace_lo;
    stub->span_id = span->span_id;
    stub->parent_id = span->parent_id;
    stub->start_ns = 0;
    stub->duration_ns = 0;
    stub->weight = 0;
    stub->service = lane->service;
    stub->endpoint = 0;
    stub->peer = 0;
    stub->version = lane->version;
    stub->scope = lane->scope;
    stub->symbol = 0;
    stub->flags = 0;
    stub->link_at = lane->link_len;
    stub->link_len = span->link_len;
    stub->kind = span->kind;
    if (span->link_len > 0)
        memcpy(lane->links + lane->link_len, span->links,
               span->link_len * sizeof(*lane->links));
    lane->link_len += span->link_len;
    return stub;
}

/* R11.  A span without a start has only an end to go by, and no duration.  One
 * that started outside of the window and lasted longer than it has two times
 * of which one is wrong. */
static void
set_times(struct intake_lane *lane, const struct span *span, struct stub *stub)
{
    uint64_t start = span->start_ns;
    bool is_backwards = span->end_ns < start || start == 0;

    if (start < lane->first_ns)
        start = span->end_ns < lane->first_ns ? lane->now_ns : span->end_ns;
    if (start < lane->low_ns)
        start = lane->low_ns;
    if (start > lane->high_ns)
        start = lane->high_ns;
    stub->start_ns = start;
    if (start != span->start_ns) {
        lane->clamped++;
        is_backwards |=
            span->end_ns - span->start_ns > lane->high_ns - lane->low_ns;
    }
    if (is_backwards) {
        stub->flags |= STUB_BACKWARDS;
        lane->backwards++;
    } else {
        stub->duration_ns = span->end_ns - span->start_ns;
    }
}

/* Asked first of each role, at a place of its own: a server is nearly always
 * told who asks, any other span hardly ever. */
static inline void
set_synthetic(struct intake_lane *lane, const struct span *span,
              struct stub *stub)
{
    if (probe_may_be(span->attrs) && probe_is(lane, span->attrs))
        stub->flags |= STUB_SYNTHETIC;
}

static void
set_ingress(struct intake_lane *lane, const struct span *span,
            enum topic_operation operation, struct stub *stub)
{
    set_synthetic(lane, span, stub);
    stub->flags |= STUB_INGRESS;
    if (endpoint_refused(span->attrs))
        stub->flags |= STUB_DENIED;
    if (span->kind == SPAN_SERVER) {
        stub->endpoint = endpoint_of_server(lane, span, &stub->flags);
        stub->peer = peer_external(lane, span->attrs);
        return;
    }
    stub->peer = topic_find(lane, span);
    stub->endpoint = endpoint_of_consumer(lane, span, stub->peer, &stub->flags);
    if (operation == TOPIC_RECEIVE)
        stub->flags |= STUB_RECEIVE;
}

/* A PRODUCER publishes, a CLIENT when it says so.  One that does not name its
 * topic but its peer is an ordinary call. */
static bool
set_publish(struct intake_lane *lane, const struct span *span,
            enum topic_operation operation, struct stub *stub)
{
    bool publishes = span->kind == SPAN_PRODUCER || operation == TOPIC_SEND ||
                     operation == TOPIC_CREATE;

    if (!publishes)
        return false;
    stub->peer = topic_find(lane, span);
    if (!stub->peer && peer_external(lane, span->attrs))
        return false;
    stub->flags |= operation == TOPIC_CREATE ? STUB_CREATE : STUB_PUBLISH;
    return true;
}

static void
set_database(struct intake_lane *lane, const struct span *span,
             struct stub *stub)
{
    if (peer_is_upkeep(lane, span)) {
        stub->flags &= ~STUB_EGRESS;
        return;
    }
    stub->peer = peer_database(lane, span->attrs, &stub->flags);
    if (stub->peer)
        stub->flags |= peer_is_above(lane) ? STUB_DB | STUB_ABOVE : STUB_DB;
}

static void
set_egress(struct intake_lane *lane, const struct span *span,
           enum topic_operation operation, struct stub *stub)
{
    set_synthetic(lane, span, stub);
    if (operation == TOPIC_RECEIVE || operation == TOPIC_SETTLE) {
        if (operation == TOPIC_RECEIVE) {
            stub->flags |= STUB_RECEIVE;
            stub->peer = topic_find(lane, span);
        }
        return;
    }
    stub->flags |= STUB_EGRESS;
    if (set_publish(lane, span, operation, stub))
        return;
    if (peer_is_db(span->attrs)) {
        set_database(lane, span, stub);
        return;
    }
    stub->peer = peer_external(lane, span->attrs);
    if (!stub->peer && peer_may_be_outside(lane, span->attrs))
        peer_outside(lane, span->attrs, stub);
}

/* A page may name the request that it was rendered for as the parent of its
 * loading in the browser.  No server calls a browser. */
static bool
is_page_load(const struct intake_lane *lane, const struct span *span)
{
    return str_eq(span->name, STR("documentLoad")) && lane->resource &&
           str_eq(attr_str(lane->resource, ATTR_SDK_LANGUAGE), STR("webjs"));
}

static void
set_role(struct intake_lane *lane, const struct span *span, struct stub *stub)
{
    enum topic_operation operation =
        lane_has_any(span->attrs, ATTR_MSG_SYSTEM, ATTR_MSG_OPERATION_NAME)
            ? topic_operation(lane, span)
            : TOPIC_NONE;

    if (operation == TOPIC_RECEIVE && topic_is_frame(lane, span))
        stub->kind = SPAN_UNSPECIFIED;
    if (stub->kind == SPAN_CONSUMER && operation == TOPIC_NONE &&
        topic_is_arrival(lane)) {
        stub->kind = SPAN_CLIENT;
        operation = TOPIC_RECEIVE;
    }
    switch (stub->kind) {
    case SPAN_SERVER:
    case SPAN_CONSUMER:
        set_ingress(lane, span, operation, stub);
        break;
    case SPAN_CLIENT:
    case SPAN_PRODUCER:
        set_egress(lane, span, operation, stub);
        break;
    default:
        set_synthetic(lane, span, stub);
        if (span->kind == SPAN_INTERNAL && peer_is_db(span->attrs))
            stub->flags |= STUB_INPROC_DB;
        if (is_page_load(lane, span))
            stub->parent_id = 0;
        break;
    }
    stub->symbol = symbol_of_span(lane, span->attrs);
}

/* Without branches: half of the spans have them, in no order. */
static uint32_t
plain_flags(const struct span *span)
{
    uint32_t is_failed = span->status == SPAN_ERROR;
    uint32_t is_known = (span->flags & SPAN_HAS_IS_REMOTE) != 0;
    uint32_t is_remote = is_known & ((span->flags & SPAN_IS_REMOTE) != 0);

    return is_failed * STUB_FAILED | is_known * STUB_REMOTE_KNOWN |
           is_remote * STUB_REMOTE;
}

static void
on_span(void *ctx, const struct span *span)
{
    struct intake_lane *lane = ctx;
    bool is_known;

    if (!lane->service)
        set_service(lane, OR_NEW);
    if (!lane->scope)
        set_scope(lane, OR_NEW);
    struct stub *stub = push_stub(lane, span);
    if (!stub)
        return;
    set_times(lane, span, stub);
    set_role(lane, span, stub);
    stub->weight =
        weight_of(span->trace_state, span->attrs, lane->rate_key, &is_known);
    stub->flags |= plain_flags(span);
    if (is_known)
        stub->flags |= STUB_WEIGHT_KNOWN;
}

/* What was made of names before more was declared is made anew. */
static void
forget_if_declared(struct intake_lane *lane)
{
    uint64_t generation = routes_generation(lane->routes);

    if (generation == lane->generation)
        return;
    memo_forget(lane->memo);
    lane->generation = generation;
}

void
intake_begin(struct intake_lane *lane, uint64_t now_ns,
             struct span_visitor *out)
{
    const struct intake_cfg *cfg = lane->cfg;

    forget_if_declared(lane);
    lane->now_ns = now_ns;
    lane->low_ns = cfg->past_ns < now_ns ? now_ns - cfg->past_ns : 0;
    lane->first_ns = 1;
    if (cfg->past_ns == UINT64_MAX)
        lane->low_ns = lane->first_ns = YEAR_2010_NS;
    lane->high_ns = cfg->future_ns < UINT64_MAX - now_ns
                        ? now_ns + cfg->future_ns
                        : UINT64_MAX;
    lane->resource = NULL;
    lane->scope_name = (str){NULL, 0};
    lane->service = lane->version = lane->scope = 0;
    lane->stub_len = lane->link_len = 0;
    lane->clamped = lane->backwards = 0;
    lane->err = OK;
    *out = (struct span_visitor){
        .ctx = lane,
        .resource = on_resource,
        .scope = on_scope,
        .span = on_span,
    };
}
