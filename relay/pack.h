/*
 * pack - gzip for what is sent, which stays within what a receiver takes.
 *
 * Members one after the other are one stream (RFC 1952, 2.2), so batches are
 * made by putting packed parts together.  A receiver refuses what grows by more
 * than 200 to 1 (net/inflate.h); what would grow by more than PACK_RATIO is
 * packed without compression.
 *
 * Memory     About 140 KiB, and up to PACK_KEEP of the last result.
 * Threads    One at a time.
 */
#ifndef RELAY_PACK_H
#define RELAY_PACK_H

#include "base/err.h"
#include "base/str.h"

enum { PACK_RATIO = 100, PACK_KEEP = 1 << 20 };

struct pack;

/* pack_new returns NULL without memory. */
struct pack *pack_new(void);
void pack_free(struct pack *pack);

/* pack_gzip makes |out| of |bytes|; it is valid until the next call.
 * ERR_NOMEM. */
enum err pack_gzip(struct pack *pack, str bytes, str *out);

#endif
