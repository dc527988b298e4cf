/*
 * From facts to a verdict, in the order of what would make the later questions
 * meaningless: is it to be judged, could it be seen, was it called, when last,
 * and would a call have been seen.
 *
 * Trust starts high and is only ever lowered, by each thing that weakens the
 * evidence.  Sampling lowers it by what could hide: with keep probability p
 * over T covered days, 3/(p T) calls a day go unseen in 5 of 100 cases.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/match.h"
#include "graph/audit_candidate.h"

enum {
    OBSERVED_DAYS = 7, /* least span of observation for any verdict */
    YEAR_DAYS = 400,   /* after which a yearly call should have come */
    WEEK_DAYS = 7,
    MONTH_DAYS = 31,
    QUARTER_DAYS = 92,
    QUIET_DAYS = 7,
};

static const double coverage_least = 0.2;
static const double coverage_medium = 0.5;
static const double coverage_high = 0.95;
/* Of what was covered.  Senders keep what a restart refuses and send it again,
 * and a high confidence may lack far more hours than restarts take. */
static const double down_most = 0.001;
static const double hidden_high = 0.5; /* calls a day */
static const double hidden_verdict = 1.0 + 1e-9;

static void
note(struct candidate *c, enum audit_reason reason)
{
    c->route.reasons |= UINT32_C(1) << reason;
}

static void
limit(struct candidate *c, enum trust most)
{
    if (c->route.trust > most)
        c->route.trust = most;
}

static void
step_down(struct candidate *c)
{
    if (c->route.trust > TRUST_LOW)
        c->route.trust--;
}

static void
decide(struct candidate *c, enum verdict verdict, enum trust trust)
{
    c->route.verdict = verdict;
    c->route.trust = trust;
}

static bool
is_ignored(const struct audit_cfg *cfg, const struct audit_route *route)
{
    struct buf name = {0};
    bool ignored = false;

    buf_add(&name, route->method);
    buf_add_char(&name, ' ');
    buf_add(&name, route->pattern);
    for (size_t i = 0; i < cfg->ignore_len && !ignored; i++)
        ignored = match_glob(str_of(cfg->ignore[i]), buf_str(&name)) ||
                  match_glob(str_of(cfg->ignore[i]), route->pattern);
    buf_fini(&name);
    return ignored;
}

/* Methods of RPC have capitals, and so have paths of some frameworks. */
static bool
has_word(str name, const char *word)
{
    size_t len = strlen(word);

    for (size_t at = 0; at + len <= name.len; at++) {
        if (strncasecmp(name.ptr + at, word, len) == 0)
            return true;
    }
    return false;
}

/* Whether a letter stands on both sides of |at|, and no new word of a name in
 * camel case begins there. */
static bool
is_inside(str name, size_t at)
{
    return at > 0 && at < name.len &&
           isalpha((unsigned char)name.ptr[at - 1]) &&
           isalpha((unsigned char)name.ptr[at]) &&
           !(islower((unsigned char)name.ptr[at - 1]) &&
             isupper((unsigned char)name.ptr[at]));
}

/* The same, but not as a part of another word: `quarter` is none of
 * `headquarters`. */
static bool
has_whole_word(str name, const char *word)
{
    size_t len = strlen(word);

    for (size_t at = 0; at + len <= name.len; at++)
        if (strncasecmp(name.ptr + at, word, len) == 0 &&
            !is_inside(name, at) && !is_inside(name, at + len))
            return true;
    return false;
}

/* The longest season that |name| hints at, in days; 0: none.  What does not say
 * how often it comes may come once a month. */
static uint32_t
season_days(str name)
{
    static const struct {
        const char *word;
        uint32_t days;
    } told[] = {
        {"annual", YEAR_DAYS},       {"annually", YEAR_DAYS},
        {"yearly", YEAR_DAYS},       {"year-end", YEAR_DAYS},
        {"quarter", QUARTER_DAYS},   {"quarterly", QUARTER_DAYS},
        {"month", MONTH_DAYS},       {"monthly", MONTH_DAYS},
        {"biweekly", 2 * WEEK_DAYS}, {"fortnightly", 2 * WEEK_DAYS},
        {"weekly", WEEK_DAYS},
    };
    static const char *const hints[] = {
        "report",  "export",   "renew", "close",  "audit",
        "webhook", "callback", "oauth", "backup", "migrate",
        "admin",   "internal", "debug"};
    uint32_t days = 0;

    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        if (told[i].days > days && has_whole_word(name, told[i].word))
            days = told[i].days;
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        if (MONTH_DAYS > days && has_word(name, hints[i]))
            days = MONTH_DAYS;
    return days;
}

