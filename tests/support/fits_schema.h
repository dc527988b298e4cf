/*
 * fits_schema - the part of JSON Schema that our tools' schemas use: types,
 * required members, properties, items.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_FITS_SCHEMA_H
#define TESTS_SUPPORT_FITS_SCHEMA_H

#include <cjson/cJSON.h>

/* assert_fits_schema fails the test where |value| does not fit |schema|. */
void
assert_fits_schema(const cJSON *value, const cJSON *schema, const char *where);

/* assert_named_once fails the test where an object within |value| has two
 * members of one name, which readers of JSON take for one or the other. */
void assert_named_once(const cJSON *value, const char *where);

#endif
