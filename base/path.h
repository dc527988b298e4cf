/*
 * path - where a path of the file system leads.
 *
 * Threads    Any.
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* path_is_within: |real|, which has neither links nor dots, is what |folder|
 * really is, or lies below; false where there is no such folder. */
bool path_is_within(const char *real, const char *folder);

/* path_may_block: whoever opens or reads |path| may wait for somebody, as with
 * a pipe: it is there, and no regular file. */
bool path_may_block(const char *path);

#endif
