/*
 * schema - the tables, as numbered migrations.
 *
 * `PRAGMA user_version` is how many of them a file has seen.
 *
 * Threads    None; constants.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stddef.h>

/* "span", as PRAGMA application_id: tells our files from others. */
#define SCHEMA_APPLICATION_ID 0x7370616e

extern const char *const schema_migrations[];
extern const size_t schema_len;

#endif
