/*
 * gzip - what a server that compresses sends.
 *
 * Threads    Any.
 */
#ifndef TESTS_SUPPORT_GZIP_H
#define TESTS_SUPPORT_GZIP_H

#include "base/buf.h"
#include "base/str.h"

/* gzip_add appends |text| as a member of its own. */
void gzip_add(str text, struct buf *out);

#endif
