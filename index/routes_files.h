/*
 * routes_files - the files of a repository, by how their paths begin or end.
 *
 * For frameworks in which a name stands for a file, so that each name costs a
 * look-up and not a walk over all files.
 *
 * Memory     Made when first asked, of struct parts; files_fini.  Where there
 *            is none, parts.failed is set and nothing is found.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_FILES_H
#define INDEX_ROUTES_FILES_H

#include "index/routes_parts.h"

struct file_row {
    str path;
    uint32_t file;
};

struct file_range {
    const struct file_row *rows;
    uint32_t len;
};

/* files_below is those whose path begins with |prefix|, by their paths. */
struct file_range files_below(struct parts *p, str prefix);
/* files_ending is those whose path is |end|, or ends with it behind a slash. */
struct file_range files_ending(struct parts *p, str end);
/* file_at finds the file of a path. */
bool file_at(struct parts *p, str path, uint32_t *out);
/* files_common is how many bytes of the folders that two files stand in are the
 * same, in whole folders: of several, the one with most is meant. */
size_t files_common(const struct parts *p, uint32_t a, uint32_t b);

void files_fini(struct parts *p);

#endif
