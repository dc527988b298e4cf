/*
 * An open table of numbers, at most half full; hashes are kept, so that a
 * probe compares text only when it is right, and widening reads none.
 */
#include "index/resolve_intern.h"

#include <stdlib.h>

#include "base/hash.h"

enum { NAMES_CAP = 1024, BLOCK_BYTES = 64 << 10 };

struct intern_block {
    struct intern_block *next;
    size_t used;
    size_t cap;
    char bytes[];
};

bool
intern_init(struct intern *names)
{
    *names = (struct intern){
        .texts = calloc(NAMES_CAP, sizeof(*names->texts)),
        .hashes = calloc(NAMES_CAP, sizeof(*names->hashes)),
        .slots = calloc(2 * (size_t)NAMES_CAP, sizeof(*names->slots)),
        .len = 1,
        .cap = NAMES_CAP,
        .slot_cap = 2 * NAMES_CAP,
    };
    if (names->texts && names->hashes && names->slots) {
        names->texts[0] = STR("");
        return true;
    }
    intern_fini(names);
    return false;
}

void
intern_fini(struct intern *names)
{
    while (names->blocks) {
        struct intern_block *next = names->blocks->next;
        free(names->blocks);
        names->blocks = next;
    }
    free(names->texts);
    free(names->hashes);
    free(names->slots);
    *names = (struct intern){0};
}

static uint32_t
find_slot(const struct intern *names, str text, uint32_t hash)
{
    uint32_t at = hash & (names->slot_cap - 1);
    uint32_t id;

    while ((id = names->slots[at]) != 0 &&
           (names->hashes[id] != hash || !str_eq(names->texts[id], text)))
        at = (at + 1) & (names->slot_cap - 1);
    return at;
}

static bool
widen(struct intern *names)
{
    uint32_t cap = 2 * names->cap;
    str *texts = realloc(names->texts, cap * sizeof(*texts));
    if (texts)
        names->texts = texts;
    uint32_t *hashes = realloc(names->hashes, cap * sizeof(*hashes));
    if (hashes)
        names->hashes = hashes;
    uint32_t *slots = calloc(2 * (size_t)cap, sizeof(*slots));
    if (!texts || !hashes || !slots) {
        free(slots);
        return false;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_cap = 2 * cap;
    names->cap = cap;
    for (uint32_t id = 1; id < names->len; id++) {
        uint32_t at = names->hashes[id] & (names->slot_cap - 1);
        while (slots[at])
            at = (at + 1) & (names->slot_cap - 1);
        slots[at] = id;
    }
    return true;
}

static const char *
copy_text(struct intern *names, str text)
{
    struct intern_block *block = names->blocks;

    if (!block || block->cap - block->used < text.len) {
        size_t cap = text.len > BLOCK_BYTES ? text.len : BLOCK_BYTES;
        block = malloc(sizeof(*block) + cap);
        if (!block)
            return NULL;
        *block = (struct intern_block){.next = names->blocks, .cap = cap};
        names->blocks = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text.ptr, text.len);
    block->used += text.len;
    return copy;
}

static uint32_t
add(struct intern *names, str text, bool is_copied)
{
    uint32_t hash = (uint32_t)hash_bytes(text, 0);

    if (text.len == 0 || names->failed)
        return 0;
    uint32_t at = find_slot(names, text, hash);
    if (names->slots[at])
        return names->slots[at];
    if (names->len == names->cap) {
        names->failed = !widen(names);
        if (names->failed)
            return 0;
        at = find_slot(names, text, hash);
    }
    if (is_copied)
        text.ptr = copy_text(names, text);
    names->failed = !text.ptr;
    if (names->failed)
        return 0;
    names->texts[names->len] = text;
    names->hashes[names->len] = hash;
    names->slots[at] = names->len;
    return names->len++;
}

sym
intern_view(struct intern *names, str text)
{
    return add(names, text, false);
}

sym
intern_copy(struct intern *names, str text)
{
    return add(names, text, true);
}

sym
intern_find(const struct intern *names, str text)
{
    if (text.len == 0)
        return 0;
    return names->slots[find_slot(names, text, (uint32_t)hash_bytes(text, 0))];
}
