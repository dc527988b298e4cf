/*
 * context_yaml - files of YAML that are kept as they are in struct contexts.
 *
 * Files of Symfony's routes (index/routes_symfony_yaml.c), serverless.yml and
 * templates of AWS SAM (index/routes_lambda.c).  What is no YAML, or only has
 * the name of such a file, says nothing.
 *
 * Threads    None.
 */
#ifndef INDEX_CONTEXT_YAML_H
#define INDEX_CONTEXT_YAML_H

#include "index/context.h"

bool context_yaml_wants(str path);

/* context_yaml_take keeps a file that is wanted, if it says something.
 * ERR_NOMEM. */
enum err context_yaml_take(struct contexts *all, str path, str content);

void context_yaml_fini(struct contexts *all);

#endif
