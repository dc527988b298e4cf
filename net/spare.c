#include "net/spare.h"

#include <sys/resource.h>

bool
spare_is_left(int fd, unsigned times)
{
    struct rlimit files;
    rlim_t spare;

    if (getrlimit(RLIMIT_NOFILE, &files))
        return true;
    spare = files.rlim_cur / SPARE_PART;
    if (spare > SPARE_FILES)
        spare = SPARE_FILES;
    return (rlim_t)fd < files.rlim_cur - times * spare;
}
