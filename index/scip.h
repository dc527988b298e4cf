/*
 * scip - reads a SCIP index, document by document.
 *
 * SCIP is what compilers' indexers write: for each document, which symbol
 * stands where.  Nothing is decoded ahead: an index of any size is walked with
 * the memory of one occurrence.  The format is protocol buffers, and comes
 * from outside: every length is checked.
 *
 * Threads    None.
 */
#ifndef INDEX_SCIP_H
#define INDEX_SCIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum scip_encoding {
    SCIP_UNSPECIFIED = 0, /* UTF-16, as the indexers in use mean it */
    SCIP_UTF8 = 1,
    SCIP_UTF16 = 2,
    SCIP_UTF32 = 3,
};

struct scip_occurrence {
    str symbol;
    uint32_t line; /* from 1 */
    uint32_t col;  /* from 0, in units of the document's encoding */
    bool is_definition;
};

struct scip_document {
    str path;
    uint32_t encoding; /* enum scip_encoding */
    str bytes;         /* the document itself, for scip_occurrences */
};

/* Either stops the walk with any result but OK. */
typedef enum err scip_document_fn(void *ctx, const struct scip_document *doc);
typedef enum err
scip_occurrence_fn(void *ctx, const struct scip_occurrence *occurrence);

/* ERR_CORRUPT: not a SCIP index; or what |fn| returned.  Occurrences without a
 * place are passed over. */
enum err scip_documents(str index, scip_document_fn *fn, void *ctx);
enum err scip_occurrences(const struct scip_document *doc,
                          scip_occurrence_fn *fn, void *ctx);

#endif
