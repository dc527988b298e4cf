#include "base/idset.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, WORDS_MIN = 16 };

void
idset_fini(struct idset *set)
{
    free(set->words);
    *set = (struct idset){0};
}

static enum err
grow(struct idset *set, size_t need)
{
    size_t len = set->len ? 2 * set->len : WORDS_MIN;

    if (len < need)
        len = need;
    uint64_t *words = realloc(set->words, len * sizeof(*words));
    if (!words)
        return ERR_NOMEM;
    memset(words + set->len, 0, (len - set->len) * sizeof(*words));
    set->words = words;
    set->len = len;
    return OK;
}

enum err
idset_add(struct idset *set, uint32_t id)
{
    size_t at = id / WORD_BITS;
    enum err err = at < set->len ? OK : grow(set, at + 1);

    if (!err)
        set->words[at] |= UINT64_C(1) << id % WORD_BITS;
    return err;
}

enum err
idset_add_all(struct idset *set, const struct ids *list)
{
    enum err err = OK;

    for (size_t i = 0; !err && i < list->len; i++)
        err = idset_add(set, list->ids[i]);
    return err;
}

bool
idset_has(const struct idset *set, uint32_t id)
{
    size_t at = id / WORD_BITS;

    return at < set->len && (set->words[at] >> id % WORD_BITS & 1);
}
