/*
 * sandbox - what the processes that read hostile input give up first.
 *
 * The worker reads a repository and the facts kept of it, starts parsers and
 * writes to its pipe: it needs no program, no network and no file to write.  A
 * parser is handed the bytes of a file and hands back facts: it needs to
 * compute.  What the kernel does not offer is gone without, and told.
 *
 * Threads    One, which is confined, with all that it starts later.
 */
#ifndef INDEX_SANDBOX_H
#define INDEX_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/* What is in force, as bits. */
enum sandbox_part {
    SANDBOX_LIMITS = 1,   /* memory, time, files, no core */
    SANDBOX_NO_PRIVS = 2, /* no_new_privs */
    SANDBOX_SECCOMP = 4,  /* no exec, no socket, no file opened for writing */
    SANDBOX_LANDLOCK = 8, /* only the folders named can be read */
};
enum { SANDBOX_PARTS = 4 };

/* sandbox_part_str names bit |i|, of SANDBOX_PARTS: `rlimits`, ... */
const char *sandbox_part_str(uint32_t i);

struct sandbox_cfg {
    const char *const *folders; /* that may be read; an empty one is none */
    size_t folder_len;
    uint64_t memory_max; /* bytes of address space beyond what is used now */
    uint32_t cpu_s;
};

/* sandbox_worker confines this process and gives the parts that worked. */
uint32_t sandbox_worker(const struct sandbox_cfg *cfg);

/* sandbox_fetcher confines this process to asking the network: it starts
 * nothing, listens to nothing, writes no file and reads only what |cfg| names,
 * files or folders; what is not there needs no leave. */
uint32_t sandbox_fetcher(const struct sandbox_cfg *cfg);

/* sandbox_used_bytes is the address space in use, 0 if that cannot be told. */
uint64_t sandbox_used_bytes(void);

/*
 * sandbox_parser confines a process to computing and to |fd|; all other
 * descriptors are closed.  |memory_max| bytes of address space in all.
 */
uint32_t sandbox_parser(int fd, uint64_t memory_max);

#endif
