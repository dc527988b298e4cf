/*
 * window - the part of a stream that is looked at: from what is not done with
 * to the last byte that was read, decompressed.
 *
 *     while (!window_is_end(window) && !enough(window_bytes(window)))
 *         err = window_more(window);
 *     window_pass(window, len); what is done with goes
 *
 * gzip and zstd are told by how the stream begins.
 *
 * Memory     What is not passed, doubled while it grows, and two MiB; for zstd
 *            also the window that the stream asks for, of 128 MiB at most
 *            (net/unpack.h).
 * Bound      |most| bytes not passed, 4 KiB at least; and of a compressed
 *            stream inflate_bound of what was read up to there
 *            (net/inflate.h).
 * Threads    None.
 */
#ifndef CMD_WINDOW_H
#define CMD_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

struct window;

/* As read(2): how many bytes, 0 at the end, or negative. */
typedef ssize_t window_read_fn(void *ctx, char *to, size_t len);

/*
 * window_open reads the first bytes.  The window is there after an error too,
 * unless it is NULL for want of memory; errors as window_more.
 */
enum err
window_open(struct window **out, window_read_fn *read, void *ctx, size_t most);
void window_close(struct window *window); /* NULL is fine */

/* window_bytes is what was read and not passed; REQUEST_PAD bytes behind it are
 * readable.  It holds until more is read. */
str window_bytes(const struct window *window);

/* window_is_end: nothing comes behind these bytes. */
bool window_is_end(const struct window *window);

/* window_is_cut: what is compressed ends before it should. */
bool window_is_cut(const struct window *window);

/* window_at is where in the plain stream they begin. */
uint64_t window_at(const struct window *window);

/* window_pass lets go of the first |len|. */
void window_pass(struct window *window, size_t len);

/*
 * window_more reads a piece of any length; none: the end.
 *
 * ERR_TOO_LARGE  more than the bound is held already
 * ERR_INVALID    it does not decompress, or window_is_cut
 * ERR_IO         |read| failed
 * ERR_NOMEM
 */
enum err window_more(struct window *window);

/* window_await reads until |len| bytes are held, or to the end. */
enum err window_await(struct window *window, size_t len);

#endif
