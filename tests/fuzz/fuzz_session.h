/*
 * fuzz_session - any bytes, in any pieces, at any time, to a session.
 *
 * The first byte of the input says how the rest is cut, and whether the
 * handler answers at once, later or in pieces.
 *
 * Threads    None.
 */
#ifndef TESTS_FUZZ_SESSION_H
#define TESTS_FUZZ_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "net/session.h"

typedef struct session *fuzz_session_fn(const struct session_env *,
                                        const struct session_peer *, uint64_t);

void fuzz_session(fuzz_session_fn *make, const uint8_t *data, size_t len);

#endif
