/*
 * What people keep beside the graph.  `object` is the one space of ids: what
 * was added here, and of the two graphs whatever a link points at, by the
 * name that finds it again (knowledge/resolve.h), so a link outlives an index.
 *
 * Triggers are switched off in files of ours (store/dbfile.c), so the full-text
 * tables are kept in step by the statements that change search_doc.
 */
#include "store/knowledge_schema.h"

#define OBJECT " INTEGER NOT NULL REFERENCES object ON DELETE CASCADE"
#define OWN    "oid INTEGER PRIMARY KEY REFERENCES object ON DELETE CASCADE"

const char *const knowledge_schema_migrations[] = {
    /* 1 */
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('revision', 0);"

    /* world: enum object_world */
    "CREATE TABLE object (oid INTEGER PRIMARY KEY, gid TEXT NOT NULL UNIQUE,"
    " world INTEGER NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,"
    " domain TEXT NOT NULL DEFAULT '', created_s INTEGER NOT NULL,"
    " updated_s INTEGER NOT NULL, deleted_s INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX object_type ON object (type, updated_s DESC);"
    "CREATE INDEX object_name ON object (name COLLATE NOCASE);"

    "CREATE TABLE entity (" OWN ", description TEXT NOT NULL DEFAULT '',"
    " content TEXT NOT NULL CHECK (length(content) <= 50000),"
    " category TEXT NOT NULL DEFAULT '',"
    " project INTEGER NOT NULL DEFAULT 0, source INTEGER NOT NULL DEFAULT 0,"
    " valid_from INTEGER NOT NULL DEFAULT 0,"
    " valid_until INTEGER NOT NULL DEFAULT 0,"
    " revision INTEGER NOT NULL DEFAULT 1, content_hash BLOB NOT NULL,"
    " metadata TEXT NOT NULL DEFAULT '{}');"
    "CREATE INDEX entity_project ON entity (project) WHERE project > 0;"
    "CREATE INDEX entity_content ON entity (content_hash);"

    "CREATE TABLE facet (oid" OBJECT ", facet TEXT NOT NULL"
    " CHECK (facet IN ('tag','language','technology','assignee','alias',"
    "'key')), value TEXT NOT NULL COLLATE NOCASE,"
    " PRIMARY KEY (oid, facet, value)) WITHOUT ROWID;"
    "CREATE INDEX facet_value ON facet (facet, value);"

    /* Epics too: kind 1. */
    "CREATE TABLE task (" OWN ", kind INTEGER NOT NULL DEFAULT 0,"
    " status TEXT NOT NULL, priority TEXT NOT NULL,"
    " complexity TEXT NOT NULL DEFAULT 'medium',"
    " task_order INTEGER NOT NULL DEFAULT 0,"
    " epic INTEGER NOT NULL DEFAULT 0,"
    " feature TEXT NOT NULL DEFAULT '', sprint TEXT NOT NULL DEFAULT '',"
    " due_s INTEGER NOT NULL DEFAULT 0, estimated_hours REAL,"
    " actual_hours REAL, branch TEXT NOT NULL DEFAULT '',"
    " pr_url TEXT NOT NULL DEFAULT '',"
    " commits TEXT NOT NULL DEFAULT '[]',"
    " learnings TEXT NOT NULL DEFAULT '',"
    " blockers TEXT NOT NULL DEFAULT '[]',"
    " started_s INTEGER NOT NULL DEFAULT 0,"
    " reviewed_s INTEGER NOT NULL DEFAULT 0,"
    " completed_s INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX task_status ON task (status);"

    "CREATE TABLE task_event (id INTEGER PRIMARY KEY, oid" OBJECT ","
    " action TEXT NOT NULL, from_status TEXT NOT NULL,"
    " to_status TEXT NOT NULL, actor TEXT NOT NULL, at_s INTEGER NOT NULL,"
    " note TEXT NOT NULL,"
    " evidence TEXT);"
    "CREATE INDEX task_event_oid ON task_event (oid, id);",

    /* 2 */
    "CREATE TABLE source (" OWN ", url TEXT NOT NULL UNIQUE,"
    " source_type TEXT NOT NULL, depth INTEGER NOT NULL,"
    " include TEXT NOT NULL DEFAULT '[]', exclude TEXT NOT NULL DEFAULT '[]',"
    " schedule TEXT NOT NULL DEFAULT '', robots INTEGER NOT NULL DEFAULT 1,"
    " max_pages INTEGER NOT NULL DEFAULT 50,"
    " crawled_s INTEGER NOT NULL DEFAULT 0,"
    " status TEXT NOT NULL DEFAULT 'pending',"
    " error TEXT NOT NULL DEFAULT '', documents INTEGER NOT NULL DEFAULT 0,"
    " words INTEGER NOT NULL DEFAULT 0);"

    "CREATE TABLE document (" OWN ", source" OBJECT ", url TEXT NOT NULL,"
    " parent_url TEXT NOT NULL DEFAULT '', content TEXT NOT NULL,"
    " content_hash BLOB NOT NULL, crawled_s INTEGER NOT NULL,"
    " removed_s INTEGER NOT NULL DEFAULT 0, etag TEXT NOT NULL DEFAULT '',"
    " UNIQUE (source, url));"

    "CREATE TABLE chunk (" OWN ", document" OBJECT ", seq INTEGER NOT NULL,"
    " heading TEXT NOT NULL, body TEXT NOT NULL, words INTEGER NOT NULL,"
    " linked INTEGER NOT NULL DEFAULT 0, UNIQUE (document, seq));"
    "CREATE INDEX chunk_pending ON chunk (oid) WHERE linked = 0;"

    "CREATE TABLE link (id INTEGER PRIMARY KEY, src" OBJECT ", dst" OBJECT ","
    " type TEXT NOT NULL, weight REAL NOT NULL, provenance TEXT NOT NULL,"
    " metadata TEXT NOT NULL DEFAULT '{}',"
    " created_s INTEGER NOT NULL, expired_s INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE (src, dst, type));"
    "CREATE INDEX link_dst ON link (dst, type);"
    "CREATE TABLE broken_link (src" OBJECT ", target TEXT NOT NULL,"
    " type TEXT NOT NULL, PRIMARY KEY (src, target, type)) WITHOUT ROWID;"

    "CREATE TABLE community (" OWN ", level INTEGER NOT NULL,"
    " parent INTEGER NOT NULL DEFAULT 0, algo TEXT NOT NULL,"
    " resolution REAL NOT NULL, modularity REAL, snapshot BLOB,"
    " summary TEXT NOT NULL DEFAULT '', concepts TEXT NOT NULL DEFAULT '[]');"
    "CREATE TABLE community_member (community" OBJECT ", member" OBJECT ","
    " PRIMARY KEY (community, member)) WITHOUT ROWID;"

    "CREATE TABLE search_doc (" OWN ", ident TEXT NOT NULL,"
    " name_t TEXT NOT NULL, sig_t TEXT NOT NULL, path_t TEXT NOT NULL,"
    " body_t TEXT NOT NULL);"
    "CREATE VIRTUAL TABLE fts_main USING fts5 (name_t, sig_t, path_t, body_t,"
    " content='search_doc', content_rowid='oid',"
    " tokenize='porter unicode61 remove_diacritics 2', prefix='2 3');"
    "CREATE VIRTUAL TABLE fts_ident USING fts5 (ident, content='search_doc',"
    " content_rowid='oid', tokenize='trigram');"
    "CREATE VIRTUAL TABLE fts_vocab USING fts5vocab (fts_main, 'row');"
    "CREATE TABLE embedding (oid" OBJECT ", model TEXT NOT NULL,"
    " dim INTEGER NOT NULL, vec BLOB NOT NULL, text_hash BLOB NOT NULL,"
    " PRIMARY KEY (oid, model)) WITHOUT ROWID;",

    /* 3: vectors by the text they are of, since most texts are of code and
     * traces, whose objects have no row here, and outlive an index.  |vec|:
     * float32, little-endian.  Ids are not used twice, so that what came since
     * is what is above the last. */
    "DROP TABLE embedding;"
    "CREATE TABLE embedding (id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " text_hash BLOB NOT NULL UNIQUE, model TEXT NOT NULL,"
    " dim INTEGER NOT NULL, vec BLOB NOT NULL);",
};
const size_t knowledge_schema_len = sizeof(knowledge_schema_migrations) /
                                    sizeof(knowledge_schema_migrations[0]);
