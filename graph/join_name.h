/*
 * join_name - names of functions as runtimes tell them, made alike.
 *
 *     com.x.Told.run(int)                 com.x.Told.1.run
 *     example.org/shop.(*Cart).Add-fm       example.org/shop.Cart.Add
 *     App\Cart::add, Cart#add               App.Cart.add, Cart.add
 *     <shop::Cart as Basket>::add           shop.Cart.add
 *     shop.show.<locals>.<lambda>           shop.show
 *     Shop.Cart+<Add>d__1.MoveNext          Shop.Cart.Add
 *
 * Threads    Any.
 */
#ifndef GRAPH_JOIN_NAME_H
#define GRAPH_JOIN_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* join_name_plain appends |name| with a dot between its parts, without
 * parameters, generics and what compilers add; of what has no name (a lambda)
 * the function around it is told.  Folders of packages keep their slashes. */
void join_name_plain(str name, struct buf *out);

/* join_name_next is where the next part of a plain name begins behind |from|:
 * its length if there is none. */
size_t join_name_next(str name, size_t from);

size_t join_name_parts(str name);

/* join_name_installed is where the name of the package begins in the |path| of
 * a file that was installed, by folders that nothing else has; 0: it was not.
 */
size_t join_name_installed(str path);

/* join_name_is_like: the same but for case and for what may not stand in a
 * name. */
bool join_name_is_like(str a, str b);

/* join_name_passes: |path| goes through |folder|, which ends with a slash. */
bool join_name_passes(str path, str folder);

#endif
