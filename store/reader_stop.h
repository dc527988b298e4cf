/*
 * reader_stop - reading that ends when nobody waits for it any more.
 *
 * Threads    As store/reader.h; |is_over| is called by the thread that reads.
 */
#ifndef STORE_READER_STOP_H
#define STORE_READER_STOP_H

#include <stdbool.h>

#include "store/reader.h"

/* reader_stop_when asks |is_over| about every millisecond while the database is
 * at work: what is read fails with ERR_CANCELLED once that says so.  NULL:
 * nobody is asked any more; nor after reader_end. */
typedef bool reader_over_fn(void *ctx);
void reader_stop_when(struct reader *r, reader_over_fn *is_over, void *ctx);

#endif
