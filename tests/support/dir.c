#include "tests/support/dir.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
dir_make(char *out)
{
    const char *where = getenv("TMPDIR");

    if (!where || !*where)
        where = "/tmp";
    if (snprintf(out, 64, "%s/spangraph-test-XXXXXX", where) >= 64 ||
        !mkdtemp(out))
        abort();
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void
dir_remove(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int
dir_count(const char *path, const char *prefix)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int count = 0;

    while (dir && (entry = readdir(dir)))
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    if (dir)
        closedir(dir);
    return count;
}
