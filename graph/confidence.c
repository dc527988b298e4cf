/*
 * The steps for the number of calls are knowing's calibration (more than 1,000
 * calls 0.95, 100 0.85, 10 0.7, 1 0.5).  Behind the active days a line falls
 * from the least step to its value for stale edges, and from there to nothing
 * where an edge may be collected: so it falls at each age and never jumps up.
 */
#include "graph/confidence.h"

#include "base/clock.h"

static const double once = 0.5;
static const double stale = 0.2;

const struct confidence_cfg confidence_cfg_default = {
    .active_days = 7,
    .stale_days = 30,
    .eligible_days = 90,
};

static double
age_days(uint32_t last_s, uint32_t now_s)
{
    return last_s < now_s ? (double)(now_s - last_s) / S_PER_DAY : 0;
}

enum edge_age
confidence_age(const struct confidence_cfg *cfg, uint32_t last_s,
               uint32_t now_s)
{
    double days = age_days(last_s, now_s);

    if (days <= cfg->active_days)
        return AGE_ACTIVE;
    if (days <= cfg->stale_days)
        return AGE_RECENT;
    return days <= cfg->eligible_days ? AGE_STALE : AGE_ELIGIBLE;
}

const char *
edge_age_str(enum edge_age age)
{
    static const char *const names[] = {"active", "recent", "stale",
                                        "gc_eligible"};

    return names[age];
}

static double
of_count(int64_t recent)
{
    if (recent > 1000)
        return 0.95;
    if (recent >= 100)
        return 0.85;
    if (recent >= 10)
        return 0.7;
    return once;
}

/* The value at |at| on the line from (from, high) to (to, low). */
static double
fall(double at, double from, double to, double high, double low)
{
    return to > from ? high - (high - low) * (at - from) / (to - from) : low;
}

double
confidence(const struct confidence_cfg *cfg, int64_t recent, uint32_t last_s,
           uint32_t now_s)
{
    double days = age_days(last_s, now_s);

    switch (confidence_age(cfg, last_s, now_s)) {
    case AGE_ACTIVE:
        return of_count(recent);
    case AGE_RECENT:
        return fall(days, cfg->active_days, cfg->stale_days, once, stale);
    case AGE_STALE:
        return fall(days, cfg->stale_days, cfg->eligible_days, stale, 0);
    case AGE_ELIGIBLE:
        break;
    }
    return 0;
}
