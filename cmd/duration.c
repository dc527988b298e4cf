#include "cmd/duration.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

static const struct unit {
    str name;
    uint64_t ns;
} units[] = {
    {STR_INIT("w"), UINT64_C(604800) * NS_PER_S},
    {STR_INIT("d"), UINT64_C(86400) * NS_PER_S},
    {STR_INIT("h"), UINT64_C(3600) * NS_PER_S},
    {STR_INIT("m"), UINT64_C(60) * NS_PER_S},
    {STR_INIT("s"), NS_PER_S},
    {STR_INIT("ms"), NS_PER_MS},
    {STR_INIT("us"), 1000},
    {STR_INIT("ns"), 1},
};

enum err
duration_parse(str text, uint64_t *out_ns)
{
    uint64_t number = 0;
    size_t at = 0;
    uint64_t unit_ns = NS_PER_S;

    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        if (number > UINT64_MAX / 10 - 10)
            return ERR_INVALID;
        number = number * 10 + (uint64_t)(text.ptr[at] - '0');
    }
    if (at == 0)
        return ERR_INVALID;
    str rest = str_cut(text, at, text.len);
    if (rest.len) {
        unit_ns = 0;
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            if (str_eq(rest, units[i].name))
                unit_ns = units[i].ns;
        }
    }
    if (unit_ns == 0 || number > UINT64_MAX / unit_ns)
        return ERR_INVALID;
    *out_ns = number * unit_ns;
    return OK;
}

const char *
duration_text(uint64_t ns, char buf[DURATION_TEXT_CAP])
{
    size_t i = 0;

    while (ns % units[i].ns != 0 || (units[i].name.ptr[0] == 'w' && ns == 0))
        i++;
    if (ns == 0)
        return "0s";
    (void)snprintf(buf, DURATION_TEXT_CAP, "%" PRIu64 "%s", ns / units[i].ns,
                   units[i].name.ptr);
    return buf;
}
