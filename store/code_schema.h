/*
 * code_schema - the tables of code.db, as numbered migrations.
 *
 * Threads    None; constants.
 */
#ifndef STORE_CODE_SCHEMA_H
#define STORE_CODE_SCHEMA_H

#include <stddef.h>

extern const char *const code_schema_migrations[];
extern const size_t code_schema_len;

#endif
