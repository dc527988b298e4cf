/*
 * says - what functions say in plain words: messages of errors and logs, keys
 * of the environment, codes, flags, headers.
 *
 * People paste these, and hardly ever know the function; so search is told
 * which function holds which (graph/code_fields.h).  Tests are left out: they
 * repeat what they test.
 *
 * Bound      SAYS_MAX texts a repository, SAYS_BYTES_MAX bytes each.
 * Threads    None.
 */
#ifndef INDEX_SAYS_H
#define INDEX_SAYS_H

#include "index/resolve.h"

enum { SAYS_MAX = 400000, SAYS_BYTES_MAX = 240 };

/* says_is_message: |text| reads like words to a person; says_is_key: like an
 * `ENV_VAR`, a code (`ECONNRESET`, `E1001`), a `--flag` or a `X-Header`. */
bool says_is_message(str text);
bool says_is_key(str text);

/* says_find appends to |build| what the files say, behind resolve_graph. */
enum err says_find(const struct resolver *r, const struct resolve_file *files,
                   uint32_t len, struct code_build *build);

#endif
