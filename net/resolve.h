/*
 * resolve - the header of an exchange as a handler sees it.
 *
 * Threads    None.
 */
#ifndef NET_RESOLVE_H
#define NET_RESOLVE_H

#include <stdbool.h>

#include "net/exchange.h"

/* resolve_request fills in path, query, header fields and the peer's name of
 * |ex->req|, once, when the header is whole; they live as long as |ex|.  Where
 * the target names a host, the field Host is that, whatever came.  False: no
 * memory. */
bool resolve_request(struct exchange *ex);

#endif
