/*
 * tape - files in one file, as tar (ustar) has them, read with care.
 *
 * What is read may come from anywhere: only plain files are taken, only names
 * that were asked for, and nothing is believed that does not add up.
 *
 * Errors     ERR_IO (|why| says what), ERR_INVALID: not such a file, or cut
 * off; ERR_TOO_LARGE: a file over 8 GiB. Threads    None.
 */
#ifndef CMD_TAPE_H
#define CMD_TAPE_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* tape_add appends the file |path| under |name|; tape_end ends the tape. */
enum err tape_add(FILE *tape, const char *name, const char *path,
                  uint64_t now_s, struct buf *why);
enum err tape_end(FILE *tape, struct buf *why);

/* A tape_open_fn gives the file to write |name| to; NULL: |name| is not
 * wanted, and the tape is not what it should be. */
typedef FILE *tape_open_fn(void *ctx, const char *name);

/* tape_read writes all files of |tape|, each of which it closes. */
enum err tape_read(FILE *tape, tape_open_fn *fn, void *ctx, struct buf *why);

#endif
