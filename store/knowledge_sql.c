/*
 * Each statement: its arguments in order (?1, ?2, ...), and what its columns
 * are where they are not named one by one.
 */
#include "store/knowledge_sql.h"

/* oid, gid, world, type, name, domain, created_s, updated_s, deleted_s */
#define OBJECT                                                      \
    "o.oid, o.gid, o.world, o.type, o.name, o.domain, o.created_s," \
    " o.updated_s, o.deleted_s"
/* OBJECT, then from 9: description, content, category, project, source,
 * valid_from, valid_until, revision, content_hash, metadata */
#define ENTITY                                                     \
    OBJECT                                                         \
    ", e.description, e.content, e.category, e.project, e.source," \
    " e.valid_from, e.valid_until, e.revision, e.content_hash, e.metadata"
#define ENTITIES " FROM object o JOIN entity e ON e.oid = o.oid "
/* oid, gid, name, created_s, then from 4: kind, status, priority, complexity,
 * task_order, epic, feature, sprint, due_s, estimated_hours, actual_hours,
 * branch, pr_url, commits, learnings, blockers, started_s, reviewed_s,
 * completed_s, project */
#define TASK                                                                \
    "SELECT o.oid, o.gid, o.name, o.created_s, t.kind, t.status,"           \
    " t.priority, t.complexity, t.task_order, t.epic, t.feature, t.sprint," \
    " t.due_s, t.estimated_hours, t.actual_hours, t.branch, t.pr_url,"      \
    " t.commits, t.learnings, t.blockers, t.started_s, t.reviewed_s,"       \
    " t.completed_s, e.project FROM task t JOIN object o ON o.oid = t.oid"  \
    " JOIN entity e ON e.oid = t.oid WHERE o.deleted_s = 0 "
/* oid, gid, name, url, source_type, depth, include, exclude, schedule, robots,
 * max_pages, crawled_s, status, error, documents, words */
#define SOURCE                                                               \
    "SELECT o.oid, o.gid, o.name, s.url, s.source_type, s.depth, s.include," \
    " s.exclude, s.schedule, s.robots, s.max_pages, s.crawled_s, s.status,"  \
    " s.error, s.documents, s.words FROM source s"                           \
    " JOIN object o ON o.oid = s.oid WHERE o.deleted_s = 0 "
/* oid, gid, name, source, url, parent_url, content, content_hash, crawled_s,
 * removed_s, etag (of a site: ETag, and behind a line end Last-Modified) */
#define DOCUMENT                                                             \
    "SELECT o.oid, o.gid, o.name, d.source, d.url, d.parent_url, d.content," \
    " d.content_hash, d.crawled_s, d.removed_s, d.etag FROM document d"      \
    " JOIN object o ON o.oid = d.oid WHERE "
/* oid, gid, document, seq, heading, body, words, linked */
#define CHUNK                                                             \
    "SELECT o.oid, o.gid, c.document, c.seq, c.heading, c.body, c.words," \
    " c.linked FROM chunk c JOIN object o ON o.oid = c.oid WHERE "
/* oid, document of a chunk or 0, name, sig_t, body_t */
#define TEXT                                                           \
    "SELECT d.oid, coalesce(c.document, 0),"                           \
    " CASE WHEN c.oid IS NULL THEN o.name ELSE d.name_t END, d.sig_t," \
    " d.body_t FROM search_doc d JOIN object o ON o.oid = d.oid"       \
    " LEFT JOIN chunk c ON c.oid = d.oid "
/* link id, other end's oid, type, weight, provenance, metadata, created_s */
#define LINK(other)                                                       \
    "SELECT id, " other ", type, weight, provenance, metadata, created_s" \
    " FROM link WHERE expired_s = 0 "

