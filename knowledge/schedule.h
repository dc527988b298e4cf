/*
 * schedule - when a source is to be crawled again.
 *
 * `90m`, `12h`, `7d`, `2w`: so long after the last time.  `hourly`, `daily`,
 * `weekly`, `monthly`, with or without `@`: the same.  Five fields of cron
 * (minute, hour, day, month, weekday; `*`, lists, ranges, steps; names of
 * months and weekdays): the next such minute after the last time, UTC.
 *
 * Threads    Any; pure functions.
 */
#ifndef KNOWLEDGE_SCHEDULE_H
#define KNOWLEDGE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    SCHEDULE_MIN_S = 60,
    SCHEDULE_MAX_S = 366 * 86400,
};

struct schedule {
    uint32_t every_s; /* 0: the fields count */
    uint64_t minutes; /* bits */
    uint32_t hours;
    uint32_t days; /* of the month; bit 1 is the first */
    uint32_t months;
    uint32_t weekdays; /* bit 0 is Sunday */
    bool any_day;      /* `*`: of the two kinds of days the other counts */
    bool any_weekday;
};

/* schedule_parse: ERR_INVALID. */
enum err schedule_parse(str text, struct schedule *out);

/* schedule_next is the first time after |last_s| (Unix seconds; 0: never was,
 * so at once); UINT32_MAX: never. */
uint32_t schedule_next(const struct schedule *schedule, uint32_t last_s);

#endif
