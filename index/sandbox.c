/*
 * The filters are written out here: a dozen lines of BPF, no library.  A call
 * that is refused fails with EPERM, as it might for other reasons, and the
 * program goes on; only another machine's calling convention is killed.
 */
#include "index/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

/* Sanitizers reserve terabytes, and tell of what they find by other calls. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HAS_SHADOW = 1 };
#else
enum { HAS_SHADOW = 0 };
#endif

static const char *const names[SANDBOX_PARTS] = {"rlimits", "no_new_privs",
                                                 "seccomp", "landlock"};

const char *
sandbox_part_str(uint32_t i)
{
    return i < SANDBOX_PARTS ? names[i] : "";
}

/* ---- limits ---- */

static bool
set_limit(int what, uint64_t max)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)what, &limit) != 0)
        return false;
    if (limit.rlim_max > max)
        limit.rlim_max = max;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

uint64_t
sandbox_used_bytes(void)
{
    char text[64] = "";
    uint64_t pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof(text) - 1) > 0)
        pages = strtoull(text, NULL, 10);
    close(fd);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- seccomp ---- */

#ifdef OWN_ARCH

enum { RULES_MAX = 128 };

struct filter {
    struct sock_filter rules[RULES_MAX];
    unsigned short len;
};

#define NR_AT   (uint32_t) offsetof(struct seccomp_data, nr)
#define ARCH_AT (uint32_t) offsetof(struct seccomp_data, arch)
#define REFUSE  (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define X32_BIT UINT32_C(0x40000000)

static void
add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (f->len < RULES_MAX)
        f->rules[f->len++] = (struct sock_filter){code, yes, no, k};
}

/* Low half of an argument; both machines are little-endian. */
static uint32_t
arg_at(uint32_t i)
{
    return (uint32_t)offsetof(struct seccomp_data, args) + 8 * i;
}

