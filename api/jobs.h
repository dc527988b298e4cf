/*
 * jobs - requests that are worked on, so that the work ends when nobody waits.
 *
 *     jobs_enter(jobs, &job, req);        on the loop
 *     ... jobs_is_over(&job) now and then, where it is worked on ...
 *     jobs_leave(&job); request_reply(req, ...);
 *
 * Threads    Any; a job belongs to one at a time.
 */
#ifndef API_JOBS_H
#define API_JOBS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/stay.h"
#include "graph/query.h"
#include "net/request.h"

struct jobs;

struct jobs_entry {
    struct jobs *jobs;
    struct request *req;
    struct jobs_entry *next;
    struct jobs_entry **link;
    uint64_t begun_ns;   /* monotonic */
    atomic_bool is_gone; /* its client */
};

struct jobs {
    pthread_mutex_t lock; /* the list */
    struct jobs_entry *first;
    uint64_t limit_ns; /* longest wait; 0: no bound */
    struct stay stay;  /* of those that have left */
};

void jobs_init(struct jobs *jobs, uint64_t limit_ns);
/* jobs_fini: all have left. */
void jobs_fini(struct jobs *jobs);

/* jobs_enter takes req->on_cancel; |entry| stays where it is until it leaves.
 */
void
jobs_enter(struct jobs *jobs, struct jobs_entry *entry, struct request *req);

/* jobs_leave comes before the answer; after it nobody touches |entry|.
 * jobs_withdraw is that for work there was no room for. */
void jobs_leave(struct jobs_entry *entry);
void jobs_withdraw(struct jobs_entry *entry);

/* jobs_begin gives a view whose reading ends when the job is over: then, and
 * before it has begun, ERR_CANCELLED.  jobs_end ends it (NULL: none) and the
 * job leaves. */
enum err jobs_begin(struct jobs_entry *entry, struct query *query,
                    uint32_t now_s, struct query_view **out);
void jobs_end(struct jobs_entry *entry, struct query_view *view);

/* jobs_why says why there is no answer, after ERR_CANCELLED or another. */
const char *jobs_why(enum err err);

/* jobs_is_over: the client of the entry |ctx| has gone, or waited too long. */
bool jobs_is_over(void *ctx);

#endif
