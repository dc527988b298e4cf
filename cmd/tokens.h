/*
 * tokens - bearer tokens, from the configuration and from a file.
 *
 * Threads    None.
 */
#ifndef CMD_TOKENS_H
#define CMD_TOKENS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"

struct tokens {
    const char **item;
    size_t len;
    size_t cap;
    char *text; /* of the file */
};

/* tokens_check: ERR_INVALID, and |why|, when one of |list|, the value of |key|,
 * is no secret: empty, `****` as check-config prints it, or `${NAME}`, which
 * everybody could guess. */
enum err
tokens_check(const struct config_list *list, const char *key, struct buf *why);

/*
 * tokens_read gathers |list| and the lines of |file| (may be "": none; blank
 * lines, those that begin with #, and blanks around a token are passed over).
 * What tokens_check refuses is refused in a line, too.
 * On failure |out| is empty and |why| says why.
 *
 * ERR_IO       the file cannot be read
 * ERR_INVALID  a token is no secret, or the file has none
 * ERR_NOMEM
 */
enum err tokens_read(struct tokens *out, const struct config_list *list,
                     const char *file, struct buf *why);
void tokens_fini(struct tokens *tokens);

#endif
