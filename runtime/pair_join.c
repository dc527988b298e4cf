/*
 * Why this stays cheap whatever comes: each thing that is passed along a chain
 * changes at most once for an entry.  A site is the service until the chain is
 * tied to an ingress, code is none until it is tied to a span that names its
 * function, and both are final from then on; a nest is unanswered and then
 * answered for ever.  Only the name that nested egresses
 * lend to the outermost can change often; it is passed up a bounded way.
 */
#include "runtime/pair_join.h"

#include "runtime/pair_beside.h"
#include "runtime/pair_links.h"
#include "runtime/pair_message.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_shared.h"

enum {
    REPS_MAX = 256, /* looked at */
    LEND_MAX = 256, /* levels */
};

/* ---- lists ---- */

static void
push(struct pair *pair, uint32_t *list, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    uint32_t next = pair_live(&pair->table, *list);

    entry->prev = 0;
    entry->next = next;
    /* Entry 0 is none and may be written: whether there is another child nobody
     * can predict. */
    pair_at(&pair->table, next)->prev = id;
    *list = id;
}

void
pair_leave(struct pair *pair, uint32_t child)
{
    struct pair_entry *entry = pair_at(&pair->table, child);
    struct pair_entry *parent = pair_at(&pair->table, entry->parent);
    uint32_t next = pair_live(&pair->table, entry->next);

    if (entry->prev)
        pair_at(&pair->table, entry->prev)->next = next;
    else if (parent->reps == child)
        parent->reps = next;
    else
        parent->kids = next;
    if (next)
        pair_at(&pair->table, next)->prev = entry->prev;
    entry->next = 0;
    entry->prev = 0;
}

/* The first of a list of children, and the next one. */
static uint32_t
first(const struct pair *pair, uint32_t list)
{
    return pair_live(&pair->table, list);
}

static uint32_t
next_of(const struct pair *pair, uint32_t id)
{
    return pair_live(&pair->table, pair_at(&pair->table, id)->next);
}

void
pair_await(struct pair *pair, uint32_t child, uint32_t parent)
{
    pair_at(&pair->table, child)->parent = parent;
    push(pair, &pair_at(&pair->table, parent)->kids, child);
}

/* ---- sites and code ---- */

/* Whether |id| may be a call that nobody answered and that happens at its site:
 * one without a name is an account of its service (pair_rules.c). */
static bool
may_call_out(const struct pair *pair, uint32_t id)
{
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    const uint32_t waited = PAIR_EGRESS | PAIR_WAITED;

    return (pair_at(&pair->table, id)->flags & waited) == waited &&
           (facts->peer | facts->sub_peer) != 0;
}

static void
tell_from_here(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    if (may_call_out(pair, id))
        pair_tell_outcome(pair, id, sign);
    pair_tell_publish(pair, id, sign);
    pair_tell_handled(pair, id, sign);
    for (uint32_t i = entry->in; i; i = pair_link_at(&pair->table, i)->next_in)
        pair_tell_link(pair, i, sign);
    for (uint32_t i = first(pair, entry->reps); i; i = next_of(pair, i))
        pair_tell_parent(pair, i, sign);
    for (uint32_t i = first(pair, entry->kids); i; i = next_of(pair, i)) {
        pair_tell_parent(pair, i, sign);
        pair_tell_handled(pair, i, sign);
    }
}

/* Whether |entry|, a local child of |above|, lacks what it has from it. */
static bool
is_stale(const struct pair_entry *entry, const struct pair_entry *above)
{
    return entry->site != above->site ||
           (entry->code != above->code && !(entry->flags & PAIR_SYMBOL));
}

/* Whether |id| has told nothing that depends on its site or code, and nobody
 * anything that depends on it. */
static bool
is_silent(const struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t speaks = PAIR_PUBLISH | PAIR_CREATE | PAIR_SYMBOL;

    if ((entry->flags & speaks) | entry->in | entry->reps | entry->kids)
        return false;
    return !may_call_out(pair, id);
}

static void
inherit(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *above = pair_at(&pair->table, entry->parent);
    bool speaks = !is_silent(pair, id);

    if (speaks)
        tell_from_here(pair, id, -1);
    entry->site = above->site;
    if (!(entry->flags & PAIR_SYMBOL))
        entry->code = above->code;
    if (speaks)
        tell_from_here(pair, id, 1);
}

