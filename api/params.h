/*
 * params - what stands behind the `?` of a request: names with values.
 *
 *     if ((err = params_read(&params, req->query, &why)))  ...
 *     params_get(&params, "focus")       empty: not given
 *     params_fini(&params);
 *
 * Memory     params_fini; values are good until then.
 * Bound      PARAMS_MAX pairs.
 * Threads    None.
 */
#ifndef API_PARAMS_H
#define API_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { PARAMS_MAX = 32 };

struct param {
    size_t name; /* offsets in text */
    size_t value;
    size_t end;
};

struct params {
    struct buf text; /* decoded */
    struct param rows[PARAMS_MAX];
    size_t len;
};

/* params_read decodes |query| as a form means it (`+`, %XX).
 *
 * ERR_INVALID  a bad escape, a NUL, or too many; |why| says which
 * ERR_NOMEM
 */
enum err params_read(struct params *params, str query, struct buf *why);
void params_fini(struct params *params);

/* params_get is the value of |name|, the last one where it comes twice; the
 * empty view if it is not there. */
str params_get(const struct params *params, const char *name);

/* params_number reads a whole number of at most |max| into |out|, which stays
 * as it is if |name| is not there or empty.  ERR_INVALID: any other text. */
enum err params_number(const struct params *params, const char *name,
                       uint64_t max, uint64_t *out, struct buf *why);

/* params_find_number does that in |query| as it came, where numbers are all
 * that there is: at most 18 digits, the first where |name| comes twice.  False:
 * it is there and is none. */
bool params_find_number(str query, str name, uint64_t *out);

/* params_unknown is the first name that is none of |known|, which ends with
 * NULL; the empty view if there is none. */
str params_unknown(const struct params *params, const char *const *known);

#endif
