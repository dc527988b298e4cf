/*
 * restore - a backup that waits until the service starts.
 *
 * Threads    None.
 */
#ifndef CMD_RESTORE_H
#define CMD_RESTORE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * restore_take puts in place what `restore` left in |dir| while a service was
 * writing it; |taken| says whether there was any.  Before the store is opened.
 *
 * ERR_BUSY     somebody writes the store
 * ERR_INVALID  the note beside the databases is none of ours
 * ERR_IO       one cannot be renamed: all are as they were, and wait
 */
enum err restore_take(const char *dir, bool *taken, struct buf *why);

#endif
