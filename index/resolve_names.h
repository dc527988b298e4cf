/*
 * resolve_names - between the files that name things.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_NAMES_H
#define INDEX_RESOLVE_NAMES_H

#include "index/resolve_impl.h"

/* unit_add finds or makes a unit; 0: the language has none, or no memory. */
uint32_t unit_add(struct resolver *r, uint32_t file, str name, sym package);

/* unit_family is what languages that see each other's units have in common. */
const char *unit_family(uint8_t lang);

/* unit_pick is the value of the row of |rows|, of a unit, that counts for
 * |file|: of the JVM's types of one full name, that of the nearest folder; else
 * as scope_pick has it. */
struct val unit_pick(struct resolver *r, struct rows rows, uint32_t file);

/* names_of_file names its definitions, in resolve_qualified.c. */
void names_of_file(struct resolver *r, uint32_t file);
void names_know_types(struct resolver *r, uint32_t file);

#endif
