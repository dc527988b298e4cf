/*
 * synonyms - the parameter that is meant by the name of another tool's.
 *
 * Tools keep the names that they have elsewhere: a service is `service_name`
 * for one and `service` for others, a symbol `target_hash`, `symbol_hash` or
 * `nodeId`.  Who has asked one tool should not fail at the next for that.
 *
 * Threads    Any; literals.
 */
#ifndef MCP_SYNONYMS_H
#define MCP_SYNONYMS_H

#include <cjson/cJSON.h>

/* synonym_of is the one of |properties|, a tool's, that |name|, which is none
 * of them, means; NULL: there is none, or several. */
const cJSON *synonym_of(const cJSON *properties, const char *name);

#endif
