/*
 * redact_word - whether one word of a name is a secret, or announces one.
 *
 *     AKIA..., eyJ..., ghp_...            a token, by how it begins
 *     xY7Zpq0aab, behind `Bearer`         a credential, for no word is so
 *     Cookie                              a header whose whole value is one
 *     api_key, SharedAccessKey, pwd       a key whose value is one
 *
 * What was put around a word, and what is left of it, is the matter of
 * base/redact.h.
 *
 * Bound      O(length of the word).
 * Threads    Any; pure functions.
 */
#ifndef BASE_REDACT_WORD_H
#define BASE_REDACT_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Bytes that a token has at least behind the letters it begins with. */
enum { REDACT_TOKEN_MIN = 16 };

/* redact_is_any_of: |word| is one of the |len| |words|, in capitals or not. */
bool redact_is_any_of(str word, const str *words, size_t len);

bool redact_is_token(str word);

/* redact_is_credential: of what stands behind `Bearer` or `Basic`. */
bool redact_is_credential(str word);

/* redact_is_header: |key| is that of a header whose value may have spaces. */
bool redact_is_header(str key);

/* redact_is_secret_key: what |key| is given is a secret; so for headers.
 * `max_tokens` and `Secretary` are given none. */
bool redact_is_secret_key(str key);

#endif
