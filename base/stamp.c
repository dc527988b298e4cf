#include "base/stamp.h"

#include <stddef.h>
#include <sys/stat.h>

bool
stamp_file(const char *path, struct stamp *out)
{
    struct stat st;

    *out = (struct stamp){.size = 0};
    if (!path || stat(path, &st))
        return false;
    *out = (struct stamp){st.st_mtim, st.st_size, st.st_ino};
    return true;
}

bool
stamp_eq(const struct stamp *a, const struct stamp *b)
{
    return a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec && a->size == b->size &&
           a->inode == b->inode;
}
