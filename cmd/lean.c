/*
 * Only segments that a file's own header calls not writable are let go: nobody
 * has written to them, so what comes back is what was there.  A library with
 * relocations in its code would have; it is left alone.
 */
#include "cmd/lean.h"

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* NOLINTBEGIN(performance-no-int-to-ptr): the loader tells addresses */

static bool
has_code_relocations(const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry =
            (const void *)(uintptr_t)(info->dlpi_addr + part->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_TEXTREL ||
                (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
                return true;
    }
    return false;
}

static int
give_back(struct dl_phdr_info *info, size_t size, void *ctx)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t *bytes = ctx;

    (void)size;
    if (has_code_relocations(info))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = (info->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t to = info->dlpi_addr + part->p_vaddr + part->p_filesz;

        /* The kernel's own page of code is no file, and refuses. */
        if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) && to > from &&
            madvise((void *)from, to - from, MADV_DONTNEED) == 0)
            *bytes += to - from;
    }
    return 0;
}

/* NOLINTEND(performance-no-int-to-ptr) */

size_t
lean_start(void)
{
    size_t bytes = 0;

    (void)malloc_trim(0);
    (void)dl_iterate_phdr(give_back, &bytes);
    return bytes;
}
