#include "cmd/life.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"

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

void
life_wait(const sigset_t *set, void (*reload)(void *ctx), void *ctx)
{
    int number = 0;

    while (sigwait(set, &number) == 0 && number == SIGHUP)
        reload(ctx);
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
