/*
 * site_table - sites that exist in a table, and a walk over them.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_SITE_TABLE_H
#define TESTS_SUPPORT_SITE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawl/site.h"

/* An answer; |body| is HTML where |type| is NULL. */
struct site_answer {
    const char *url;
    long status; /* 0: 200 */
    const char *body;
    const char *location;
    const char *type;
    const char *etag;
    enum http_end end;
    uint32_t retry_s;
};

struct site_world {
    const struct site_answer *answers;
    size_t answer_len;
    struct buf log;  /* what was asked */
    struct buf told; /* and told */
    uint64_t now_ms;
    uint64_t waited_ms;
    int asked;
    int cancel_after; /* requests; 0: never */
};

struct site_outcome {
    struct site_world world;
    struct site_sum sum;
};

/* site_table_walk walks as |ask| says, what it does not say being usual, over
 * |answers|, which end with one without an address; a delay of UINT32_MAX is
 * none, and the walk is cancelled after two requests. */
struct site_outcome
site_table_walk(const struct site_answer *answers, const struct site_ask *ask);
void site_outcome_fini(struct site_outcome *out);

/* site_table_expect walks, and |told| must be told, and |why| be in the reason;
 * NULL: none is given. */
void
site_table_expect(const struct site_answer *answers, const struct site_ask *ask,
                  const char *told, const char *why);

#endif
