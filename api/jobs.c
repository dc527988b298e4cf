#include "api/jobs.h"

#include "base/clock.h"
#include "graph/query_stop.h"

void
jobs_init(struct jobs *jobs, uint64_t limit_ns)
{
    pthread_mutex_init(&jobs->lock, NULL);
    jobs->first = NULL;
    jobs->limit_ns = limit_ns;
    jobs->stay = (struct stay){0};
}

void
jobs_fini(struct jobs *jobs)
{
    pthread_mutex_destroy(&jobs->lock);
}

/* By the request, for the entry may be leaving at this moment. */
static void
on_gone(void *ctx, struct request *req)
{
    struct jobs *jobs = ctx;

    pthread_mutex_lock(&jobs->lock);
    for (struct jobs_entry *entry = jobs->first; entry; entry = entry->next)
        if (entry->req == req)
            atomic_store(&entry->is_gone, true);
    pthread_mutex_unlock(&jobs->lock);
}

void
jobs_enter(struct jobs *jobs, struct jobs_entry *entry, struct request *req)
{
    pthread_mutex_lock(&jobs->lock);
    *entry = (struct jobs_entry){
        .jobs = jobs,
        .req = req,
        .next = jobs->first,
        .link = &jobs->first,
        .begun_ns = clock_mono_ns(),
    };
    if (jobs->first)
        jobs->first->link = &entry->next;
    jobs->first = entry;
    pthread_mutex_unlock(&jobs->lock);
    req->on_cancel = on_gone;
    req->on_cancel_ctx = jobs;
}

void
jobs_leave(struct jobs_entry *entry)
{
    stay_note(&entry->jobs->stay, clock_mono_ns() - entry->begun_ns);
    jobs_withdraw(entry);
}

void
jobs_withdraw(struct jobs_entry *entry)
{
    struct jobs *jobs = entry->jobs;

    pthread_mutex_lock(&jobs->lock);
    *entry->link = entry->next;
    if (entry->next)
        entry->next->link = entry->link;
    pthread_mutex_unlock(&jobs->lock);
}

bool
jobs_is_over(void *ctx)
{
    struct jobs_entry *entry = ctx;
    uint64_t limit_ns = entry->jobs->limit_ns;

    return atomic_load(&entry->is_gone) ||
           (limit_ns && clock_mono_ns() - entry->begun_ns >= limit_ns);
}

enum err
jobs_begin(struct jobs_entry *entry, struct query *query, uint32_t now_s,
           struct query_view **out)
{
    const struct query_stop stop = {jobs_is_over, entry};

    *out = NULL;
    if (jobs_is_over(entry))
        return ERR_CANCELLED;
    enum err err = query_begin(query, now_s, out);
    if (!err)
        query_stop_when(*out, stop);
    return err;
}

void
jobs_end(struct jobs_entry *entry, struct query_view *view)
{
    query_end(view);
    jobs_leave(entry);
}

const char *
jobs_why(enum err err)
{
    return err == ERR_CANCELLED
               ? "it took longer than query.timeout allows; ask for less"
               : "the store cannot be read";
}
