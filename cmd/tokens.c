#include "cmd/tokens.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/path.h"

enum { FILE_MAX = 1 << 20 };

static enum err
add(struct tokens *tokens, const char *item)
{
    if (!grow_room(tokens->item, tokens->len, tokens->cap))
        return ERR_NOMEM;
    tokens->item[tokens->len++] = item;
    return OK;
}

static enum err
read_text(struct tokens *out, const char *file, struct buf *why)
{
    if (path_may_block(file)) {
        buf_printf(why, "%s: not a regular file", file);
        return ERR_IO;
    }

    FILE *in = fopen(file, "rb");
    if (!in) {
        buf_printf(why, "%s: %s", file, strerror(errno));
        return ERR_IO;
    }
    out->text = calloc(1, FILE_MAX + 2);
    size_t len = out->text ? fread(out->text, 1, FILE_MAX + 1, in) : 0;
    bool failed = ferror(in) || len > FILE_MAX;
    (void)fclose(in);
    if (failed)
        buf_printf(why, "%s: cannot be read, or larger than 1 MiB", file);
    if (!out->text)
        return ERR_NOMEM;
    return failed ? ERR_IO : OK;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Nor is what check-config prints in place of a token, or what was meant for
 * the environment, of which a file of tokens knows nothing. */
static bool
is_secret(const char *token)
{
    return *token && strcmp(token, "****") != 0 && strncmp(token, "${", 2) != 0;
}

enum err
tokens_check(const struct config_list *list, const char *key, struct buf *why)
{
    for (size_t i = 0; i < list->len; i++)
        if (!is_secret(list->item[i])) {
            buf_printf(why,
                       "%s: \"%s\" is no secret; ${env:NAME} is taken from "
                       "the environment",
                       key, list->item[i]);
            return ERR_INVALID;
        }
    return OK;
}

enum err
tokens_read(struct tokens *out, const struct config_list *list,
            const char *file, struct buf *why)
{
    char *rest = NULL;
    enum err err = tokens_check(list, "auth.tokens", why);

    *out = (struct tokens){0};
    for (size_t i = 0; i < list->len && !err; i++)
        err = add(out, list->item[i]);
    size_t listed = out->len;
    if (!err && file && *file)
        err = read_text(out, file, why);
    for (char *line = out->text ? strtok_r(out->text, "\r\n", &rest) : NULL;
         line && !err; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t");
        for (size_t len = strlen(line); len && is_blank(line[len - 1]); len--)
            line[len - 1] = '\0';
        if (!*line || *line == '#')
            continue;
        if (is_secret(line)) {
            err = add(out, line);
        } else {
            buf_printf(why,
                       "%s: ${NAME} or **** in it is no secret; nothing there "
                       "is taken from the environment",
                       file);
            err = ERR_INVALID;
        }
    }
    /* None would let everyone in, which is not what a file is named for. */
    if (!err && file && *file && out->len == listed) {
        buf_printf(why, "%s: there is no token in it", file);
        err = ERR_INVALID;
    }
    if (err)
        tokens_fini(out);
    return err;
}

void
tokens_fini(struct tokens *tokens)
{
    free(tokens->item);
    free(tokens->text);
    *tokens = (struct tokens){0};
}
