#include "cmd/watch.h"

#include <assert.h>

bool
watch_look(struct watch *watch, const char *const *files, size_t len)
{
    bool is_changed = false;

    assert(len <= WATCH_FILES_MAX);
    for (size_t i = 0; i < len; i++) {
        struct stamp now;
        (void)stamp_file(files[i], &now);
        is_changed |= !stamp_eq(&now, &watch->stamps[i]);
        watch->stamps[i] = now;
    }
    return is_changed;
}
