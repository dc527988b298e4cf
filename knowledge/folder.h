/*
 * folder - the text files below a directory, and nothing else.
 *
 * No symbolic link is followed and nothing outside is opened: each step goes
 * through the descriptor of the directory above it.
 *
 * Threads    Any.
 */
#ifndef KNOWLEDGE_FOLDER_H
#define KNOWLEDGE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct folder_ask {
    const char *root;
    int depth;            /* 1: the directory alone */
    size_t max;           /* files */
    size_t bytes;         /* of one */
    const cJSON *include; /* arrays of patterns (base/match.h), or NULL */
    const cJSON *exclude;
};

struct folder_sum {
    size_t files;
    size_t skipped;    /* too large, or no text */
    bool is_truncated; /* there are more than max */
};

/* A folder_fn is given the path below the root, and the text; any result but
 * OK ends the walk. */
typedef enum err folder_fn(void *ctx, str path, str text);

/* folder_walk goes by name.  ERR_NOT_FOUND, ERR_DENIED: the root cannot be
 * read; |why| says so.  ERR_NOMEM. */
enum err folder_walk(const struct folder_ask *ask, folder_fn *fn, void *ctx,
                     struct folder_sum *sum, struct buf *why);

#endif
