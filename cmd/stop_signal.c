#include "cmd/stop_signal.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void
note_signal(int number)
{
    (void)number;
    came = 1;
}

void
stop_signal_catch(void)
{
    struct sigaction action = {.sa_handler = note_signal,
                               .sa_flags = (int)SA_RESETHAND};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool
stop_signal_came(void)
{
    return came != 0;
}
