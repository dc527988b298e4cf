/*
 * A commit appends to the write-ahead log, so size or time of its file change.
 * The kernel's clock for files ticks every few milliseconds, and a log that
 * begins anew does not grow: of two commits within a tick, the second can go
 * unseen until the next.  Who keeps answers keeps them for a second at most.
 */
#include "cmd/changes.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/hash.h"
#include "store/code_store.h"
#include "store/knowledge_store.h"

static const char *const files[] = {
    CODE_STORE_FILE,
    CODE_STORE_FILE "-wal",
    KNOWLEDGE_STORE_FILE,
    KNOWLEDGE_STORE_FILE "-wal",
};
enum { FILES = sizeof(files) / sizeof(files[0]) };

struct changes {
    atomic_uint_fast64_t noted;
    atomic_uint_fast64_t seen; /* of the files, when last looked at */
    atomic_uint_fast64_t looked_ns;
    char *paths[FILES];
};

struct changes *
changes_new(const char *dir)
{
    struct changes *changes = calloc(1, sizeof(*changes));

    for (size_t i = 0; changes && i < FILES; i++) {
        size_t len = strlen(dir) + strlen(files[i]) + 2;

        changes->paths[i] = malloc(len);
        if (!changes->paths[i]) {
            changes_free(changes);
            return NULL;
        }
        snprintf(changes->paths[i], len, "%s/%s", dir, files[i]);
    }
    return changes;
}

void
changes_free(struct changes *changes)
{
    if (!changes)
        return;
    for (size_t i = 0; i < FILES; i++)
        free(changes->paths[i]);
    free(changes);
}

void
changes_note(struct changes *changes)
{
    if (changes)
        atomic_fetch_add(&changes->noted, 1);
}

static uint64_t
look(const struct changes *changes)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < FILES; i++) {
        struct stat st;

        if (stat(changes->paths[i], &st)) {
            seen = hash_mix(seen + 1, i + 1);
            continue;
        }
        seen = hash_mix(seen ^ st.st_ino, (uint64_t)st.st_size + 2);
        seen = hash_mix(seen ^ (uint64_t)st.st_mtim.tv_sec,
                        (uint64_t)st.st_mtim.tv_nsec + 3);
    }
    return seen;
}

uint64_t
changes_version(void *ctx)
{
    struct changes *changes = ctx;
    uint64_t now_ns = clock_mono_ns();

    if (now_ns - atomic_load(&changes->looked_ns) >= NS_PER_MS) {
        atomic_store(&changes->seen, look(changes));
        atomic_store(&changes->looked_ns, now_ns);
    }
    return hash_mix(atomic_load(&changes->seen) ^ 1,
                    atomic_load(&changes->noted) + 1);
}
