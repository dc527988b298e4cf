/*
 * charset - the bytes of a page as UTF-8.
 *
 * A byte order mark counts first, then what the server says, then what the
 * page says of itself in its first kilobyte, then UTF-8 if it is, else
 * windows-1252, as the Encoding standard (WHATWG) has it.
 *
 * Threads    Any; pure functions.
 */
#ifndef CRAWL_CHARSET_H
#define CRAWL_CHARSET_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* charset_decode appends |bytes| as well-formed UTF-8 without control
 * characters but tab and line ends; what is malformed becomes U+FFFD.
 * |type| is the Content-Type, or empty.
 *
 * ERR_UNSUPPORTED  a charset other than UTF-8, UTF-16, ASCII, ISO-8859-1 and
 *                  windows-1252
 * ERR_NOMEM        or |out| is full */
enum err charset_decode(str bytes, str type, struct buf *out);

/* charset_clean appends |bytes|, meant as UTF-8, in that same form. */
void charset_clean(str bytes, struct buf *out);

#endif
