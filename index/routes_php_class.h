/*
 * routes_php_class - the class of the repository that PHP code names.
 *
 * Memory     Made when first asked, of struct parts; php_classes_fini.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_PHP_CLASS_H
#define INDEX_ROUTES_PHP_CLASS_H

#include "index/routes_parts.h"

/* php_class_called finds the class of the full name |name|. */
bool php_class_called(struct parts *p, str name, struct at *out);
/* php_class_below finds it so, or below Laravel's namespace of controllers, or
 * the only one below any namespace. */
bool php_class_below(struct parts *p, str name, struct at *out);
/* php_class_of is the class of `C::class`, `\App\C::class`. */
bool php_class_of(struct parts *p, struct at expr, struct at *out);

/* php_method_called finds the method `App\C::show`, `App\C:show`, or of `App\C`
 * the one that is called with it. */
bool php_method_called(struct parts *p, str text, struct at *method);
/* php_answers is the vertex of what a value that is no closure calls:
 * `[C::class, 'show']`, `C::class`, `C::class . ':show'`, a text; or 0. */
uint32_t php_answers(struct parts *p, struct at expr);

void php_classes_fini(struct parts *p);

#endif
