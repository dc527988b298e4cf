/*
 * Groups of names that mean one thing.  A name may be in several groups: the
 * first of which the tool has just one decides.  Left out is what is read in
 * two ways (`entity_id` of explore means nothing to its mode list), so that
 * nothing that was asked is left unheard.
 */
#include "mcp/synonyms.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { NAMES_MAX = 8 };

static const char *const groups[][NAMES_MAX] = {
    {"service", "service_name"},
    {"source", "from", "source_symbol", "source_hash"},
    {"target", "to", "target_symbol", "target_hash"},
    {"symbol", "symbol_hash", "target_hash", "source_hash", "nodeId",
     "seedNodeId"},
    {"repo", "repo_url", "repo_hash"},
    {"env", "environment"},
    {"route", "route_pattern"},
    {"task", "task_description"},
    {"files", "file", "paths", "path"},
    {"limit", "max_results", "maxResults"},
    {"depth", "max_depth", "maxDepth"},
};

static bool
is_of(const char *const *group, const char *name)
{
    for (size_t i = 0; i < NAMES_MAX && group[i]; i++)
        if (strcmp(group[i], name) == 0)
            return true;
    return false;
}

static const cJSON *
only_of(const char *const *group, const cJSON *properties)
{
    const cJSON *only = NULL;

    for (size_t i = 0; i < NAMES_MAX && group[i]; i++) {
        const cJSON *property =
            cJSON_GetObjectItemCaseSensitive(properties, group[i]);

        if (property && only)
            return NULL;
        if (property)
            only = property;
    }
    return only;
}

const cJSON *
synonym_of(const cJSON *properties, const char *name)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        const cJSON *only =
            is_of(groups[i], name) ? only_of(groups[i], properties) : NULL;

        if (only)
            return only;
    }
    return NULL;
}
