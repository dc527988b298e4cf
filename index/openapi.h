/*
 * openapi - the routes a document declares.
 *
 * Reads OpenAPI 3 and Swagger 2 (JSON or YAML) and plain lists: a line a
 * route, `GET /users/{id}` or `/users/{id}` for any method, or an RPC method,
 * `shop.Cart/Add` (`RPC Cart/Add` without a package); `#` begins a comment
 * line.  The path of the first server (or basePath) is put before each
 * path, as the service sees it.
 *
 * Limits     16 MiB a document, 100,000 routes, nesting of 64.
 * Threads    None.
 */
#ifndef INDEX_OPENAPI_H
#define INDEX_OPENAPI_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { OPENAPI_BYTES_MAX = 16 << 20, OPENAPI_ROUTES_MAX = 100000 };

enum openapi_format { OPENAPI_DOCUMENT, OPENAPI_LIST };

/* An openapi_route_fn is given one route; an RPC method has an empty |method|
 * and a |pattern| without a slash before it.  Any result but OK ends the walk.
 */
typedef enum err openapi_route_fn(void *ctx, str method, str pattern);

/*
 * openapi_read walks the routes of |text| and says in |format| what it was.
 * |why| says what is wrong, with a line where there is one.
 *
 * ERR_INVALID    neither a document with `paths` nor a list of routes
 * ERR_TOO_LARGE  over a limit
 * ERR_NOMEM; any error of |fn|
 */
enum err openapi_read(str text, openapi_route_fn *fn, void *ctx,
                      enum openapi_format *format, struct buf *why);

#endif
