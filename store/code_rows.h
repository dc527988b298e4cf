/*
 * code_rows - what a row of the static graph holds.
 *
 * All tables have the same shape: an id that carries the repository, the
 * generations the row is good for, some integers, some texts.  So reading,
 * writing and comparing them is written once, and a table is a line in
 * store/code_rows.c.  The enumerations name the columns.
 *
 * Threads    None; plain values.
 */
#ifndef STORE_CODE_ROWS_H
#define STORE_CODE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"

enum code_table {
    CODE_FILES,
    CODE_NODES,
    CODE_EDGES,
    CODE_ROUTES,
    CODE_SERVICES,
    CODE_EXPOSURES,
    CODE_OWNERS,
    CODE_LITERALS,
    CODE_AUTHORS,
    CODE_TABLES,
};

/* Numbers of files and nodes are their NUM; 0: none. */
enum { FILE_NUM, FILE_LANG, FILE_FLAGS, FILE_BYTES, FILE_INTS };
enum { FILE_PATH, FILE_BLOB, FILE_SKIPPED, FILE_TEXTS };

enum {
    SYMBOL_NUM,
    SYMBOL_KIND,
    SYMBOL_FLAGS,
    SYMBOL_FILE,
    SYMBOL_LINE,
    SYMBOL_COL,
    SYMBOL_END_LINE,
    SYMBOL_INTS
};
enum {
    SYMBOL_HASH,
    SYMBOL_PACKAGE,
    SYMBOL_NAME,
    SYMBOL_SIGNATURE,
    SYMBOL_TEXTS
};

enum {
    LINK_SRC,
    LINK_DST,
    LINK_TYPE,
    LINK_PROVENANCE,
    LINK_PERMILLE,
    LINK_INTS
};
enum { LINK_HASH, LINK_SITES, LINK_TEXTS }; /* sites: code_sites_pack */

enum { PATH_NODE, PATH_HANDLER, PATH_FILE, PATH_FLAGS, PATH_LINE, PATH_INTS };
enum { PATH_METHOD, PATH_RAW, PATH_CANONICAL, PATH_FRAMEWORK, PATH_TEXTS };

enum { SERVED_RANK, SERVED_INTS };
enum { SERVED_NAME, SERVED_DIRECTORY, SERVED_EVIDENCE, SERVED_TEXTS };

enum { EXPOSED_INTS };
enum {
    EXPOSED_HOST,
    EXPOSED_PREFIX,
    EXPOSED_REWRITE,
    EXPOSED_SERVICE,
    EXPOSED_EVIDENCE,
    EXPOSED_TEXTS
};

enum { OWNER_POSITION, OWNER_LINE, OWNER_INTS };
enum { OWNER_PATTERN, OWNER_NAME, OWNER_TEXTS };

enum { LITERAL_NODE, LITERAL_KIND, LITERAL_INTS };
enum { LITERAL_TEXT, LITERAL_TEXTS };

enum { AUTHOR_FILE, AUTHOR_COMMITS, AUTHOR_LAST_S, AUTHOR_INTS };
enum { AUTHOR_NAME, AUTHOR_TEXTS };

enum { CODE_INTS_MAX = SYMBOL_INTS, CODE_TEXTS_MAX = EXPOSED_TEXTS };

/* Ids hold their repository, so that its rows lie together. */
enum { CODE_ID_BITS = 40 };
#define CODE_REPO_MAX ((UINT32_C(1) << 22) - 1)

struct code_row {
    uint64_t id; /* repo << CODE_ID_BITS | n */
    uint32_t born;
    uint32_t died; /* 0: it is there now */
    int64_t ints[CODE_INTS_MAX];
    str texts[CODE_TEXTS_MAX];
};

static inline uint32_t
code_row_repo(const struct code_row *row)
{
    return (uint32_t)(row->id >> CODE_ID_BITS);
}

struct code_table_spec {
    const char *name;
    const char *ints[CODE_INTS_MAX];
    const char *texts[CODE_TEXTS_MAX];
    uint8_t int_len;
    uint8_t text_len;
    uint8_t blobs; /* bits of texts that are bytes: hashes, packed sites */
};
extern const struct code_table_spec code_tables[CODE_TABLES];

struct repo_row {
    uint32_t id;
    str url;             /* as graph/code_write.h makes it */
    uint32_t generation; /* of the newest snapshot; 0: there was none */
    uint32_t next_num;   /* for files and nodes; never used again */
    uint64_t next_id;    /* for rows */
    uint32_t indexed_s;  /* last time it was looked at */
    str commit;          /* then */
    unsigned char build[SHA256_LEN]; /* digest of all it told then */
};

struct snapshot_row {
    uint32_t repo;
    uint32_t generation;
    unsigned char hash[SHA256_LEN];
    unsigned char root[SHA256_LEN];
    unsigned char parent[SHA256_LEN]; /* hash of the one before; zeros */
    str commit;
    uint64_t commit_s;
    uint32_t created_s;
    uint32_t files;
    uint32_t nodes;
    uint32_t edges;   /* those in the tree */
    uint32_t guesses; /* those that are not: may_call, may_dispatch */
    uint64_t bytes;
    uint32_t calls;
    uint32_t calls_external;
    uint32_t calls_unknown;
};

struct feedback_row {
    unsigned char hash[SHA256_LEN]; /* of the symbol */
    unsigned char code[SHA256_LEN]; /* code_fingerprint of it at the time */
    str session;
    bool useful;
    uint32_t at_s;
};

#endif
