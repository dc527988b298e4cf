/*
 * knowledge_schema - the tables of knowledge.db, as numbered migrations.
 *
 * Threads    None; constants.
 */
#ifndef STORE_KNOWLEDGE_SCHEMA_H
#define STORE_KNOWLEDGE_SCHEMA_H

#include <stddef.h>

extern const char *const knowledge_schema_migrations[];
extern const size_t knowledge_schema_len;

#endif
