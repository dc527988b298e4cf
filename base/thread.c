#include "base/thread.h"

#include <pthread.h>
#include <stdio.h>

void
thread_set_name(const char *name)
{
    char cut[THREAD_NAME_CAP];

    (void)snprintf(cut, sizeof(cut), "%s", name);
    (void)pthread_setname_np(pthread_self(), cut);
}
