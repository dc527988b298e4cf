/*
 * lack - no room: which errors of the system say so, and what to do about it.
 *
 * A disk that is full, a quota that is used up and a limit on the size of files
 * are the same to us: nothing is broken, what is refused now goes later.
 * SQLite has a word for the first only, and calls the others errors of the
 * disk.
 *
 * Threads    Any.
 */
#ifndef STORE_LACK_H
#define STORE_LACK_H

#include <stdbool.h>

#include "base/buf.h"

/* lack_is: is it for want of room that a call of the system failed with
 * |code|? */
bool lack_is(int code);

/* lack_advise says what to do about it before a new start. */
void lack_advise(int code, struct buf *why);

/* lack_of is the code of the system for which SQLite has just said |rc|, in
 * this thread; 0: it is not want of room, or |rc| says so itself. */
int lack_of(int rc);

/* lack_text is that in words, to be put behind what SQLite says; or "". */
enum { LACK_TEXT_CAP = 80 };
const char *lack_text(int rc, char out[LACK_TEXT_CAP]);

#endif
