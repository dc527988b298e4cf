/*
 * feed - the requests in a stream of bytes, one after the other.
 *
 * A recording may be longer than memory, or never end: what is handed on is one
 * request at a time, as soon as its last byte is there, and nothing but the one
 * under way is kept.  What the stream holds is told by how it begins:
 *
 *     JSON lines              a request a line; a broken line costs no other
 *     JSON                    requests one after the other, of many lines each
 *                             or in one array
 *     protobuf                one request, up to the end
 *     frames                  each behind its length in 4 bytes, as the
 *                             Collector's file exporter writes them: protobuf
 *                             or JSON, each by itself plain or zstd; what does
 *                             not decompress costs no other
 *     gzip or zstd            around any of these
 *
 *     struct feed_io io = {read_file, take_request, &it};
 *     err = feed_run(&io, FEED_REQUEST_MAX, &fault);
 *
 * Memory     As cmd/window.h, for the largest request; for a compressed frame
 *            also what it becomes, and once the widest window of zstd that was
 *            asked for, of 128 MiB at most.
 * Bound      A request has |request_max| bytes at most; of a compressed stream,
 *            what cmd/window.h says, and of a compressed frame inflate_bound of
 *            its length (net/inflate.h).
 * Threads    None.
 */
#ifndef CMD_FEED_H
#define CMD_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/window.h"

#define FEED_REQUEST_MAX ((size_t)4 << 30)

/* What is wrong with a stream, or the last request of it, that is not whole. */
#define FEED_CUT_OFF \
    "cut off: the file has lost its end, or is still being written"

struct feed_request {
    str bytes;         /* REQUEST_PAD bytes behind it are readable */
    uint64_t at_bytes; /* where it begins, in what was decompressed */
    bool is_json;
    bool is_at_end;   /* the stream ends with its last byte, without newline */
    bool is_unpacked; /* |bytes| are what the frame there decompresses to */
};

struct feed_io {
    window_read_fn *read;
    /* Takes one request.  What it returns, if not OK, ends the feed. */
    enum err (*take)(void *ctx, const struct feed_request *request);
    /* Is told why there is no request in the frame |at_bytes|; |what| is
     * static. */
    void (*skip)(void *ctx, uint64_t at_bytes, const char *what);
    void *ctx;
};

struct feed_fault {
    const char *what;  /* with ERR_INVALID: what is wrong, static */
    uint64_t at_bytes; /* where, in what was decompressed */
};

/*
 * feed_run reads to the end.  What was handed on before an error stays so.
 *
 * ERR_INVALID    there is no going on from |fault|
 * ERR_TOO_LARGE  a request is over the bound, and no frame by itself
 * ERR_IO         |read| failed
 * ERR_NOMEM, or what |take| returned
 */
enum err feed_run(const struct feed_io *io, size_t request_max,
                  struct feed_fault *fault);

#endif
