#include "tests/support/fail_alloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

static struct {
    atomic_ullong left; /* until the one that fails, and it; 0: none does */
    atomic_bool stays;
    atomic_bool failed;
} fail;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool
fails_now(void)
{
    uint64_t left = fail.left;

    while (left != 0) {
        uint64_t next = left > 1 ? left - 1 : fail.stays ? 1 : 0;
        if (!atomic_compare_exchange_weak(&fail.left, &left, next))
            continue;
        if (left == 1)
            fail.failed = true;
        return left == 1;
    }
    return false;
}

void *
__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : __real_realloc(old, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}

char *
__wrap_strdup(const char *text)
{
    return fails_now() ? NULL : __real_strdup(text);
}

int
__wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;

    if (fails_now())
        return -1;
    va_start(args, format);
    int len = vasprintf(out, format, args);
    va_end(args);
    return len;
}

/* ---- SQLite ---- */

static void *
db_malloc(int size)
{
    return __wrap_malloc((size_t)size);
}

static void *
db_realloc(void *old, int size)
{
    return __wrap_realloc(old, (size_t)size);
}

static int
db_size(void *old)
{
    return old ? (int)malloc_usable_size(old) : 0;
}

static int
db_roundup(int size)
{
    return (size + 7) & ~7;
}

static int
db_init(void *ctx)
{
    (void)ctx;
    return SQLITE_OK;
}

static void
db_shutdown(void *ctx)
{
    (void)ctx;
}

void
fail_alloc_install(void)
{
    static const struct sqlite3_mem_methods methods = {
        .xMalloc = db_malloc,
        .xFree = free,
        .xRealloc = db_realloc,
        .xSize = db_size,
        .xRoundup = db_roundup,
        .xInit = db_init,
        .xShutdown = db_shutdown,
    };

    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        abort();
}

void
fail_alloc_at(uint64_t number, bool stays)
{
    fail.failed = false;
    fail.stays = stays;
    fail.left = number;
}

bool
fail_alloc_end(void)
{
    fail.left = 0;
    return fail.failed;
}
