/*
 * knowledge_store - knowledge.db: what people keep beside the graph.
 *
 * A file of its own in the directory of the store, with its own lock: opinion
 * never touches the two databases of evidence.  All statements stand in
 * store/knowledge_sql.c under a name each; here are values in and rows out, so
 * that knowledge/ says what is done and this layer says how.
 *
 *     ks_ask(ks, KS_OBJECT_BY_GID, KS_ARGS(ks_text(gid)));
 *     while (ks_next(ks, KS_OBJECT_BY_GID, &row))
 *         ... row[0].num ...
 *     err = ks_end(ks, KS_OBJECT_BY_GID);
 *
 * A statement is in use until ks_end; the same one cannot be asked within its
 * own loop.
 *
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, from whatever returns enum err.
 * Threads    One at a time.
 */
#ifndef STORE_KNOWLEDGE_STORE_H
#define STORE_KNOWLEDGE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "store/knowledge_sql.h"

#define KNOWLEDGE_STORE_FILE "knowledge.db"
#define KNOWLEDGE_STORE_LOCK "knowledge.lock"

struct knowledge_store;

/* knowledge_store_open opens for writing, and makes the file if there is none.
 * |is_durable|: a commit is on the disk.
 *
 * ERR_BUSY     another process writes; |why| names it
 * ERR_CORRUPT  it was damaged and is set aside
 * ERR_INVALID  of a newer version
 * ERR_DENIED, ERR_STORE, ERR_NOMEM */
enum err
knowledge_store_open(struct knowledge_store **out, const char *dir,
                     bool is_durable, uint64_t now_ns, struct buf *why);
/* knowledge_store_open_read: ERR_NOT_FOUND if nothing was ever written. */
enum err knowledge_store_open_read(struct knowledge_store **out,
                                   const char *dir, struct buf *why);
void knowledge_store_close(struct knowledge_store *ks);

/* One transaction.  A reader's sees one moment; end it with rollback. */
enum err ks_begin(struct knowledge_store *ks);
enum err ks_commit(struct knowledge_store *ks);
void ks_rollback(struct knowledge_store *ks);

enum ks_type { KS_NULL, KS_INT, KS_REAL, KS_TEXT, KS_BLOB };
struct ks_value {
    enum ks_type type;
    int64_t num;
    double real;
    str text; /* of a row: good until that statement steps on */
};
enum { KS_COLUMNS_MAX = 32 };

static inline struct ks_value
ks_int(int64_t num)
{
    return (struct ks_value){.type = KS_INT, .num = num};
}
static inline struct ks_value
ks_real(double real)
{
    return (struct ks_value){.type = KS_REAL, .real = real};
}
static inline struct ks_value
ks_text(str text)
{
    return (struct ks_value){.type = KS_TEXT, .text = text};
}
static inline struct ks_value
ks_cstr(const char *text)
{
    return ks_text(str_of(text));
}
static inline struct ks_value
ks_blob(const void *bytes, size_t len)
{
    return (struct ks_value){.type = KS_BLOB, .text = {bytes, len}};
}
#define KS_ARGS(...)                        \
    (const struct ks_value[]){__VA_ARGS__}, \
        sizeof((struct ks_value[]){__VA_ARGS__}) / sizeof(struct ks_value)

/* ks_ask binds and begins |sql|; a failure is told by ks_end. */
void ks_ask(struct knowledge_store *ks, enum ks_sql sql,
            const struct ks_value *args, size_t len);
/* ks_next: false at the end and on a failure. */
bool ks_next(struct knowledge_store *ks, enum ks_sql sql,
             const struct ks_value **row);
enum err ks_end(struct knowledge_store *ks, enum ks_sql sql);

/* ks_run runs a statement whose rows nobody wants. */
enum err ks_run(struct knowledge_store *ks, enum ks_sql sql,
                const struct ks_value *args, size_t len);
/* ks_number is the number in the first row of |sql|; 0 if there is none. */
enum err ks_number(struct knowledge_store *ks, enum ks_sql sql,
                   const struct ks_value *args, size_t len, int64_t *out);

/* Of the last statement that was run. */
int64_t ks_last_id(const struct knowledge_store *ks);
int64_t ks_changes(const struct knowledge_store *ks);
const char *ks_message(const struct knowledge_store *ks);

/* ks_until makes statements fail with ERR_STORE once the monotonic clock is
 * past |deadline_ns|; 0: never. */
void ks_until(struct knowledge_store *ks, uint64_t deadline_ns);

/* ks_bytes is the size of the file. */
int64_t ks_bytes(const struct knowledge_store *ks);

#endif
