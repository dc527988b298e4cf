/*
 * dir - a directory of its own for one test, gone when it is over.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_DIR_H
#define TESTS_SUPPORT_DIR_H

/* dir_make writes the path of a new empty directory in $TMPDIR or /tmp to |out|
 * (64 bytes). */
void dir_make(char *out);

/* dir_remove removes |path| and what is in it. */
void dir_remove(const char *path);

/* dir_count is how many entries of |path| begin with |prefix|. */
int dir_count(const char *path, const char *prefix);

#endif
