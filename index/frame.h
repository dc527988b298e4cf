/*
 * frame - messages between the processes of an index: a kind, a number, bytes.
 *
 * Memory     The reader's buffer grows to the largest frame; a payload is good
 *            until the next frame_next.
 * Limits     FRAME_MAX bytes a frame, or what the reader says.
 * Threads    None.
 */
#ifndef INDEX_FRAME_H
#define INDEX_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define FRAME_MAX (UINT32_C(2) << 30)

struct frame {
    uint8_t kind;
    uint32_t number;
    str payload;
};

/* frame_write writes all of it.  ERR_IO: the other side is gone (SIGPIPE must
 * be ignored); ERR_TOO_LARGE. */
enum err frame_write(int fd, const struct frame *frame);

/* What was read of a stream and not yet taken. */
struct frame_reader {
    struct buf bytes;
    size_t at;
    uint32_t max; /* bytes of a payload; 0: FRAME_MAX */
    bool is_over; /* the other side closed */
};
void frame_reader_fini(struct frame_reader *reader);

/* frame_fill reads once from |fd|, which may block.  ERR_IO, ERR_NOMEM. */
enum err frame_fill(struct frame_reader *reader, int fd);

/* frame_next takes the next whole frame; false: fill first.  ERR_CORRUPT (in
 * |err|): what came is no frame. */
bool frame_next(struct frame_reader *reader, struct frame *out, enum err *err);

#endif