/* A framework that writes its root as nothing has no route to tell of it
 * (Django): calls that tell none may be the root's. */
static bool
is_nameless(const struct service_facts *service, const struct candidate *c)
{
    return service->nameless > 0 && c->route.kind == NODE_ROUTE &&
           route_path_trim(c->route.pattern).len == 0;
}

/* Could spans of this service show its routes at all? */
static bool
is_observable(const struct service_facts *service, struct candidate *c)
{
    bool has_kind = c->is_asked                 ? service->has_asked
                    : c->route.kind == NODE_RPC ? service->rpcs.trusted > 0
                                                : service->routes.trusted > 0;

    if (service->seen_first_s == 0 && service->count == 0 &&
        service->coverage <= 0)
        note(c, AUDIT_NO_SPANS);
    else if (service->coverage <= 0 && c->traffic.in_window == 0)
        note(c, AUDIT_SILENT);
    else if ((!has_kind || is_nameless(service, c)) &&
             c->traffic.in_window == 0)
        note(c, AUDIT_NO_ROUTES);
    else
        return true;
    return false;
}

/* What is called below a mount of which spans tell no more is not known. */
static bool
is_hidden(struct candidate *c)
{
    if (c->is_hidden && c->traffic.total == 0)
        note(c, AUDIT_NO_ROUTES);
    return c->is_hidden && c->traffic.total == 0;
}

static bool
is_replaced(const struct audit_facts *facts,
            const struct service_facts *service, const struct candidate *c)
{
    uint32_t settled_s = service->settled_s + facts->cfg->deploy_grace_s;

    if (service->latest_version == 0 || c->traffic.version_len == 0 ||
        facts->view->now_s < settled_s || c->traffic.last_s <= settled_s)
        return false;
    for (size_t i = 0; i < c->traffic.version_len; i++) {
        if (c->traffic.versions[i].version == service->latest_version)
            return false;
    }
    /* It may be one that was left out. */
    return c->traffic.left_out_last_s <= settled_s;
}

static uint32_t
days_since(const struct audit_facts *facts, uint32_t at_s)
{
    uint32_t now_s = facts->view->now_s;

    return at_s < now_s ? (now_s - at_s) / S_PER_DAY : 0;
}

/* Health, reflection, channelz: a library declares and serves them. */
static bool
is_of_grpc(const struct audit_route *route)
{
    static const str packages[] = {
        STR_INIT("grpc.health."),
        STR_INIT("grpc.reflection."),
        STR_INIT("grpc.channelz."),
    };

    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
        if (route->kind == NODE_RPC && str_starts(route->pattern, packages[i]))
            return true;
    return false;
}

/* Called in the window. */
static void
judge_called(const struct audit_facts *facts,
             const struct service_facts *service, struct candidate *c)
{
    uint32_t observed_days =
        (service->observed_to_s - service->observed_from_s) / S_PER_DAY;

    if (c->traffic.denied_in_window >= c->traffic.in_window) {
        decide(c, VERDICT_PROBE_ONLY, TRUST_HIGH);
        note(c, AUDIT_DENIED);
    } else if (!c->route.is_declared && service->declared && !c->is_guess &&
               !c->is_asked && !is_of_grpc(&c->route)) {
        decide(c, VERDICT_UNDOCUMENTED, c->is_mount ? TRUST_LOW : TRUST_HIGH);
        note(c, AUDIT_UNDECLARED);
    } else if (is_replaced(facts, service, c)) {
        decide(c, VERDICT_ZOMBIE, TRUST_HIGH);
        note(c, AUDIT_REPLACED);
    } else if (c->traffic.in_window <= 2 && observed_days >= 14 &&
               days_since(facts, c->traffic.last_s) >= QUIET_DAYS) {
        decide(c, VERDICT_LOW, TRUST_HIGH);
        note(c, AUDIT_FEW);
    } else {
        decide(c, VERDICT_ACTIVE, TRUST_HIGH);
    }
}

