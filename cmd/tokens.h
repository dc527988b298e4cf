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
    char *text; /* of the file */
};

/*
 * tokens_read gathers |list| and the lines of |file| (may be empty: none;
 * blank lines and those that begin with # are passed over).
 *
 * ERR_IO     the file cannot be read; |why| says why
 * ERR_NOMEM
 */
enum err tokens_read(struct tokens *out, const struct config_list *list,
                     const char *file, struct buf *why);
void tokens_fini(struct tokens *tokens);

#endif
