/*
 * real_files - the sources that a machine has anyway, by language.
 *
 * People wrote them for other readers than ours, which no fixture can be: what
 * packages of Debian installed, what npm brought, and this project itself.
 *
 * Order      By path, so that the same machine always has the same list.
 * Memory     real_files_fini frees it.
 * Threads    One at a time.
 */
#ifndef TESTS_SUPPORT_REAL_FILES_H
#define TESTS_SUPPORT_REAL_FILES_H

#include <stddef.h>

#include "base/buf.h"
#include "index/lang.h"

struct real_list {
    char **paths;
    size_t len;
    size_t cap;
};

/* LANG_NONE holds what steers imports or names services: go.mod, package.json,
 * pom.xml and the like. */
struct real_files {
    struct real_list of[LANG_END];
};

/* real_files_find lists files of |bytes_max| bytes at most. */
void real_files_find(struct real_files *out, size_t bytes_max);
void real_files_fini(struct real_files *files);

/* real_files_read appends what |path| holds. */
void real_files_read(const char *path, struct buf *out);

#endif