/* Was the service watched long enough to say anything of its silence? */
static bool
is_covered(const struct audit_facts *facts, const struct service_facts *service,
           struct candidate *c)
{
    uint32_t least_s = OBSERVED_DAYS * S_PER_DAY;
    uint32_t half_s = facts->cfg->stale_days * S_PER_DAY / 2;
    uint32_t span_s = service->observed_to_s - service->observed_from_s;

    if (span_s < (least_s < half_s ? least_s : half_s))
        note(c, AUDIT_SHORT);
    if (service->coverage < coverage_least)
        note(c, AUDIT_LOW_COVERAGE);
    return span_s >= (least_s < half_s ? least_s : half_s) &&
           service->coverage >= coverage_least;
}

/* Could a call of it be among those whose names cannot be relied on?  A path
 * that is guessed may be that of an RPC method, of a sender that tells no more;
 * but names of methods say nothing of the paths. */
static void
weigh_names(const struct service_facts *service, struct candidate *c)
{
    bool is_rpc = c->route.kind == NODE_RPC;
    int64_t trusted =
        service->routes.trusted + (is_rpc ? service->rpcs.trusted : 0);

    if (service->guessed > trusted) {
        limit(c, TRUST_LOW);
        note(c, AUDIT_UNTRUSTED);
    }
    /* A framework that tells its routes had none for what it does not tell.  A
     * path that is guessed may be that of an RPC method, and overflow, too. */
    if (is_rpc ? service->rpcs.overflow > 0 ||
                     (service->routes.overflow > 0 && service->guessed > 0)
               : service->routes.overflow > 0 ||
                     (service->unmatched > 0 && !service->has_names)) {
        limit(c, TRUST_LOW);
        note(c, AUDIT_OVERFLOW);
    }
}

/* What weakens the evidence of silence, whoever is silent. */
static void
weigh(const struct audit_facts *facts, const struct service_facts *service,
      struct candidate *c)
{
    c->route.trust = TRUST_HIGH;
    if (service->coverage < coverage_high) {
        limit(c,
              service->coverage < coverage_medium ? TRUST_LOW : TRUST_MEDIUM);
        note(c, AUDIT_LOW_COVERAGE);
    }
    if (service->down_hours > down_most * service->covered_hours) {
        step_down(c);
        note(c, AUDIT_DOWNTIME);
    }
    if (facts->lost > 0) {
        step_down(c);
        note(c, AUDIT_LOSS);
    }
    weigh_names(service, c);
    if (c->is_implied) {
        limit(c, TRUST_LOW);
        note(c, AUDIT_IMPLIED);
    }
    if (c->route.shadowed_by)
        note(c, AUDIT_SHADOWED);
    /* Two cycles of its season, or the window says nothing of it. */
    if (facts->cfg->stale_days < 2 * season_days(c->route.pattern)) {
        step_down(c);
        note(c, AUDIT_PERIODIC);
    }
    if (c->is_guess)
        limit(c, TRUST_LOW);
}

/* Days between two calls that are kept now, at the rate of its calls so far,
 * where fewer are kept than were of those; 0: as many are, or nobody knows. */
static double
kept_gap_days(const struct service_facts *service,
              const struct traffic *traffic)
{
    double days = (traffic->last_s - traffic->first_s) / (double)S_PER_DAY;
    double calls = (double)traffic->weighted / (double)WEIGHT_ONE +
                   (double)(traffic->total - traffic->known);
    double kept = service->keep * calls;

    return kept > 0 && kept < (double)traffic->total ? (days + 1) / kept : 0;
}

