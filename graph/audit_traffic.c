/*
 * The traffic of a route: what several endpoints add up to, the days between
 * its calls, and the versions that served it.
 */
#include "graph/audit_traffic.h"

#include <math.h>

#include "base/clock.h"
#include "model/edge.h"

size_t
traffic_days(const struct traffic *traffic)
{
    size_t days = 0;

    for (size_t i = 0; i < RHYTHM_DAYS / 64; i++)
        days += (size_t)__builtin_popcountll(traffic->days[i]);
    return days;
}

uint32_t
traffic_gap_days(const struct traffic *traffic, uint32_t *season)
{
    uint16_t gaps[RHYTHM_DAYS] = {0};
    size_t days = traffic_days(traffic);
    uint32_t last = UINT32_MAX;
    uint32_t longest = 0;
    size_t seen = 0;

    *season = 0;
    /* Where the days are gone, first, last and count still tell the mean. */
    if (days < 2) {
        uint32_t span = (traffic->last_s - traffic->first_s) / S_PER_DAY;

        return traffic->total > 1 && span > 0
                   ? (uint32_t)ceil((double)span / (double)(traffic->total - 1))
                   : 0;
    }
    for (uint32_t ago = 0; ago < RHYTHM_DAYS; ago++) {
        if (!(traffic->days[ago / 64] >> ago % 64 & 1))
            continue;
        if (last != UINT32_MAX) {
            uint32_t gap = ago - last;
            uint32_t lesser = gap < longest ? gap : longest;

            gaps[gap]++;
            longest = gap > longest ? gap : longest;
            *season = lesser > *season ? lesser : *season;
        }
        last = ago;
    }
    for (uint32_t gap = 0; gap < RHYTHM_DAYS; gap++) {
        seen += gaps[gap];
        if (10 * seen >= 9 * (days - 1))
            return gap;
    }
    return 0;
}

/* The place of |version|, or a free one, or that of the one seen longest ago.
 */
static struct version_seen *
place_of_version(struct traffic *traffic, uint32_t version)
{
    struct version_seen *oldest = &traffic->versions[0];

    for (size_t i = 0; i < traffic->version_len; i++) {
        struct version_seen *it = &traffic->versions[i];
        if (it->version == version)
            return it;
        if (it->last_s < oldest->last_s)
            oldest = it;
    }
    if (traffic->version_len < ENDPOINT_VERSIONS)
        return &traffic->versions[traffic->version_len++];
    return oldest;
}

void
traffic_add_version(struct traffic *traffic, struct version_seen seen)
{
    struct version_seen *at = place_of_version(traffic, seen.version);
    struct version_seen out = seen;

    if (at->last_s <= seen.last_s) {
        out = *at;
        *at = seen;
    }
    if (out.version != at->version && traffic->left_out_last_s < out.last_s)
        traffic->left_out_last_s = out.last_s;
}

void
traffic_add(struct traffic *to, const struct traffic *from)
{
    to->total += from->total;
    to->known += from->known;
    to->weighted = weights_add(to->weighted, from->weighted);
    to->denied += from->denied;
    to->synthetic += from->synthetic;
    to->in_window += from->in_window;
    to->denied_in_window += from->denied_in_window;
    if (from->first_s && (to->first_s == 0 || from->first_s < to->first_s))
        to->first_s = from->first_s;
    if (to->last_s < from->last_s)
        to->last_s = from->last_s;
    for (size_t i = 0; i < RHYTHM_DAYS / 64; i++)
        to->days[i] |= from->days[i];
    if (from->version_last_s >= to->version_last_s && from->last_version) {
        to->last_version = from->last_version;
        to->version_last_s = from->version_last_s;
    }
    for (size_t i = 0; i < from->version_len; i++)
        traffic_add_version(to, from->versions[i]);
    if (to->left_out_last_s < from->left_out_last_s)
        to->left_out_last_s = from->left_out_last_s;
}
