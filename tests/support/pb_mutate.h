/*
 * pb_mutate - another protobuf message from one, by its fields.
 *
 * Flipping bytes mostly breaks a length, and the decoder stops there.  This
 * changes one field somewhere in the tree of messages and writes the lengths
 * around it anew, so that what is malformed is what was meant to be.
 *
 * Threads    Any; nothing is shared.
 */
#ifndef TESTS_SUPPORT_PB_MUTATE_H
#define TESTS_SUPPORT_PB_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* pb_mutate_fn changes the |len| bytes at |bytes| in place, to at most |cap|.
 */
typedef size_t pb_mutate_fn(uint8_t *bytes, size_t len, size_t cap);

/* pb_mutate rewrites |bytes| and returns the new length; 0 if the result does
 * not fit |cap| or the bytes are no message, which are then unchanged. */
size_t pb_mutate(uint8_t *bytes, size_t len, size_t cap, uint32_t seed,
                 pb_mutate_fn *leaf);

/* pb_mutate_some is pb_mutate, but for one seed of |by_bytes| and for what is
 * no message: then |leaf| changes it as bytes. */
size_t pb_mutate_some(uint8_t *bytes, size_t len, size_t cap, uint32_t seed,
                      uint32_t by_bytes, pb_mutate_fn *leaf);

#endif
