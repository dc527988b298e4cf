/*
 * parsers - processes that turn files into facts.
 *
 * Source code is hostile input and scanners are C: each parser is a forked
 * child that gets the bytes of a file in memory shared with it, and can do
 * nothing but compute and answer (index/sandbox.h).  One that dies, hangs or
 * wants too much memory takes with it the file it was at, which is skipped and
 * told, and another goes on with the rest.
 *
 * Order      Results come in any order.
 * Limits     A file has |patience_ns|; what it is turned into, 256 MiB.
 * Threads    None; the caller must be a process of one thread, without SIGPIPE.
 */
#ifndef INDEX_PARSERS_H
#define INDEX_PARSERS_H

#include "base/err.h"
#include "base/str.h"
#include "index/lang.h"
#include "index/tree.h"

struct parse_job {
    uint32_t file; /* of the tree */
    enum lang_id lang;
};

typedef enum err
parse_fn(const struct lang *lang, str path, str content,
         const struct lang_limits *limits, struct facts *facts);

struct parsers_cfg {
    uint32_t processes;   /* 0: one a processor, 16 at most */
    uint64_t memory_max;  /* bytes of address space each has to itself */
    uint64_t patience_ns; /* for one file; then the parser is killed */
    struct lang_limits limits;
    parse_fn *parse; /* lang_facts; tests have others */
};
extern const struct parsers_cfg parsers_cfg_default;

/* A parsed_fn is given the packed facts of a job, or with empty |facts| why
 * there are none, in constant words.  Any result but OK ends the run. */
typedef enum err
parsed_fn(void *ctx, uint32_t job, str facts, uint64_t bytes, str skipped);

/* parsers_run: ERR_IO (no process could be made), ERR_NOMEM, errors of |fn|. */
enum err
parsers_run(struct tree *tree, const struct parse_job *jobs, uint32_t len,
            const struct parsers_cfg *cfg, parsed_fn *fn, void *ctx);

#endif
