/*
 * watch - the files that a service reads again when they have changed.
 *
 * A token or a certificate is replaced where nobody may tell the service, as in
 * a pod, whose image has no shell to send a signal from.
 *
 * Threads    None.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stamp.h"

enum { WATCH_FILES_MAX = 8 };

struct watch {
    struct stamp stamps[WATCH_FILES_MAX];
};

/* watch_look says whether one of |len| |files|, each NULL or empty for none, is
 * another than at the last call.  To be called before they are read: also one
 * that is no good is told once. */
bool watch_look(struct watch *watch, const char *const *files, size_t len);

#endif
