/*
 * worker - one index, from a tree to a packed graph, in a process of its own.
 *
 * Lists the files, takes the facts of those that were parsed before, has the
 * others parsed (index/parsers.h), resolves, finds routes and services, and
 * writes frames to the process that asked: progress, facts to keep, and at the
 * end the whole graph or what went wrong.  It writes no file and opens no
 * connection; if it dies, nothing has changed.
 *
 * Threads    None: a process of one thread.
 */
#ifndef INDEX_WORKER_H
#define INDEX_WORKER_H

#include "base/err.h"
#include "index/parsers.h"
#include "index/tree.h"

/* Kinds of frames. */
enum worker_frame {
    WORKER_PROGRESS = 1, /* struct worker_progress */
    WORKER_FACTS = 2,    /* number: facts key; blob id, then what is kept */
    WORKER_GRAPH = 3,    /* a packed code_build; the last one */
    WORKER_FAILED = 4,   /* number: -enum err; why, in words; the last one */
    WORKER_SANDBOX = 5,  /* number: enum sandbox_part; the first one */
    WORKER_BUILT = 6,    /* number and payload: as tree_built says */
};

enum worker_phase {
    PHASE_LIST,
    PHASE_PARSE,
    PHASE_RESOLVE,
    PHASE_ROUTES,
    PHASE_HISTORY,
    PHASE_STORE,
    PHASE_END,
};
const char *worker_phase_str(uint32_t phase);

struct worker_progress {
    uint32_t phase;
    uint32_t done;
    uint32_t total;
};

/* The number that facts are kept under beside their blob: the language, and
 * what the path adds to it (a test file is read in another way). */
uint8_t worker_facts_key(enum lang_id lang, str path);

/* A worker_cached_fn appends what was kept of |blob|; false: nothing. */
typedef bool worker_cached_fn(void *ctx, const unsigned char *blob, uint8_t key,
                              struct buf *out);

struct worker_cfg {
    struct tree_ask tree;
    const char *repo_url; /* NULL: tree_name */
    str scip;             /* a SCIP index of the same commit; empty: none */
    uint32_t sandbox;     /* enum sandbox_part: what is in force, to be told */
    struct parsers_cfg parsers;
    uint32_t history_commits; /* looked at for authors; 0: none */
    worker_cached_fn *cached; /* NULL: nothing is kept */
    void *ctx;
};

/* worker_run writes frames to |fd|; what it returns has been written, too. */
enum err worker_run(const struct worker_cfg *cfg, int fd);

#endif
