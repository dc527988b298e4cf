/*
 * texts - strings, each kept once, in one block.
 *
 * A string becomes a small number; equal strings have equal numbers.  0 is the
 * empty string.  For tables that are built, packed and read back whole: facts
 * of a file, the result of an index.
 *
 * Memory     texts_init takes it, texts_fini frees it.  A view is good until
 *            the next texts_add.
 * Limits     2^31 bytes of text.
 * Threads    None.
 */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

typedef uint32_t text_id;

struct texts {
    struct buf text;
    uint32_t *ends; /* ends[id] is where text |id| ends; ends[0] == 0 */
    uint32_t len;   /* texts, with the empty one */
    uint32_t cap;
    text_id *slots; /* open table */
    uint32_t slot_cap;
    bool failed; /* no memory, or over the limit: something is missing */
};

/* texts_init: ERR_NOMEM; |bytes_max| 0: the limit above. */
enum err texts_init(struct texts *texts, uint32_t bytes_max);
void texts_fini(struct texts *texts);

/* texts_add finds or adds; 0 after a failure, too.  |text| may be part of one
 * that is held. */
text_id texts_add(struct texts *texts, str text);

/* texts_find is 0 if there is no such text. */
text_id texts_find(const struct texts *texts, str text);

static inline str
texts_get(const struct texts *texts, text_id id)
{
    uint32_t from = id ? texts->ends[id - 1] : 0;

    return (str){texts->text.ptr + from, texts->ends[id] - from};
}

#endif
