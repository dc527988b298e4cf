/*
 * routes_php_include - files that PHP requires, and what they have by it: the
 * variables of who requires them, and the function that they return, called.
 *
 * Memory     Made when first asked, of struct parts; php_includes_fini.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_PHP_INCLUDE_H
#define INDEX_ROUTES_PHP_INCLUDE_H

#include "index/routes_router.h"

/* php_path_text is the last text of what names a file. */
str php_path_text(struct parts *p, struct at expr);
/* php_path_file is the nearest file to |from| whose path ends with |text|. */
bool php_path_file(struct parts *p, str text, uint32_t from, uint32_t *out);

/* php_given is the router that the variable |name|, which its file does not
 * bind, is where the file is required; 0: none that is known. */
uint32_t php_given(struct parts *p, struct at name);

/* php_grouped is the group of Slim whose function |expr| stands in, if that
 * takes nothing: it puts its routes on the group by `$this`, or by what it was
 * called on; or 0. */
uint32_t php_grouped(struct parts *p, struct at expr);

/* slim_optional appends |path| of Slim with the first |n| of its optional ends,
 * `/x[/{y}[/{z}]]`, what is behind SLIM_ENDS_MAX of them as one that may be
 * anything; false: it has no so many, or the framework refuses it. */
enum { SLIM_ENDS_MAX = 8 };
bool slim_optional(str path, unsigned n, struct buf *out);

void php_includes_fini(struct parts *p);

#endif