/* The first from |id| on, of the children of |above|, that is to inherit. */
static uint32_t
first_heir(const struct pair *pair, uint32_t id, const struct pair_entry *above)
{
    for (id = first(pair, id); id; id = next_of(pair, id)) {
        const struct pair_entry *entry = pair_at(&pair->table, id);
        if (pair_is_local(entry, above) && is_stale(entry, above))
            break;
    }
    return id;
}

/* Gives |top| what it has from its parent, and those below it.  In a ring of
 * parents the walk meets those it has changed, and ends. */
static void
pass_down(struct pair *pair, uint32_t top)
{
    uint32_t at = top;

    inherit(pair, top);
    for (;;) {
        const struct pair_entry *entry = pair_at(&pair->table, at);
        uint32_t next = first_heir(pair, entry->kids, entry);
        while (!next && at != top) {
            uint32_t sibling = entry->next;
            at = entry->parent;
            entry = pair_at(&pair->table, at);
            next = first_heir(pair, sibling, entry);
        }
        if (!next)
            return;
        inherit(pair, next);
        at = next;
    }
}

/* ---- nests of egresses ---- */

static uint32_t
outer_of(const struct pair *pair, const struct pair_entry *entry)
{
    uint32_t outer = entry->flags & PAIR_NESTED ? entry->parent : 0;

    return pair_live(&pair->table, outer);
}

void
pair_answer(struct pair *pair, uint32_t id)
{
    while (id) {
        struct pair_entry *entry = pair_at(&pair->table, id);
        if (entry->flags & PAIR_ANSWERED)
            return;
        pair_tell_outcome(pair, id, -1);
        entry->flags |= PAIR_ANSWERED;
        id = outer_of(pair, entry);
    }
}

/* |name| is what a nested egress calls its peer. */
struct name {
    uint64_t span_id;
    uint32_t peer;
    uint32_t flags; /* PAIR_SUB_DB, PAIR_UNPLACED */
};

/* Whether |name| is better than what |entry| has so far.  That of a place is;
 * but what a database says of itself is not less than a host it is asked by. */
static bool
is_better(struct name name, const struct pair_entry *entry,
          const struct pair_facts *facts)
{
    uint32_t unplaced = entry->flags & PAIR_UNPLACED;

    if (entry->flags & PAIR_DB && !facts->peer && !(name.flags & PAIR_SUB_DB))
        return false;
    if (!facts->sub_peer || unplaced != (name.flags & PAIR_UNPLACED))
        return !facts->sub_peer || unplaced;
    return name.span_id < facts->sub_id;
}

static void
lend_name(struct pair *pair, uint32_t id, struct name name)
{
    for (int n = 0; id && n < LEND_MAX; n++) {
        struct pair_entry *entry = pair_at(&pair->table, id);
        struct pair_facts *facts = pair_facts(&pair->table, id);
        if (!is_better(name, entry, facts))
            return;
        pair_tell_outcome(pair, id, -1);
        facts->sub_peer = name.peer;
        facts->sub_id = name.span_id;
        entry->flags &= ~(PAIR_SUB_DB | PAIR_UNPLACED);
        entry->flags |= name.flags;
        pair_tell_outcome(pair, id, 1);
        id = outer_of(pair, entry);
    }
}

static void
nest(struct pair *pair, uint32_t inner, uint32_t outer)
{
    struct pair_entry *entry = pair_at(&pair->table, inner);
    const struct pair_entry *around = pair_at(&pair->table, outer);
    const struct pair_facts *facts = pair_facts(&pair->table, inner);
    const uint32_t publishing = PAIR_PUBLISH | PAIR_CREATE;

    pair_tell_outcome(pair, inner, -1);
    pair_tell_publish(pair, inner, -1);
    entry->flags |= PAIR_NESTED;
    if (entry->flags & publishing && around->flags & PAIR_PUBLISH &&
        facts->peer == pair_facts(&pair->table, outer)->peer)
        entry->flags |= PAIR_REPEATED;
    pair_tell_publish(pair, inner, 1);
    pair_meet_repeat(pair, inner);

    if (entry->flags & PAIR_ANSWERED)
        pair_answer(pair, outer);
    if (facts->peer)
        lend_name(pair, outer,
                  (struct name){entry->span_id, facts->peer,
                                entry->flags & PAIR_DB ? PAIR_SUB_DB : 0});
    if (facts->sub_peer)
        lend_name(pair, outer,
                  (struct name){facts->sub_id ? facts->sub_id : entry->span_id,
                                facts->sub_peer,
                                entry->flags & (PAIR_SUB_DB | PAIR_UNPLACED)});
}

