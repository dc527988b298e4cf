/*
 * knowledge_sql - the statements on knowledge.db, by name.
 *
 * Arguments and columns are told where the statements stand, in
 * store/knowledge_sql.c.
 *
 * Threads    None; constants.
 */
#ifndef STORE_KNOWLEDGE_SQL_H
#define STORE_KNOWLEDGE_SQL_H

enum ks_sql {
    KS_REVISION,
    KS_TOUCH,
    /* objects */
    KS_OBJECT_ADD,
    KS_OBJECT_BY_GID,
    KS_OBJECT_BY_OID,
    KS_OBJECT_BY_NAME,
    KS_OBJECT_NEAR,
    KS_OBJECT_RENAME,
    KS_OBJECT_TOUCH,
    KS_OBJECT_DELETE,
    KS_OBJECT_COUNTS,
    KS_OBJECTS,
    /* entities */
    KS_ENTITY_ADD,
    KS_ENTITY,
    KS_ENTITY_EDIT,
    KS_ENTITY_EXPIRE,
    KS_ENTITY_METADATA,
    KS_ENTITIES,
    KS_FACET_ADD,
    KS_FACET_CLEAR,
    KS_FACETS,
    KS_FACET_FIND,
    /* tasks */
    KS_TASK_ADD,
    KS_TASK,
    KS_TASK_SAVE,
    KS_TASK_EVENT_ADD,
    KS_TASK_EVENTS,
    KS_TASK_EVIDENCE,
    KS_TASKS_OF_PROJECT,
    KS_TASKS_OF_EPIC,
    KS_TASKS_DONE,
    KS_TASK_PROGRESS,
    /* links */
    KS_LINK_ADD,
    KS_LINKS_OUT,
    KS_LINKS_IN,
    KS_LINKS_ALL,
    KS_LINK_CLEAR,
    KS_LINK_COUNTS,
    KS_LINK_ORIGINS,
    KS_BROKEN_ADD,
    KS_BROKEN_LIST,
    KS_SCORE_OBJECTS,
    KS_SCORE_BROKEN,
    /* sources */
    KS_SOURCE_ADD,
    KS_SOURCE,
    KS_SOURCE_BY_URL,
    KS_SOURCE_SET,
    KS_SOURCE_STATUS,
    KS_SOURCES_INTERRUPT,
    KS_SOURCE_CRAWLED,
    KS_SOURCES,
    KS_DOCUMENT_ADD,
    KS_DOCUMENT_SEEN,
    KS_DOCUMENT_SET,
    KS_DOCUMENT_REMOVE,
    KS_DOCUMENT,
    KS_DOCUMENT_BY_URL,
    KS_DOCUMENTS,
    KS_CHUNK_ADD,
    KS_CHUNK,
    KS_CHUNKS,
    KS_CHUNKS_PENDING,
    KS_CHUNK_LINKED,
    KS_CHUNK_STATUS,
    /* search */
    KS_DOC_SET,
    KS_DOC_DROP,
    KS_FTS_ADD,
    KS_FTS_DROP,
    KS_IDENT_ADD,
    KS_IDENT_DROP,
    KS_FTS_MATCH,
    KS_FTS_FIND,
    KS_FTS_EXACT,
    KS_IDENT_FIND,
    KS_DOC,
    KS_DOC_BYTES,
    KS_DOC_MOST,
    KS_ENTITY_EXPIRED,
    KS_FTS_REBUILD,
    KS_IDENT_REBUILD,
    KS_FTS_CHECK,
    KS_IDENT_CHECK,
    KS_TERM_DOCS,
    KS_TERM_COUNT,
    KS_DOC_COUNT,
    KS_DOC_MISSING,
    KS_DOC_STRAY,
    KS_EMBEDDING_COUNT,
    KS_QUICK_CHECK,
    KS_SQL_COUNT,
};

extern const char *const knowledge_sql[KS_SQL_COUNT];

#endif
