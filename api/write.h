/*
 * write - JSON, written as it is known.
 *
 * Answers of tens of thousands of rows are not first built in memory.  Commas
 * are put by looking at what stands before.
 *
 *     write_open(out, NULL, '{');
 *     write_text(out, "name", name);
 *     write_open(out, "edges", '[');  ...  write_close(out, ']');
 *     write_close(out, '}');
 *
 * In an array |name| is NULL.
 *
 * Threads    None.
 */
#ifndef API_WRITE_H
#define API_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

void write_open(struct buf *out, const char *name, char bracket);
void write_close(struct buf *out, char bracket);
/* write_text: what is no UTF-8 becomes U+FFFD. */
void write_text(struct buf *out, const char *name, str text);
void write_int(struct buf *out, const char *name, int64_t value);
void write_bool(struct buf *out, const char *name, bool value);
void write_null(struct buf *out, const char *name);
/* write_time is an instant in Unix seconds; null for 0. */
void write_time(struct buf *out, const char *name, uint32_t at_s);
/* write_estimate is a number to three digits; null below 0, which is not
 * known. */
void write_estimate(struct buf *out, const char *name, double value);
/* write_ms is a duration in milliseconds, so; null for 0, which is not known.
 */
void write_ms(struct buf *out, const char *name, uint64_t ns);
/* write_share is a number of 0 to 1 as it is. */
void write_share(struct buf *out, const char *name, double value);

#endif
