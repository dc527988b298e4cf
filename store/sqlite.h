/*
 * sqlite - which SQLite this program runs with, and what is known of it.
 *
 * From 3.7.0 to 3.51.2 two connections that write and checkpoint at once can
 * corrupt a database (mended in 3.51.3, 3.50.7 and 3.44.6).  The service has
 * one that does (store/store.h), so what is left is another program that opens
 * the file: the operator is to know.
 *
 * Threads    Any.
 */
#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

/* sqlite_version is that of the library in use, as "3.40.1". */
const char *sqlite_version(void);

/* sqlite_number is it as 3040001. */
int sqlite_number(void);

/* sqlite_memory_bytes is what all its connections hold now. */
int64_t sqlite_memory_bytes(void);

/* sqlite_may_corrupt says whether a version, by its number, has that defect; of
 * what a distributor has mended under the same number nothing is known. */
bool sqlite_may_corrupt(int number);

#endif
