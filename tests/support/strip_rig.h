/*
 * strip_rig - a strip (relay/strip.h), and a decoder that feeds it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_STRIP_RIG_H
#define TESTS_SUPPORT_STRIP_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "otlp/decode.h"
#include "relay/strip.h"

enum { STRIP_PAD = 512 }; /* readable behind what is decoded */

struct strip_rig {
    struct decode_scratch *scratch;
    struct strip *strip;
    struct buf out;
    uint32_t spans;
    struct decode_result result;
};

/* The set-up and the tear-down of a test, whose state is its strip_rig. */
int strip_rig_setup(void **state);
int strip_rig_teardown(void **state);

/* strip_rig_strip strips |bytes| to f->out; the result of the decoder. */
enum err strip_rig_strip(struct strip_rig *f, str bytes, bool json);

#endif
