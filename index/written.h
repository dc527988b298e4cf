/*
 * written - what stands in the source about a definition, and in it: the
 * comment above it or its docstring, and the names that its body uses.
 *
 * For search (graph/code_fields.h): who tells in plain words what a function is
 * for tells its comment, and else what it handles.  Of strings only those of
 * index/says.h are kept.  Tests are left out: they repeat what they test; and
 * what is generated, which repeats its source.
 *
 * Bound      WRITTEN_MAX texts of each kind a repository; COMMENT_BYTES_MAX
 *            bytes of a comment, BODY_BYTES_MAX of the names of a body.
 * Threads    None.
 */
#ifndef INDEX_WRITTEN_H
#define INDEX_WRITTEN_H

#include "index/resolve.h"

enum { WRITTEN_MAX = 400000, BODY_BYTES_MAX = 400 };

/* written_find appends to |build|, behind routes_find. */
enum err
written_find(const struct resolver *r, const struct resolve_file *files,
             uint32_t len, struct code_build *build);

#endif
