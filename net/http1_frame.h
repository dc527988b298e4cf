/*
 * http1_frame - where a header ends and chunks are, read so that nobody can
 * read it otherwise.
 *
 * libhttp_parser takes any byte for the LF behind a CR, any two for the end of
 * a chunk's data and anything behind a chunk's size; whoever stands before this
 * server may end a line, and so a request, elsewhere (RFC 9112, 11.2).  So its
 * bytes are looked through before it has them.  Required is: LF behind each CR;
 * of a chunk, hex digits, perhaps an extension behind `;` without control
 * characters, CRLF, its data, CRLF (RFC 9112, 7.1).  A lone LF ends a line of a
 * header or trailer, as RFC 9112, 2.2 allows.
 *
 *     struct http1_frame frame = {0};      for each message
 *     len = http1_frame_head(&frame, bytes);      until the header has ended
 *     len = http1_frame_chunks(&frame, bytes);    then, if chunks follow
 *
 * Both return how many of |bytes|, which go on where the last ones ended, may
 * be parsed: up to the end of the header or message, or all, or those before
 * the first that is wrong; |is_bad| is set then.
 *
 * Threads    None.
 */
#ifndef NET_HTTP1_FRAME_H
#define NET_HTTP1_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum http1_chunk {
    HTTP1_CHUNK_SIZE,    /* its first digit is due */
    HTTP1_CHUNK_DIGITS,  /* one more, or what ends them */
    HTTP1_CHUNK_SPACE,   /* behind them */
    HTTP1_CHUNK_EXT,     /* behind the `;` */
    HTTP1_CHUNK_SIZE_LF, /* the LF of the line of the size */
    HTTP1_CHUNK_DATA,
    HTTP1_CHUNK_CR, /* of the data */
    HTTP1_CHUNK_LF,
    HTTP1_CHUNK_TRAILER,
};

struct http1_frame {
    enum http1_chunk chunk;
    uint64_t left;    /* of the data, or of what its digits say so far */
    unsigned digits;  /* that were read */
    bool is_after_cr; /* in a header or trailer */
    bool has_text;    /* so has its line */
    bool is_bad;
};

size_t http1_frame_head(struct http1_frame *frame, str bytes);
size_t http1_frame_chunks(struct http1_frame *frame, str bytes);

#endif
