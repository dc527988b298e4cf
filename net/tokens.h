/*
 * tokens - the bearer tokens that let a caller in.
 *
 * Who knows basic authentication alone shows one as the password; the name
 * beside it is not looked at.
 *
 * Only their SHA-256 is kept, and what is compared is digests, all of them and
 * all bytes: the time it takes says nothing about any token.
 *
 * Threads    Any; tokens_set waits for checks under way.
 */
#ifndef NET_TOKENS_H
#define NET_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct tokens;

/* tokens_new holds none, which allows everyone.  NULL: memory is short. */
struct tokens *tokens_new(void);
void tokens_free(struct tokens *tokens);

/*
 * tokens_set replaces them all.  None allows everyone.
 *
 * ERR_INVALID  an empty token, which would be no secret; nothing changed
 * ERR_NOMEM    nothing changed
 */
enum err tokens_set(struct tokens *tokens, const char *const *list, size_t len);

/* tokens_allow says whether |authorization|, a header's value, may pass. */
bool tokens_allow(struct tokens *tokens, str authorization);

/* tokens_have says the same of a token that was already cut out of it. */
bool tokens_have(struct tokens *tokens, str token);

#endif
