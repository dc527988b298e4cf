/*
 * c_settle - C, C++ and C# as one grammar each can read them.
 *
 * The grammars have conditionals (`#if`) where declarations and statements
 * stand, and no others: one in the middle of an expression, or with half a
 * block in it, makes an error of all that is around it.  Those are settled
 * here, as if the first of their branches were meant, by blanks in the place of
 * directives and of the other branches.  Lines and columns stay what they are.
 *
 * Threads    Any.
 */
#ifndef INDEX_C_SETTLE_H
#define INDEX_C_SETTLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* c_settle writes |source|, of the language |lang|, to |out|, which is empty;
 * as many bytes.  ERR_NOMEM. */
enum err c_settle(str source, uint8_t lang, struct buf *out);

#endif
