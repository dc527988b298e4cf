/*
 * whole - is a database file whole: looked through, or known by its seal.
 *
 * Looking through a file (PRAGMA quick_check) takes as long as all the rest of
 * a start.  So who closes one looks through it then, and leaves a seal beside
 * it: how many bytes it has and their XXH3-128.  Who opens it and finds those
 * bytes need not look again.
 *
 * A seal speaks of bytes, not of the file: it is never wrong, only of no use.
 * So nobody takes it away before he writes, and it needs no sync.  A crash, a
 * program that knows no seals, another file in the place of this one: other
 * bytes, or a log beside them, and the file is looked through as ever.
 *
 * Threads    The owner thread of the file only.
 */
#ifndef STORE_WHOLE_H
#define STORE_WHOLE_H

#include "store/dbfile.h"

/* whole_check: before anything is written.  A file over the bound of its spec
 * is taken for whole unless it is suspect; one that is suspect is looked
 * through whatever its seal says, and no longer suspect if it is whole.
 * ERR_CORRUPT; ERR_STORE, ERR_NOMEM: it cannot be told now. */
enum err whole_check(struct dbfile *file, struct buf *why);

/* whole_seal: when the log is empty and no statement is left.  Bytes whose seal
 * is there already cost no look.  Damage makes the file suspect; whatever else
 * fails, the next start will look. */
void whole_seal(struct dbfile *file);

/* whole_unseal: the file is gone. */
void whole_unseal(const char *dir, const char *file);

#endif
