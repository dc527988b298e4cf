#include "runtime/pair_shared.h"

#include "runtime/pair_beside.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_order.h"
#include "runtime/pair_place.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_stage.h"

/* Children of a parent that a server leaves: each is looked at, and of a call
 * told anew. */
enum { FAMILY_MAX = 256, FAMILY_OF_CALL_MAX = 16 };

/* ---- keys ---- */

/* The id of the server that shares |span_id|: as any other, ids being random,
 * and never none. */
static uint64_t
server_id(uint64_t span_id)
{
    uint64_t id =
        (span_id ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return id + !id;
}

static struct pair_key
key_of(const struct stub *stub)
{
    return (struct pair_key){stub->trace_hi, stub->trace_lo, stub->span_id};
}

static struct pair_key
server_key(struct pair_key key)
{
    return (struct pair_key){key.trace_hi, key.trace_lo,
                             server_id(key.span_id)};
}

static uint64_t
hash_of(const struct pair_table *table, struct pair_key key)
{
    return pair_hash(&table->index, key.trace_lo, key.span_id);
}

static uint32_t *
find(const struct pair_table *table, struct pair_key key)
{
    return pair_index_find(&table->index, hash_of(table, key), key);
}

uint32_t
pair_shared_server(const struct pair_table *table, struct pair_key key)
{
    const uint32_t *slot = find(table, server_key(key));
    uint32_t id = slot ? *slot : 0;

    return pair_at(table, id)->flags & PAIR_POOLED ? 0 : id;
}

uint32_t
pair_shared_parent_of(const struct pair_table *table, uint32_t child,
                      uint32_t parent)
{
    const struct pair_entry *above = pair_at(table, parent);
    struct pair_key key = {above->trace_hi, above->trace_lo, above->span_id};
    uint32_t server = 0;

    if (above->flags & PAIR_EGRESS && !(above->flags & PAIR_RECEIVE) &&
        !pair_is_local(pair_at(table, child), above))
        server = pair_shared_server(table, key);
    return server && server != child ? server : parent;
}

/* ---- children that are not local ---- */

static uint32_t
next_of(const struct pair_table *table, uint32_t id)
{
    return pair_live(table, pair_at(table, id)->next);
}

/* Takes back what those from |id| on told as children of |above|. */
static void
hush(struct pair *pair, uint32_t id, const struct pair_entry *above)
{
    const struct pair_table *table = &pair->table;

    for (id = pair_live(table, id); id; id = next_of(table, id)) {
        if (!pair_is_local(pair_at(table, id), above))
            pair_tell_parent(pair, id, -1);
    }
}

/* Takes them out, and puts them before |list|. */
static uint32_t
pick(struct pair *pair, uint32_t id, const struct pair_entry *above,
     uint32_t list)
{
    const struct pair_table *table = &pair->table;
    uint32_t next;

    for (id = pair_live(table, id); id; id = next) {
        struct pair_entry *entry = pair_at(table, id);
        next = next_of(table, id);
        if (pair_is_local(entry, above))
            continue;
        pair_leave(pair, id);
        entry->flags &=
            entry->flags & PAIR_INGRESS ? ~PAIR_HOLDER : ~PAIR_INFERRED;
        entry->next = list;
        list = id;
    }
    return list;
}

/* Takes out all of |parent|, as if they had never come to it; but it stays
 * answered.  It returns the first of them, the others follow by |next|. */
static uint32_t
part(struct pair *pair, uint32_t parent)
{
    struct pair_entry *above = pair_at(&pair->table, parent);

    hush(pair, above->reps, above);
    hush(pair, above->kids, above);
    above->flags &= ~(PAIR_ONE | PAIR_MANY);
    pair_facts(&pair->table, parent)->holder = 0;
    return pick(pair, above->kids, above, pick(pair, above->reps, above, 0));
}

/* Ties one that was taken out to |parent|.  What an ingress told of its parent
 * was taken back already. */
static void
rejoin(struct pair *pair, uint32_t child, uint32_t parent)
{
    struct pair_entry *entry = pair_at(&pair->table, child);
    uint32_t told = entry->flags & PAIR_INGRESS ? PAIR_TOLD : 0;

    entry->flags &= ~told;
    pair_join(pair, child, parent);
    entry->flags |= told;
    if (told)
        pair_tell_parent(pair, child, 1);
}

/* The same for |list| of them, but for |other|. */
static void
rejoin_all(struct pair *pair, uint32_t list, uint32_t other, uint32_t parent)
{
    uint32_t next;

    for (; list; list = next) {
        next = pair_at(&pair->table, list)->next;
        if (list != other)
            rejoin(pair, list, parent);
    }
}

/* ---- the server comes second ---- */

static uint32_t
hold(struct pair *pair, const struct stub *stub)
{
    uint32_t id = pair_table_push(&pair->table);

    pair_fill(pair, id, stub);
    pair->stats.spans++;
    return id;
}

static uint32_t
take_server(struct pair *pair, struct stub *stub, uint32_t client)
{
    struct pair_table *table = &pair->table;
    struct pair_key key = server_key(key_of(stub));

    stub->parent_id = stub->span_id;
    stub->span_id = key.span_id;
    uint32_t id = hold(pair, stub);
    (void)pair_index_add(&table->index, hash_of(table, key), id);
    uint32_t kids = part(pair, client);
    pair_join_new(pair, id, client);
    pair_at(table, client)->flags |= PAIR_SHARED;
    rejoin_all(pair, kids, 0, client);
    return id;
}

/* ---- the client comes second ---- */

static bool
has_few_children(const struct pair_table *table, uint32_t id, uint32_t most)
{
    const struct pair_entry *entry = pair_at(table, id);
    uint32_t lists[] = {entry->reps, entry->kids};
    uint32_t n = 0;

    for (int i = 0; i < 2; i++) {
        uint32_t kid = pair_live(table, lists[i]);
        for (; kid && n <= most; n++)
            kid = next_of(table, kid);
    }
    return n <= most;
}

/* Whether |server| can be parted from its parent, for which its client |stub|
 * takes its place: what was told of one that is forgotten stays, and so does
 * that a call was answered. */
static bool
can_leave(const struct pair *pair, uint32_t server, const struct stub *stub)
{
    const struct pair_table *table = &pair->table;
    const struct pair_entry *entry = pair_at(table, server);
    uint32_t parent = entry->parent;
    const struct pair_entry *above = pair_at(table, parent);

    if (!(entry->flags & PAIR_JOINED))
        return true;
    if (!pair_live(table, parent))
        return false;
    if (!(above->flags & PAIR_EGRESS))
        return has_few_children(table, parent, FAMILY_MAX);
    return has_few_children(table, parent, FAMILY_OF_CALL_MAX) &&
           above->span_id == stub->parent_id && !(stub->flags & STUB_SYNTHETIC);
}

/* Whether |kid| is the better one to stand for its service than |best|, if that
 * is any (pair_join.c). */
static bool
is_better(const struct pair_entry *kid, const struct pair_entry *best)
{
    if ((kid->flags ^ best->flags) & PAIR_INGRESS)
        return kid->flags & PAIR_INGRESS;
    return best->span_id == 0 || kid->span_id < best->span_id;
}

/* The child of |parent| that stands for |service| when who did has left. */
static uint32_t
successor(const struct pair_table *table, uint32_t parent, uint32_t service)
{
    const struct pair_entry *above = pair_at(table, parent);
    uint32_t id = pair_live(table, above->reps);
    uint32_t best = 0;

    for (; id; id = next_of(table, id))
        if (pair_at(table, id)->service == service)
            return 0;
    for (id = pair_live(table, above->kids); id; id = next_of(table, id)) {
        const struct pair_entry *kid = pair_at(table, id);
        bool may =
            kid->service == service && !pair_is_local(kid, above) &&
            (kid->flags & (PAIR_INGRESS | PAIR_SYNTHETIC)) != PAIR_SYNTHETIC;
        if (may && is_better(kid, pair_at(table, best)))
            best = id;
    }
    return best;
}

/* Takes |server| from |parent|, which is no call: of the others only one is
 * told otherwise then. */
static void
leave_site(struct pair *pair, uint32_t server, uint32_t parent)
{
    struct pair_table *table = &pair->table;

    pair_tell_parent(pair, server, -1);
    pair_leave(pair, server);
    uint32_t next = successor(table, parent, pair_at(table, server)->service);
    if (next) {
        pair_leave(pair, next);
        pair_join(pair, next, parent);
    }
}

/* Takes |server| from its parent, or from whom it waits for. */
static void
leave(struct pair *pair, uint32_t server)
{
    struct pair_table *table = &pair->table;
    struct pair_entry *entry = pair_at(table, server);
    uint32_t parent = entry->parent;

    if (entry->flags & PAIR_ROOT)
        pair_tell_caller(pair, server, -1);
    if (entry->flags & PAIR_JOINED &&
        !(pair_at(table, parent)->flags & PAIR_EGRESS)) {
        leave_site(pair, server, parent);
    } else if (entry->flags & PAIR_JOINED) {
        rejoin_all(pair, part(pair, parent), server, parent);
        entry->next = 0;
    } else {
        pair_tell_parent(pair, server, -1);
        if (parent) {
            pair_leave(pair, server);
            pair_release_idle(pair, parent);
        }
    }
    entry->parent = 0;
}

/* Gives |client| the id of |server|, and that one its own. */
static void
give_id(struct pair *pair, uint32_t client, uint32_t server)
{
    struct pair_table *table = &pair->table;
    struct pair_entry *entry = pair_at(table, server);
    struct pair_key key = {entry->trace_hi, entry->trace_lo, entry->span_id};

    *pair_index_slot(&table->index, hash_of(table, key), server) = client;
    pair_at(table, client)->flags |= entry->flags & PAIR_PASSED;
    key = server_key(key);
    entry->flags &= ~PAIR_PASSED;
    entry->span_id = key.span_id;
    (void)pair_index_add(&table->index, hash_of(table, key), server);
    pair_take_links(pair, client, server);
}

/* Gives |client| those children of its server, from |id| on, that are its own.
 */
static void
give_kids(struct pair *pair, uint32_t client, uint32_t id)
{
    const struct pair_table *table = &pair->table;
    uint32_t service = pair_at(table, client)->service;
    uint32_t next;

    for (id = pair_live(table, id); id; id = next) {
        struct pair_entry *kid = pair_at(table, id);
        next = pair_live(table, kid->next);
        if (kid->service != service || kid->flags & PAIR_INGRESS)
            continue;
        pair_tell_parent(pair, id, -1);
        kid->flags &= ~PAIR_INFERRED;
        pair_leave(pair, id);
        pair_join(pair, id, client);
    }
}

static uint32_t
take_client(struct pair *pair, const struct stub *stub, uint32_t server)
{
    struct pair_table *table = &pair->table;
    uint32_t id = hold(pair, stub);

    leave(pair, server);
    give_id(pair, id, server);
    if (pair_has_parent(stub))
        pair_relate_one(
            pair, id, stub,
            pair_hash(&table->index, stub->trace_lo, stub->parent_id));
    else if (pair_is_alone(stub))
        pair_stand_alone(pair, id);
    give_kids(pair, id, pair_at(table, server)->reps);
    give_kids(pair, id, pair_at(table, server)->kids);
    rejoin(pair, server, id);
    pair_at(table, id)->flags |= PAIR_SHARED;
    return id;
}

/* ---- both ---- */

uint32_t
pair_take_half(struct pair *pair, struct stub *stub,
               const struct span_link *links)
{
    const struct pair_table *table = &pair->table;
    struct pair_key key = key_of(stub);
    uint32_t held = *find(table, key);
    uint32_t id = 0;

    if (find(table, server_key(key)) == NULL) {
        if (stub->flags & STUB_INGRESS)
            id = take_server(pair, stub, held);
        else if (can_leave(pair, held, stub))
            id = take_client(pair, stub, held);
    }
    if (!id) {
        pair->stats.duplicates++;
        pair_tell_duplicate(pair, stub);
        return 0;
    }
    if (stub->link_len)
        pair_link_producers(pair, id, stub, links);
    return id;
}
