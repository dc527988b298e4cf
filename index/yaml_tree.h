/*
 * yaml_tree - a YAML document as a cJSON tree, so that it is walked once.
 *
 * Mappings with scalar keys, sequences and scalars; every scalar becomes a
 * string, of what CloudFormation refers to (`!Ref Name`, `!GetAtt`,
 * `!ImportValue`) `${Name}`.  Aliases are refused or bounded, and with them the
 * "billion laughs".
 *
 * Threads    None.
 */
#ifndef INDEX_YAML_TREE_H
#define INDEX_YAML_TREE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* yaml_is_named: |path| ends in `.yml` or `.yaml`. */
bool yaml_is_named(str path);

/*
 * yaml_tree gives the tree of the first document of |text|, to be released
 * with cJSON_Delete.  |why| names the line.
 *
 * ERR_INVALID  not YAML, nested deeper than 64, or with aliases
 * ERR_NOMEM
 */
enum err yaml_tree(str text, cJSON **out, struct buf *why);

/*
 * yaml_documents gives each document of a stream; aliases are copied, as much
 * as people need (100,000 values, 16 MiB of text in all), and `<<` is left as a
 * member.  Any result of |fn| but OK ends the walk.  Errors as yaml_tree, and
 * those of |fn|.
 */
typedef enum err yaml_document_fn(void *ctx, const cJSON *document);
enum err
yaml_documents(str text, yaml_document_fn *fn, void *ctx, struct buf *why);

#endif
