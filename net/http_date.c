/*
 * Written digit by digit, for each answer has one, and printf with the
 * library's calendar takes more instructions than parsing the request.  Years
 * are counted from March, so that the leap day is a year's last and months
 * before it need not know of it.
 */
#include "net/http_date.h"

#include <string.h>

#include "base/clock.h"

enum {
    DAYS_TO_1970 = 719468, /* from 1 March of the year 0 */
    DAYS_PER_ERA = 146097, /* 400 years */
    DAYS_PER_YEAR = 365,
    DAYS_PER_4 = 1460, /* the three first of four, and one */
    DAYS_PER_100 = 36524,
};

struct date {
    uint32_t year;
    uint32_t month; /* 0 is January */
    uint32_t day;   /* from 1 */
};

static struct date
date_of(uint32_t days)
{
    uint32_t since = days + DAYS_TO_1970;
    uint32_t era = since / DAYS_PER_ERA;
    uint32_t of_era = since % DAYS_PER_ERA;
    uint32_t year = (of_era - of_era / DAYS_PER_4 + of_era / DAYS_PER_100 -
                     of_era / (DAYS_PER_ERA - 1)) /
                    DAYS_PER_YEAR;
    uint32_t of_year = of_era - (DAYS_PER_YEAR * year + year / 4 - year / 100);
    uint32_t month =
        (5 * of_year + 2) / 153; /* 0 is March; 153 days are five */

    return (struct date){
        .year = era * 400 + year + (month >= 10),
        .month = (month + 2) % 12,
        .day = of_year - (153 * month + 2) / 5 + 1,
    };
}

static void
put_pair(char *to, uint32_t value)
{
    to[0] = (char)('0' + value / 10 % 10);
    to[1] = (char)('0' + value % 10);
}

void
http_date_add(struct buf *out, uint64_t wall_ns)
{
    static const char days[] = "ThuFriSatSunMonTueWed"; /* 1970 began so */
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint64_t seconds = wall_ns / NS_PER_S;
    uint32_t day = (uint32_t)(seconds / S_PER_DAY);
    uint32_t of_day = (uint32_t)(seconds % S_PER_DAY);
    struct date date = date_of(day);
    char text[] = "Thu, 01 Jan 1970 00:00:00 GMT";

    _Static_assert(sizeof(text) == HTTP_DATE_LEN + 1, "as the header says");
    memcpy(text, days + 3 * (size_t)(day % 7), 3);
    put_pair(text + 5, date.day);
    memcpy(text + 8, months + 3 * (size_t)date.month, 3);
    put_pair(text + 12, date.year / 100);
    put_pair(text + 14, date.year % 100);
    put_pair(text + 17, of_day / S_PER_H);
    put_pair(text + 20, of_day / 60 % 60);
    put_pair(text + 23, of_day % 60);
    buf_add(out, (str){text, HTTP_DATE_LEN});
}
