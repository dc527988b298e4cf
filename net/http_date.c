#include "net/http_date.h"

#include <time.h>

#include "base/clock.h"

void
http_date_add(struct buf *out, uint64_t wall_ns)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)(wall_ns / NS_PER_S);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    buf_printf(out, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
               days + 3 * (ptrdiff_t)tm.tm_wday, tm.tm_mday,
               months + 3 * (ptrdiff_t)tm.tm_mon, tm.tm_year + 1900, tm.tm_hour,
               tm.tm_min, tm.tm_sec);
}
