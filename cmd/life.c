#include "cmd/life.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

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
life_wait(const sigset_t *set, void (*reload)(void *ctx), void *ctx)
{
    int number = 0;

    while (sigwait(set, &number) == 0 && number == SIGHUP)
        reload(ctx);
    log_info("stopping", "signal", "%s", strsignal(number));
    /* A second one ends at once. */
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}
