/*
 * knowledge - what people keep beside the graph: patterns, tasks, documents
 * and what they are about.
 *
 * It is opinion and lives in a file of its own (store/knowledge_store.h); what
 * traces and code say is evidence and is only read here.  A struct moment is
 * one transaction, with the evidence of the same call beside it; everything
 * else of this layer works on one.
 *
 *     knowledge_open(&knowledge, dir, &cfg);            once; touches no file
 *     struct moment moment = {.view = view, .joined = joined,
 *                             .now_s = now_s, .why = &why};
 *     if (!(err = knowledge_write(knowledge, &moment)))
 *         err = knowledge_end(knowledge, &moment, entity_add(&moment, ...));
 *
 * The first write takes the lock of the file; another process that has it is
 * named, and reading goes on.
 *
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM from whatever returns enum err;
 *            ERR_INVALID, ERR_NOT_FOUND and ERR_AMBIGUOUS with moment.why,
 *            which says what would work.
 * Threads    Any; one writes at a time, and some read at the same time.  A
 *            moment belongs to one thread.
 */
#ifndef KNOWLEDGE_KNOWLEDGE_H
#define KNOWLEDGE_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/joined.h"
#include "graph/query.h"

struct knowledge;
struct knowledge_store;
struct source_rules;
struct vectors;

struct knowledge_cfg {
    bool is_strict;  /* tasks only take the steps of the workflow */
    bool is_durable; /* a commit is on the disk */
    const struct source_rules *sources; /* knowledge/source.h; NULL: folders
                                           anywhere, and no sites */
    struct vectors *vectors;            /* knowledge/vectors.h; NULL: none */
};
extern const struct knowledge_cfg knowledge_cfg_default;

struct moment {
    struct knowledge_store *store; /* of a reading one NULL: nothing was ever
                                      written */
    struct query_view *view;       /* NULL: nothing of traces */
    const struct joined *joined;   /* NULL: nothing of code */
    uint32_t now_s;
    uint32_t up_s; /* since the knowledge was opened */
    bool is_strict;
    bool is_writing;
    const struct source_rules *sources;
    struct vectors *vectors;
    struct buf *why;
};

enum { KNOWLEDGE_READERS = 4, KNOWLEDGE_CLAIMS = 8 };

/* knowledge_open: ERR_NOMEM. */
enum err knowledge_open(struct knowledge **out, const char *dir,
                        const struct knowledge_cfg *cfg);
void knowledge_close(struct knowledge *knowledge);

/* knowledge_read begins a moment that only reads; it waits while all
 * connections are in use.  ERR_INVALID: the file is of another version. */
enum err knowledge_read(struct knowledge *knowledge, struct moment *moment);

/* knowledge_write begins one that may write; ERR_BUSY: another process does,
 * moment->why names it. */
enum err knowledge_write(struct knowledge *knowledge, struct moment *moment);

/* knowledge_end ends the moment and returns |err|, or why what was written
 * could not be kept.  With any |err| nothing of it is. */
enum err
knowledge_end(struct knowledge *knowledge, struct moment *moment, enum err err);

/* knowledge_sources is what knowledge_cfg said of them. */
const struct source_rules *knowledge_sources(const struct knowledge *knowledge);

/* knowledge_claim takes object |oid| for work longer than a moment; false:
 * somebody has it, or KNOWLEDGE_CLAIMS are out. */
bool knowledge_claim(struct knowledge *knowledge, int64_t oid);
void knowledge_unclaim(struct knowledge *knowledge, int64_t oid);

/* moment_fail says |format| in moment->why and returns |err|. */
enum err moment_fail(struct moment *moment, enum err err, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

#endif