const char *const knowledge_sql[KS_SQL_COUNT] = {
    /* how often it was written */
    [KS_REVISION] = "SELECT value FROM meta WHERE key = 'revision'",
    [KS_TOUCH] = "UPDATE meta SET value = value + 1 WHERE key = 'revision'",

    /* gid, world, type, name, domain, now */
    [KS_OBJECT_ADD] =
        "INSERT INTO object (gid, world, type, name, domain, created_s,"
        " updated_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
    /* gid */
    [KS_OBJECT_BY_GID] = "SELECT " OBJECT " FROM object o WHERE o.gid = ?1",
    [KS_OBJECT_BY_OID] = "SELECT " OBJECT " FROM object o WHERE o.oid = ?1",
    /* name, any case; what was added, not what only is pointed at */
    [KS_OBJECT_BY_NAME] =
        "SELECT " OBJECT " FROM object o WHERE o.name = ?1 COLLATE NOCASE"
        " AND o.world <= 3 AND o.deleted_s = 0 ORDER BY o.gid LIMIT 8",
    /* LIKE pattern of gid or name, limit */
    [KS_OBJECT_NEAR] =
        "SELECT " OBJECT " FROM object o WHERE o.deleted_s = 0 AND"
        " (o.gid LIKE ?1 OR o.name LIKE ?1) ORDER BY o.gid LIMIT ?2",
    /* oid, name, now */
    [KS_OBJECT_RENAME] =
        "UPDATE object SET name = ?2, updated_s = ?3 WHERE oid = ?1",
    /* oid, now */
    [KS_OBJECT_TOUCH] = "UPDATE object SET updated_s = ?2 WHERE oid = ?1",
    /* oid */
    [KS_OBJECT_DELETE] = "DELETE FROM object WHERE oid = ?1",
    /* type, count; of what was added */
    [KS_OBJECT_COUNTS] =
        "SELECT type, count(*) FROM object WHERE world <= 3 AND"
        " deleted_s = 0 GROUP BY type ORDER BY type",
    /* type or '' for all: all that was added, newest first */
    [KS_OBJECTS] = "SELECT " OBJECT " FROM object o WHERE o.world <= 3 AND"
                   " o.deleted_s = 0 AND (?1 = '' OR o.type = ?1)"
                   " ORDER BY o.updated_s DESC, o.oid DESC",

    /* oid, description, content, category, project, source, valid_from,
     * valid_until, content_hash, metadata */
    [KS_ENTITY_ADD] =
        "INSERT INTO entity (oid, description, content, category, project,"
        " source, valid_from, valid_until, content_hash, metadata)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [KS_ENTITY] = "SELECT " ENTITY ENTITIES "WHERE o.oid = ?1",
    /* oid, description, content, category, content_hash, project */
    [KS_ENTITY_EDIT] =
        "UPDATE entity SET description = ?2, content = ?3, category = ?4,"
        " content_hash = ?5, project = ?6, revision = revision + 1"
        " WHERE oid = ?1",
    /* oid, valid_until */
    [KS_ENTITY_EXPIRE] =
        "UPDATE entity SET valid_until = ?2, revision = revision + 1"
        " WHERE oid = ?1",
    /* oid, metadata */
    [KS_ENTITY_METADATA] =
        "UPDATE entity SET metadata = ?2, revision = revision + 1"
        " WHERE oid = ?1",
    /* type or '' for all */
    [KS_ENTITIES] = "SELECT " ENTITY ENTITIES
                    "WHERE o.deleted_s = 0 AND (?1 = '' OR o.type = ?1)"
                    " ORDER BY o.updated_s DESC, o.oid DESC",
    /* oid, facet, value */
    [KS_FACET_ADD] = "INSERT OR IGNORE INTO facet VALUES (?1, ?2, ?3)",
    /* oid, facet */
    [KS_FACET_CLEAR] = "DELETE FROM facet WHERE oid = ?1 AND facet = ?2",
    /* oid: facet, value */
    [KS_FACETS] = "SELECT facet, value FROM facet WHERE oid = ?1"
                  " ORDER BY facet, value",
    /* facet, value: oid */
    [KS_FACET_FIND] = "SELECT oid FROM facet WHERE facet = ?1 AND value = ?2"
                      " ORDER BY oid",

    /* oid, kind, status, priority, epic, due_s, complexity, feature */
    [KS_TASK_ADD] =
        "INSERT INTO task (oid, kind, status, priority, epic, due_s,"
        " complexity, feature) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [KS_TASK] = TASK "AND t.oid = ?1",
    /* oid, then in the order of TASK from status to completed_s */
    [KS_TASK_SAVE] =
        "UPDATE task SET status = ?2, priority = ?3, complexity = ?4,"
        " task_order = ?5, epic = ?6, feature = ?7, sprint = ?8, due_s = ?9,"
        " estimated_hours = ?10, actual_hours = ?11, branch = ?12,"
        " pr_url = ?13, commits = ?14, learnings = ?15, blockers = ?16,"
        " started_s = ?17, reviewed_s = ?18, completed_s = ?19"
        " WHERE oid = ?1",
    /* oid, action, from, to, actor, at_s, note, evidence */
    [KS_TASK_EVENT_ADD] =
        "INSERT INTO task_event (oid, action, from_status, to_status, actor,"
        " at_s, note, evidence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    /* oid: id, action, from, to, actor, at_s, note, evidence */
    [KS_TASK_EVENTS] =
        "SELECT id, action, from_status, to_status, actor, at_s, note,"
        " evidence FROM task_event WHERE oid = ?1 ORDER BY id",
    /* oid: the first evidence that was kept, at_s */
    [KS_TASK_EVIDENCE] =
        "SELECT evidence, at_s FROM task_event WHERE oid = ?1 AND evidence"
        " IS NOT NULL ORDER BY id LIMIT 1",
    /* project, or 0 for all; tasks alone */
    [KS_TASKS_OF_PROJECT] = TASK "AND t.kind = 0 AND (?1 = 0 OR"
                                 " e.project = ?1) ORDER BY o.oid",
    /* epic */
    [KS_TASKS_OF_EPIC] = TASK "AND t.epic = ?1 ORDER BY o.oid",
    [KS_TASKS_DONE] = TASK "AND t.kind = 0 AND t.status = 'done' AND"
                           " t.actual_hours > 0 ORDER BY o.oid",
    /* project: total, completed, in progress */
    [KS_TASK_PROGRESS] =
        "SELECT count(*), coalesce(sum(t.status = 'done'), 0),"
        " coalesce(sum(t.status IN ('doing', 'blocked', 'review')), 0)"
        " FROM task t JOIN entity e ON e.oid = t.oid"
        " WHERE t.kind = 0 AND e.project = ?1",

    /* src, dst, type, weight, provenance, metadata, now */
    [KS_LINK_ADD] =
        "INSERT INTO link (src, dst, type, weight, provenance, metadata,"
        " created_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT (src, dst, type) DO UPDATE SET expired_s = 0,"
        " weight = max(weight, excluded.weight),"
        " metadata = CASE WHEN link.provenance = 'declared' THEN metadata"
        " ELSE excluded.metadata END,"
        " provenance = CASE WHEN link.provenance = 'declared' THEN 'declared'"
        " ELSE excluded.provenance END",
    /* oid, type or '' */
    [KS_LINKS_OUT] = LINK("dst") "AND src = ?1 AND (?2 = '' OR type = ?2)"
                                 " ORDER BY type, dst",
    [KS_LINKS_IN] = LINK("src") "AND dst = ?1 AND (?2 = '' OR type = ?2)"
                                " ORDER BY type, src",
    /* src, dst, type, weight, provenance */
    [KS_LINKS_ALL] = "SELECT src, dst, type, weight, provenance FROM link"
                     " WHERE expired_s = 0 ORDER BY src, type, dst",
    /* src, provenance */
    [KS_LINK_CLEAR] = "DELETE FROM link WHERE src = ?1 AND provenance = ?2",
    /* type, count */
    [KS_LINK_COUNTS] = "SELECT type, count(*) FROM link WHERE expired_s = 0"
                       " GROUP BY type ORDER BY type",
    /* provenance, count */
    [KS_LINK_ORIGINS] =
        "SELECT provenance, count(*) FROM link WHERE expired_s = 0"
        " GROUP BY provenance ORDER BY provenance",
    /* src, target, type */
    [KS_BROKEN_ADD] = "INSERT OR IGNORE INTO broken_link VALUES (?1, ?2, ?3)",
    /* src gid, target, type */
    [KS_BROKEN_LIST] =
        "SELECT o.gid, b.target, b.type FROM broken_link b JOIN object o"
        " ON o.oid = b.src ORDER BY o.gid, b.target",
    /* what was added but chunks, by oid: oid, gid, type, name, domain (of a
     * page its url), description (of a page its beginning), project, source */
    [KS_SCORE_OBJECTS] =
        "SELECT o.oid, o.gid, o.type, o.name,"
        " CASE WHEN o.domain = '' THEN coalesce(d.url, '') ELSE o.domain END,"
        " coalesce(e.description, substr(d.content, 1, 200)),"
        " coalesce(e.project, 0), coalesce(d.source, e.source, 0)"
        " FROM object o LEFT JOIN entity e ON e.oid = o.oid"
        " LEFT JOIN document d ON d.oid = o.oid WHERE o.world <= 3"
        " AND o.deleted_s = 0 AND coalesce(d.removed_s, 0) = 0"
        " AND (e.oid IS NOT NULL OR d.oid IS NOT NULL) ORDER BY o.oid",
    /* src, target, type */
    [KS_SCORE_BROKEN] = "SELECT src, target, type FROM broken_link"
                        " ORDER BY src, target, type",

    /* oid, url, source_type, depth, include, exclude, schedule, robots,
     * max_pages */
    [KS_SOURCE_ADD] =
        "INSERT INTO source (oid, url, source_type, depth, include, exclude,"
        " schedule, robots, max_pages)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [KS_SOURCE] = SOURCE "AND s.oid = ?1",
    [KS_SOURCE_BY_URL] = SOURCE "AND s.url = ?1",
    /* oid, depth, include, exclude, max_pages, schedule, robots */
    [KS_SOURCE_SET] = "UPDATE source SET depth = ?2, include = ?3,"
                      " exclude = ?4, max_pages = ?5, schedule = ?6,"
                      " robots = ?7 WHERE oid = ?1",
    /* oid, status, error */
    [KS_SOURCE_STATUS] =
        "UPDATE source SET status = ?2, error = ?3 WHERE oid = ?1",
    /* those whose crawl ended with its process */
    [KS_SOURCES_INTERRUPT] = "UPDATE source SET status = 'interrupted'"
                             " WHERE status = 'crawling'",
    /* oid, crawled_s (0: as it is), status, error */
    [KS_SOURCE_CRAWLED] =
        "UPDATE source SET crawled_s = max(crawled_s, ?2), status = ?3, error "
        "= ?4,"
        " documents = (SELECT count(*) FROM document d WHERE d.source = ?1"
        " AND d.removed_s = 0), words = (SELECT coalesce(sum(c.words), 0)"
        " FROM chunk c JOIN document d ON d.oid = c.document WHERE"
        " d.source = ?1 AND d.removed_s = 0) WHERE oid = ?1",
    [KS_SOURCES] = SOURCE "ORDER BY o.oid",
    /* oid, source, url, parent_url, content, content_hash, crawled_s, etag */
    [KS_DOCUMENT_ADD] =
        "INSERT INTO document (oid, source, url, parent_url, content,"
        " content_hash, crawled_s, etag)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    /* oid, crawled_s, etag */
    [KS_DOCUMENT_SEEN] =
        "UPDATE document SET crawled_s = ?2, etag = ?3 WHERE oid = ?1",
    /* oid, content, content_hash, crawled_s, etag */
    [KS_DOCUMENT_SET] =
        "UPDATE document SET content = ?2, content_hash = ?3,"
        " crawled_s = ?4, etag = ?5, removed_s = 0 WHERE oid = ?1",
    /* oid, removed_s */
    [KS_DOCUMENT_REMOVE] = "UPDATE document SET removed_s = ?2 WHERE oid = ?1",
    [KS_DOCUMENT] = DOCUMENT "d.oid = ?1",
    /* source, url */
    [KS_DOCUMENT_BY_URL] = DOCUMENT "d.source = ?1 AND d.url = ?2",
    /* source, or 0 for all: those that are there */
    [KS_DOCUMENTS] = DOCUMENT "d.removed_s = 0 AND (?1 = 0 OR d.source = ?1)"
                              " ORDER BY d.source, d.url",
    /* oid, document, seq, heading, body, words */
    [KS_CHUNK_ADD] =
        "INSERT INTO chunk (oid, document, seq, heading, body, words)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [KS_CHUNK] = CHUNK "c.oid = ?1",
    /* document */
    [KS_CHUNKS] = CHUNK "c.document = ?1 ORDER BY c.seq",
    /* limit */
    [KS_CHUNKS_PENDING] = CHUNK "c.linked = 0 ORDER BY c.oid LIMIT ?1",
    /* oid */
    [KS_CHUNK_LINKED] = "UPDATE chunk SET linked = 1 WHERE oid = ?1",
    /* source gid, chunks, pending */
    [KS_CHUNK_STATUS] =
        "SELECT o.gid, count(c.oid), coalesce(sum(c.linked = 0), 0)"
        " FROM source s JOIN object o ON o.oid = s.oid"
        " LEFT JOIN document d ON d.source = s.oid AND d.removed_s = 0"
        " LEFT JOIN chunk c ON c.document = d.oid GROUP BY o.gid"
        " ORDER BY o.gid",

    /* oid, ident, name_t, sig_t, path_t, body_t */
    [KS_DOC_SET] = "INSERT OR REPLACE INTO search_doc"
                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [KS_DOC_DROP] = "DELETE FROM search_doc WHERE oid = ?1",
    /* oid; the row of search_doc must be there */
    [KS_FTS_ADD] = "INSERT INTO fts_main (rowid, name_t, sig_t, path_t, body_t)"
                   " SELECT oid, name_t, sig_t, path_t, body_t FROM search_doc"
                   " WHERE oid = ?1",
    [KS_FTS_DROP] =
        "INSERT INTO fts_main (fts_main, rowid, name_t, sig_t, path_t, body_t)"
        " SELECT 'delete', oid, name_t, sig_t, path_t, body_t FROM search_doc"
        " WHERE oid = ?1",
    [KS_IDENT_ADD] = "INSERT INTO fts_ident (rowid, ident)"
                     " SELECT oid, ident FROM search_doc WHERE oid = ?1",
    [KS_IDENT_DROP] =
        "INSERT INTO fts_ident (fts_ident, rowid, ident)"
        " SELECT 'delete', oid, ident FROM search_doc WHERE oid = ?1",
    /* FTS query, limit: oid, rank (better is less), gid, type, name */
    [KS_FTS_MATCH] =
        "SELECT f.rowid, bm25(fts_main, 10.0, 5.0, 2.0, 1.0) AS r, o.gid,"
        " o.type, o.name FROM fts_main f JOIN object o ON o.oid = f.rowid"
        " WHERE fts_main MATCH ?1 AND o.deleted_s = 0 ORDER BY r, f.rowid"
        " LIMIT ?2",
    /* FTS query, limit: oid, rank (better is less), document of a chunk or 0 */
    [KS_FTS_FIND] =
        "SELECT f.oid, f.r, coalesce(c.document, 0) FROM"
        " (SELECT rowid AS oid, rank AS r FROM fts_main WHERE fts_main"
        " MATCH ?1 AND rank MATCH 'bm25(10.0, 5.0, 2.0, 1.0)'"
        " ORDER BY rank LIMIT ?2) f"
        " LEFT JOIN chunk c ON c.oid = f.oid ORDER BY f.r, f.oid",
    /* FTS query, text that must stand there in any case, limit: oid, document
     * of a chunk or 0 */
    [KS_FTS_EXACT] =
        "SELECT d.oid, coalesce(c.document, 0) FROM"
        " (SELECT rowid AS oid FROM fts_main WHERE fts_main MATCH ?1"
        " ORDER BY rank LIMIT ?3) f JOIN search_doc d ON d.oid = f.oid"
        " LEFT JOIN chunk c ON c.oid = d.oid"
        " WHERE instr(lower(d.body_t), lower(?2)) > 0"
        " OR instr(lower(d.name_t), lower(?2)) > 0"
        " OR instr(lower(d.ident), lower(?2)) > 0",
    /* trigram query, limit: oid, document of a chunk or 0 */
    [KS_IDENT_FIND] =
        "SELECT f.oid, coalesce(c.document, 0) FROM"
        " (SELECT rowid AS oid FROM fts_ident WHERE fts_ident MATCH ?1"
        " ORDER BY rank LIMIT ?2) f LEFT JOIN chunk c ON c.oid = f.oid",
    /* oid: name_t, sig_t, path_t, body_t */
    [KS_DOC] = "SELECT name_t, sig_t, path_t, body_t FROM search_doc"
               " WHERE oid = ?1",
    /* of all texts; reads them once */
    [KS_DOC_BYTES] = "SELECT sum(length(name_t) + length(body_t))"
                     " FROM search_doc",
    /* at least as many as there are texts */
    [KS_DOC_MOST] = "SELECT coalesce(max(oid), 0) FROM search_doc",
    /* oid, now: a row if it no longer holds, or is not there any more */
    [KS_IS_OVER] = "SELECT 1 FROM entity WHERE oid = ?1 AND valid_until > 0"
                   " AND valid_until <= ?2 UNION ALL"
                   " SELECT 1 FROM document WHERE oid = ?1 AND removed_s > 0",
    [KS_FTS_REBUILD] = "INSERT INTO fts_main (fts_main) VALUES ('rebuild')",
    [KS_IDENT_REBUILD] = "INSERT INTO fts_ident (fts_ident)"
                         " VALUES ('rebuild')",
    [KS_FTS_CHECK] = "INSERT INTO fts_main (fts_main, rank)"
                     " VALUES ('integrity-check', 1)",
    [KS_IDENT_CHECK] = "INSERT INTO fts_ident (fts_ident, rank)"
                       " VALUES ('integrity-check', 1)",
    /* term as stored: how many documents have it */
    [KS_TERM_DOCS] = "SELECT doc FROM fts_vocab WHERE term = ?1",
    /* FTS query, limit: how many texts fit, at most that many */
    [KS_TERM_COUNT] = "SELECT count(*) FROM (SELECT 1 FROM fts_main"
                      " WHERE fts_main MATCH ?1 LIMIT ?2)",
    [KS_DOC_COUNT] = "SELECT count(*) FROM search_doc",
    /* oid of what ought to be found and has no document: entities, chunks */
    [KS_DOC_MISSING] =
        "SELECT o.oid FROM object o WHERE o.deleted_s = 0 AND (EXISTS"
        " (SELECT 1 FROM entity e WHERE e.oid = o.oid) OR EXISTS"
        " (SELECT 1 FROM chunk c WHERE c.oid = o.oid)) AND NOT EXISTS"
        " (SELECT 1 FROM search_doc d WHERE d.oid = o.oid)",
    [KS_DOC_STRAY] = "DELETE FROM search_doc WHERE oid NOT IN"
                     " (SELECT oid FROM object WHERE deleted_s = 0)",
    [KS_EMBEDDING_COUNT] = "SELECT count(*) FROM embedding",
    /* model: dim of the latest */
    [KS_EMBEDDING_DIM] = "SELECT dim FROM embedding WHERE model = ?1"
                         " ORDER BY id DESC LIMIT 1",
    /* model, dim, id: those above it: id, text_hash, vec */
    [KS_EMBEDDINGS] = "SELECT id, text_hash, vec FROM embedding"
                      " WHERE id > ?3 AND model = ?1 AND dim = ?2 ORDER BY id",
    /* id */
    [KS_EMBEDDING_VEC] = "SELECT vec FROM embedding WHERE id = ?1",
    /* text_hash, model, dim, vec */
    [KS_EMBEDDING_SET] = "INSERT OR REPLACE INTO embedding"
                         " (text_hash, model, dim, vec)"
                         " VALUES (?1, ?2, ?3, ?4)",
    /* id */
    [KS_EMBEDDING_DROP] = "DELETE FROM embedding WHERE id = ?1",
    /* model, dim: how many are of others; and without them */
    [KS_EMBEDDING_FOREIGN] = "SELECT count(*) FROM embedding"
                             " WHERE model <> ?1 OR dim <> ?2",
    [KS_EMBEDDING_DROP_FOREIGN] = "DELETE FROM embedding"
                                  " WHERE model <> ?1 OR dim <> ?2",
    /* what is searched: oid, document of a chunk or 0, name, what stands for a
     * signature, text */
    [KS_SEARCH_TEXTS] = TEXT "ORDER BY d.oid",
    /* oid */
    [KS_SEARCH_TEXT] = TEXT "WHERE d.oid = ?1",
    [KS_QUICK_CHECK] = "PRAGMA quick_check(1)",
};
