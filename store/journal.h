/*
 * journal - one accepted request as bytes, and back.
 *
 * A row of the journal is written once and read only after a restart, so it is
 * made small rather than fast to search: what a stub shares with the one
 * before it is left out, numbers are as long as they need to be.  Half of a
 * stub's size in memory is what is left.
 *
 *     version  varint  JOURNAL_VERSION; 1: a trace that comes again is whole
 *     lengths  varint  stubs, links, clamped, rejected
 *     received u64     nanoseconds since the epoch
 *     stubs    ...     see journal.c
 *     checksum u64     XXH3-64 of all before it
 *
 * All numbers little-endian.  Nothing in a row is trusted: whatever the bytes
 * are, journal_unpack either gives a batch that could have been packed or
 * says ERR_CORRUPT.
 *
 * Threads    None.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "model/stub.h"

enum { JOURNAL_OLDEST = 1, JOURNAL_VERSION = 2 };

/* journal_pack appends |batch| to |out|; look at out->failed. */
void journal_pack(const struct stub_batch *batch, struct buf *out);

/*
 * journal_unpack reads what journal_pack wrote.  stub.link_at is given anew,
 * in the order of the stubs.  Release with journal_batch_fini.
 *
 * ERR_CORRUPT  not such bytes
 * ERR_NOMEM
 */
enum err journal_unpack(struct stub_batch *out, str bytes);
void journal_batch_fini(struct stub_batch *batch);

#endif
