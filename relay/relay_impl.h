/*
 * relay_impl - what the parts of the relay share.  Private to relay/relay*.c.
 *
 * Two locks: |lock| for the queue and what the threads tell each other, held
 * for moments; |spool_lock| for the spool, held while it writes.  Whoever needs
 * both takes |spool_lock| first.
 */
#ifndef RELAY_RELAY_IMPL_H
#define RELAY_RELAY_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "relay/pack.h"
#include "relay/relay.h"
#include "relay/strip.h"

/* A request that waits for its transaction. */
struct relay_item {
    struct relay_item *next;
    struct buf bytes; /* stripped */
    uint32_t spans;
    struct digest128 digest;
    void (*done)(void *ctx, enum err err); /* NULL: it was answered */
    void *ctx;
};

struct relay {
    struct relay_cfg cfg;
    char *dir;
    struct strip *strips[RELAY_LANES_MAX];
    atomic_bool is_writable;
    atomic_bool is_full; /* the spool, as of its last transaction */

    pthread_mutex_t lock;
    pthread_cond_t wake_writer;
    pthread_cond_t wake_forwarder;
    struct relay_item *head;
    struct relay_item **tail;
    uint64_t queued_bytes;
    struct forward *next_forward; /* of relay_set_gateway */
    bool has_news;                /* for the forwarder */
    bool is_stopping;             /* nothing more comes */
    bool is_written;              /* the writer is done */
    uint64_t until_ns;            /* of the drain, by clock_mono_ns */

    pthread_mutex_t spool_lock;
    struct spool *spool;

    /* Of the writer. */
    pthread_t writer;
    bool has_writer;
    struct pack *pack;
    struct buf group;

    /* Of the forwarder. */
    pthread_t forwarder;
    bool has_forwarder;
    int stop_fd;
    struct forward *forward;
    struct spool_batch batch;
    uint64_t
        doubt_ns; /* since when the batch is in doubt, wall; 0: it is not */
    uint64_t random;
};

/* relay_write and relay_forward are the two threads; the argument is the
 * relay. */
void *relay_write(void *ctx);
void *relay_forward(void *ctx);

/* relay_wait waits on |cond| with |lock| held, for |wait_ns| at most. */
void relay_wait(struct relay *relay, pthread_cond_t *cond, uint64_t wait_ns);

/* relay_tell_forwarder wakes it, with |lock|. */
void relay_tell_forwarder(struct relay *relay);

/* relay_note_stats tells the metrics of the spool, relay_note_write also how a
 * transaction went; with |spool_lock|. */
void relay_note_stats(struct relay *relay);
void relay_note_write(struct relay *relay, enum err err);

#endif
