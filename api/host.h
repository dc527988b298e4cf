/*
 * host - whether a Host header names this machine.
 *
 * A page of another site can have its own name lead here (DNS rebinding); then
 * the Host header has that name.
 *
 * Threads    Any; a pure function.
 */
#ifndef API_HOST_H
#define API_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* host_is_known: an address, localhost, one of |allowed|, of which one with a
 * port is on that port alone, or no header. */
bool host_is_known(str header, const char *const *allowed, size_t len);

#endif
