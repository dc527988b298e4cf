/*
 * A table of chains by the hash of the question, and a queue by age through the
 * same entries.  All live equally long, so the oldest is also the first that
 * ends, and there is no need to know which was used last.
 *
 * An entry is held by the table and by who reads it, so that the lock is not
 * held while an answer is copied.
 */
#include "mcp/kept.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { CHAINS = 512 }; /* a power of two */

struct kept_answer {
    struct kept_answer *next;  /* in the chain */
    struct kept_answer *newer; /* in the queue */
    struct kept_answer *older;
    uint64_t hash;
    uint64_t version;
    uint64_t asked_ns;
    size_t question_len;
    size_t answer_len;
    bool is_renewed; /* somebody makes it anew */
    atomic_uint holds;
    char bytes[]; /* the question, then the answer */
};

struct kept {
    pthread_mutex_t lock;
    size_t bytes;
    size_t bytes_max;
    uint64_t seed;
    struct kept_answer *oldest;
    struct kept_answer *newest;
    struct kept_answer *chains[CHAINS];
};

struct kept *
kept_new(size_t bytes)
{
    struct kept *kept = calloc(1, sizeof(*kept));

    if (!kept)
        return NULL;
    pthread_mutex_init(&kept->lock, NULL);
    kept->bytes_max = bytes;
    kept->seed = hash_seed();
    return kept;
}

size_t
kept_cost(str question, str answer)
{
    return sizeof(struct kept_answer) + question.len + answer.len;
}

static size_t
cost_of(const struct kept_answer *entry)
{
    return sizeof(*entry) + entry->question_len + entry->answer_len;
}

void
kept_drop(struct kept_answer *answer)
{
    if (answer && atomic_fetch_sub(&answer->holds, 1) == 1)
        free(answer);
}

/* The place in the chain that holds the answer to |question|, or its end. */
static struct kept_answer **
place_of(struct kept *kept, str question, uint64_t hash)
{
    struct kept_answer **at = &kept->chains[hash & (CHAINS - 1)];

    while (*at &&
           !((*at)->hash == hash && (*at)->question_len == question.len &&
             memcmp((*at)->bytes, question.ptr, question.len) == 0))
        at = &(*at)->next;
    return at;
}

/* Takes the entry at |at| out of the table. */
static void
take_out(struct kept *kept, struct kept_answer **at)
{
    struct kept_answer *entry = *at;

    *at = entry->next;
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        kept->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        kept->oldest = entry->newer;
    kept->bytes -= cost_of(entry);
    kept_drop(entry);
}

static void
take_out_oldest(struct kept *kept)
{
    struct kept_answer **at = &kept->chains[kept->oldest->hash & (CHAINS - 1)];

    while (*at != kept->oldest)
        at = &(*at)->next;
    take_out(kept, at);
}

static void
put_in(struct kept *kept, struct kept_answer *entry)
{
    struct kept_answer **chain = &kept->chains[entry->hash & (CHAINS - 1)];

    entry->next = *chain;
    *chain = entry;
    entry->older = kept->newest;
    if (kept->newest)
        kept->newest->newer = entry;
    else
        kept->oldest = entry;
    kept->newest = entry;
    kept->bytes += cost_of(entry);
}

void
kept_free(struct kept *kept)
{
    if (!kept)
        return;
    while (kept->oldest)
        take_out_oldest(kept);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

static bool
is_older(const struct kept_answer *entry, uint64_t now_ns, uint64_t age_ns)
{
    return now_ns >= entry->asked_ns && now_ns - entry->asked_ns >= age_ns;
}

struct kept_answer *
kept_find(struct kept *kept, str question, uint64_t version, uint64_t now_ns,
          bool *renews)
{
    uint64_t hash = hash_bytes(question, kept->seed);

    pthread_mutex_lock(&kept->lock);
    struct kept_answer *entry = *place_of(kept, question, hash);
    if (entry &&
        (entry->version != version || is_older(entry, now_ns, KEPT_AGE_NS)))
        entry = NULL;
    if (entry && !entry->is_renewed && is_older(entry, now_ns, KEPT_RENEW_NS)) {
        *renews = entry->is_renewed = true;
        entry = NULL;
    }
    if (entry)
        atomic_fetch_add(&entry->holds, 1);
    pthread_mutex_unlock(&kept->lock);
    return entry;
}

str
kept_text(const struct kept_answer *answer)
{
    return (str){answer->bytes + answer->question_len, answer->answer_len};
}

static struct kept_answer *
make_entry(const struct kept *kept, const struct kept_item *item)
{
    struct kept_answer *entry = malloc(kept_cost(item->question, item->answer));

    if (!entry)
        return NULL;
    *entry = (struct kept_answer){
        .hash = hash_bytes(item->question, kept->seed),
        .version = item->version,
        .asked_ns = item->asked_ns,
        .question_len = item->question.len,
        .answer_len = item->answer.len,
        .holds = 1,
    };
    memcpy(entry->bytes, item->question.ptr, item->question.len);
    memcpy(entry->bytes + item->question.len, item->answer.ptr,
           item->answer.len);
    return entry;
}

void
kept_add(struct kept *kept, const struct kept_item *item)
{
    size_t cost = kept_cost(item->question, item->answer);
    struct kept_answer *entry =
        cost <= kept->bytes_max ? make_entry(kept, item) : NULL;

    if (!entry)
        return;
    pthread_mutex_lock(&kept->lock);
    struct kept_answer **same = place_of(kept, item->question, entry->hash);
    if (*same)
        take_out(kept, same);
    while (kept->oldest &&
           (kept->bytes + cost > kept->bytes_max ||
            is_older(kept->oldest, item->asked_ns, KEPT_AGE_NS)))
        take_out_oldest(kept);
    put_in(kept, entry);
    pthread_mutex_unlock(&kept->lock);
}

size_t
kept_bytes(struct kept *kept)
{
    pthread_mutex_lock(&kept->lock);
    size_t bytes = kept->bytes;
    pthread_mutex_unlock(&kept->lock);
    return bytes;
}
