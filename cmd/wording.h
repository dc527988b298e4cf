/*
 * wording - what a tool says, in the words of the command that asked it.
 *
 * A tool speaks of its arguments and of other tools; who typed a command knows
 * neither.
 *
 * Threads    Any thread; pure functions.
 */
#ifndef CMD_WORDING_H
#define CMD_WORDING_H

#include "base/buf.h"

/* A list of these ends with {NULL, NULL}; the first that fits is taken. */
struct wording {
    const char *from;
    const char *to;
};

/*
 * wording_put appends |text|, each whole word of |words| replaced; what stands
 * in quotes is the asker's and stays.  The call of |tool| that a complaint ends
 * with, "; try TOOL{...}", is left out.
 */
void wording_put(const struct wording *words, const char *tool,
                 const char *text, struct buf *out);

#endif