/* Called once, not in the window. */
static void
judge_silent(const struct audit_facts *facts,
             const struct service_facts *service, struct candidate *c)
{
    uint32_t silent = days_since(facts, c->traffic.last_s);
    uint32_t season;
    uint32_t gap = traffic_gap_days(&c->traffic, &season);
    uint32_t usual = facts->cfg->stopped_gaps * gap;
    bool once = traffic_days(&c->traffic) < 2 && gap == 0;

    c->route.usual_gap_days = gap;
    note(c, AUDIT_NO_CALLS);
    if (!is_covered(facts, service, c)) {
        decide(c, VERDICT_INSUFFICIENT, TRUST_NONE);
        return;
    }
    weigh(facts, service, c);
    if (once)
        note(c, AUDIT_ONCE);
    if (c->traffic.denied >= c->traffic.total) {
        c->route.verdict = VERDICT_PROBE_ONLY;
        note(c, AUDIT_DENIED);
    } else if (once ? silent <= YEAR_DAYS
                    : silent <= (usual > season ? usual : season)) {
        c->route.verdict = VERDICT_SEASONAL;
        limit(c, TRUST_LOW);
        if (!once)
            note(c, AUDIT_RHYTHM);
    } else if (silent <=
               facts->cfg->stopped_gaps * kept_gap_days(service, &c->traffic)) {
        c->route.verdict = VERDICT_LOW;
        limit(c, TRUST_LOW);
        note(c, AUDIT_SAMPLED);
    } else {
        c->route.verdict = VERDICT_STOPPED;
    }
    if (!c->route.is_declared && service->declared)
        note(c, AUDIT_UNDECLARED);
}

static bool
is_new(const struct audit_facts *facts, const struct service_facts *service,
       const struct audit_route *route)
{
    /* The first import says nothing of when its routes came to be. */
    return route->is_declared &&
           route->created_s > service->declared_s + S_PER_DAY &&
           days_since(facts, route->created_s) < facts->cfg->new_days;
}

/* Declared, and never called. */
static void
judge_unseen(const struct audit_facts *facts,
             const struct service_facts *service, struct candidate *c)
{
    double hidden = c->route.hidden_per_day;

    note(c, AUDIT_NO_CALLS);
    if (is_new(facts, service, &c->route)) {
        decide(c, VERDICT_TOO_NEW, TRUST_NONE);
        note(c, AUDIT_NEW);
        return;
    }
    if (!is_covered(facts, service, c)) {
        decide(c, VERDICT_INSUFFICIENT, TRUST_NONE);
        return;
    }
    weigh(facts, service, c);
    c->route.verdict = VERDICT_NEVER_OBSERVED;
    if (service->keep < 0) {
        limit(c, TRUST_LOW);
        note(c, AUDIT_SAMPLING_UNKNOWN);
    } else if (service->keep < 1) {
        note(c, AUDIT_SAMPLED);
    }
    if (service->keep >= 0 && hidden > hidden_high)
        limit(c, TRUST_MEDIUM);
    if (service->keep >= 0 && hidden > hidden_verdict) {
        c->route.verdict = VERDICT_LOW;
        limit(c, TRUST_LOW);
    }
}

void
audit_judge(const struct audit_facts *facts, struct candidate *c)
{
    const struct service_facts *service = &facts->services[c->service];
    double days = service->covered_hours / 24;

    c->route.coverage = service->coverage > 0 ? service->coverage : 0;
    c->route.keep = service->keep;
    c->route.hidden_per_day =
        service->keep > 0 && days > 0 ? 3 / (service->keep * days) : -1;
    c->route.observed_from_s = service->observed_from_s;
    c->route.observed_to_s = service->observed_to_s;
    if (is_ignored(facts->cfg, &c->route)) {
        decide(c, VERDICT_SUPPRESSED, TRUST_NONE);
        note(c, AUDIT_IGNORED);
    } else if (!is_observable(service, c) || is_hidden(c)) {
        decide(c, VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    } else if (c->traffic.in_window > 0) {
        judge_called(facts, service, c);
    } else if (c->traffic.total > 0) {
        judge_silent(facts, service, c);
    } else if (c->traffic.synthetic > 0) {
        decide(c, VERDICT_SYNTHETIC_ONLY, TRUST_HIGH);
        note(c, AUDIT_SYNTHETIC);
    } else {
        judge_unseen(facts, service, c);
    }
}
