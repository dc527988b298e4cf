/*
 * address - which machines a crawler may ask.
 *
 * Public addresses, and what the operator allows besides.  An address is
 * looked at when a connection is made to it, so a name that changes its answer
 * in between gains nothing.
 *
 * An allowed name opens what it resolves to but never link-local addresses and
 * those of cloud metadata; those open by a network alone.
 *
 * Threads    Any; pure functions.
 */
#ifndef CRAWL_ADDRESS_H
#define CRAWL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/socket.h>

#include "base/str.h"

/* address_kind names what is not public: `loopback`, `private`, ...; NULL: it
 * is public. */
const char *address_kind(const struct sockaddr *address);

/* address_is_rule: is |text| a host (`docs.internal`, `*.internal`) or a
 * network (`10.0.0.0/8`, `fd00::/8`, `127.0.0.1`)? */
bool address_is_rule(str text);

/* address_refused is why |address|, which |host| resolved to, must not be
 * asked, as address_kind; NULL: it may. */
const char *address_refused(const char *const *rules, size_t len, str host,
                            const struct sockaddr *address);

#endif
