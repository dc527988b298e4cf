/*
 * http_date - the Date of an answer (RFC 9110, 5.6.7).
 *
 * Threads    Any thread.
 */
#ifndef NET_HTTP_DATE_H
#define NET_HTTP_DATE_H

#include <stdint.h>

#include "base/buf.h"

enum { HTTP_DATE_LEN = 29 };

/* http_date_add appends |wall_ns| as "Sun, 06 Nov 1994 08:49:37 GMT". */
void http_date_add(struct buf *out, uint64_t wall_ns);

#endif
