/*
 * Goes by the entries and asks the index and the lists for each, and then by
 * the places of the index, so that nothing is in it that should not be.
 */
#include "tests/support/pair_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/pair_place.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_state.h"

static uint64_t
hash_of(const struct pair_table *table, uint32_t id)
{
    const struct pair_entry *entry = pair_at(table, id);

    return pair_hash(&table->index, entry->trace_lo, entry->span_id);
}

static bool
is_in_list(const struct pair_table *table, uint32_t list, uint32_t id)
{
    uint32_t prev = 0;

    for (uint32_t i = pair_live(table, list); i;
         i = pair_live(table, pair_at(table, i)->next)) {
        assert_int_equal(pair_at(table, i)->prev, prev);
        if (i == id)
            return true;
        prev = i;
    }
    return false;
}

static void
check_entry(const struct pair_table *table, uint32_t id)
{
    const struct pair_entry *entry = pair_at(table, id);
    uint32_t parent = pair_ids_live_any(&table->ids, entry->parent);

    assert_false(pair_ids_is_gone(&table->ids, id));
    assert_int_equal(*pair_index_slot(&table->index, hash_of(table, id), id),
                     id);
    if (parent == 0)
        return;
    assert_int_equal(!(entry->flags & PAIR_JOINED),
                     !(parent & table->ids.span));
    assert_int_equal(is_in_list(table, pair_at(table, parent)->kids, id) +
                         is_in_list(table, pair_at(table, parent)->reps, id),
                     1);
}

/* How many full buckets the key in bucket |at| has passed. */
static uint32_t
passed_of(const struct pair_table *table, uint32_t at, uint32_t id)
{
    const struct pair_index *index = &table->index;
    const struct pair_bucket *home = pair_index_home(index, hash_of(table, id));
    uint32_t from = (uint32_t)(home - index->buckets);

    return (at + index->bucket_len - from) % index->bucket_len;
}

void
pair_check(const struct pair *pair)
{
    const struct pair_table *table = &pair->table;
    const struct pair_index *index = &table->index;
    uint32_t held = 0;
    uint64_t passed = 0;
    uint64_t overflow = 0;

    assert_true(table->tail <= table->wait && table->wait <= table->head);
    for (uint64_t i = table->tail; i < table->head; i++)
        check_entry(table, pair_ids_at(&table->ids, i));
    for (uint32_t i = 0; i < index->bucket_len; i++) {
        const struct pair_bucket *bucket = &index->buckets[i];
        overflow += bucket->overflow;
        for (int n = 0; n < PAIR_BUCKET_LEN; n++) {
            uint32_t id = bucket->id[n];
            if (!bucket->tag[n] || pair_ids_is_gone(&table->ids, id))
                continue;
            uint32_t steps = passed_of(table, i, id);
            assert_int_equal(bucket->tag[n],
                             pair_bucket_tag(hash_of(table, id)));
            if (id & table->ids.span)
                assert_int_equal(!(pair_at(table, id)->flags & PAIR_PASSED),
                                 steps == 0);
            passed += steps;
            held++;
        }
    }
    assert_int_equal(held, pair_table_live(table) + table->pool_used);
    assert_int_equal(overflow, passed);
}
