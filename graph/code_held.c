/*
 * Rows in an array, and an open table of their numbers by key, at most half
 * full, made when all are there.  Rows of one key are next to each other in
 * it, in no order; which of them is taken makes no difference.
 */
#include "graph/code_held.h"

#include <stdlib.h>
#include <string.h>

/* Which columns say what a row is.  Those that follow from it - its number,
 * its hash - are in neither part; of the tables not named, all columns are. */
static const struct {
    uint8_t key_ints, key_texts;
    uint8_t body_ints, body_texts;
} parts[CODE_TABLES] = {
    [CODE_FILES] = {0, 1 << FILE_PATH,
                    1 << FILE_LANG | 1 << FILE_FLAGS | 1 << FILE_BYTES,
                    1 << FILE_BLOB | 1 << FILE_SKIPPED},
    [CODE_NODES] = {1 << SYMBOL_KIND, 1 << SYMBOL_PACKAGE | 1 << SYMBOL_NAME,
                    1 << SYMBOL_FLAGS | 1 << SYMBOL_FILE | 1 << SYMBOL_LINE |
                        1 << SYMBOL_COL | 1 << SYMBOL_END_LINE,
                    1 << SYMBOL_SIGNATURE},
    [CODE_EDGES] = {1 << LINK_SRC | 1 << LINK_DST | 1 << LINK_TYPE |
                        1 << LINK_PROVENANCE,
                    0, 1 << LINK_PERMILLE, 1 << LINK_SITES},
};

static void
add_parts(struct held *held, const struct code_row *row, unsigned ints,
          unsigned texts)
{
    struct buf *out = &held->scratch;

    for (int i = 0; i < code_tables[held->table].int_len; i++)
        if (ints >> i & 1)
            buf_add(out, (str){(const char *)&row->ints[i], sizeof(int64_t)});
    for (int i = 0; i < code_tables[held->table].text_len; i++) {
        uint64_t len = row->texts[i].len;
        if (!(texts >> i & 1))
            continue;
        buf_add(out, (str){(const char *)&len, sizeof(len)});
        buf_add(out, row->texts[i]);
    }
}

struct held_key
held_key(struct held *held, const struct code_row *row)
{
    struct held_key key = {0};
    bool whole = held->table > CODE_EDGES;

    buf_reset(&held->scratch);
    add_parts(held, row, whole ? ~0u : parts[held->table].key_ints,
              whole ? ~0u : parts[held->table].key_texts);
    key.hi = hash_bytes(buf_str(&held->scratch), held->seeds[0]);
    key.lo = hash_bytes(buf_str(&held->scratch), held->seeds[1]);
    if (whole)
        return key;
    held->scratch.len = 0;
    add_parts(held, row, parts[held->table].body_ints,
              parts[held->table].body_texts);
    key.body = hash_bytes(buf_str(&held->scratch), held->seeds[2]);
    return key;
}

static bool
make_room(struct held *held, bool with_hash)
{
    if (held->len < held->cap)
        return true;
    uint32_t cap = held->cap ? 2 * held->cap : 1024;
    struct held_row *rows = realloc(held->rows, cap * sizeof(*rows));
    if (!rows)
        return false;
    held->rows = rows;
    if (with_hash) {
        unsigned char *hashes = realloc(held->hashes, (size_t)cap * SHA256_LEN);
        if (!hashes)
            return false;
        held->hashes = hashes;
    }
    held->cap = cap;
    return true;
}

static enum err
add_row(void *ctx, const struct code_row *row)
{
    struct held *held = ctx;
    bool has_num = held->table == CODE_FILES || held->table == CODE_NODES;
    bool has_hash = held->table == CODE_NODES || held->table == CODE_EDGES;

    if (held->len >= UINT32_MAX / 4)
        return ERR_CORRUPT;
    if (!make_room(held, has_hash))
        return ERR_NOMEM;
    if (has_hash) { /* the first text of both */
        if (row->texts[0].len != SHA256_LEN)
            return ERR_CORRUPT;
        memcpy(held->hashes + (size_t)held->len * SHA256_LEN, row->texts[0].ptr,
               SHA256_LEN);
    }
    if (has_num && (row->ints[0] <= 0 || row->ints[0] > INT32_MAX))
        return ERR_CORRUPT;
    held->rows[held->len++] = (struct held_row){
        .key = held_key(held, row),
        .id = row->id,
        .born = row->born,
        .num = has_num ? (uint32_t)row->ints[0] : 0,
    };
    return held->scratch.failed ? ERR_NOMEM : OK;
}

static enum err
fill_slots(struct held *held)
{
    uint32_t cap = 16;

    while (cap < 2 * held->len)
        cap *= 2;
    held->slots = calloc(cap, sizeof(*held->slots));
    if (!held->slots)
        return ERR_NOMEM;
    held->slot_cap = cap;
    for (uint32_t i = 0; i < held->len; i++) {
        uint32_t at = (uint32_t)held->rows[i].key.hi & (cap - 1);
        while (held->slots[at])
            at = (at + 1) & (cap - 1);
        held->slots[at] = i + 1;
    }
    return OK;
}

enum err
held_load(struct held *held, struct code_store *cs, enum code_table table,
          uint32_t repo)
{
    *held = (struct held){.table = table};
    for (int i = 0; i < 3; i++)
        held->seeds[i] = hash_seed();
    enum err err =
        code_store_each(cs, table, (struct code_when){repo, 0}, add_row, held);
    return err ? err : fill_slots(held);
}

void
held_fini(struct held *held)
{
    free(held->rows);
    free(held->hashes);
    free(held->slots);
    buf_fini(&held->scratch);
    *held = (struct held){0};
}

uint32_t
held_take(struct held *held, const struct held_key *key)
{
    uint32_t mask = held->slot_cap - 1;

    for (uint32_t at = (uint32_t)key->hi & mask; held->slots[at];
         at = (at + 1) & mask) {
        struct held_row *row = &held->rows[held->slots[at] - 1];
        if (row->taken || row->key.hi != key->hi || row->key.lo != key->lo)
            continue;
        row->taken = true;
        return held->slots[at] - 1;
    }
    return HELD_NONE;
}
