/*
 * One sort puts the leaves of a group, and the groups of a package, next to
 * each other; then each level is folded in place, pair by pair.
 */
#include "graph/merkle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char digest[SHA256_LEN];

struct fold {
    struct hash_state *state;
    digest *work; /* one group at a time */
};

static int
compare_leaves(const void *a, const void *b)
{
    const struct merkle_leaf *x = a;
    const struct merkle_leaf *y = b;

    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return memcmp(x->hash, y->hash, SHA256_LEN);
}

static int
compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, SHA256_LEN);
}

static void
pair(struct fold *fold, const unsigned char *left, const unsigned char *right,
     unsigned char *out)
{
    static const char prefix[] = "merkle"; /* with its NUL */
    const str parts[] = {
        {prefix, sizeof(prefix)},
        {(const char *)left, SHA256_LEN},
        {(const char *)right, SHA256_LEN},
    };

    hash_sha256_many(&fold->state, parts, 3, out);
}

/* Folds |row| of |len| > 0 hashes to its root, in row[0]. */
static void
fold_row(struct fold *fold, digest *row, size_t len)
{
    while (len > 1) {
        size_t half = (len + 1) / 2;
        for (size_t i = 0; i < half; i++)
            pair(fold, row[2 * i], row[2 * i + 1 < len ? 2 * i + 1 : 2 * i],
                 row[i]);
        len = half;
    }
}

/* The root of the package whose leaves begin at |at|; its end. */
static size_t
fold_package(struct fold *fold, const struct merkle_leaf *leaves, size_t at,
             size_t len, unsigned char *out)
{
    digest *roots = fold->work + len; /* one a group, so at most |len| */
    uint32_t package = leaves[at].package;
    size_t groups = 0;

    while (at < len && leaves[at].package == package) {
        uint32_t type = leaves[at].type;
        size_t rows = 0;
        for (; at < len && leaves[at].package == package &&
               leaves[at].type == type;
             at++)
            memcpy(fold->work[rows++], leaves[at].hash, SHA256_LEN);
        fold_row(fold, fold->work, rows);
        memcpy(roots[groups++], fold->work[0], SHA256_LEN);
    }
    qsort(roots, groups, SHA256_LEN, compare_digests);
    fold_row(fold, roots, groups);
    memcpy(out, roots[0], SHA256_LEN);
    return at;
}

enum err
merkle_root(struct merkle_leaf *leaves, size_t len, unsigned char *out)
{
    struct fold fold = {.work = calloc(3 * len + 1, SHA256_LEN)};
    digest *tops = fold.work + 2 * len;
    size_t packages = 0;

    memset(out, 0, SHA256_LEN);
    if (!fold.work)
        return ERR_NOMEM;
    qsort(leaves, len, sizeof(*leaves), compare_leaves);
    for (size_t at = 0; at < len; packages++)
        at = fold_package(&fold, leaves, at, len, tops[packages]);
    qsort(tops, packages, SHA256_LEN, compare_digests);
    if (packages == 1) {
        pair(&fold, tops[0], tops[0], out);
    } else if (packages > 1) {
        fold_row(&fold, tops, packages);
        memcpy(out, tops[0], SHA256_LEN);
    }
    hash_state_free(fold.state);
    free(fold.work);
    return OK;
}

void
merkle_snapshot(const unsigned char *root, unsigned char *out)
{
    static const char prefix[] = "snapshot";
    const str parts[] = {
        {prefix, sizeof(prefix)},
        {(const char *)root, SHA256_LEN},
    };

    hash_sha256(parts, 2, out);
}
