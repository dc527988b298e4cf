/*
 * Of a producer it is kept whether receives and processes have come to it, or
 * to one within it that sends the same.  So a look goes up always, for that is
 * a chain, and down only where there is something to find.  What is passed up
 * changes at most twice for an entry.
 *
 * That a receive is shadowed is remembered (on the link, for its own parent on
 * the entry) and never undone: processes only come, and what went was told.
 */
#include "runtime/pair_message.h"

#include "runtime/pair_pool.h"
#include "runtime/pair_rules.h"

enum { LOOKS_MAX = 256 };

static bool
is_process(const struct pair_entry *entry)
{
    const uint32_t mask =
        PAIR_INGRESS | PAIR_CONSUMER | PAIR_RECEIVE | PAIR_SYNTHETIC;

    return (entry->flags & mask) == (PAIR_INGRESS | PAIR_CONSUMER);
}

static bool
is_receive(const struct pair_entry *entry)
{
    return (entry->flags & (PAIR_RECEIVE | PAIR_SYNTHETIC)) == PAIR_RECEIVE;
}

/* Sets |flags| of a receive and tells what it is no more. */
static void
shadow(struct pair *pair, uint32_t id, uint32_t flags)
{
    pair_tell_parent(pair, id, -1);
    pair_tell_receive(pair, id, -1);
    pair_at(&pair->table, id)->flags |= flags;
    pair_tell_receive(pair, id, 1);
    pair_tell_parent(pair, id, 1);
}

static void
shadow_link(struct pair *pair, uint32_t id)
{
    struct pair_link *link = pair_link_at(&pair->table, id);

    pair_tell_link(pair, id, -1);
    link->flags |= PAIR_LINK_SHADOWED;
    shadow(pair, link->src, PAIR_SHADOWED);
}

/* ---- who has a message ---- */

/* A look for those to whom |service| gave a message. */
struct look {
    int left; /* spans that may be looked at */
    uint32_t service;
    uint32_t producer; /* that is being looked at */
};

/* Is given who refers to the producer, and the link or 0; true ends the
 * look. */
typedef bool
look_fn(struct pair *pair, struct look *look, uint32_t id, uint32_t link);

static bool
look_at_list(struct pair *pair, uint32_t list, struct look *look, look_fn *fn)
{
    uint32_t id = pair_live(&pair->table, list);

    while (id && look->left-- > 0) {
        if (fn(pair, look, id, 0))
            return true;
        id = pair_live(&pair->table, pair_at(&pair->table, id)->next);
    }
    return false;
}

/* Those of |producer| itself. */
static bool
look_at(struct pair *pair, uint32_t producer, struct look *look, look_fn *fn)
{
    const struct pair_entry *entry = pair_at(&pair->table, producer);

    look->producer = producer;
    for (uint32_t i = entry->in; i && look->left-- > 0;
         i = pair_link_at(&pair->table, i)->next_in)
        if (fn(pair, look, pair_link_at(&pair->table, i)->src, i))
            return true;
    return entry->flags & PAIR_PRODUCER &&
           (look_at_list(pair, entry->kids, look, fn) ||
            look_at_list(pair, entry->reps, look, fn));
}

/* The one around |id| that sends the same; 0: none. */
static uint32_t
around(const struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    uint32_t outer = entry->flags & PAIR_REPEATED ? entry->parent : 0;

    return pair_live(&pair->table, outer);
}

/* The first of |list| that sends the same as its parent, and has |flag|. */
static uint32_t
first_within(const struct pair *pair, uint32_t list, uint32_t flag, int *left)
{
    const uint32_t mask = PAIR_REPEATED | flag;
    uint32_t id = pair_live(&pair->table, list);

    while (id && (pair_at(&pair->table, id)->flags & mask) != mask)
        id = --*left > 0
                 ? pair_live(&pair->table, pair_at(&pair->table, id)->next)
                 : 0;
    return id;
}

/* The one behind |at| of those within |top|.  In a ring of parents |left| ends
 * the walk. */
static uint32_t
next_within(const struct pair *pair, uint32_t at, uint32_t top, uint32_t flag,
            int *left)
{
    const struct pair_entry *entry = pair_at(&pair->table, at);
    uint32_t next = first_within(pair, entry->kids, flag, left);

    while (!next && at != top && --*left > 0) {
        uint32_t sibling = entry->next;
        at = entry->parent;
        entry = pair_at(&pair->table, at);
        next = first_within(pair, sibling, flag, left);
    }
    return *left > 0 ? next : 0;
}

