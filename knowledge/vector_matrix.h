/*
 * vector_matrix - vectors in memory, a byte a number, and which of them are
 * nearest to one.
 *
 * All rows are gone through: at some hundred thousand that is a few
 * milliseconds, and it misses none.  What a byte a number leaves in doubt is
 * settled by who holds the numbers whole (knowledge/vectors.h).
 *
 * Memory     dim rounded up to 32, and 8 bytes, a row; in blocks, so that
 *            growing moves nothing.
 * Threads    None; who shares one locks it.
 */
#ifndef KNOWLEDGE_VECTOR_MATRIX_H
#define KNOWLEDGE_VECTOR_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { VECTOR_BLOCK = 1024 }; /* rows */

struct vector_matrix {
    uint32_t dim;
    uint32_t width; /* bytes of a row */
    uint32_t len;   /* rows, with those that are empty */
    struct vector_block **blocks;
    size_t block_len;
    uint32_t empty; /* one more than the first empty row; 0: none */
    uint32_t empty_len;
};

void vector_matrix_init(struct vector_matrix *matrix, uint32_t dim);
void vector_matrix_fini(struct vector_matrix *matrix);

/* vector_matrix_add keeps |unit|, of length 1, in the row |out|, an empty one
 * first.  ERR_NOMEM. */
enum err vector_matrix_add(struct vector_matrix *matrix, const float *unit,
                           uint32_t *out);
/* vector_matrix_clear makes |row| empty. */
void vector_matrix_clear(struct vector_matrix *matrix, uint32_t row);

/* vector_matrix_row_bytes is what a row of |dim| costs. */
size_t vector_matrix_row_bytes(uint32_t dim);

struct vector_near {
    uint32_t row;
    float likeness; /* cosine: 1 is the same */
};

/*
 * vector_matrix_scan fills |out| with at most |most| rows that are nearest to
 * |unit|, nearest first, of two alike the lower; |usual| is the mean over all
 * rows.  Returns how many; 0 without memory, too.
 */
size_t vector_matrix_scan(const struct vector_matrix *matrix, const float *unit,
                          size_t most, struct vector_near *out, float *usual);

/* vector_likeness is the cosine of two of length 1. */
float vector_likeness(const float *a, const float *b, uint32_t dim);

#endif
