/*
 * changes - a number that is another one when an answer could be.
 *
 * What this process writes to the store of traces is told by who wrote it, with
 * changes_note: the journal, which no answer reads, is written far more often.
 * The code and the knowledge are written by other processes, too; their files
 * are looked at, at most once a millisecond.
 *
 * Threads    Any.
 */
#ifndef CMD_CHANGES_H
#define CMD_CHANGES_H

#include <stdint.h>

struct changes;

/* changes_new: NULL, no memory.  |dir| is that of the stores. */
struct changes *changes_new(const char *dir);
void changes_free(struct changes *changes);

/* changes_note says that edges, counters or routes were written.  Call it when
 * they can be read; NULL is fine. */
void changes_note(struct changes *changes);

/* changes_version is the number; |ctx| is a struct changes. */
uint64_t changes_version(void *ctx);

#endif
