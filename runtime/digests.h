/*
 * digests - which requests were seen lately, to know an exact retry.
 *
 * A sender that got no answer sends the same again.  What it sent is known by
 * its digest (stub_batch_digest) for as long as such senders try.
 *
 *     mark = digests_mark(d); digests_add(d, ...) ...; digests_rewind(d, mark)
 *
 * Bound      DIGESTS_MAX; beyond, the oldest are forgotten before their time
 *            and a retry of theirs is known by its span ids alone.
 * Memory     24 bytes a digest and 16 of index; it grows with the traffic.
 * Threads    The graph thread only.
 */
#ifndef RUNTIME_DIGESTS_H
#define RUNTIME_DIGESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

enum { DIGESTS_MAX = 1 << 20 };

struct digests;

/* digests_new: ERR_NOMEM. */
enum err digests_new(struct digests **out);
void digests_free(struct digests *digests);

/* digests_ahead asks for the memory that the other calls need for |digest|. */
void digests_ahead(const struct digests *digests, struct digest128 digest);

bool digests_has(const struct digests *digests, struct digest128 digest);

/* digests_add adds one that is not there, seen at |at_ns|; without memory the
 * oldest makes room. */
void
digests_add(struct digests *digests, struct digest128 digest, uint64_t at_ns);

/* digests_expire forgets those seen before |before_ns|. */
void digests_expire(struct digests *digests, uint64_t before_ns);

/* digests_rewind forgets what was added since the mark. */
uint64_t digests_mark(const struct digests *digests);
void digests_rewind(struct digests *digests, uint64_t mark);

#endif
