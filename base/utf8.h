/*
 * utf8 - is this text, and what of it may be shown.
 *
 * Threads    Any thread.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* utf8_valid says whether |bytes| is well-formed UTF-8 (RFC 3629: no
 * surrogates, no over-long forms, nothing above U+10FFFF). */
bool utf8_valid(str bytes);

/*
 * utf8_clean appends |bytes| to |out| as text that is safe to show: at most
 * |max_len| bytes, cut at a character; malformed bytes, control characters,
 * bidirectional controls and invisible characters become U+FFFD.  Names that
 * arrive from the network pass through here once, before they are stored.
 */
void utf8_clean(struct buf *out, str bytes, size_t max_len);

#endif
