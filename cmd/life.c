#include "cmd/life.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/config.h"
#include "cmd/session.h"

sigset_t
life_block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    return set;
}

void
life_raise_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

/* The next signal, or 0 when there is none for |wait_ns|, 0: wait for ever. */
static int
next_signal(const sigset_t *set, uint64_t wait_ns)
{
    const struct timespec wait = {.tv_sec = (time_t)(wait_ns / NS_PER_S),
                                  .tv_nsec = (long)(wait_ns % NS_PER_S)};
    int number;

    do
        number = sigtimedwait(set, NULL, wait_ns ? &wait : NULL);
    while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
}

void
life_wait(const sigset_t *set, struct config *cfg,
          const struct life_calls *calls)
{
    int number;

    while ((number = next_signal(set, cfg->reload_ns)) == SIGHUP ||
           number == 0) {
        if (number)
            session_reread(cfg);
        /* Asked in any case: else what is read now is changed next time. */
        if (calls->have_changed(calls->ctx) || number)
            calls->read_files(calls->ctx);
    }
    log_info("stopping", "signal", "%s", strsignal(number));
    /* A second one ends at once, unless it only asks to read again. */
    (void)signal(SIGHUP, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

uint32_t
life_left_ms(uint64_t until_ns)
{
    uint64_t now_ns = clock_mono_ns();

    return now_ns < until_ns ? (uint32_t)((until_ns - now_ns) / NS_PER_MS) : 0;
}
