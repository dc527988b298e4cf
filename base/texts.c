/*
 * Ends in an array, bytes in a block, and an open table of ids at most half
 * full.  The ids themselves are the order of arrival.
 */
#include "base/texts.h"

#include <stdlib.h>

#include "base/hash.h"

enum { ENDS_CAP = 64, SLOT_CAP = 128 };
#define TEXT_MAX (UINT32_C(1) << 31)

enum err
texts_init(struct texts *texts, uint32_t bytes_max)
{
    *texts = (struct texts){
        .text.cap_max = (size_t)(bytes_max ? bytes_max : TEXT_MAX) + 1,
        .ends = calloc(ENDS_CAP, sizeof(*texts->ends)),
        .slots = calloc(SLOT_CAP, sizeof(*texts->slots)),
        .len = 1,
        .cap = ENDS_CAP,
        .slot_cap = SLOT_CAP,
    };
    buf_add_char(&texts->text, '\0'); /* so that no view is of NULL */
    texts->text.len = 0;
    if (texts->ends && texts->slots && !texts->text.failed)
        return OK;
    texts_fini(texts);
    return ERR_NOMEM;
}

void
texts_fini(struct texts *texts)
{
    free(texts->ends);
    free(texts->slots);
    buf_fini(&texts->text);
    *texts = (struct texts){0};
}

/* The slot that holds |text|, or the empty one where it would go. */
static uint32_t
find_slot(const struct texts *texts, str text)
{
    uint32_t at = (uint32_t)hash_bytes(text, 0) & (texts->slot_cap - 1);

    while (texts->slots[at] &&
           !str_eq(texts_get(texts, texts->slots[at]), text))
        at = (at + 1) & (texts->slot_cap - 1);
    return at;
}

static bool
widen(struct texts *texts)
{
    uint32_t cap = 2 * texts->slot_cap;
    text_id *slots = calloc(cap, sizeof(*slots));

    if (!slots)
        return false;
    free(texts->slots);
    texts->slots = slots;
    texts->slot_cap = cap;
    for (text_id id = 1; id < texts->len; id++)
        slots[find_slot(texts, texts_get(texts, id))] = id;
    return true;
}

static bool
make_room(struct texts *texts)
{
    if (2 * texts->len >= texts->slot_cap && !widen(texts))
        return false;
    if (texts->len < texts->cap)
        return true;
    uint32_t *ends =
        realloc(texts->ends, 2 * (size_t)texts->cap * sizeof(*ends));
    if (!ends)
        return false;
    texts->ends = ends;
    texts->cap *= 2;
    return true;
}

/* Where in the texts held |text| lies, which move when they grow; SIZE_MAX: it
 * is somebody else's. */
static size_t
offset_of(const struct texts *texts, str text)
{
    uintptr_t at = (uintptr_t)text.ptr;
    uintptr_t from = (uintptr_t)texts->text.ptr;

    return from && at >= from && at - from < texts->text.len
               ? (size_t)(at - from)
               : SIZE_MAX;
}

text_id
texts_add(struct texts *texts, str text)
{
    if (text.len == 0 || texts->failed)
        return 0;
    uint32_t at = find_slot(texts, text);

    if (texts->slots[at])
        return texts->slots[at];
    size_t before = texts->text.len;
    size_t own = offset_of(texts, text);
    if (make_room(texts) && buf_grow(&texts->text, text.len)) {
        if (own != SIZE_MAX)
            text.ptr = texts->text.ptr + own;
        buf_add(&texts->text, text);
    }
    if (texts->text.len != before + text.len) {
        texts->failed = true;
        return 0;
    }
    texts->ends[texts->len] = (uint32_t)texts->text.len;
    texts->slots[find_slot(texts, text)] = texts->len;
    return texts->len++;
}

text_id
texts_find(const struct texts *texts, str text)
{
    return text.len ? texts->slots[find_slot(texts, text)] : 0;
}
