/*
 * gunzip - what was compressed with gzip, to a bound.
 *
 * Threads    None.
 */
#ifndef CRAWL_GUNZIP_H
#define CRAWL_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* gunzip_is: |bytes| begin as gzip does, whatever they are called. */
bool gunzip_is(str bytes);

/* gunzip appends what |bytes| hold, one member or several.  ERR_INVALID: they
 * are damaged or cut off; ERR_FULL: it is more than |max_bytes|, of which no
 * more is made; ERR_NOMEM.  After any of them |out| holds a part. */
enum err gunzip(str bytes, size_t max_bytes, struct buf *out);

#endif
