/*
 * schema - are the arguments of a call what its input schema asks for.
 *
 * The part of JSON Schema 2020-12 that our tools use: type, required, enum,
 * const, minimum, maximum, minLength, maxLength, minItems, maxItems, items,
 * properties, additionalProperties: false, default.  Other keywords are not
 * looked at.  What is wrong is said in words that help a model to call again:
 * the argument, what it takes, and the nearest name when it is unknown.
 *
 * Threads    Any thread; a schema is only read.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * schema_check holds |args|, an object, against |schema|, an object schema, and
 * then adds each top-level default that is absent.  The defaults are borrowed:
 * |schema| must outlive |args|.  On failure |args| is unchanged and all that is
 * wrong, up to a few faults, is appended to |why|.
 */
bool schema_check(const cJSON *schema, cJSON *args, struct buf *why);

/* schema_spell renames members of |args| that are equal but for case and `_` to
 * a property that is not there yet, or that mean it (mcp/synonyms.h): max_nodes
 * is maxNodes.  A word of an enum is taken in any case, with blanks
 * around it.  A null for what is optional and takes none is left out, as is ""
 * for an enum without it: clients whose schemas must require all (OpenAI's
 * strict mode), or that fill in a signature, send them for nothing. */
void schema_spell(const cJSON *schema, cJSON *args);

/* schema_fits: |value| alone is what |schema| asks for, but for items and
 * properties. */
bool schema_fits(const cJSON *value, const cJSON *schema);

/* schema_nearest is the one of the names of |object|'s members that |name| most
 * likely means, or NULL. */
const char *schema_nearest(const cJSON *object, const char *name);

/* schema_distance counts the edits from |a| to |b|, where two neighbours that
 * changed places are one edit; more than 64 bytes of either are not looked at.
 */
unsigned schema_distance(str a, str b);

#endif
