#include "runtime/weight.h"

#include <math.h>
#include <string.h>

#include "model/stub.h"

__extension__ typedef unsigned __int128 wide;

enum { FRACTION_DIGITS = 18 };

static uint64_t
clamp(wide weight)
{
    if (weight < 1)
        return 1;
    return weight > WEIGHT_MAX ? WEIGHT_MAX : (uint64_t)weight;
}

/* The value of |key| in `key=value,...` or `key:value;...`; false if none. */
static bool
find_member(str list, str key, char is, char separator, str *out)
{
    for (size_t at = 0; at < list.len;) {
        while (at < list.len && (list.ptr[at] == ' ' || list.ptr[at] == '\t'))
            at++;
        const char *end = memchr(list.ptr + at, separator, list.len - at);
        size_t to = end ? (size_t)(end - list.ptr) : list.len;
        str member = str_cut(list, at, to);
        if (str_starts(member, key) && member.len > key.len &&
            member.ptr[key.len] == is) {
            *out = str_cut(member, key.len + 1, member.len);
            while (out->len > 0 && out->ptr[out->len - 1] == ' ')
                out->len--;
            return true;
        }
        at = to + 1;
    }
    return false;
}

/* `th:` is a threshold T of 56 bits, its last digits left out if 0; the weight
 * is 2^56 / (2^56 - T). */
static bool
from_threshold(str digits, uint64_t *out)
{
    uint64_t threshold = 0;

    if (digits.len < 1 || digits.len > 14)
        return false;
    for (size_t i = 0; i < 14; i++) {
        char c = '0';
        if (i < digits.len)
            c = digits.ptr[i];
        if (c >= '0' && c <= '9')
            threshold = threshold << 4 | (uint64_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            threshold = threshold << 4 | (uint64_t)((c | 0x20) - 'a' + 10);
        else
            return false;
    }
    uint64_t kept = (UINT64_C(1) << 56) - threshold;
    *out = clamp((((wide)WEIGHT_ONE << 56) + kept / 2) / kept);
    return true;
}

/* `p:` is the negative logarithm of the probability; 63 is for zero. */
static bool
from_power(str digits, uint64_t *out)
{
    unsigned power = 0;

    if (digits.len < 1 || digits.len > 2)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return false;
        power = power * 10 + (unsigned)(digits.ptr[i] - '0');
    }
    if (power > 63)
        return false;
    *out = power == 63 ? 1 : clamp((wide)WEIGHT_ONE << power);
    return true;
}

/* A decimal fraction, as digits over a power of ten. */
static bool
parse_decimal(str text, uint64_t *digits, uint64_t *over)
{
    bool behind = false;
    size_t len = 0;

    *digits = 0;
    *over = 1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' && !behind) {
            behind = true;
            continue;
        }
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        if (++len > FRACTION_DIGITS)
            continue; /* finer than can matter */
        *digits = *digits * 10 + (uint64_t)(text.ptr[i] - '0');
        if (behind)
            *over *= 10;
    }
    return len > 0 && (behind || len <= FRACTION_DIGITS);
}

/* A probability in 0..1. */
static bool
from_probability(str text, uint64_t *out)
{
    uint64_t digits;
    uint64_t over;

    if (!parse_decimal(text, &digits, &over) || digits > over)
        return false;
    *out = digits == 0 ? 1
                       : clamp(((wide)WEIGHT_ONE * over + digits / 2) / digits);
    return true;
}

static bool
from_double(double weight, uint64_t *out)
{
    if (!(weight > 0))
        return false;
    double scaled = weight * (double)WEIGHT_ONE;
    *out = scaled >= (double)WEIGHT_MAX ? WEIGHT_MAX
                                        : clamp((wide)llround(scaled));
    return true;
}

static bool
from_trace_state(str state, uint64_t *out)
{
    str ot;
    str value;

    if (find_member(state, STR("ot"), '=', ',', &ot)) {
        if (find_member(ot, STR("th"), ':', ';', &value) &&
            from_threshold(value, out))
            return true;
        if (find_member(ot, STR("p"), ':', ';', &value) &&
            from_power(value, out))
            return true;
    }
    return find_member(state, STR("es"), '=', ',', &ot) &&
           find_member(ot, STR("s"), ':', ';', &value) &&
           from_probability(value, out);
}

static bool
from_sampler(const struct attr_set *attrs, uint64_t *out)
{
    const struct attr_value *param = &attrs->value[ATTR_SAMPLER_PARAM];

    if (!attr_has(attrs, ATTR_SAMPLER_PARAM) ||
        !str_eq(attr_str(attrs, ATTR_SAMPLER_TYPE), STR("probabilistic")))
        return false;
    if (param->type == ATTR_STR)
        return from_probability((str){param->str, param->len}, out);
    double share = param->type == ATTR_DOUBLE ? param->d
                   : param->type == ATTR_INT  ? (double)param->i
                                              : -1;
    if (!(share >= 0 && share <= 1))
        return false;
    if (share == 0)
        *out = 1;
    return share == 0 || from_double(1 / share, out);
}

/* "One in N": a number of at least one. */
static bool
from_rate(const struct attr_set *attrs, enum attr key, uint64_t *out)
{
    const struct attr_value *rate = &attrs->value[key];
    int64_t number;

    if (!attr_has(attrs, key))
        return false;
    if (rate->type == ATTR_DOUBLE)
        return rate->d >= 1 && from_double(rate->d, out);
    if (!attr_int(attrs, key, &number) || number < 1)
        return false;
    *out = clamp((wide)number * WEIGHT_ONE);
    return true;
}

uint64_t
weight_of(str trace_state, const struct attr_set *attrs, enum attr rate_key,
          bool *is_known)
{
    uint64_t weight;

    *is_known = false;
    if (trace_state.len == 0 && !attr_has(attrs, ATTR_SAMPLER_PARAM) &&
        !attr_has(attrs, ATTR_SAMPLE_RATE) &&
        (rate_key == ATTR_COUNT || !attr_has(attrs, rate_key)))
        return WEIGHT_ONE; /* nearly always */
    *is_known =
        (trace_state.len > 0 && from_trace_state(trace_state, &weight)) ||
        from_sampler(attrs, &weight) ||
        from_rate(attrs, ATTR_SAMPLE_RATE, &weight) ||
        (rate_key < ATTR_COUNT && from_rate(attrs, rate_key, &weight));
    return *is_known ? weight : WEIGHT_ONE;
}
