#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CAN = PROT_READ | PROT_WRITE,
    HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
};

static size_t
whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) & ~(page - 1);
}

static void
unmap(char *from, size_t bytes)
{
    if (bytes > 0)
        (void)munmap(from, bytes);
}

void *
pages_reserve(size_t bytes)
{
    size_t more = bytes < PAGES_HUGE ? 0 : PAGES_HUGE;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t len = whole_pages(bytes);
    char *ptr = mmap(NULL, len + more, CAN, HOW, -1, 0);
    if (ptr == MAP_FAILED)
        return NULL;
    if (more == 0)
        return ptr;
    size_t before = -(uintptr_t)ptr & (PAGES_HUGE - 1);
    unmap(ptr, before);
    unmap(ptr + before + len, more - before);
    return ptr + before;
}

void
pages_release(void *pages, size_t bytes)
{
    if (pages)
        (void)munmap(pages, bytes);
}

void
pages_drop(void *pages, size_t bytes)
{
    (void)madvise(pages, bytes, MADV_DONTNEED);
}

void
pages_be_huge(void *pages, size_t bytes)
{
    (void)madvise(pages, bytes, MADV_HUGEPAGE);
}

void
pages_move(void *to, void *from, size_t bytes)
{
    void *moved = mremap(from, bytes, bytes,
                         MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);

    if (moved != MAP_FAILED)
        return;
    pages_drop(from, bytes);
    /* Some failures come after what was there has been unmapped. */
    (void)mmap(to, bytes, CAN, HOW | MAP_FIXED_NOREPLACE, -1, 0);
}
