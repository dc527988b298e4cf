/*
 * spool - requests that were taken in and not yet handed on, on disk.
 *
 * What a sidecar has acknowledged outlives the sidecar here (spool.db in the
 * directory of the store) until the gateway has acknowledged it in turn.  Parts
 * are added in transactions and belong to a batch; a batch is closed when it is
 * large or old enough, and is the same bytes from then on, however often it is
 * read and whatever happens in between: that is how the gateway knows it again.
 *
 *     spool_begin; spool_note, spool_put ...; spool_commit     then answer
 *     spool_next -> send -> spool_drop or spool_set_aside
 *
 * A request that was taken in lately is known by its digest (spool_note), so
 * that a sender who got no answer can send it again.
 *
 * Bound      max_bytes of parts, as they are stored, and on disk half as much
 *            again; what is set aside makes room for what comes, the oldest
 *            first.  SPOOL_SEEN_MAX digests for SPOOL_SEEN_NS.
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, as store/store.h says.
 * Threads    One at a time.
 */
#ifndef STORE_SPOOL_H
#define STORE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"

#define SPOOL_FILE "spool.db"
#define SPOOL_LOCK "spool.lock"

/* As long as the gateway keeps digests, three times as long as an exporter
 * tries. */
#define SPOOL_SEEN_NS (UINT64_C(900) * NS_PER_S)
enum { SPOOL_SEEN_MAX = 65536 };

struct spool_cfg {
    uint64_t max_bytes;
    uint64_t batch_bytes;  /* of a batch, before it is packed */
    uint64_t batch_age_ns; /* of its first part, when it is closed */
    bool is_durable;       /* a commit is on disk, not only with the system */
};

struct spool_stats {
    uint64_t bytes; /* that wait */
    uint64_t batches;
    uint64_t oldest_ns; /* when the first of them came; 0: there is none */
    uint64_t due_ns;    /* when the open batch is closed; 0: there is none */
    uint64_t aside_bytes;
};

/* A batch.  Zero-initialise; buf_fini(&batch.bytes). */
struct spool_batch {
    uint64_t id;
    uint64_t at_ns; /* when its first part came */
    uint64_t raw_len;
    uint64_t spans;
    struct buf bytes;
};

struct spool;

/* spool_open opens the spool in |dir|, or makes it.  What waits there is closed
 * batches.  Errors as store_open.  ERR_CORRUPT, too, if there was one and is
 * none; once it is said, what could be read is what is opened next. */
enum err
spool_open(struct spool **out, const char *dir, const struct spool_cfg *cfg,
           uint64_t now_ns, struct buf *why);
void spool_close(struct spool *spool);

/* One transaction.  spool_rollback also ends one that failed. */
enum err spool_begin(struct spool *spool);
enum err spool_commit(struct spool *spool);
void spool_rollback(struct spool *spool);

/* spool_note, in a transaction: |is_new| is false if |digest| was noted within
 * SPOOL_SEEN_NS. */
enum err spool_note(struct spool *spool, struct digest128 digest,
                    uint64_t now_ns, bool *is_new);

/*
 * spool_put, in a transaction, adds a part of |raw_len| bytes that |packed| is
 * made of.  |lost| is how many spans that were set aside had to go for it.
 *
 * ERR_FULL       it does not fit now
 * ERR_TOO_LARGE  it never will
 */
enum err spool_put(struct spool *spool, str packed, uint64_t raw_len,
                   uint32_t spans, uint64_t now_ns, uint64_t *lost);

/*
 * spool_next reads the oldest closed batch; with |is_last|, what is open is
 * closed for it.
 *
 * ERR_NOT_FOUND  there is none
 * ERR_CORRUPT    it is not what was stored; out->id says which
 */
enum err spool_next(struct spool *spool, uint64_t now_ns, bool is_last,
                    struct spool_batch *out);

/* spool_drop forgets a batch that was handed on. */
enum err spool_drop(struct spool *spool, uint64_t id);

/* spool_set_aside keeps a batch that nobody takes out of the way. */
enum err spool_set_aside(struct spool *spool, uint64_t id);

/* spool_take_back puts what was set aside in line again, before the rest.
 * |batches| is how many. */
enum err spool_take_back(struct spool *spool, uint64_t *batches);

/* spool_has_room says whether |len| more bytes fit, once there is nothing set
 * aside. */
bool spool_has_room(const struct spool *spool, uint64_t len);

struct spool_stats spool_get_stats(const struct spool *spool);

#endif