/* ---- children ---- */

/* A message may go by way of a database, as Celery's and BullMQ's do by Redis.
 * That is a call of its own: of the topic nobody knows where it is kept.  A
 * publish without a topic is that call. */
static bool
is_carrier(const struct pair *pair, uint32_t child, uint32_t parent)
{
    const uint32_t publishing = PAIR_PUBLISH | PAIR_CREATE;
    uint32_t flags = pair_at(&pair->table, child)->flags;
    uint32_t above = pair_at(&pair->table, parent)->flags;

    return (flags & (PAIR_DB | publishing)) == PAIR_DB && above & publishing &&
           (above & PAIR_CREATE || pair_facts(&pair->table, parent)->peer);
}

static void
join_local(struct pair *pair, uint32_t child, uint32_t parent)
{
    const struct pair_entry *entry = pair_at(&pair->table, child);
    struct pair_entry *above = pair_at(&pair->table, parent);

    push(pair, &above->kids, child);
    if (entry->flags & above->flags & PAIR_EGRESS) {
        if (!is_carrier(pair, child, parent))
            nest(pair, child, parent);
    } else if (pair_asks(entry)) {
        pair_stand_beside(pair, child, parent);
    }
    if (is_stale(entry, above))
        pass_down(pair, child);
}

/* A receive may yet hide behind a process. */
static bool
goes_before(const struct pair_entry *child, const struct pair_entry *holder)
{
    uint32_t receives = child->flags & PAIR_RECEIVE;

    if (receives != (holder->flags & PAIR_RECEIVE))
        return !receives;
    return child->span_id < holder->span_id;
}

/* Counts |child| among the ingress children of an egress, and finds out who
 * takes its latency: the one with the least span id that is no receive, else
 * of the receives (R4, R9). */
static void
count_ingress(struct pair *pair, uint32_t child, uint32_t parent)
{
    struct pair_entry *above = pair_at(&pair->table, parent);
    struct pair_facts *facts = pair_facts(&pair->table, parent);
    uint32_t holder = pair_live(&pair->table, facts->holder);
    bool takes = holder == facts->holder && /* else it is gone with it */
                 (!holder || goes_before(pair_at(&pair->table, child),
                                         pair_at(&pair->table, holder)));
    bool changes = holder && (takes || above->flags & PAIR_FAILED);

    if (changes)
        pair_tell_parent(pair, holder, -1);
    above->flags |= above->flags & PAIR_ONE ? PAIR_MANY : PAIR_ONE;
    if (takes) {
        pair_at(&pair->table, holder)->flags &= ~PAIR_HOLDER;
        pair_at(&pair->table, child)->flags |= PAIR_HOLDER;
        facts->holder = child;
    }
    if (changes)
        pair_tell_parent(pair, holder, 1);
}

/* Makes |child|, of another service than its parent, stand for its service if
 * it is the better one to do so; else it is one of the others. */
static void
join_reps(struct pair *pair, uint32_t child, struct pair_entry *above)
{
    struct pair_entry *entry = pair_at(&pair->table, child);
    bool is_ingress = entry->flags & PAIR_INGRESS;
    uint32_t rep = first(pair, above->reps);
    int n = 0;

    while (rep && n < REPS_MAX &&
           pair_at(&pair->table, rep)->service != entry->service) {
        rep = next_of(pair, rep);
        n++;
    }
    struct pair_entry *old = pair_at(&pair->table, rep);
    bool wins = !rep || (!(old->flags & PAIR_INGRESS) &&
                         (is_ingress || entry->span_id < old->span_id));
    if (n == REPS_MAX || !wins) {
        push(pair, &above->kids, child);
        return;
    }
    if (rep) {
        pair_tell_parent(pair, rep, -1);
        old->flags &= ~PAIR_INFERRED;
        pair_leave(pair, rep);
        push(pair, &above->kids, rep);
    }
    if (!is_ingress)
        entry->flags |= PAIR_INFERRED;
    push(pair, &above->reps, child);
}

