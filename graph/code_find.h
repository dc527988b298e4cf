/*
 * code_find - from what people and traces write to vertices.
 *
 * Threads    Any; nothing is changed.
 */
#ifndef GRAPH_CODE_FIND_H
#define GRAPH_CODE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/code.h"

/* code_by_hash is 0 if there is none. */
uint32_t code_by_hash(const struct code *code, const unsigned char *hash);

/* code_by_qualified is the vertex `repo://package.name`; of several kinds the
 * least; 0 if there is none. */
uint32_t code_by_qualified(const struct code *code, str qualified);

/* code_prefix_range is the ids [first, end) whose qualified name begins with
 * |prefix|. */
void code_prefix_range(const struct code *code, str prefix, uint32_t *first,
                       uint32_t *end);

/*
 * code_by_suffix appends the ids, rising, whose qualified name ends with
 * |word| where a part begins: `Add`, `Cart.Add`, `pkg.Cart.Add`,
 * `shop/pkg.Cart.Add`, the whole.  `#` with a number at the end of a name does
 * not count (graph/code_write.h).  `Cart::Add` and `Cart#Add` are read as
 * `Cart.Add`.  |kinds|: bits 1 << enum code_kind, 0: all.  ERR_NOMEM.
 */
enum err code_by_suffix(const struct code *code, str word, uint32_t kinds,
                        struct ids *out);

/*
 * code_resolve is for arguments that may be anything: 64 hex letters, a
 * qualified name, `file:line`, or a suffix; it appends the ids of the first
 * reading that fits something.  ERR_NOT_FOUND, ERR_NOMEM.
 */
enum err code_resolve(const struct code *code, str word, uint32_t kinds,
                      struct ids *out);

/* code_file_by_path appends the files with that path, or whose path, or which,
 * is the end of the other at a `/`: traces tell paths of another machine; the
 * longest common end wins.  |repo| 0: any.  ERR_NOMEM. */
enum err code_file_by_path(const struct code *code, uint32_t repo, str path,
                           struct ids *out);

/* code_by_line is the innermost function or method of |file| that holds
 * |line|; 0 if there is none. */
uint32_t code_by_line(const struct code *code, uint32_t file, uint32_t line);

/* code_file_nodes gives the vertices of |file|, by line.  Good as long as
 * |code| is held. */
const uint32_t *
code_file_nodes(const struct code *code, uint32_t file, uint32_t *len);

/* code_nearest appends at most |max| ids whose last names are most like that
 * of |word|, for errors that teach. */
enum err code_nearest(const struct code *code, uint32_t kinds, str word,
                      size_t max, struct ids *out);

/* code_repo_by is a repository by url, with or without what one clones it by
 * (`https://`, `git@`, `.git`), by the end of it at a `/`, or by hash in hex; 0
 * if none or several fit. */
uint32_t code_repo_by(const struct code *code, str word);

/* code_owners_of gives the rules [first, end) of code->owners that say who
 * owns |path|: the last pattern of CODEOWNERS that fits (base/match.h).  False
 * if none fits, or says nobody. */
bool code_owners_of(const struct code *code, uint32_t repo, str path,
                    uint32_t *first, uint32_t *end);

/* code_authors_of gives those of |file|: code->authors[first..end). */
void code_authors_of(const struct code *code, uint32_t file, uint32_t *first,
                     uint32_t *end);

#endif
