/*
 * life - what a service asks of the system for itself: its signals (HUP reads
 * again, TERM and INT end it) and descriptors.
 *
 * Threads    The main thread.
 */
#ifndef CMD_LIFE_H
#define CMD_LIFE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* life_block_signals blocks those we wait for, in this thread and all that it
 * will start. */
sigset_t life_block_signals(void);

/* life_raise_files allows this process as many descriptors as it may have.  A
 * shell's and systemd's 1024 are for who calls select, which we do not. */
void life_raise_files(void);

struct config;

/* |have_changed| says whether a file that |read_files| reads is another than
 * when it was last asked. */
struct life_calls {
    bool (*have_changed)(void *ctx);
    void (*read_files)(void *ctx);
    void *ctx;
};

/* life_wait returns when the service is to end.  Until then HUP has |cfg| and
 * its files read again, and each |cfg->reload_ns|, 0: never, those that have
 * changed are.  A second TERM or INT then ends the process at once; HUP has
 * nothing to say any more. */
void life_wait(const sigset_t *set, struct config *cfg,
               const struct life_calls *calls);

/* life_left_ms is what is left until |until_ns| of clock_mono_ns. */
uint32_t life_left_ms(uint64_t until_ns);

#endif