/* pair_answer where most have told nothing yet, whether they were answered
 * before or not: which, nobody can predict. */
static void
answer(struct pair *pair, uint32_t parent, struct pair_entry *above)
{
    uint32_t is_new = (above->flags & PAIR_ANSWERED) == 0;
    uint32_t speaks = above->flags & (PAIR_NESTED | PAIR_WAITED);

    if (speaks & -is_new)
        pair_answer(pair, parent);
    above->flags |= PAIR_ANSWERED;
}

static void
join_remote(struct pair *pair, uint32_t child, uint32_t parent)
{
    const struct pair_entry *entry = pair_at(&pair->table, child);
    struct pair_entry *above = pair_at(&pair->table, parent);
    bool is_ingress = entry->flags & PAIR_INGRESS;
    bool is_synthetic = entry->flags & PAIR_SYNTHETIC;

    if (above->flags & PAIR_EGRESS) {
        if (is_ingress || !is_synthetic)
            answer(pair, parent, above);
        if (is_ingress && !is_synthetic)
            count_ingress(pair, child, parent);
    }
    if (entry->service == above->service || (is_synthetic && !is_ingress))
        push(pair, &above->kids, child);
    else
        join_reps(pair, child, above);
}

void
pair_join(struct pair *pair, uint32_t child, uint32_t parent)
{
    struct pair_entry *entry = pair_at(&pair->table, child);
    parent = pair_shared_parent(&pair->table, child, parent);
    const struct pair_entry *above = pair_at(&pair->table, parent);

    pair_tell_parent(pair, child, -1);
    entry->parent = parent;
    entry->flags |= PAIR_JOINED;
    if (pair_is_local(entry, above))
        join_local(pair, child, parent);
    else
        join_remote(pair, child, parent);
    pair_tell_parent(pair, child, 1);
}

void
pair_join_new(struct pair *pair, uint32_t child, uint32_t parent)
{
    struct pair_entry *entry = pair_at(&pair->table, child);
    parent = pair_shared_parent(&pair->table, child, parent);
    const struct pair_entry *above = pair_at(&pair->table, parent);

    entry->parent = parent;
    entry->flags |= PAIR_JOINED;
    if (pair_is_local(entry, above)) {
        if (!entry->kids && !entry->in) { /* nobody has anything from it */
            entry->site = above->site;
            if (!(entry->flags & PAIR_SYMBOL))
                entry->code = above->code;
        }
        join_local(pair, child, parent);
    } else {
        join_remote(pair, child, parent);
    }
    if (above->flags & (PAIR_PRODUCER | PAIR_RECEIVE))
        pair_meet_parent(pair, child);
}

void
pair_take_links(struct pair *pair, uint32_t entry, uint32_t absent)
{
    struct pair_entry *came = pair_at(&pair->table, entry);
    struct pair_entry *gone = pair_at(&pair->table, absent);

    came->flags |= gone->flags & (PAIR_RECEIVED | PAIR_PROCESSED);
    came->in = gone->in;
    gone->in = 0;
    for (uint32_t i = came->in; i; i = pair_link_at(&pair->table, i)->next_in) {
        pair_tell_link(pair, i, -1);
        pair_link_at(&pair->table, i)->dst = entry;
        pair_tell_link(pair, i, 1);
    }
    if (came->in && came->flags & PAIR_PUBLISH)
        pair_answer(pair, entry);
    if (came->flags & PAIR_REPEATED)
        pair_meet_repeat(pair, entry);
}

void
pair_take_kids(struct pair *pair, uint32_t entry, uint32_t absent)
{
    struct pair_entry *gone = pair_at(&pair->table, absent);

    while (gone->kids) {
        uint32_t child = gone->kids;
        gone->kids = pair_at(&pair->table, child)->next;
        pair_join(pair, child, entry);
        pair_meet_parent(pair, child);
    }
    pair_pool_give(&pair->table, absent);
}
