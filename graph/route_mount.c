#include "graph/route_mount.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_JOINED = 2048 };

void
route_mounts_fini(struct route_mounts *mounts)
{
    for (uint32_t i = 0; i < mounts->len; i++)
        free(mounts->prefix[i]);
    mounts->len = 0;
    route_ends_fini(&mounts->ends);
}

enum err
route_mounts_add(struct route_mounts *mounts, str prefix)
{
    if (!prefix.ptr)
        return OK;
    while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == '/')
        prefix.len--;
    while (prefix.len > 0 && prefix.ptr[0] == '/')
        prefix = str_cut(prefix, 1, prefix.len);
    if (prefix.len == 0)
        return OK;
    if (prefix.len > ROUTE_MOUNT_LEN_MAX)
        return ERR_INVALID;
    for (uint32_t i = 0; i < mounts->len; i++)
        if (str_eq(str_of(mounts->prefix[i] + 1), prefix))
            return OK;
    if (mounts->len == ROUTE_MOUNTS_MAX)
        return ERR_FULL;
    char *copy = calloc(1, prefix.len + 2);
    if (!copy)
        return ERR_NOMEM;
    copy[0] = '/';
    memcpy(copy + 1, prefix.ptr, prefix.len);
    mounts->prefix[mounts->len++] = copy;
    return OK;
}

static bool
match_with(const struct route_table *table, str method, str path, str mount,
           struct buf *out)
{
    char joined[PATH_MAX_JOINED];

    if (path.len > 0 && str_starts(path, mount) &&
        (path.len == mount.len || path.ptr[mount.len] == '/') &&
        route_table_match(table, method, str_cut(path, mount.len, path.len),
                          out))
        return true;
    if (path.len == 0 || mount.len + path.len > sizeof(joined))
        return false;
    memcpy(joined, mount.ptr, mount.len);
    memcpy(joined + mount.len, path.ptr, path.len);
    return route_table_match(table, method, (str){joined, mount.len + path.len},
                             out);
}

bool
route_mounts_match(const struct route_mounts *mounts,
                   const struct route_table *table, str method, str path,
                   struct buf *out)
{
    for (uint32_t i = 0; i < mounts->len; i++)
        if (match_with(table, method, path, str_of(mounts->prefix[i]), out))
            return true;
    return false;
}

static bool
has_for(const struct route_table *table, str method, str pattern)
{
    return route_table_has(table, method, pattern) ||
           route_table_has(table, STR("ANY"), pattern);
}

/* A pattern is worth comparing when a segment of it is text. */
static bool
has_text(str pattern)
{
    bool is_text = false;

    for (size_t i = 0; i <= pattern.len; i++) {
        bool is_end = i == pattern.len || pattern.ptr[i] == '/';
        if (is_end && is_text)
            return true;
        if (is_end)
            continue;
        if (pattern.ptr[i] == '{')
            while (i + 1 < pattern.len && pattern.ptr[i + 1] != '/')
                i++;
        else
            is_text = true;
    }
    return false;
}

/* How much of |pattern| has to go for a declared route to remain. */
static size_t
find_shorter(const struct route_table *table, str method, str pattern)
{
    for (size_t at = 1; at < pattern.len && pattern.ptr[at] != '{'; at++) {
        str rest = str_cut(pattern, at, pattern.len);
        if (pattern.ptr[at] == '/' && has_text(rest) &&
            has_for(table, method, rest))
            return at;
    }
    return 0;
}

void
route_mounts_learn(struct route_mounts *mounts, const struct route_table *table,
                   str method, str pattern)
{
    if (!pattern.ptr || !has_text(pattern) || has_for(table, method, pattern))
        return;
    size_t at = find_shorter(table, method, pattern);
    str prefix = at ? str_cut(pattern, 0, at)
                    : route_ends_find(&mounts->ends, table, method, pattern);
    (void)route_mounts_add(mounts, prefix);
}
