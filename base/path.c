#include "base/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool
path_is_within(const char *real, const char *folder)
{
    char top[PATH_MAX];
    size_t len;

    if (!realpath(folder, top))
        return false;
    len = strlen(top);
    return strcmp(top, "/") == 0 || (strncmp(real, top, len) == 0 &&
                                     (real[len] == '/' || real[len] == '\0'));
}

bool
path_may_block(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}
