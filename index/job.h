/*
 * job - an index from end to end: the worker's process, and what it finds
 * stored.
 *
 * Facts are kept as they come, so an index that is interrupted goes on faster
 * the next time; the graph is written in one transaction at the end, so one
 * that fails or is cancelled leaves the snapshot before it in place.
 *
 * Threads    job_run blocks its caller; at most one runs for a directory at a
 *            time (ERR_BUSY), in this process or another.
 */
#ifndef INDEX_JOB_H
#define INDEX_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code_build.h"
#include "graph/code_write.h"
#include "index/worker.h"

struct job_ask {
    const char *data; /* directory of the store */
    struct tree_ask tree;
    const char *repo_url;        /* NULL: as tree_name says */
    const char *scip;            /* a SCIP index of the same commit; or NULL */
    const char *const *services; /* `NAME` or `NAME=FOLDER`, told by a person */
    size_t service_len;
    uint32_t keep;      /* snapshots; 0: CODE_KEEP_DEFAULT */
    uint32_t processes; /* that parse; 0: one a processor */
};

/* A job_progress_fn is called now and then; any result but OK cancels. */
typedef enum err
job_progress_fn(void *ctx, const struct worker_progress *progress);

struct job_result {
    struct code_build build; /* all of it, for a summary */
    struct code_written written;
    uint32_t sandbox; /* of the worker: enum sandbox_part */
    uint32_t built;   /* folders that were left out: tree_built */
    struct buf built_at;
    uint64_t parse_ns; /* until the graph came */
    uint64_t store_ns;
};
void job_result_fini(struct job_result *result);

/*
 * job_run indexes.  |why| says what went wrong and what to do.
 *
 * ERR_NOT_FOUND, ERR_INVALID, ERR_DENIED  as tree_open
 * ERR_BUSY       another index of this store is running
 * ERR_CANCELLED  |fn| said so
 * ERR_CORRUPT    the worker died, or what it sent cannot be trusted
 * ERR_IO, ERR_STORE, ERR_NOMEM
 */
enum err job_run(const struct job_ask *ask, job_progress_fn *fn, void *ctx,
                 struct job_result *out, struct buf *why);

/* job_worker_main is what `spangraph index-worker` runs: argv as job_run makes
 * it.  The exit code of the process. */
int job_worker_main(int argc, char **argv);

#endif