static void
begin(struct filter *f)
{
    f->len = 0;
    add(f, BPF_LD | BPF_W | BPF_ABS, ARCH_AT, 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    add(f, BPF_LD | BPF_W | BPF_ABS, NR_AT, 0, 0);
    add(f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    add(f, BPF_RET | BPF_K, REFUSE, 0, 0);
}

static void
rule(struct filter *f, long number, uint32_t result)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    add(f, BPF_RET | BPF_K, result, 0, 0);
}

/* Call |number| is refused if its argument |i| has one of |bits|. */
static void
rule_bits(struct filter *f, long number, uint32_t i, uint32_t bits)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    add(f, BPF_LD | BPF_W | BPF_ABS, arg_at(i), 0, 0);
    add(f, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    add(f, BPF_RET | BPF_K, REFUSE, 0, 0);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static bool
install(struct filter *f, uint32_t otherwise)
{
    struct sock_fprog program = {.filter = f->rules};

    add(f, BPF_RET | BPF_K, otherwise, 0, 0);
    program.len = f->len;
    return f->len < RULES_MAX &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* What runs or reaches something else, or changes a file. */
static const long refused[] = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_utimensat,
    SYS_setxattr,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_openat2,
    SYS_open_by_handle_at,
    SYS_memfd_create,
    SYS_personality,
    SYS_pidfd_getfd,
#ifdef __x86_64__
    SYS_unlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_creat,
#endif
};

/* A socket pair to each parser is all that the worker makes of that kind.
 * Sanitizers look for leaks by ptrace. */
static bool
filter_worker(void)
{
    struct filter f;

    begin(&f);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (refused[i] != SYS_socketpair &&
            !(HAS_SHADOW && refused[i] == SYS_ptrace))
            rule(&f, refused[i], REFUSE);
    rule_bits(&f, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#ifdef __x86_64__
    rule_bits(&f, SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#endif
    return install(&f, SECCOMP_RET_ALLOW);
}

/* Name service asks the kernel by netlink, which is bound. */
static bool
is_of_clients(long number)
{
    return number == SYS_socket || number == SYS_socketpair ||
           number == SYS_connect || number == SYS_bind ||
           (HAS_SHADOW && number == SYS_ptrace);
}

static bool
filter_fetcher(void)
{
    struct filter f;

    begin(&f);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (!is_of_clients(refused[i]))
            rule(&f, refused[i], REFUSE);
    rule_bits(&f, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#ifdef __x86_64__
    rule_bits(&f, SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#endif
    return install(&f, SECCOMP_RET_ALLOW);
}

/* Memory, the clock, its socket, its end. */
static const long computing[] = {
    SYS_read,         SYS_write,          SYS_writev,      SYS_close,
    SYS_munmap,       SYS_mremap,         SYS_brk,         SYS_madvise,
    SYS_futex,        SYS_exit,           SYS_exit_group,  SYS_rt_sigreturn,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_clock_gettime,
    SYS_gettimeofday, SYS_getrandom,      SYS_sched_yield, SYS_getpid,
    SYS_gettid,
};

static bool
filter_parser(void)
{
    struct filter f;

    begin(&f);
    for (size_t i = 0; i < sizeof(computing) / sizeof(computing[0]); i++)
        rule(&f, computing[i], SECCOMP_RET_ALLOW);
    rule_bits(&f, SYS_mmap, 2, PROT_EXEC);
    rule_bits(&f, SYS_mprotect, 2, PROT_EXEC);
    return install(&f, REFUSE);
}

#else

static bool
filter_worker(void)
{
    return false;
}

static bool
filter_fetcher(void)
{
    return false;
}

static bool
filter_parser(void)
{
    return false;
}

#endif

/* ---- landlock ---- */

enum { MAY_READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR };

/* All rights over files that the kernel's |version| can take away. */
static uint64_t
all_rights(long version)
{
    return (UINT64_C(1) << 13) - 1 + (version >= 2 ? UINT64_C(1) << 13 : 0) +
           (version >= 3 ? UINT64_C(1) << 14 : 0);
}

static bool
allow(int rules, const char *folder, bool is_needed)
{
    struct landlock_path_beneath_attr below = {.allowed_access = MAY_READ};
    struct stat st;

    below.parent_fd = open(folder, O_PATH | O_CLOEXEC);
    if (below.parent_fd < 0)
        return !is_needed;
    if (fstat(below.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        below.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    long got = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
                       &below, 0);
    close(below.parent_fd);
    return got == 0;
}

static bool
confine_to(const struct sandbox_cfg *cfg, bool is_needed)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr attr = {.handled_access_fs =
                                             all_rights(version)};

    if (version < 1)
        return false;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
                             sizeof(attr.handled_access_fs), 0);
    if (rules < 0)
        return false;
    bool done = allow(rules, "/proc/self", true); /* sandbox_used_bytes */
    for (size_t i = 0; i < cfg->folder_len && done; i++)
        if (*cfg->folders[i])
            done = allow(rules, cfg->folders[i], is_needed);
    done = done && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}

/* ---- the three ---- */

static uint32_t
confine(const struct sandbox_cfg *cfg, bool is_needed, bool (*filter)(void))
{
    enum { FILES_MAX = 1024 };
    uint64_t used = sandbox_used_bytes();
    uint32_t parts = 0;

    (void)signal(SIGXFSZ, SIG_IGN);
    if (set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, 0) &&
        set_limit(RLIMIT_NOFILE, FILES_MAX) &&
        set_limit(RLIMIT_CPU, cfg->cpu_s) &&
        (HAS_SHADOW || set_limit(RLIMIT_AS, used + cfg->memory_max)))
        parts |= SANDBOX_LIMITS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return parts;
    parts |= SANDBOX_NO_PRIVS;
    if (confine_to(cfg, is_needed))
        parts |= SANDBOX_LANDLOCK;
    if (filter())
        parts |= SANDBOX_SECCOMP;
    return parts;
}

uint32_t
sandbox_worker(const struct sandbox_cfg *cfg)
{
    return confine(cfg, true, filter_worker);
}

uint32_t
sandbox_fetcher(const struct sandbox_cfg *cfg)
{
    return confine(cfg, false, filter_fetcher);
}

static void
close_others(int fd)
{
    if (fd > 3)
        (void)close_range(3, (unsigned)fd - 1, 0);
    (void)close_range((unsigned)fd + 1, ~0U, 0);
}

uint32_t
sandbox_parser(int fd, uint64_t memory_max)
{
    uint32_t parts = 0;

    close_others(fd);
    if (set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, 0) &&
        (HAS_SHADOW || set_limit(RLIMIT_AS, memory_max)) &&
        set_limit(RLIMIT_NOFILE, 0))
        parts |= SANDBOX_LIMITS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return parts;
    parts |= SANDBOX_NO_PRIVS;
    if (filter_parser())
        parts |= SANDBOX_SECCOMP;
    return parts;
}
