/*
 * comments - what people wrote above a definition, or as its docstring.
 *
 * Read from the lines of the source, for all languages alike: a block of
 * comments without an empty line between it and the definition (with its
 * decorators), and in Python the string that the body begins with.  The same
 * above a call that passes a string first, which is how routes are declared.
 * Markup is taken off; directives to tools, rulers and licenses are left out.
 *
 * Bound      COMMENT_BYTES_MAX bytes each, cut at a character; one pass.
 * Threads    None.
 */
#ifndef INDEX_COMMENTS_H
#define INDEX_COMMENTS_H

#include "index/facts.h"

enum { COMMENT_BYTES_MAX = 400 };

/* comments_find appends to |facts|, whose definitions are known, the comments
 * of |source|, by the line they are about. */
void comments_find(struct facts *facts, str source);

#endif
