/*
 * document - what was taken in from a source, and the chunks it was cut into,
 * to be shown.  How they come in is knowledge/source.h.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_DOCUMENT_H
#define KNOWLEDGE_DOCUMENT_H

#include "knowledge/knowledge.h"

struct document {
    int64_t source; /* oid */
    struct buf url;
    struct buf source_name;
    struct buf source_gid;
    struct buf source_url;
};
void document_fini(struct document *document);

/* document_get: ERR_NOT_FOUND without a word; |oid| is no document. */
enum err document_get(struct moment *moment, int64_t oid, struct document *out);

struct document_chunk {
    struct buf gid;
    struct buf heading;
    struct buf body;
};
void document_chunk_fini(struct document_chunk *chunk);
/* document_chunk_get: ERR_NOT_FOUND likewise. */
enum err document_chunk_get(struct moment *moment, int64_t oid,
                            struct document_chunk *out);

#endif
