/*
 * A row is signed bytes and the one factor that makes them numbers again.  The
 * best are kept in a heap whose top is the worst of them, so most rows cost a
 * product and one comparison.  A row that is empty has the factor 0, and in
 * its first bytes the number of the next.
 */
#include "knowledge/vector_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 32, LEVELS = 127 }; /* a row is whole steps */

struct vector_block {
    float factors[VECTOR_BLOCK];
    int8_t bytes[];
};

void
vector_matrix_init(struct vector_matrix *matrix, uint32_t dim)
{
    *matrix = (struct vector_matrix){.dim = dim,
                                     .width = (dim + STEP - 1) / STEP * STEP};
}

void
vector_matrix_fini(struct vector_matrix *matrix)
{
    for (size_t i = 0; i < matrix->block_len; i++)
        free(matrix->blocks[i]);
    free(matrix->blocks);
    *matrix = (struct vector_matrix){0};
}

size_t
vector_matrix_row_bytes(uint32_t dim)
{
    return ((size_t)dim + STEP - 1) / STEP * STEP + sizeof(float);
}

static int8_t *
bytes_of(const struct vector_matrix *matrix, uint32_t row)
{
    return matrix->blocks[row / VECTOR_BLOCK]->bytes +
           (size_t)(row % VECTOR_BLOCK) * matrix->width;
}

static float *
factor_of(const struct vector_matrix *matrix, uint32_t row)
{
    return &matrix->blocks[row / VECTOR_BLOCK]->factors[row % VECTOR_BLOCK];
}

/* Returns the factor. */
static float
to_bytes(const float *unit, uint32_t dim, int8_t *out)
{
    float most = 0;

    for (uint32_t i = 0; i < dim; i++)
        most = fabsf(unit[i]) > most ? fabsf(unit[i]) : most;
    float by = most > 0 ? LEVELS / most : 0;
    for (uint32_t i = 0; i < dim; i++)
        out[i] = (int8_t)lrintf(unit[i] * by);
    return most / LEVELS;
}

static enum err
add_block(struct vector_matrix *matrix)
{
    size_t len = matrix->block_len;
    struct vector_block **blocks =
        realloc(matrix->blocks, (len + 1) * sizeof(struct vector_block *));

    if (!blocks)
        return ERR_NOMEM;
    matrix->blocks = blocks;
    blocks[len] = calloc(1, sizeof(struct vector_block) +
                                (size_t)VECTOR_BLOCK * matrix->width);
    if (!blocks[len])
        return ERR_NOMEM;
    matrix->block_len++;
    return OK;
}

enum err
vector_matrix_add(struct vector_matrix *matrix, const float *unit,
                  uint32_t *out)
{
    uint32_t row = matrix->empty ? matrix->empty - 1 : matrix->len;

    if (matrix->empty) {
        memcpy(&matrix->empty, bytes_of(matrix, row), sizeof(matrix->empty));
        matrix->empty_len--;
        memset(bytes_of(matrix, row), 0, matrix->width);
    } else if (row / VECTOR_BLOCK == matrix->block_len && add_block(matrix)) {
        return ERR_NOMEM;
    } else {
        matrix->len++;
    }
    *factor_of(matrix, row) =
        to_bytes(unit, matrix->dim, bytes_of(matrix, row));
    *out = row;
    return OK;
}

void
vector_matrix_clear(struct vector_matrix *matrix, uint32_t row)
{
    if (row >= matrix->len || *factor_of(matrix, row) <= 0)
        return;
    *factor_of(matrix, row) = 0;
    memcpy(bytes_of(matrix, row), &matrix->empty, sizeof(matrix->empty));
    matrix->empty = row + 1;
    matrix->empty_len++;
}

/* Sixteen numbers at a time; two products of 127 by 127 fit 16 bits. */
enum { LANE = 16 };
typedef int8_t bytes16 __attribute__((vector_size(LANE)));
typedef int16_t words16 __attribute__((vector_size(2 * LANE)));
typedef int32_t sums16 __attribute__((vector_size(4 * LANE)));

static void
load(const int8_t *at, words16 *out)
{
    bytes16 bytes;

    memcpy(&bytes, at, sizeof(bytes));
    *out = __builtin_convertvector(bytes, words16);
}

static int32_t
product(const int8_t *a, const int8_t *b, uint32_t width)
{
    sums16 sums = {0};
    int32_t sum = 0;

    for (uint32_t i = 0; i < width; i += STEP) {
        words16 x[2];
        words16 y[2];

        load(a + i, &x[0]);
        load(a + i + LANE, &x[1]);
        load(b + i, &y[0]);
        load(b + i + LANE, &y[1]);
        sums += __builtin_convertvector(x[0] * y[0] + x[1] * y[1], sums16);
    }
    for (int i = 0; i < LANE; i++)
        sum += sums[i];
    return sum;
}

float
vector_likeness(const float *a, const float *b, uint32_t dim)
{
    float sum = 0;

    for (uint32_t i = 0; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- the best ---- */

struct best {
    struct vector_near *items;
    size_t len;
    size_t most;
};

static bool
is_worse(struct vector_near a, struct vector_near b)
{
    if (a.likeness < b.likeness || a.likeness > b.likeness)
        return a.likeness < b.likeness;
    return a.row > b.row;
}

static void
sink_down(struct best *best, size_t at)
{
    for (;;) {
        size_t worst = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < best->len &&
                is_worse(best->items[child], best->items[worst]))
                worst = child;
        if (worst == at)
            return;
        struct vector_near swap = best->items[at];
        best->items[at] = best->items[worst];
        best->items[worst] = swap;
        at = worst;
    }
}

static void
offer(struct best *best, struct vector_near near)
{
    if (best->len < best->most) {
        best->items[best->len++] = near;
        if (best->len == best->most)
            for (size_t i = best->len / 2; i-- > 0;)
                sink_down(best, i);
    } else if (is_worse(best->items[0], near)) {
        best->items[0] = near;
        sink_down(best, 0);
    }
}

static int
by_likeness(const void *a, const void *b)
{
    return is_worse(*(const struct vector_near *)a,
                    *(const struct vector_near *)b)
               ? 1
               : -1;
}

size_t
vector_matrix_scan(const struct vector_matrix *matrix, const float *unit,
                   size_t most, struct vector_near *out, float *usual)
{
    struct best best = {.items = out, .most = most};
    int8_t *asked = calloc(1, matrix->width + STEP);
    double sum = 0;
    size_t count = 0;

    *usual = 0;
    if (!asked || !most) {
        free(asked);
        return 0;
    }
    float by = to_bytes(unit, matrix->dim, asked);
    for (uint32_t row = 0; row < matrix->len; row++) {
        float factor = *factor_of(matrix, row);

        if (factor <= 0)
            continue;
        float likeness =
            (float)product(asked, bytes_of(matrix, row), matrix->width) *
            factor * by;
        sum += (double)likeness;
        count++;
        offer(&best, (struct vector_near){row, likeness});
    }
    free(asked);
    if (count)
        *usual = (float)(sum / (double)count);
    if (best.len > 1)
        qsort(out, best.len, sizeof(*out), by_likeness);
    return best.len;
}
