/*
 * duration - spans of time as people write them: 90s, 15m, 24h, 30d, 2w.
 *
 * Threads    Any thread.
 */
#ifndef CMD_DURATION_H
#define CMD_DURATION_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { DURATION_TEXT_CAP = 32 };

/* duration_parse reads a whole number with one of ns, us, ms, s, m, h, d, w;
 * without one it is seconds.  ERR_INVALID; also when it does not fit. */
enum err duration_parse(str text, uint64_t *out_ns);

/* duration_text writes |ns| in the largest unit that divides it. */
const char *duration_text(uint64_t ns, char buf[DURATION_TEXT_CAP]);

#endif
