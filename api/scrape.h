/*
 * scrape - what /metrics tells of the graph, kept where it was dear to make.
 *
 * It takes a walk over all edges, and whoever watches asks for it every few
 * seconds, often two of them.  So what took long is told again until
 * SCRAPE_SHARE times as long has passed, and is made by one at a time: however
 * large the graph is and whoever asks, that is a twentieth of a core at most.
 * Counters stay right, they are only that much later; how old they are is told
 * with them.
 *
 * Memory     The text that is kept; none where it was cheap.
 * Errors     Those of who makes it; then nothing is kept, and the next asks
 *            anew: so who hangs up before it is made pays each time.
 * Threads    Any.  While one makes it, others wait for it.
 */
#ifndef API_SCRAPE_H
#define API_SCRAPE_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* What takes less CPU time than SCRAPE_CHEAP_NS is made each time. */
enum { SCRAPE_SHARE = 20, SCRAPE_CHEAP_NS = 50000000 };

struct scrape {
    pthread_mutex_t lock;
    struct buf text;
    uint64_t made_ns;  /* monotonic, both */
    uint64_t until_ns; /* 0: none is kept */
};

void scrape_init(struct scrape *scrape);
/* scrape_fini: nobody asks any more. */
void scrape_fini(struct scrape *scrape);

/* scrape_tell appends to |out| what |make| appends, or has a short time ago,
 * and behind that the gauge spangraph_service_graph_age_seconds; nothing, if
 * |make| has nothing.  After an error |out| is as it was. */
typedef enum err scrape_make_fn(void *ctx, struct buf *out);
enum err scrape_tell(struct scrape *scrape, scrape_make_fn *make, void *ctx,
                     struct buf *out);

#endif