/* Looks at those of |producer|, of the ones around it and of the ones within
 * it, where |flag| says that there are some. */
static bool
look_through(struct pair *pair, uint32_t producer, uint32_t flag,
             struct look *look, look_fn *fn)
{
    const struct pair_table *table = &pair->table;
    uint32_t at;

    for (at = producer; at && look->left-- > 0; at = around(pair, at))
        if (pair_at(table, at)->flags & flag && look_at(pair, at, look, fn))
            return true;
    if (!(pair_at(table, producer)->flags & flag))
        return false;
    at = producer;
    while ((at = next_within(pair, at, producer, flag, &look->left)))
        if (look_at(pair, at, look, fn))
            return true;
    return false;
}

/* ---- receive and process ---- */

static bool
shadow_receive(struct pair *pair, struct look *look, uint32_t id, uint32_t link)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    if (entry->service != look->service || !is_receive(entry))
        return false;
    if (link)
        shadow_link(pair, link);
    else
        shadow(pair, id, PAIR_SHADOWED | PAIR_EXCUSED);
    return false;
}

static bool
find_process(struct pair *pair, struct look *look, uint32_t id, uint32_t link)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    (void)link;
    return entry->service == look->service && is_process(entry);
}

/* Has the receives of what |id|, if it is a process, has from the producer that
 * is looked at be shadowed. */
static bool
shadow_again(struct pair *pair, struct look *look, uint32_t id, uint32_t link)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    struct look again = {.left = look->left, .service = entry->service};

    (void)link;
    if (is_process(entry)) {
        (void)look_through(pair, look->producer, PAIR_RECEIVED, &again,
                           shadow_receive);
        look->left = again.left;
    }
    return false;
}

/* Has |flag| at |id| and all that are around it. */
static void
pass_up(struct pair *pair, uint32_t id, uint32_t flag)
{
    while (id && !(pair_at(&pair->table, id)->flags & flag)) {
        pair_at(&pair->table, id)->flags |= flag;
        id = around(pair, id);
    }
}

/* |entry| has come to |producer|.  True: it is a receive and shadowed. */
static bool
meet(struct pair *pair, const struct pair_entry *entry, uint32_t producer)
{
    struct look look = {.left = LOOKS_MAX, .service = entry->service};

    if (is_process(entry)) {
        pass_up(pair, producer, PAIR_PROCESSED);
        (void)look_through(pair, producer, PAIR_RECEIVED, &look,
                           shadow_receive);
        return false;
    }
    if (!is_receive(entry))
        return false;
    pass_up(pair, producer, PAIR_RECEIVED);
    return look_through(pair, producer, PAIR_PROCESSED, &look, find_process);
}

/* A process below the receive of its service is of what that took from the same
 * topic; who sent it, the receive alone may know. */
static bool
is_of_receive(const struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    return is_receive(parent) && is_process(entry) &&
           !(parent->flags & PAIR_SHADOWED) &&
           parent->service == entry->service &&
           pair_facts(&pair->table, entry->parent)->peer ==
               pair_facts(&pair->table, id)->peer;
}

void
pair_meet_parent(struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    if (parent->flags & PAIR_PRODUCER && meet(pair, entry, entry->parent))
        shadow(pair, id, PAIR_SHADOWED | PAIR_EXCUSED);
    if (is_of_receive(pair, id))
        shadow(pair, entry->parent, PAIR_SHADOWED);
}

void
pair_meet_link(struct pair *pair, uint32_t link)
{
    const struct pair_link *tie = pair_link_at(&pair->table, link);

    if (meet(pair, pair_at(&pair->table, tie->src), tie->dst))
        shadow_link(pair, link);
}

void
pair_meet_repeat(struct pair *pair, uint32_t id)
{
    uint32_t flags = pair_at(&pair->table, id)->flags;
    uint32_t outer = around(pair, id);
    struct look look = {.left = LOOKS_MAX};

    if (!outer || !(flags & (PAIR_RECEIVED | PAIR_PROCESSED)))
        return;
    if (flags & PAIR_RECEIVED)
        pass_up(pair, outer, PAIR_RECEIVED);
    if (flags & PAIR_PROCESSED)
        pass_up(pair, outer, PAIR_PROCESSED);
    (void)look_through(pair, id, PAIR_PROCESSED, &look, shadow_again);
}
