/*
 * stamp - what tells that a file is no longer the one that was read.
 *
 * One that was written to has another time or size; one that was put in its
 * place is another, whatever its time.  Take the stamp before the file is read:
 * a change between the two is then seen at the next look.
 *
 * Threads    Any.
 */
#ifndef BASE_STAMP_H
#define BASE_STAMP_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct stamp {
    struct timespec changed;
    off_t size;
    ino_t inode;
};

/* stamp_file looks at |path|; false, and all zero, if there is no such file.
 * |path| may be NULL. */
bool stamp_file(const char *path, struct stamp *out);

bool stamp_eq(const struct stamp *a, const struct stamp *b);

#endif
